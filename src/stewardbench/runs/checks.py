"""Whether the records of a run folder hang together: what can be computed again is, and what differs is named.

A run's records rest on each other: the manifest's hash on its settings, an attempt's number on those before it, a
stored file's name on its bytes, and much more that only a benchmark knows of its own (``Benchmark.checks``). Somebody
who changes one of them by hand has to change all that follow. Nothing here can tell whether records are true.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stewardbench.benchmark import benchmark
from stewardbench.errors import StoreError
from stewardbench.runs.folder import RunFolder, has_its_hash
from stewardbench.runs.store import Tried

_NUMBERED = re.compile(r".*:(\d{1,9})")  # the end of an attempt's name


def inconsistencies(folder: RunFolder, *, blobs: bool) -> Iterator[str]:
    """A sentence for everything in a run's records that does not follow from the rest of them.

    ``blobs`` says whether the stored files (model calls) are there to be looked at. Raises StoreError for a damaged
    record and UsageError where the benchmark is not installed.
    """
    manifest = folder.manifest
    if not has_its_hash(manifest):
        yield "run.json: the settings do not have the hash that stands beside them"
    of = benchmark(manifest.benchmark)
    yield from _attempts(of.part("attempts")(folder))
    if blobs:
        yield from _blobs(folder)
    if of.checks:
        yield from of.part("checks")(folder, blobs=blobs)


def _attempts(stored: Iterator[Tried]) -> Iterator[str]:
    """Attempts that are stored twice, and numbers that were left out: a job's attempts are counted without a gap."""
    names: set[str] = set()
    last: dict[str, int] = {}
    for tried in stored:
        if tried.name in names:
            yield f"episodes.jsonl: the attempt {tried.name} is stored twice"
            continue
        names.add(tried.name)
        numbered = _NUMBERED.fullmatch(tried.name)
        if numbered is None:
            continue
        number, before = int(numbered[1]), last.get(tried.job.id, 0)
        if number > before + 1:
            yield f"episodes.jsonl: attempt {number} at {tried.job.id} is stored, attempt {before + 1} is not"
        last[tried.job.id] = number


def _blobs(folder: RunFolder) -> Iterator[str]:
    for path in sorted(folder.blobs.root.glob("*/*")):
        try:
            folder.blobs.get(path.name)
        except StoreError as error:
            yield str(error.message)
