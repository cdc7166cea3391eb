"""The plug-in: mem0 as the memory of a plain chat agent."""

from __future__ import annotations

from typing import ClassVar

from stewardbench.agents.library import LibraryAgent


class Mem0Agent(LibraryAgent):
    """A chat agent whose memory is mem0.

    ``released``: before every answer mem0 is searched, after every answer it extracts memories from what was said (its
    own model call), and the model has tools to save and to search. ``tools``: the model's tools alone.
    """

    name = "mem0"
    distribution = "mem0ai"
    package = "stewardbench.agents.vector_store"
    reviews = ("released", "tools")
    saves: ClassVar[dict[str, list[dict[str, object]]]] = {
        "profile": [],
        "skill": [],
    }  # mem0 keeps memories and nothing else
    variables: ClassVar = {"MEM0_TELEMETRY": "False", "ANONYMIZED_TELEMETRY": "False"}
