"""The two readers of files: JSON lines and sheets, with everything that people, spreadsheets and tools do to them."""

from __future__ import annotations

import ast
import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import stewardbench
from stewardbench.errors import DataError, StoreError
from stewardbench.records import JsonlLog, Misfit, Record, fit, fit_json, read_jsonl, read_records
from stewardbench.records.sheets import Once, read_sheet

ROOT = Path(stewardbench.__file__).parent


class Turn(Record):
    syc: int
    note: str = ""


class Said(Record):
    who: str
    turns: tuple[Turn, ...] = ()


@pytest.mark.parametrize(
    ("value", "field", "fault"),
    [
        ({"who": "a", "turns": [{"syc": "high"}]}, "turns[0].syc", "found 'high'"),
        ({"who": None}, "who", "found null"),
        ({"who": "a", "turns": [{"syc": [1, 2]}]}, "turns[0].syc", "found a list of 2"),
        ({}, "who", "Field required"),
        ({"who": "a", "extra": True}, "extra", "found true"),
        ({"who": {"deep": 1}}, "who", "found an object"),
    ],
)
def test_a_misfit_says_where_and_what_was_found(value: object, field: str, fault: str) -> None:
    with pytest.raises(Misfit) as caught:
        fit(Said, value)
    assert caught.value.field == field
    assert fault in caught.value.fault


def test_a_misfit_counts_the_others_and_shortens_what_it_repeats() -> None:
    with pytest.raises(Misfit) as caught:
        fit(Said, {"who": 1, "turns": "x" * 1000})
    assert "(1 more problem here)" in caught.value.sentence
    with pytest.raises(Misfit) as caught:
        fit(Turn, {"syc": "x" * 1000})
    assert len(caught.value.fault) < 200


def test_json_that_does_not_fit_is_a_misfit_too() -> None:
    assert fit_json(Turn, '{"syc":3}') == Turn(syc=3)
    with pytest.raises(Misfit, match="Invalid JSON"):
        fit_json(Turn, "{")


def test_a_changed_run_line_is_named_and_a_torn_last_line_passed_over(tmp_path: Path) -> None:
    log = JsonlLog(tmp_path / "said.jsonl")
    assert list(log.records(Turn)) == []
    log.extend(['{"syc":1}', '{"syc":9.5}'])
    with pytest.raises(StoreError, match=r"said\.jsonl:2:syc: .*found 9\.5"):
        list(log.records(Turn))
    log.path.write_bytes(b'{"syc":1}\n\n{"syc":2}\n{"syc"')
    assert [turn.syc for turn in log.records(Turn)] == [1, 2]


def test_half_a_surrogate_pair_does_not_make_a_record_unreadable(tmp_path: Path) -> None:
    log = JsonlLog(tmp_path / "said.jsonl")
    log.append(Turn(syc=1, note="cut \ud83d here").to_json())
    assert [turn.note for turn in log.records(Turn)] == ["cut \ufffd here"]


def test_an_index_finds_the_records_about_one_value_in_order(tmp_path: Path) -> None:
    log = JsonlLog(tmp_path / "said.jsonl")
    assert log.index(Said, "who").of("a") == ()
    log.extend([Said(who=who, turns=(Turn(syc=number),)).to_json() for number, who in enumerate("abcab")])
    index = log.index(Said, "who")
    assert [said.turns[0].syc for said in index.of("a")] == [0, 3]
    assert index.of("none") == ()
    log.append("{}")
    with pytest.raises(StoreError, match=r"said\.jsonl:6:who"):
        log.index(Said, "who")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'[\n {"who": "a"}\n]', "one JSON array"),
        (b'[{"who": "a"}]', "one JSON array"),
        ('{"who": "a"}\n'.encode("utf-16"), "UTF-16"),
        ('{"who": "a"}\n'.encode("utf-32"), "UTF-32"),
        (gzip.compress(b'{"who": "a"}\n', mtime=0), "gzip"),
        (b"PK\x03\x04rest", "zip"),
        ('{"who": "é"}\n'.encode("latin-1"), "0xe9 is not UTF-8; the text looks like Windows-1252"),
        (b"[" * 200_000, "array|deep"),
    ],
)
def test_what_is_no_file_of_json_lines_is_said(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message):
        list(read_jsonl(path))


def test_a_byte_order_mark_and_blank_lines_are_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"who":"a"}\r\n\r\n{"who":"b"}')
    assert [(line, said.who) for line, said in read_records(path, Said)] == [(1, "a"), (3, "b")]
    path.write_bytes(b'{"who":"a"}\n{"who":3}\n')
    with pytest.raises(DataError, match=r"rows\.jsonl:2:who: .*found 3"):
        list(read_records(path, Said))


@pytest.mark.parametrize("name", ["missing.jsonl", ""])
def test_no_file_is_said(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match=r"no such file|is a folder"):
        list(read_jsonl(tmp_path / name))
    with pytest.raises(DataError, match=r"no such file|is a folder"):
        list(read_sheet(tmp_path / name, ("a",)))


def sheet(tmp_path: Path, content: str | bytes) -> Path:
    path = tmp_path / "sheet.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("between", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_sheet_reads_alike_however_it_was_saved(tmp_path: Path, mark: str, between: str, end: str) -> None:
    rows = [["", "text", "flag"], ["1", '"one, two; three"', "TRUE"], ["2", f'"a{end}b"', "no"], ["", "", ""]]
    path = sheet(tmp_path, mark + end.join(between.join(row) for row in rows) + end)
    first, second = read_sheet(path, ("text", "flag"))
    assert (first[""], first["text"], first.boolean("flag"), first.line) == ("1", "one, two; three", True, 2)
    assert (second["text"], second.boolean("flag"), second.line) == (f"a{end}b", False, 3)


def test_a_long_text_and_the_index_of_a_data_tool_are_no_fault(tmp_path: Path) -> None:
    path = sheet(tmp_path, f"Unnamed: 0,text\n7,{'x' * 200_000}\n8.0,b\n")
    first, second = read_sheet(path, ("text",))
    assert (first.number(""), len(first["text"]), second.number("")) == (7, 200_000, 8)


@pytest.mark.parametrize(
    ("content", "where"),
    [
        ("a\n1\n", r"sheet\.csv:1: no column b\."),
        ("", r"sheet\.csv:1: no column a, b\."),
        ("a,b,a\n1,2,3\n", r"sheet\.csv:1: column 'a' stands twice"),
        ("a,b\n1,2\n3\n", r"sheet\.csv:3: 1 cells, fewer than the 2"),
        ("a,b\n1,2,3\n", r"sheet\.csv:2: 3 cells, more than the 2"),
        ('a,b\n1,2\n"3,4\n5,6\n', r"sheet\.csv:3: quotes or line ends are broken"),
        ("a,b\n1,\xff\n".encode("latin-1"), r"sheet\.csv:2: byte 0xff is not UTF-8; the text looks like"),
        ("a,b\n1,2\n".encode("utf-16"), r"sheet\.csv: is UTF-16 text"),
    ],
)
def test_what_would_have_to_be_guessed_is_refused_and_named(tmp_path: Path, content: str | bytes, where: str) -> None:
    with pytest.raises(DataError, match=where):
        list(read_sheet(sheet(tmp_path, content), ("a", "b")))


@pytest.mark.parametrize(
    ("said", "meant"), [("TRUE", True), (" true ", True), ("1.0", True), ("No", False), ("0", False)]
)
def test_yes_and_no_however_spelt(tmp_path: Path, said: str, meant: bool) -> None:
    (row,) = read_sheet(sheet(tmp_path, f"a\n{said}\n"), ("a",))
    assert row.boolean("a") is meant


def test_a_cell_of_another_kind_is_named(tmp_path: Path) -> None:
    (row,) = read_sheet(sheet(tmp_path, "a\nmaybe 2\n"), ("a",))
    for read in (row.boolean, row.number, row.numbers):
        with pytest.raises(DataError, match=r"sheet\.csv:2:a: 'maybe"):
            read("a")


def test_a_key_that_stands_twice_is_named_with_both_lines(tmp_path: Path) -> None:
    once = Once(tmp_path / "sheet.csv", "id")
    once.note("a", 2)
    once.note("b", 3)
    with pytest.raises(DataError, match=r"sheet\.csv:9:id: a stands in line 2 already"):
        once.note("a", 9)


@given(
    st.lists(
        st.tuples(
            st.text(st.characters(codec="utf-8", exclude_characters="\0")),
            st.text(st.characters(codec="utf-8", exclude_characters="\0")),
        )
    )
)
def test_whatever_a_spreadsheet_writes_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    import csv

    path = tmp_path_factory.mktemp("sheets") / "sheet.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([("a", "b"), *rows])
    kept = [row for row in rows if any(cell.strip() for cell in row)]
    assert [(row["a"], row["b"]) for row in read_sheet(path, ("a", "b"))] == kept


def test_nothing_else_reads_sheets_or_catches_what_pydantic_says() -> None:
    for path in sorted(ROOT.rglob("*.py")):
        if path.parent.name == "records":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
            assert name not in {"ValidationError", "DictReader"}, f"{path}:{node.lineno}: use stewardbench.records"
            assert not (name in {"reader", "model_validate_json"} and isinstance(node, ast.Attribute)), (
                f"{path}:{node.lineno}: use stewardbench.records"
            )
