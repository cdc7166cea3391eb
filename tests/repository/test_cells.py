"""Cells of written sheets: no text is run as a formula, no number is touched, nothing is lost."""

from __future__ import annotations

import ast
import csv
import io
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stewardbench
from stewardbench.records.cells import frame_text, guarded, sheet_text, unguarded

ROOT = Path(stewardbench.__file__).parent
RISKY = [
    "=1+1",
    "+A1",
    "-A1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "-5\n=1",
    "=HYPERLINK(1)",
    "+1+cmd|' /C calc'!A0",
    "--5",
    "-1-1",
]
SAFE = [
    "",
    "-",
    "-5",
    "+5",
    "-5.25",
    "+0.1%",
    "-1e-9",
    "-.5",
    "1,234",
    "-inf",
    "a=b",
    "a-b",
    "5 - 3",
    "'quoted'",
    "n/a",
]


@pytest.mark.parametrize("text", RISKY)
def test_what_a_spreadsheet_would_run_gets_an_apostrophe(text: str) -> None:
    assert guarded(text) == "'" + text


@pytest.mark.parametrize("text", SAFE)
def test_numbers_and_ordinary_texts_stay(text: str) -> None:
    assert guarded(text) == text == unguarded(text)


@given(st.text(alphabet="=+-@\t\r\n'0123456789.e% a"))
def test_guarding_loses_nothing_and_leaves_no_formula(text: str) -> None:
    cell = guarded(text)
    assert unguarded(cell) == text
    number = cell.strip("%").strip().replace(",", "")
    if cell[:1] in {"=", "@", "\t", "\r"}:
        raise AssertionError(cell)
    if cell[:1] in {"+", "-"} and cell not in {"+", "-"}:
        float(number)


@given(st.lists(st.text(alphabet="=+-@\t'05.%a"), min_size=1))
def test_a_frame_guards_its_texts_as_a_sheet_does(texts: list[str]) -> None:
    back = list(csv.reader(io.StringIO(frame_text(pl.DataFrame({"text": texts, "n": 1})), newline="")))[1:]
    assert [row[0] for row in back] == [guarded(text) for text in texts]


def test_columns_that_are_no_texts_are_written_as_they_are() -> None:
    frame = pl.DataFrame(
        {"value": [-1.5, None], "k": [-2, 3], "who": ["=a", "b"], "kind": ["@x", "y"]},
        schema_overrides={"who": pl.Categorical, "kind": pl.Enum(["@x", "y"])},
    )
    assert frame_text(frame) == "value,k,who,kind\n-1.5,-2,'=a,'@x\n,3,b,y\n"
    numbers = frame.select("value", "k")
    assert frame_text(numbers) == numbers.write_csv()


def test_a_sheet_guards_every_cell() -> None:
    assert sheet_text(["a", "=b"], [["-x", "-1"]]) == "a,'=b\n'-x,-1\n"


def test_no_other_module_writes_a_sheet() -> None:
    """One home: packaged numbers of the papers apart, every sheet goes through ``records.cells``."""
    allowed = {"records/cells.py", "sovereignpa/cli/published.py"}
    found = set()
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            named = isinstance(node, ast.Attribute) and (
                node.attr in {"write_csv", "DictWriter"}
                or (node.attr == "writer" and isinstance(node.value, ast.Name) and node.value.id == "csv")
            )
            if named:
                found.add(path.relative_to(ROOT).as_posix())
    assert found == allowed
