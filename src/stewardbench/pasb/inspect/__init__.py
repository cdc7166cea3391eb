"""PASB as an Inspect task: a solver that runs episodes and a scorer that judges them, both thin."""
