"""The audit bundle: one file from which anyone can rebuild every table of a report, without a model and without us.

    bundle.json              settings, versions, runs, the hash of every file and of every table
    runs/<n>/...             manifest and records of each run folder, byte for byte
    runs/<n>/blobs/...       the model calls behind the records, by their SHA-256 (left out where that is asked for)
    prompts/...              the judge's and annotator's prompts
    tables/<id>.csv          the tables themselves

It is a ZIP archive with fixed dates and order, so the same report gives the same archive. Its comment is the hash of
everything before it: no byte of the file is outside some hash.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import struct
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from stewardbench import __version__
from stewardbench.benchmark import benchmark
from stewardbench.errors import StoreError
from stewardbench.records import Record
from stewardbench.records.bounds import regular
from stewardbench.report.build import Report, Settings, by_benchmark
from stewardbench.report.part import reporting
from stewardbench.runs.folder import read_manifest

SCHEMA: Literal["report-bundle/2"] = "report-bundle/2"
INDEX = "bundle.json"
MANIFEST = "run.json"
LIBRARIES = ("numpy", "scipy", "polars", "pydantic")  # those that numbers pass through
SEAL = b"sha256:"
MOST_FILES = 65_000  # and MOST_BYTES: what an archive holds without the later, larger form of its directory
MOST_BYTES = (1 << 32) - (1 << 20)
MOST_RUNS = 10_000
_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest a ZIP archive can hold
_BLOB = re.compile(r"[0-9a-f]{64}")
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Name = Annotated[str, StringConstraints(max_length=240)]


class Index(Record):
    """What a bundle says of itself: ``files`` and ``tables`` are SHA-256 by name, ``runs`` the runs' names in order.

    ``model_calls`` says whether the calls behind the records are in it. Bundles of the first form never hold them.
    """

    schema_: Literal["report-bundle/1", "report-bundle/2"] = Field(SCHEMA, alias="schema")
    stewardbench: Name
    libraries: dict[Name, Name] = Field(default_factory=dict)
    settings: Settings
    prompts: dict[Name, Digest] = Field(default_factory=dict)
    runs: Annotated[tuple[Name, ...], Field(min_length=1, max_length=MOST_RUNS)]
    model_calls: bool = False
    files: Annotated[dict[Name, Digest], Field(max_length=MOST_FILES)]
    tables: dict[Name, Digest]


def write_bundle(
    folders: Sequence[Path], report: Report, settings: Settings, path: Path, *, model_calls: bool = True
) -> Path:
    """Write the bundle of a report on some run folders, replacing an earlier file in one step. Raises StoreError.

    ``model_calls`` is False for a bundle that holds the records alone: answers can then not be held against them.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(handle)
        partial = Path(name)
        try:
            _fill(partial, folders, report, settings, model_calls)
            if partial.stat().st_size > MOST_BYTES:
                raise _too_large(path, f"{MOST_BYTES:,} bytes")
            _seal(partial)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"{path}: the bundle cannot be written: {error.strerror}.", hint="Free space.") from error
    return path


def table_hashes(report: Report) -> dict[str, str]:
    """The SHA-256 of every table's CSV form, by table id."""
    return {table.id: _sha256(table.csv().encode()) for table in report.tables}


def _fill(path: Path, folders: Sequence[Path], report: Report, settings: Settings, model_calls: bool) -> None:
    hashes: dict[str, str] = {}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, source in _members(folders, model_calls):
            if len(hashes) >= MOST_FILES:
                raise _too_large(path, f"{MOST_FILES:,} files")
            hashes[name] = _store(archive, name, source)
        for table in report.tables:
            name = f"tables/{table.id}.csv"
            hashes[name] = _store(archive, name, table.csv().encode())
        index = Index(
            stewardbench=__version__,
            libraries={library: version(library) for library in LIBRARIES},
            settings=settings,
            prompts={name: digest for name, digest in hashes.items() if name.startswith("prompts/")},
            runs=tuple(read_manifest(folder).run_id for folder in folders),
            model_calls=model_calls,
            files=hashes,
            tables=table_hashes(report),
        )
        _store(archive, INDEX, (json.dumps(index.model_dump(mode="json"), indent=2, sort_keys=True) + "\n").encode())


def _too_large(path: Path, bound: str) -> StoreError:
    hint = "Bundle fewer runs at a time, or without model calls."
    return StoreError(f"{path}: more than {bound}, which no bundle holds.", hint=hint)


def _members(folders: Sequence[Path], model_calls: bool) -> Iterator[tuple[str, Path | bytes]]:
    """Every file of the bundle but the tables, in a fixed order."""
    for number, folder in enumerate(folders, 1):
        for record in (MANIFEST, *benchmark(read_manifest(folder).benchmark).records):
            if (folder / record).exists():
                yield f"runs/{number}/{record}", folder / record
        for blob in sorted(folder.glob("blobs/??/*")) if model_calls else ():
            if _BLOB.fullmatch(blob.name) and not blob.is_symlink():
                yield f"runs/{number}/blobs/{blob.parent.name}/{blob.name}", blob
    for name in by_benchmark(folders):
        for prompt, content in reporting(name).prompts().items():
            yield f"prompts/{prompt}", content


def _store(archive: zipfile.ZipFile, name: str, source: Path | bytes) -> str:
    """Add one file in a form that depends on its name and bytes only; returns its hash."""
    info = zipfile.ZipInfo(name, _DATE)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    info.create_system = 3  # the same on every system
    digest = hashlib.sha256()
    with archive.open(info, "w", force_zip64=isinstance(source, Path)) as target:
        for block in _blocks(source):
            digest.update(block)
            target.write(block)
    return digest.hexdigest()


def _blocks(source: Path | bytes, size: int = 1 << 20) -> Iterator[bytes]:
    if isinstance(source, bytes):
        yield source
        return
    with regular(source) as file:
        while block := file.read(size):
            yield block


def _seal(path: Path) -> None:
    """Put the hash of everything before it into the archive's comment."""
    with path.open("r+b") as file:
        file.seek(-2, os.SEEK_END)
        file.truncate()
        digest = seal_of(path, file.tell())
        file.write(struct.pack("<H", len(digest)) + digest)


def seal_of(path: Path, length: int) -> bytes:
    """The comment that belongs to the first ``length`` bytes of a bundle."""
    digest, left = hashlib.sha256(), length
    with path.open("rb") as file:
        while left and (block := file.read(min(left, 1 << 20))):
            digest.update(block)
            left -= len(block)
    return SEAL + digest.hexdigest().encode()


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
