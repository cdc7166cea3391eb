"""The site's own files: the stylesheet, and JavaScript modules joined into plain scripts.

Browsers refuse ``import`` on pages opened from disk, so the modules of each entry point are joined, dependencies
first, into one script with a scope of its own. The modules stay ordinary ES modules; joining needs that every import
is one line and that top-level names differ between modules, and fails otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

ENTRIES = ("site", "explorer")
_IMPORT = re.compile(r'^import \{[^}\n]*\} from "\./(\w+)\.js";$', re.MULTILINE)
_NAME = re.compile(r"^(?:export )?(?:async )?(?:const|let|class|function)\s+(\w+)", re.MULTILINE)


def write_assets(folder: Path, styles: Iterable[str] = ()) -> None:
    """Write every asset into ``folder``; ``styles`` are the benchmarks' own rules, which follow the site's."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "site.css").write_text("\n".join([_read("site.css"), *styles]), encoding="utf-8")
    (folder / "theme.js").write_text(joined("theme"), encoding="utf-8")
    for entry in ENTRIES:
        (folder / f"{entry}.js").write_text(joined(entry), encoding="utf-8")


def joined(entry: str) -> str:
    """One module and all it imports as a script. Raises ValueError where two modules share a top-level name."""
    order: list[str] = []
    _collect(entry, order)
    owner: dict[str, str] = {}
    for name in order:
        for found in _NAME.findall(_read(f"js/{name}.js")):
            if found in owner:
                raise ValueError(f"{name}.js and {owner[found]}.js both define {found}")
            owner[found] = name
    parts = [_body(name) for name in order]
    return '(() => {\n"use strict";\n\n' + "\n".join(parts) + "})();\n"


def _collect(name: str, order: list[str]) -> None:
    for needed in _IMPORT.findall(_read(f"js/{name}.js")):
        if needed not in order:
            _collect(needed, order)
    if name not in order:
        order.append(name)


def _body(name: str) -> str:
    return re.sub(r"^export ", "", _IMPORT.sub("", _read(f"js/{name}.js")), flags=re.MULTILINE)


def _read(name: str) -> str:
    return (files("stewardbench.site") / "static" / name).read_text(encoding="utf-8")
