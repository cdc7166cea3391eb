"""Reading base items from YAML, with the file, line and field of whatever is wrong."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from stewardbench.errors import DataError
from stewardbench.pasb.tasks.item import BaseItem, NaturalItem
from stewardbench.records import Misfit, fit
from stewardbench.records.texts import read_text

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FORMATS: dict[str, type[BaseItem]] = {"pasb-item/2": NaturalItem}


def read_item(path: Path) -> BaseItem:
    """The base item of one YAML file. Raises DataError for anything that is not a whole, well-formed item."""
    text = _text(path)
    try:
        value = yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        hint = "Quote any text that holds a colon, or write it as a folded block (>-)."
        raise DataError(f"not YAML: {error.problem}.", path=path, line=line, hint=hint) from None
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
        raise DataError("is empty.", path=path, hint="See docs/authoring.md for the format.")
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
