"""The plug-in ``http``."""

from __future__ import annotations

from pathlib import Path

from stewardbench.agents.black_box.options import read_options
from stewardbench.agents.black_box.slot import HttpSlot
from stewardbench.agents.interface import AgentSettings, Surface
from stewardbench.agents.library import entries
from stewardbench.errors import ConfinementError, UsageError
from stewardbench.models.endpoint import Endpoint

UNSTATED = "unstated"
INPUT_UNSEEN = "what the assistant's model is shown cannot be seen"
STATE_UNSEEN = "the assistant's memory cannot be seen"


class HttpAgent:
    """An assistant behind ``--model URL#NAME``. Its version is what the user says it is (``--agent-version``)."""

    name = "http"

    def version(self, settings: AgentSettings) -> str:
        """The version that the user states. Raises UsageError for settings that nobody can set from outside."""
        read_options(settings)
        for field in ("review", "tools"):
            if (value := getattr(settings, field)) != "released":
                raise UsageError(
                    f"http has no {field} {value!r}.", hint=f"Leave out --{field}: the server's own is used."
                )
        return settings.version or UNSTATED

    def surface(self, path: str) -> Surface:
        """The surface of an exported entry."""
        return entries.surface(path)

    def unseen(self, settings: AgentSettings) -> dict[str, str]:
        """What stays open, with the reasons; less of it where the server exports its memory."""
        found = {
            "b": f"the answers were searched; {INPUT_UNSEEN}",
            "c": INPUT_UNSEEN,
            "d": "the server declares the new session; its stores cannot be seen",
            "f": "what the server keeps and does not export cannot be seen",
            "g": f"the turns were sent; {INPUT_UNSEEN}",
        }
        if not read_options(settings).export:
            found |= {"commit": STATE_UNSEEN, "e": STATE_UNSEEN, "f": STATE_UNSEEN}
        return found

    async def open_slot(self, root: Path, endpoint: Endpoint, settings: AgentSettings) -> HttpSlot:
        """A slot that speaks to the assistant. Raises UsageError, and ConfinementError where walls are required."""
        self.version(settings)
        if settings.confine == "required":
            raise ConfinementError("An assistant behind an address cannot be confined.", hint="Use --confine auto.")
        return HttpSlot(endpoint, read_options(settings), settings)
