"""Scripted models with known answers: they prove that the harness sees each defect, and nothing else."""
