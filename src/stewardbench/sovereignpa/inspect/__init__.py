"""SovereignPA-Bench as an Inspect task: a solver that plays episodes and a scorer that reads their logs, both thin."""
