"""What a benchmark is to the engine: its names, the files of its runs, and where its parts are found.

The engine (``runs``, ``report``, ``site``) and the command line know benchmarks only through this record. A package
adds one by an entry point of the group ``stewardbench.benchmarks`` that names a ``Benchmark``; nothing here has to be
edited. The parts are given as ``module:attribute`` and imported when they are first needed, so that the command line
starts fast and a report does not load what only a run needs.

    attempts    a function ``(RunFolder) -> Iterator[runs.store.Tried]``: the stored attempts, line by line
    reporting   a ``report.part.Reporting``: tables, figures, the numbers that a comparison pairs
    pages       a ``site.part.Paging``: the site's page and the explorer's episodes
    commands    a function that adds commands: ``(cli.commands.Commands) -> None``
    terms       a ``Terms``: how identifiers are spelled for readers
    checks      a function ``(RunFolder, *, blobs: bool) -> Iterator[str]``: what does not follow from the rest of a run
    closing     a function ``(RunFolder) -> runs.closing.Closing``: what a run asked and measured
    rehearsals  a function that gives requests as its runs send them, for ``doctor``: ``() -> tuple[Rehearsal, ...]``
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from stewardbench.errors import UsageError

GROUP = "stewardbench.benchmarks"


@dataclass(frozen=True)
class Terms:
    """How a benchmark's identifiers are spelled. ``spelled`` is the full form, ``short`` the heading of a column."""

    spelled: Mapping[str, str] = field(default_factory=dict)
    short: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Benchmark:
    """A benchmark.

    ``name`` stands in every manifest and in ``stewardbench run NAME``; ``title`` is for readers. ``records`` are the
    files of a run folder beside ``run.json``, in the order in which a bundle keeps them. ``rank`` orders benchmarks in
    reports and on the site; ties go by name.
    """

    name: str
    title: str
    records: tuple[str, ...] = ("tasks.jsonl", "episodes.jsonl")
    attempts: str = "stewardbench.runs.loop:stored"
    reporting: str = ""
    pages: str = ""
    commands: str = ""
    terms: str = ""
    checks: str = ""
    closing: str = ""
    rehearsals: str = ""
    rank: int = 100

    def part(self, kind: str) -> Any:
        """One part of the benchmark, imported. Raises UsageError when it has none of that kind."""
        found = str(getattr(self, kind))
        if not found:
            raise UsageError(
                f"the benchmark {self.name} has no {kind}.", hint=f"Its package has to name one: Benchmark({kind}=...)."
            )
        module, _, attribute = found.partition(":")
        return getattr(import_module(module), attribute)


@cache
def benchmarks() -> tuple[Benchmark, ...]:
    """Every installed benchmark, in the order of reports."""
    found = [entry.load() for entry in entry_points(group=GROUP)]
    return tuple(sorted(found, key=lambda one: (one.rank, one.name)))


def benchmark(name: str) -> Benchmark:
    """The benchmark of that name. Raises UsageError that lists those installed."""
    for one in benchmarks():
        if one.name == name:
            return one
    listed = ", ".join(one.name for one in benchmarks())
    raise UsageError(f"no benchmark called {name!r} is installed.", hint=f"Installed: {listed}.")
