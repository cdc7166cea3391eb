"""SovereignPA-Bench's commands: parsing and printing, nothing else."""
