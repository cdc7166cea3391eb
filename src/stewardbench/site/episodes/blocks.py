"""One episode as the explorer shows it: sections of blocks, each block one of a few kinds.

The browser draws a block by its ``kind`` and knows nothing of either benchmark. Texts are kept exactly as recorded;
the browser writes them as text, never as markup.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Chip:
    """A short label. ``tone`` names its colour class; the text alone carries the meaning."""

    text: str
    tone: str = "plain"


@dataclass(frozen=True, slots=True)
class Facts:
    """Label and value pairs."""

    items: tuple[tuple[str, str], ...]
    kind: Literal["facts"] = "facts"


@dataclass(frozen=True, slots=True)
class Prose:
    """One labelled text, for example the claim."""

    label: str
    text: str
    tone: str = "plain"
    kind: Literal["prose"] = "prose"


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool call inside a turn, folded until asked for."""

    name: str
    arguments: str
    result: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class TurnBlock:
    """What was said in one turn; ``chips`` mark it, ``asides`` are notes about it such as a judge's reasons."""

    number: int
    user: str
    agent: str
    chips: tuple[Chip, ...] = ()
    tools: tuple[Tool, ...] = ()
    error: str = ""
    asides: tuple[tuple[str, str], ...] = ()
    kind: Literal["turn"] = "turn"


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a diff. ``op`` is '+', '-', ' ' or '@' (a gap); ``marks`` are [start, end) offsets to highlight."""

    op: Literal["+", "-", " ", "@"]
    text: str
    marks: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class FileDiff:
    """A captured file against the baseline. ``folded`` files open on request."""

    path: str
    change: str
    chip: Chip
    lines: tuple[DiffLine, ...]
    note: str = ""
    folded: bool = False
    kind: Literal["file"] = "file"


@dataclass(frozen=True, slots=True)
class CheckLine:
    """One attested statement; ``passed`` None means it was not checked."""

    label: str
    passed: bool | None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Checks:
    """A list of checks."""

    items: tuple[CheckLine, ...]
    kind: Literal["checks"] = "checks"


@dataclass(frozen=True, slots=True)
class Scores:
    """A small score table: scores 1-5, None unscored. ``fail_at`` marks failing cells."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[int | None, ...]], ...]
    fail_at: int
    note: str = ""
    kind: Literal["scores"] = "scores"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a scripted world: what the agent sent, what came back."""

    number: int
    title: str
    sent: str
    reply: str
    chips: tuple[Chip, ...] = ()
    kind: Literal["step"] = "step"


@dataclass(frozen=True, slots=True)
class Page:
    """A text the agent saw, kept as it was laid out; ``marks`` are [start, end) offsets to highlight."""

    label: str
    text: str
    marks: tuple[tuple[int, int], ...] = ()
    kind: Literal["page"] = "page"


Block = Facts | Prose | TurnBlock | FileDiff | Checks | Scores | Step | Page


@dataclass(frozen=True, slots=True)
class Section:
    """One part of an episode's page."""

    id: str
    heading: str
    lead: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class EpisodeDetail:
    """Everything the explorer shows of one episode."""

    id: str
    title: str
    subtitle: str
    chips: tuple[Chip, ...]
    sections: tuple[Section, ...]
