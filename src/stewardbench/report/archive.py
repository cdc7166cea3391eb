"""Unpacking an archive that a stranger made: what it may hold is settled before any of it is unpacked.

Only files that a bundle has are taken, under their exact names, each once; no links, no encryption, no compression but
the ordinary one. The list of members, the index and the sum of all files have limits, and the disk must have room. So
neither a small file that unpacks to terabytes nor a list of a million names costs more than reading its end.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from stewardbench.errors import StoreError
from stewardbench.records import Misfit, fit_json
from stewardbench.records.bounds import MEGABYTE, regular
from stewardbench.report.bundle import INDEX, MOST_FILES, Index

# what zipfile raises for damaged archives; RuntimeError covers encrypted members and unknown methods of compression
DAMAGED = (zipfile.BadZipFile, zlib.error, OSError, ValueError, EOFError, RuntimeError, struct.error, OverflowError)
INDEX_BYTES = 64 * MEGABYTE
UNPACKED_BYTES = 8192 * MEGABYTE  # of all files together
_END = struct.Struct("<4s4H2LH")  # the end of central directory record of the ZIP format
_END_REACH = _END.size + 65535  # its comment may be so long
_LIST_BYTES = MOST_FILES * 400  # of the archive's list of members
_NAME = re.compile(
    r"bundle\.json|runs/[1-9]\d{0,4}/(?:[a-z_]{1,40}\.jsonl?|blobs/[0-9a-f]{2}/[0-9a-f]{64})"
    r"|prompts/[A-Za-z0-9_.-]{1,80}|tables/[A-Za-z0-9_-]{1,80}\.csv"
)


def opened(path: Path) -> zipfile.ZipFile:
    """A bundle, open for reading, its list of members within bounds. Raises StoreError when it is no archive at all."""
    try:
        with regular(path) as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - _END_REACH))
            tail = file.read()
        place = tail.rfind(b"PK\x05\x06")
        if place < 0 or len(tail) - place < _END.size:
            raise StoreError(f"{path}: not a readable bundle: it is no ZIP archive.", hint="Fetch it again.")
        *_, entries, listed, _, _ = _END.unpack_from(tail, place)
        if entries > MOST_FILES or listed > _LIST_BYTES or b"PK\x06\x07" in tail[max(0, place - 20) : place]:
            raise StoreError(
                f"{path}: its list of files is longer than that of any bundle ({MOST_FILES:,} files).",
                hint="Do not trust it.",
            )
        return zipfile.ZipFile(path)
    except FileNotFoundError:
        raise StoreError(f"{path}: no such file.", hint="Name a bundle made by report --bundle.") from None
    except DAMAGED as error:
        raise StoreError(f"{path}: not a readable bundle: {error}.", hint="Fetch it again.") from None


def refused(members: Sequence[zipfile.ZipInfo], most: int = UNPACKED_BYTES) -> Iterator[str]:
    """What must not be unpacked, a sentence each; nothing where the archive holds what a bundle may hold."""
    seen: set[str] = set()
    for info in members:
        name = info.filename
        shown = name if name.isprintable() and len(name) <= 120 else ascii(name)[:120]
        if name in seen:
            yield f"{shown}: is in the archive twice"
        seen.add(name)
        if not _NAME.fullmatch(name):
            yield f"{shown}: no file of a bundle has this name"
        if stat.S_IFMT(info.external_attr >> 16) not in {0, stat.S_IFREG}:
            yield f"{shown}: is a link or something else that is no ordinary file"
        if info.flag_bits & 0x1:
            yield f"{shown}: is encrypted"
        if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            yield f"{shown}: is packed in a way that no bundle uses"
    total = sum(info.file_size for info in members)
    if total > most:
        yield f"the archive would unpack to {total:,} bytes, more than the {most:,} that are unpacked"


def read_index(archive: zipfile.ZipFile, path: Path) -> Index:
    """What the bundle says of itself. Raises StoreError when that is missing, damaged or of another format."""
    try:
        info = archive.getinfo(INDEX)
        if info.file_size > INDEX_BYTES:
            fault = f"it is larger than {INDEX_BYTES:,} bytes"
        else:
            with archive.open(info) as file:
                return fit_json(Index, file.read(INDEX_BYTES))
    except KeyError:
        fault = "it is missing"
    except Misfit as misfit:
        fault = str(misfit)
    except DAMAGED as error:
        fault = f"damaged ({error})"
    raise StoreError(f"{path}: {INDEX} cannot be used: {fault}.", hint="Fetch the bundle again.")


def unpack(archive: zipfile.ZipFile, folder: Path) -> tuple[dict[str, str], list[str]]:
    """Unpack every member, which ``refused`` has let pass; their hashes, and a problem for each that cannot be read.

    Raises StoreError where the disk has no room for them.
    """
    members = archive.infolist()
    needed, free = sum(info.file_size for info in members), shutil.disk_usage(folder).free
    if needed > free:
        hint = "Free space, or set TMPDIR to a folder on another disk."
        raise StoreError(f"{folder}: no room for {needed:,} bytes; {free:,} are free.", hint=hint)
    hashes, problems = {}, []
    for info in members:
        try:
            target = folder / info.filename
            target.parent.mkdir(parents=True, exist_ok=True)
            digest = hashlib.sha256()
            with archive.open(info) as source, target.open("xb") as file:
                while block := source.read(MEGABYTE):
                    digest.update(block)
                    file.write(block)
            hashes[info.filename] = digest.hexdigest()
        except DAMAGED as error:
            problems.append(f"{info.filename}: damaged ({error})")
    return hashes, problems
