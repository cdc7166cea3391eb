"""Everything that Inspect AI finds through our entry point: tasks, solvers, scorers and the scripted provider."""

from stewardbench.models.scripted.provider import ScriptedApi
from stewardbench.pasb.run.registered import pasb
from stewardbench.sovereignpa.run.registered import sovereignpa_booking, sovereignpa_cancellation

__all__ = ["ScriptedApi", "pasb", "sovereignpa_booking", "sovereignpa_cancellation"]
