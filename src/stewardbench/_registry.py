"""Everything that Inspect AI finds through our entry point: tasks, solvers, scorers and the scripted provider."""

from stewardbench.models.scripted.provider import ScriptedApi

__all__ = ["ScriptedApi"]
