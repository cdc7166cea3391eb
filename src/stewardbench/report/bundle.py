"""The audit bundle: one file from which anyone can rebuild every table of a report, without a model and without us.

    bundle.json              settings, versions, runs, the hash of every file and of every table
    runs/<n>/...             manifest and records of each run folder, byte for byte
    prompts/...              the judge's and annotator's prompts
    tables/<id>.csv          the tables themselves

It is a ZIP archive with fixed dates and order, so the same report gives the same archive. Its comment is the hash of
everything before it: no byte of the file is outside some hash. Captured blobs and model exchanges stay in the run
folder; the records hold the text that judges and matchers saw.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

from stewardbench import __version__
from stewardbench.benchmark import benchmark
from stewardbench.errors import StoreError
from stewardbench.report.build import Report, Settings, by_benchmark
from stewardbench.report.part import reporting
from stewardbench.runs.folder import read_manifest

SCHEMA = "report-bundle/1"
INDEX = "bundle.json"
MANIFEST = "run.json"
LIBRARIES = ("numpy", "scipy", "polars", "pydantic")  # those that numbers pass through
SEAL = b"sha256:"
_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest a ZIP archive can hold


def write_bundle(folders: Sequence[Path], report: Report, settings: Settings, path: Path) -> Path:
    """Write the bundle of a report on some run folders, replacing an earlier file in one step. Raises StoreError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(handle)
        partial = Path(name)
        try:
            _fill(partial, folders, report, settings)
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


def _fill(path: Path, folders: Sequence[Path], report: Report, settings: Settings) -> None:
    hashes: dict[str, str] = {}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, source in _members(folders):
            hashes[name] = _store(archive, name, source)
        for table in report.tables:
            name = f"tables/{table.id}.csv"
            hashes[name] = _store(archive, name, table.csv().encode())
        index = {
            "schema": SCHEMA,
            "stewardbench": __version__,
            "libraries": {library: version(library) for library in LIBRARIES},
            "settings": asdict(settings),
            "prompts": {name: digest for name, digest in hashes.items() if name.startswith("prompts/")},
            "runs": [read_manifest(folder).run_id for folder in folders],
            "files": hashes,
            "tables": table_hashes(report),
        }
        _store(archive, INDEX, (json.dumps(index, indent=2, sort_keys=True) + "\n").encode())


def _members(folders: Sequence[Path]) -> Iterator[tuple[str, Path | bytes]]:
    """Every file of the bundle but the tables, in a fixed order."""
    for number, folder in enumerate(folders, 1):
        for record in (MANIFEST, *benchmark(read_manifest(folder).benchmark).records):
            if (folder / record).exists():
                yield f"runs/{number}/{record}", folder / record
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
    with source.open("rb") as file:
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
