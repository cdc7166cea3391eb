"""Bringing the parts of one run together: shards that ran apart, on one machine or on many, become one run folder.

Every part was started with the same settings and ``--shard 1/n`` to ``n/n``, so all parts carry one run id, and no job
is in two of them. Merging copies records and never changes one. What does not belong together is refused and named:
another benchmark, other settings, versions or tasks, a part that is missing or given twice, a job that two parts hold.
The merged folder is a run like any other: the run command without ``--shard`` resumes it.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from stewardbench.benchmark import benchmark
from stewardbench.errors import StoreError, UsageError
from stewardbench.runs.folder import FREE_SETTINGS, SHARD, Manifest, RunFolder, write_atomically
from stewardbench.runs.jobs import Job, shard
from stewardbench.runs.store import EPISODES, Tried

TASKS = "tasks"
ONE_RUN, ONE_EACH = "Only the shards of one run can be merged.", "Name the folder of each shard once."
MOVING = frozenset({"python"})  # the one version that may differ between the machines of one run


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merged run folder holds. ``unscorable`` counts the jobs whose attempts are all invalid so far."""

    run_id: str
    parts: int
    jobs: int
    attempts: int
    unscorable: int


@dataclass(frozen=True, slots=True)
class _Part:
    """One shard: its folder, and its attempts in the order of writing, each with its line."""

    folder: RunFolder
    attempts: tuple[tuple[Tried, str], ...]

    @property
    def name(self) -> str:
        return str(self.folder.path)

    def by_job(self) -> list[list[tuple[Tried, str]]]:
        """The attempts of each job together, jobs in the order of their first attempts."""
        found: dict[Job, list[tuple[Tried, str]]] = {}
        for tried, line in self.attempts:
            found.setdefault(tried.job, []).append((tried, line))
        return list(found.values())


def merge(folders: Sequence[Path], out: Path) -> Merged:
    """Write the run that some shards are the parts of into a new folder, all of it or nothing.

    Raises UsageError when the folders are not the parts of one run, and StoreError when one of them is damaged or in
    use, when two hold the same job, or when ``out`` cannot be written or holds something.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise StoreError(f"{out}: exists already.", hint="Choose another --out folder.")
    with ExitStack() as stack:
        opened = [stack.enter_context(RunFolder.reopen(folder)) for folder in _distinct(folders)]
        ordered = _parts_of_one_run(opened)
        parts = [_read(folder) for folder in ordered]
        _no_overlap(parts)
        lines = list(_interleaved(parts))
        _write(parts, [line for _, line in lines], out)
    valid = {tried.job for tried, _ in lines if tried.valid}
    jobs = {tried.job for tried, _ in lines}
    return Merged(ordered[0].manifest.run_id, len(parts), len(jobs), len(lines), len(jobs - valid))


def _distinct(folders: Sequence[Path]) -> Sequence[Path]:
    seen: dict[Path, Path] = {}
    for folder in folders:
        place = folder.resolve()
        if place in seen:
            raise UsageError(f"{folder} is given twice (as {seen[place]}).", hint="Name each run folder once.")
        seen[place] = folder
    return folders


def _parts_of_one_run(folders: Sequence[RunFolder]) -> list[RunFolder]:
    """The folders in the order of their shards. Raises UsageError that names the first thing that does not fit."""
    if not folders:
        raise UsageError("there is nothing to merge.", hint="Name the run folders of all shards.")
    numbered: dict[int, RunFolder] = {}
    first = folders[0]
    for folder in folders:
        _same_run(first, folder)
        mine = shard(str(folder.manifest.settings.get(SHARD, "")))
        if mine is None:
            raise UsageError(f"{folder.path}: is no shard of a run.", hint="Start the parts with --shard 1/n to n/n.")
        if mine.number in numbered:
            raise UsageError(
                f"{numbered[mine.number].path} and {folder.path} are both shard {mine.number}/{mine.of}.", hint=ONE_EACH
            )
        numbered[mine.number] = folder
        wanted = mine.of
    if missing := sorted({*range(1, wanted + 1)} - {*numbered}):
        listed = ", ".join(f"{number}/{wanted}" for number in missing)
        raise UsageError(f"shard {listed} is not given.", hint="Name the run folders of all shards.")
    return [numbered[number] for number in sorted(numbered)]


def _same_run(first: RunFolder, other: RunFolder) -> None:
    """Raises UsageError when two folders are not parts of one run."""
    ours, theirs = first.manifest, other.manifest
    both = f"{first.path} and {other.path}"
    if ours.benchmark != theirs.benchmark:
        raise UsageError(f"{both} are runs of {ours.benchmark} and {theirs.benchmark}.", hint=ONE_RUN)
    splits = [str(manifest.settings.get(SHARD, "")).rpartition("/")[2] for manifest in (ours, theirs)]
    if splits[0] != splits[1]:
        raise UsageError(
            f"{both} are shards of different splits, into {splits[0] or 1} and {splits[1] or 1} parts.", hint=ONE_RUN
        )
    for kind, mine, yours, free in (
        ("settings", ours.settings, theirs.settings, {*FREE_SETTINGS, SHARD}),
        ("versions", ours.versions, theirs.versions, MOVING),
    ):
        changed = [k for k in sorted({*mine, *yours}) if k not in free and mine.get(k) != yours.get(k)]
        if changed:
            listed = "; ".join(f"{k}: {mine.get(k)!r} and {yours.get(k)!r}" for k in changed)
            raise UsageError(f"{both} have other {kind} ({listed}).", hint=ONE_RUN)
    if ours.run_id != theirs.run_id:
        raise UsageError(f"{both} are parts of different runs ({ours.run_id}, {theirs.run_id}).", hint=ONE_RUN)
    if _bytes(first, TASKS) != _bytes(other, TASKS):
        raise UsageError(f"{both} hold other tasks ({TASKS}.jsonl).", hint=ONE_RUN)


def _bytes(folder: RunFolder, name: str) -> bytes:
    path = folder.log(name).path
    return path.read_bytes() if path.exists() else b""


def _read(folder: RunFolder) -> _Part:
    stored = benchmark(folder.manifest.benchmark).part("attempts")(folder)
    lines = (line for _, line in folder.log(EPISODES).lines())
    return _Part(folder, tuple(zip(stored, lines, strict=True)))


def _no_overlap(parts: Sequence[_Part]) -> None:
    """Raises StoreError for a job that two parts hold, or an attempt that stands twice."""
    jobs: dict[Job, str] = {}
    for part in parts:
        names: set[str] = set()
        for tried, _ in part.attempts:
            holder = jobs.setdefault(tried.job, part.name)
            if holder != part.name:
                raise StoreError(
                    f"{tried.job.id} is in {holder} and in {part.name}.", hint="Each job belongs to one shard."
                )
            if tried.name in names:
                raise StoreError(f"{part.name}: the attempt {tried.name} stands twice.", hint="Restore the run folder.")
            names.add(tried.name)


def _interleaved(parts: Sequence[_Part]) -> Iterator[tuple[Tried, str]]:
    """Every attempt in the order of the undivided run: a shard holds every n-th job of it."""
    for turn in zip_longest(*(part.by_job() for part in parts), fillvalue=[]):
        for attempts in turn:
            yield from attempts


def _write(parts: Sequence[_Part], lines: Sequence[str], out: Path) -> None:
    """The merged folder, made beside its place and moved there whole."""
    first = parts[0].folder
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}."))
        try:
            for file in benchmark(first.manifest.benchmark).records:
                name = file.removesuffix(".jsonl")
                texts = [line for part in parts for _, line in part.folder.log(name).lines()]
                if name == EPISODES:
                    texts = list(lines)
                elif name == TASKS:
                    texts = [line for _, line in first.log(name).lines()]
                if texts:
                    RunFolder(made, first.manifest, None).log(name).extend(texts)
            for part in parts:
                for inside in ("blobs", "logs"):
                    if (part.folder.path / inside).is_dir():
                        shutil.copytree(part.folder.path / inside, made / inside, dirs_exist_ok=True)
            manifest = _manifest([part.folder.manifest for part in parts])
            text = json.dumps(manifest.model_dump(mode="json"), indent=2, sort_keys=True)
            write_atomically(made / "run.json", f"{text}\n")
            made.chmod(0o755)  # a temporary folder is its owner's alone
            made.replace(out)
        finally:
            shutil.rmtree(made, ignore_errors=True)
    except OSError as error:
        raise StoreError(
            f"{out}: cannot be written: {error.strerror}.", hint="Free space, then merge again."
        ) from error


def _manifest(shards: Sequence[Manifest]) -> Manifest:
    """The manifest of the whole: what the parts share, the earliest start, and every version of Python that ran."""
    first = shards[0]
    joined = {name: ", ".join(sorted({one.versions.get(name, "") for one in shards})) for name in first.versions}
    return first.model_copy(
        update={
            "created_at": min(one.created_at for one in shards),
            "settings": {key: value for key, value in first.settings.items() if key != SHARD},
            "versions": joined,
        }
    )
