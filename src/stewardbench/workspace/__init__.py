"""Slots, baselines, snapshots, diffs and confinement: what an agent's folder is and what changed in it."""
