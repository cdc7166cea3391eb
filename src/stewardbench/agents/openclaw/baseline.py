"""The immutable baseline: the files of a fresh OpenClaw workspace, and putting them back while a gateway watches.

The files are the release's own templates, written as the product writes them. BOOTSTRAP.md is left out: it tells the
agent to interview its user before it answers. Under a live gateway, folders are kept and files are replaced in place,
because its file watchers lose a folder that is deleted and made again.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from stewardbench.agents.openclaw.install import Installation
from stewardbench.errors import InstallError
from stewardbench.workspace.cell import Owner
from stewardbench.workspace.folders import list_files

SEEDED = ("AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md")
STANDING = ("memory", "skills")
TEMPLATE_FOLDERS = ("src/agents/templates", "docs/reference/templates")


def seed_files(installation: Installation, names: Sequence[str] = SEEDED) -> dict[str, bytes]:
    """Content by name of a fresh workspace. Raises InstallError when the release brings no such template."""
    return {name: _template(installation.openclaw, name) for name in names}


def put_in_place(
    folder: Path, files: Mapping[str, bytes], standing: Sequence[str] = (), owner: Owner | None = None
) -> None:
    """Make a folder hold exactly these files. Equal files and the ``standing`` folders are not touched.

    What is new belongs to ``owner``.
    """
    for name in list_files(folder) if folder.exists() else ():
        if name not in files:
            (folder / name).unlink()
    for name in standing:
        _make_folder(folder / name, owner)
    for name, data in files.items():
        path = folder / name
        if path.is_symlink() or not path.is_file():
            path.unlink(missing_ok=True)
            _make_folder(path.parent, owner)
        elif path.read_bytes() == data:
            continue
        path.write_bytes(data)
        if owner is not None:
            os.chown(path, *owner, follow_symlinks=False)
    for inner in sorted((each for each in folder.rglob("*") if each.is_dir() and not each.is_symlink()), reverse=True):
        if inner.relative_to(folder).as_posix() not in standing and not any(inner.iterdir()):
            inner.rmdir()


def _make_folder(folder: Path, owner: Owner | None) -> None:
    for place in (*reversed(folder.parents), folder):
        if not place.exists():
            place.mkdir()
            if owner is not None:
                os.chown(place, *owner)


def _template(package: Path, name: str) -> bytes:
    for folder in TEMPLATE_FOLDERS:
        path = package / folder / name
        if path.exists():
            return _without_front_matter(path.read_text(encoding="utf-8")).encode()
    raise InstallError(f"{package}: the template {name} is missing.", hint="Delete that folder and install again.")


def _without_front_matter(text: str) -> str:
    if not text.startswith("---"):
        return text
    _, found, body = text[3:].partition("\n---")
    return body.lstrip() if found else text
