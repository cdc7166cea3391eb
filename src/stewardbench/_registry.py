"""Everything that Inspect AI finds through our entry point: tasks, solvers, scorers and the scripted provider."""

from stewardbench.models.scripted.provider import ScriptedApi
from stewardbench.runs.inspect_tasks import pasb
from stewardbench.runs.sovereignpa_tasks import sovereignpa_booking, sovereignpa_cancellation

__all__ = ["ScriptedApi", "pasb", "sovereignpa_booking", "sovereignpa_cancellation"]
