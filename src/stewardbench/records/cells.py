"""Cells of the sheets (CSV) that we write: what a spreadsheet would run as a formula is written as text.

A model's name, an agent's reply or a reviewer's remark can begin with ``=``, ``+``, ``-``, ``@``, a tab or a carriage
return. Excel, Calc and Sheets take such a cell for a formula, which may fetch an address or start a program. An
apostrophe in front makes it text (OWASP, "CSV Injection"). Numbers, a lone dash and everything else stay as they are;
``unguarded`` gives back exactly what ``guarded`` was given.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

_NUMBER = r"[+-]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s?%?|[+-]?(?:inf|nan)|[-+]"
# The apostrophes are those of a text that looks as if it had been guarded: it gets one more, so that nothing is lost.
_RISKY = r"'*[=+\-@\t\r]"
GUARD = "'"


def guarded(text: str) -> str:
    """A text as a cell: with an apostrophe in front where it would be run as a formula."""
    risky = re.match(_RISKY, text) and not re.fullmatch(_NUMBER, text)
    return GUARD + text if risky else text


def unguarded(cell: str) -> str:
    """The text of a cell that ``guarded`` made."""
    return cell[1:] if re.match(GUARD + _RISKY, cell) else cell


def sheet_text(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Rows of texts as a sheet, every cell guarded."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([guarded(cell) for cell in header])
    writer.writerows([guarded(cell) for cell in row] for row in rows)
    return out.getvalue()


def frame_text(frame: pl.DataFrame) -> str:
    """A frame as a sheet; columns of numbers are written as they are, texts are guarded."""
    import polars as pl  # here, because everything imports the records and only reports need this

    def as_cells(name: str) -> pl.Expr:
        texts = pl.col(name).cast(pl.String)
        risky = texts.str.contains(f"^(?:{_RISKY})") & ~texts.str.contains(f"^(?:{_NUMBER})$")
        return pl.when(risky).then(pl.lit(GUARD) + texts).otherwise(texts).alias(name)

    buffer = io.BytesIO()
    of_texts = [name for name, kind in frame.schema.items() if isinstance(kind, pl.String | pl.Categorical | pl.Enum)]
    frame.with_columns(map(as_cells, of_texts)).write_csv(buffer)
    return buffer.getvalue().decode("utf-8")
