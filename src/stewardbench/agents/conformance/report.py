"""What a run of the conformance suite found, as a record that can be stored and compared."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from stewardbench.records import Record


class CheckResult(Record):
    """One check. ``detail`` is what was seen, or why the check failed, does not apply, or could not be made.

    ``missing`` lacks a declaration of the agent's; ``open`` can be made by nobody: the agent is seen from outside.

    ``channels`` says what became of a mark in each channel, for the check that leaves marks: ``planted`` and not found
    again, ``refused: ...`` by the walls, ``carried to ...``, or ``not tried: ...``.
    """

    name: str
    proves: str
    status: Literal["passed", "failed", "skipped", "missing", "open"]
    detail: str = ""
    elapsed_s: float = 0.0
    channels: dict[str, str] = Field(default_factory=dict)


class ConformanceReport(Record):
    """All checks of one agent under one choice of settings."""

    schema_: Literal["agent-conformance/1"] = Field("agent-conformance/1", alias="schema")
    agent: str
    version: str
    review: str
    tools: str
    confined: bool
    results: tuple[CheckResult, ...]

    @property
    def conforms(self) -> bool:
        """Whether every check passed or does not apply."""
        return self.verdict == "CONFORMS"

    @property
    def verdict(self) -> Literal["CONFORMS", "INCOMPLETE", "BLACK BOX", "FAILS"]:
        """FAILS where a check failed; INCOMPLETE where one could not be made, which proves nothing; BLACK BOX where
        one cannot be made by anybody."""
        seen = {result.status for result in self.results}
        if "failed" in seen:
            return "FAILS"
        return "INCOMPLETE" if "missing" in seen else "BLACK BOX" if "open" in seen else "CONFORMS"
