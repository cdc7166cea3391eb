"""PASB's commands: parsing and printing, nothing else."""
