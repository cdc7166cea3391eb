"""Checking an audit bundle: every file against its hash, then every table rebuilt from the records and compared.

No model is called. A problem names the file or table that it is about.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stewardbench import __version__
from stewardbench.errors import StewardError, StoreError
from stewardbench.report.build import Settings, build_report
from stewardbench.report.bundle import INDEX, SCHEMA, SEAL, seal_of, table_hashes

_SEAL_LENGTH = len(SEAL) + 64
# what zipfile raises for damaged archives; RuntimeError covers encrypted members and unknown methods of compression
_DAMAGED = (zipfile.BadZipFile, zlib.error, OSError, ValueError, EOFError, RuntimeError)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What verification found. ``problems`` is empty when every file and table is as the bundle says."""

    path: Path
    files: int
    tables: int
    runs: tuple[str, ...]
    problems: tuple[str, ...]


def verify_bundle(path: Path) -> Verdict:
    """Check a bundle completely. Raises StoreError when the file is no bundle at all."""
    try:
        archive = zipfile.ZipFile(path)
    except FileNotFoundError:
        raise StoreError(f"{path}: no such file.", hint="Name a bundle made by report --bundle.") from None
    except _DAMAGED as error:
        raise StoreError(f"{path}: not a readable bundle: {error}.", hint="Fetch it again.") from None
    with archive, tempfile.TemporaryDirectory() as scratch:
        hashes, problems = _extract(archive, Path(scratch))
        index = _index(path, Path(scratch) / INDEX, problems)
        problems += _compare_files(hashes, index["files"])
        if not problems and not _sealed(path):
            problems.append("the archive was changed outside its files (headers or directory)")
        if not problems:
            problems += _compare_tables(Path(scratch), index)
    return Verdict(path, len(index["files"]), len(index["tables"]), tuple(index["runs"]), tuple(problems))


def _extract(archive: zipfile.ZipFile, folder: Path) -> tuple[dict[str, str], list[str]]:
    """Unpack every readable member; returns their hashes, and a problem for each that cannot be read."""
    hashes, problems = {}, []
    for info in archive.infolist():
        try:
            target = folder / info.filename
            if not target.resolve().is_relative_to(folder.resolve()):
                problems.append(f"{info.filename}: points outside the bundle")
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            digest = hashlib.sha256()
            with archive.open(info) as source, target.open("wb") as file:
                while block := source.read(1 << 20):
                    digest.update(block)
                    file.write(block)
            hashes[info.filename] = digest.hexdigest()
        except _DAMAGED as error:
            problems.append(f"{info.filename}: damaged ({error})")
    return hashes, problems


def _index(path: Path, file: Path, problems: list[str]) -> dict[str, Any]:
    """The bundle's index. Raises StoreError when it is missing, damaged or of another format."""
    fault = next((problem for problem in problems if problem.startswith(INDEX)), "")
    index: dict[str, Any] = {}
    if not fault:
        try:
            found = json.loads(file.read_bytes())
            index = found if isinstance(found, dict) else {}
        except (OSError, ValueError) as error:
            fault = str(error)
    wanted = {"stewardbench", "settings", "runs", "files", "tables"}
    if fault or index.get("schema") != SCHEMA or not wanted <= set(index):
        reason = fault or f"it is not of the format {SCHEMA}"
        raise StoreError(f"{path}: {INDEX} cannot be used: {reason}.", hint="Fetch the bundle again.")
    return index


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


def _compare_tables(folder: Path, index: dict[str, Any]) -> Iterator[str]:
    """Rebuild the report from the bundle's records; a problem for each table that comes out otherwise."""
    made_by = (
        "" if index["stewardbench"] == __version__ else f" (made by {index['stewardbench']}, this is {__version__})"
    )
    try:
        runs = [folder / "runs" / str(number) for number in range(1, len(index["runs"]) + 1)]
        rebuilt = table_hashes(build_report(runs, Settings(**index["settings"])))
    except (StewardError, TypeError) as error:
        yield f"the report cannot be rebuilt: {error}{made_by}"
        return
    for name in sorted({*rebuilt, *index["tables"]}):
        if rebuilt.get(name) != index["tables"].get(name):
            yield f"tables/{name}.csv: rebuilding gives another table{made_by}"
        elif index["files"].get(f"tables/{name}.csv") != rebuilt[name]:
            yield f"tables/{name}.csv: is not the table that the records give"
