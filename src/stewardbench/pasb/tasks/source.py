"""Reading base items from YAML, with the file, line and field of whatever is wrong."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from stewardbench.errors import DataError
from stewardbench.pasb.tasks.item import BaseItem, NaturalItem
from stewardbench.records import Misfit, fit
from stewardbench.records.bounds import not_too_deep
from stewardbench.records.texts import read_text
from stewardbench.records.yaml_texts import readable

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FORMATS: dict[str, type[BaseItem]] = {"pasb-item/2": NaturalItem}


def read_item(path: Path) -> BaseItem:
    """The base item of one YAML file. Raises DataError for anything that is not a whole, well-formed item."""
    text = _text(path)
    with readable(path):
        value = yaml.load(text, Loader=_Loader)
        not_too_deep(value)
    if not isinstance(value, dict):
        raise DataError("expected one base item, a mapping of fields.", path=path, hint="See docs/authoring.md.")
    try:
        return fit(_FORMATS.get(str(value.get("schema")), BaseItem), value)
    except Misfit as misfit:
        line = _line_of(text, misfit.location)
        raise misfit.in_file(path, line, hint="See docs/authoring.md for the format.") from None


def item_files(paths: Iterable[Path]) -> list[Path]:
    """The files that the paths name; a folder stands for the ``*.yaml`` files in it, in name order."""
    return [file for path in paths for file in (sorted(path.glob("*.yaml")) if path.is_dir() else [path])]


def _text(path: Path) -> str:
    text = read_text(path, "a YAML file")
    if not text.strip():
        raise DataError("the file is empty.", path=path, hint="See docs/authoring.md for the format.")
    return text


def _line_of(text: str, location: tuple[str | int, ...]) -> int:
    """The 1-based line of a field, or of its nearest parent that exists."""
    node: Any = yaml.compose(text, Loader=_Loader)
    line: int = node.start_mark.line + 1
    for part in location:
        child = None
        if isinstance(node, yaml.MappingNode):
            child = next((value for key, value in node.value if key.value == part), None)
            mark = next((key.start_mark for key, _ in node.value if key.value == part), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            child = node.value[part]
            mark = child.start_mark
        if child is None or mark is None:
            break
        node, line = child, mark.line + 1
    return line
