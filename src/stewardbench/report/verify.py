"""Checking an audit bundle: its archive, every file against its hash, the records against each other, every table.

No model is called. A problem names the file, episode or table that it is about. The bundle may come from anybody: what
it may hold is settled before it is unpacked (``report.archive``), and computing with it has a limit of time.
"""

from __future__ import annotations

import os
import signal
import struct
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from stewardbench import __version__
from stewardbench.errors import StewardError
from stewardbench.report.archive import UNPACKED_BYTES, opened, read_index, refused, unpack
from stewardbench.report.build import build_report
from stewardbench.report.bundle import INDEX, SEAL, Index, seal_of, table_hashes
from stewardbench.runs.checks import inconsistencies
from stewardbench.runs.folder import RunFolder

_SEAL_LENGTH = len(SEAL) + 64
CPU_S = 3600  # processor time for the records and tables of one bundle
SHOWN = 200  # problems of one kind; a forged bundle can have one for each of a million lines

NOT_SHOWN = (
    "That the records are what happened: whoever makes up episodes together with their model calls is not found out.",
    "That nothing was left out: runs, tasks that were never tried, or the last attempts at a task.",
    "That a judge or annotator said what is recorded: their replies are kept as text, annotators' labels without.",
    "That the model behind a name is the one it says, or that another machine or day gives the same answers.",
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What verification found. ``problems`` is empty when everything that can be checked is as the bundle says.

    ``not_shown`` says in sentences what no check of this bundle can show.
    """

    path: Path
    files: int
    tables: int
    runs: tuple[str, ...]
    problems: tuple[str, ...]
    not_shown: tuple[str, ...] = NOT_SHOWN


class TooLong(Exception):
    """The processor time is used up."""


def verify_bundle(path: Path, *, cpu_s: float = CPU_S, unpacked_bytes: int = UNPACKED_BYTES) -> Verdict:
    """Check a bundle completely, with so many seconds of processor time and bytes of disk at most.

    Raises StoreError when the file is no bundle at all, or when the disk has no room for it.
    """
    with opened(path) as archive, tempfile.TemporaryDirectory() as scratch:
        problems = _some(refused(archive.infolist(), unpacked_bytes))
        index = read_index(archive, path)
        if not problems:
            hashes, problems = unpack(archive, Path(scratch))
            problems += _compare_files(hashes, index.files)
        if not problems and not _sealed(path):
            problems.append("the archive was changed outside its files (headers or directory)")
        if not problems:
            problems = _contents(Path(scratch), index, cpu_s)
    return Verdict(path, len(index.files), len(index.tables), index.runs, tuple(problems), _not_shown(index))


def _contents(folder: Path, index: Index, cpu_s: float) -> list[str]:
    """What is wrong with records and tables; whatever a stranger's records make the code do is a problem of theirs."""
    problems: list[str] = []
    try:
        with _within(cpu_s):
            problems += _some(_compare_records(folder, index))
            problems += _some(_compare_tables(folder, index))
    except TooLong:
        problems.append(f"reading it took more than {cpu_s:g} s of processor time and was given up")
    except Exception as error:  # records that pass every check of form and still cannot be computed with
        problems.append(f"the records cannot be computed with: {type(error).__name__}: {str(error)[:200]}")
    return problems


def _some(found: Iterator[str]) -> list[str]:
    """The first of some problems, and a word that there are more."""
    listed: list[str] = []
    for problem in found:
        if len(listed) == SHOWN:
            listed.append("and more of this kind")
            break
        listed.append(problem)
    return listed


def _compare_files(found: dict[str, str], expected: dict[str, str]) -> Iterator[str]:
    for name in sorted({*found, *expected} - {INDEX}):
        if name not in expected:
            yield f"{name}: is not in the bundle's index"
        elif name not in found:
            yield f"{name}: is missing or unreadable"
        elif found[name] != expected[name]:
            yield f"{name}: content does not match its hash"


def _sealed(path: Path) -> bool:
    """Whether the archive's comment is the hash of everything before it; covers headers and the index itself."""
    body = path.stat().st_size - _SEAL_LENGTH - 2
    with path.open("rb") as file:
        file.seek(-_SEAL_LENGTH - 2, os.SEEK_END)
        return body > 0 and file.read() == struct.pack("<H", _SEAL_LENGTH) + seal_of(path, body)


def _runs(folder: Path, index: Index) -> list[Path]:
    return [folder / "runs" / str(number) for number in range(1, len(index.runs) + 1)]


def _compare_records(folder: Path, index: Index) -> Iterator[str]:
    """What does not hang together inside each run, and runs that are not those that the index names."""
    held = {name.split("/")[1] for name in index.files if name.startswith("runs/")}
    for extra in sorted(held - {path.name for path in _runs(folder, index)}):
        yield f"runs/{extra}: is not among the runs that the index names"
    named: dict[str, str] = {}
    for run, run_id in zip(_runs(folder, index), index.runs, strict=True):
        place = f"runs/{run.name}"
        try:
            opened_run = RunFolder.read(run)
            if opened_run.manifest.run_id != run_id:
                yield f"{place}: is the run {opened_run.manifest.run_id}, the index says {run_id}"
            if run_id in named and "shard" not in opened_run.manifest.settings:
                yield f"{place}: is the run {run_id}, which is in {named[run_id]} already"
            named.setdefault(run_id, place)
            for fault in inconsistencies(opened_run, blobs=index.model_calls):
                yield f"{place}: {fault}".replace(f"{folder}/", "")
        except StewardError as error:
            yield f"{place}: {error.message}".replace(f"{folder}/", "")


def _compare_tables(folder: Path, index: Index) -> Iterator[str]:
    """Rebuild the report from the bundle's records; a problem for each table that comes out otherwise."""
    made_by = "" if index.stewardbench == __version__ else f" (made by {index.stewardbench}, this is {__version__})"
    try:
        rebuilt = table_hashes(build_report(_runs(folder, index), index.settings))
    except StewardError as error:
        yield f"the report cannot be rebuilt: {error}{made_by}".replace(f"{folder}/", "")
        return
    for name in sorted({*rebuilt, *index.tables}):
        if rebuilt.get(name) != index.tables.get(name):
            yield f"tables/{name}.csv: rebuilding gives another table{made_by}"
        elif index.files.get(f"tables/{name}.csv") != rebuilt[name]:
            yield f"tables/{name}.csv: is not the table that the records give"


def _not_shown(index: Index) -> tuple[str, ...]:
    if index.model_calls:
        return NOT_SHOWN
    without = "That the answers are the model's: this bundle holds no model calls to hold them against."
    return (*NOT_SHOWN, without)


@contextmanager
def _within(seconds: float) -> Iterator[None]:
    """Raises TooLong in the block when this process has used so much processor time; only in a main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def over(number: int, frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGPROF, over)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
