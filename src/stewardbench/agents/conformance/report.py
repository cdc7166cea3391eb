"""What a run of the conformance suite found, as a record that can be stored and compared."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from stewardbench.records import Record


class CheckResult(Record):
    """One check. ``detail`` is what was seen, or why the check failed or does not apply."""

    name: str
    proves: str
    status: Literal["passed", "failed", "skipped"]
    detail: str = ""
    elapsed_s: float = 0.0


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
        """Whether no check failed."""
        return all(result.status != "failed" for result in self.results)
