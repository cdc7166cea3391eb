"""Labels that only the site needs, over the report's own (``report.labels``)."""

from __future__ import annotations

from stewardbench.report.labels import AGENTS, short_heading, words

NAMES = frozenset({"model", "system", "run_id", "judge", "annotator", "agents", "pair"})  # columns that hold names


def agent_label(name: str) -> str:
    """An agent's name as its makers write it; plug-ins appear under their own name."""
    return AGENTS.get(name, name)


def heading(column: str) -> str:
    """A column of a report table as its heading; single letters such as n stay as they are."""
    return column if len(column) == 1 else short_heading(column)


def term(column: str, value: str) -> str:
    """A value of a key column as readers see it; names of models, systems and runs stay exactly as they are."""
    if column in NAMES:
        return value
    return agent_label(value) if column == "agent" else words(value)
