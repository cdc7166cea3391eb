"""Whether a value fits its record: the one place that turns pydantic's complaints into words for a person.

    fit, fit_json    a value as its record; a ``Misfit`` says where it does not fit, what is wrong and what was found
    fitting          the same for a block of code, as a ``DataError`` with the file and line

Readers of files (``jsonl``, ``sheets``) build on this; nothing else in the package catches a ``ValidationError``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, cast

from pydantic import BaseModel, TypeAdapter, ValidationError

from stewardbench.errors import DataError

T = TypeVar("T")
SHOWN = 60  # characters of a found value that a message repeats
_WHOLE = {"missing", "json_invalid"}  # what was found is then the whole record, which would drown the message


class Misfit(ValueError):
    """A value that does not fit its record.

    ``field`` is the place of the first fault (``turns[0].syc``; empty for the whole), ``fault`` says what is wrong
    there and what was found, and ``more`` counts the other faults. ``location`` is the place in pydantic's own form.
    """

    def __init__(self, error: ValidationError) -> None:
        problems = error.errors(include_url=False)
        first = problems[0]
        self.location: tuple[str | int, ...] = first["loc"]
        self.field = field_path(self.location)
        self.kind = first["type"]
        self.more = len(problems) - 1
        self.fault = first["msg"].removeprefix("Value error, ")
        if self.kind not in _WHOLE:
            self.fault += f", found {_shown(first['input'])}"
        super().__init__(f"{self.field}: {self.fault}" if self.field else self.fault)

    @property
    def sentence(self) -> str:
        """The fault as a sentence, with the number of others."""
        rest = f" ({self.more} more {'problem' if self.more == 1 else 'problems'} here)" if self.more else ""
        return f"{self.fault}{rest}."

    def in_file(self, path: Path | str, line: int = 0, *, hint: str = "") -> DataError:
        """The fault as the error of a data file."""
        return DataError(self.sentence, path=path, line=line, field=self.field, hint=hint)


def fit(kind: type[T] | TypeAdapter[T], value: Any) -> T:
    """A Python value as a record. Raises Misfit."""
    try:
        if isinstance(kind, TypeAdapter):
            return kind.validate_python(value)
        return cast(T, cast(type[BaseModel], kind).model_validate(value))
    except ValidationError as error:
        raise Misfit(error) from None


def fit_json(kind: type[T] | TypeAdapter[T], text: str | bytes) -> T:
    """JSON text as a record, without a detour over Python objects. Raises Misfit."""
    try:
        if isinstance(kind, TypeAdapter):
            return kind.validate_json(text)
        return cast(T, cast(type[BaseModel], kind).model_validate_json(text))
    except ValidationError as error:
        raise Misfit(error) from None


@contextmanager
def fitting(path: Path | str, line: int = 0, *, hint: str = "") -> Iterator[None]:
    """Records that are made in this block come from this line: what does not fit is a DataError that says so."""
    try:
        yield
    except ValidationError as error:
        raise Misfit(error).in_file(path, line, hint=hint) from None
    except Misfit as misfit:
        raise misfit.in_file(path, line, hint=hint) from None


def field_path(location: tuple[str | int, ...]) -> str:
    """``("fillers", "personal_opinion", 2)`` as ``fillers.personal_opinion[2]``."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location).removeprefix(".")


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


def as_misfit(error: Exception) -> Misfit | None:
    """What some library's own records refused, as a Misfit; None for any other exception."""
    return Misfit(error) if isinstance(error, ValidationError) else None
