"""Rules of the twin's checks: expressions that work, a value that its wordings tell and nothing else gives away."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stewardbench.pasb.authoring.findings import Finding, facts, fillers, queries
from stewardbench.pasb.axes import Scenario
from stewardbench.pasb.measure.twins import met
from stewardbench.pasb.records import ReplyCheck
from stewardbench.pasb.tasks.item import BaseItem, Twin, TwinChecks


def pattern_findings(name: str, checks: TwinChecks) -> Iterator[Finding]:
    """Every expression is one."""
    for field in ("must", "must_not", "out_of_scope_must_not"):
        for place, pattern in enumerate(getattr(checks, field)):
            try:
                re.compile(pattern)
            except re.error as error:
                yield Finding(f"{name}.checks.{field}[{place}]", f"not a regular expression: {error}")


def value_findings(item: BaseItem, name: str, twin: Twin) -> Iterator[Finding]:
    """The twin's wordings tell its value; nothing else that the agent is given does. ``name``: its field."""
    checks = twin.checks
    for scenario in Scenario:
        wording = twin.wordings.of(scenario)
        field = f"{name}.wordings.{scenario}"
        for pattern in checks.must:
            if not _match(pattern, wording.full):
                yield Finding(f"{field}.full", f"does not tell the value that must {pattern!r} looks for")
            if not any(_match(pattern, text) for text in wording.fragments):
                yield Finding(f"{field}.fragments", f"no fragment tells the value that {pattern!r} looks for")
    for field, text in _given_texts(item, name):
        for pattern in checks.must + (checks.out_of_scope_must_not if "out_of_scope" in field else ()):
            if _match(pattern, text):
                yield Finding(field, f"gives away the twin's value: matches {pattern!r}")


def sample_findings(name: str, checks: TwinChecks) -> Iterator[Finding]:
    """The sample replies pass and fail as their lists say."""
    check = ReplyCheck(must=checks.must, must_not=checks.must_not)
    for field, wanted in (("passes", True), ("fails", False)):
        for place, reply in enumerate(getattr(checks, field)):
            if met(check, [reply]) is not wanted:
                told = "does not pass" if wanted else "passes"
                yield Finding(f"{name}.checks.{field}[{place}]", f"{told} the in-scope checks")


def _given_texts(item: BaseItem, name: str) -> Iterator[tuple[str, str]]:
    """What an agent without memory of the twin is given: the twin's queries, fillers and facts."""
    yield from ((field, text) for field, text in queries(item) if field.startswith(f"{name}."))
    yield from fillers(item)
    yield from facts(item)


def _match(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None
