"""A captured file against the baseline, as lines ready to show, with the matched claim highlighted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from stewardbench.site.episodes.blocks import DiffLine

CONTEXT = 3  # unchanged lines kept around a change
MOST_LINES = 400  # lines shown of one file; lines near a highlighted span are kept beyond that
LONGEST_LINE = 2000  # a longer line is shown in pieces of this many characters

Span = tuple[int, int]


def difference(before: str | None, after: str | None, spans: Sequence[Span] = ()) -> tuple[tuple[DiffLine, ...], str]:
    """Lines of the change from one text to another, and a note that says what was left out, or nothing.

    ``before`` or ``after`` is None where the file did not exist; ``spans`` are [start, end) character offsets in
    ``after``. Large unchanged parts become one '@' line; a very long result is cut and says so.
    """
    lines = [piece for line in _changes(before, after, spans) for piece in _pieces(line)]
    if len(lines) <= MOST_LINES:
        return tuple(lines), ""
    near = {k for i, line in enumerate(lines) if line.marks for k in range(i - CONTEXT, i + CONTEXT + 1)}
    kept = [i for i in range(len(lines)) if i < MOST_LINES or i in near]
    return tuple(_with_gaps(lines, kept)), f"{len(kept):,} of {len(lines):,} lines are shown; the run folder has all."


@lru_cache(maxsize=4096)  # a scenario's pages are compared once, however many runs played it
def changed_lines(before: str, after: str) -> tuple[Span, ...]:
    """The [start, end) offsets in ``after`` of the lines that it does not share with ``before``, in their order."""
    new = _lines(after)
    starts = [0]
    for line in new:
        starts.append(starts[-1] + len(line) + 1)
    matcher = SequenceMatcher(None, _lines(before), new, autojunk=False)
    changed = [
        place for name, _, _, low, high in matcher.get_opcodes() if name != "equal" for place in range(low, high)
    ]
    return tuple((starts[place], starts[place] + len(new[place])) for place in changed if new[place])


def _changes(before: str | None, after: str | None, spans: Sequence[Span]) -> Iterator[DiffLine]:
    if after is None:
        yield from (DiffLine("-", line) for line in _lines(before or ""))
        return
    new = list(_marked(after, spans))
    if before is None:
        yield from (DiffLine("+", text, marks) for text, marks in new)
        return
    old = _lines(before)
    matcher = SequenceMatcher(None, old, [text for text, _ in new], autojunk=len(old) * len(new) > 1_000_000)
    reached = 0
    for group in matcher.get_grouped_opcodes(CONTEXT):
        if group[0][1] > reached:
            yield _gap(group[0][1] - reached)
        for name, old_start, old_end, new_start, new_end in group:
            if name == "equal":
                yield from (DiffLine(" ", text, marks) for text, marks in new[new_start:new_end])
            else:
                yield from (DiffLine("-", text) for text in old[old_start:old_end])
                yield from (DiffLine("+", text, marks) for text, marks in new[new_start:new_end])
        reached = group[-1][2]
    if reached < len(old):
        yield _gap(len(old) - reached)


def _marked(text: str, spans: Sequence[Span]) -> Iterator[tuple[str, tuple[Span, ...]]]:
    """Each line with the parts of the spans that fall on it."""
    start = 0
    for line in _lines(text):
        end = start + len(line)
        yield line, tuple((max(a, start) - start, min(b, end) - start) for a, b in spans if a < end and b > start)
        start = end + 1


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _pieces(line: DiffLine) -> Iterator[DiffLine]:
    for start in range(0, max(len(line.text), 1), LONGEST_LINE):
        end = start + LONGEST_LINE
        marks = tuple((max(a, start) - start, min(b, end) - start) for a, b in line.marks if a < end and b > start)
        yield DiffLine(line.op, line.text[start:end], marks)


def _with_gaps(lines: Sequence[DiffLine], kept: Sequence[int]) -> Iterator[DiffLine]:
    last = -1
    for index in kept:
        if index > last + 1:
            yield DiffLine("@", f"{index - last - 1:,} lines not shown")
        yield lines[index]
        last = index
    if last < len(lines) - 1:
        yield DiffLine("@", f"{len(lines) - 1 - last:,} lines not shown")


def _gap(count: int) -> DiffLine:
    return DiffLine("@", f"{count:,} unchanged line{'' if count == 1 else 's'}")
