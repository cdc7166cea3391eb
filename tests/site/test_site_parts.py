"""The site's parts on their own: diffs, shards, the list, numbers as text, drawings, joined scripts."""

from __future__ import annotations

import base64
import gzip
import json
import re
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stewardbench.site import assets
from stewardbench.site.charts import (
    NARROW,
    WIDE,
    Dot,
    DotPanel,
    DotRow,
    Dots,
    Plane,
    PlanePoint,
    Series,
    Stack,
    StackRow,
    svg,
)
from stewardbench.site.episodes import differences
from stewardbench.site.episodes.blocks import DiffLine, EpisodeDetail
from stewardbench.site.episodes.differences import difference
from stewardbench.site.episodes.index import EpisodeIndex, ListColumn
from stewardbench.site.episodes.shards import DetailShards, write_shard
from stewardbench.site.model import Quantity
from stewardbench.site.pages import shade

JS = files("stewardbench.site") / "static" / "js"


def test_an_added_file_is_all_added_lines_with_the_span_marked_on_its_lines() -> None:
    text = "# Notes\nthe claim\nspans lines\n"
    start = text.index("claim")
    lines, note = difference(None, text, [(start, text.index("lines") + 5)])
    assert [(line.op, line.text) for line in lines] == [("+", "# Notes"), ("+", "the claim"), ("+", "spans lines")]
    assert [line.marks for line in lines] == [(), ((4, 9),), ((0, 11),)]
    assert note == ""


def test_a_modified_file_shows_context_and_counts_what_it_leaves_out() -> None:
    before = "".join(f"line {n}\n" for n in range(40))
    after = before.replace("line 20\n", "line twenty\n")
    lines, _ = difference(before, after)
    assert [line.op for line in lines] == ["@", " ", " ", " ", "-", "+", " ", " ", " ", "@"]
    assert (lines[0].text, lines[-1].text) == ("17 unchanged lines", "16 unchanged lines")


def test_a_deleted_file_is_all_removed_lines() -> None:
    assert difference("a\nb\n", None)[0] == (DiffLine("-", "a"), DiffLine("-", "b"))


def test_an_unchanged_text_has_no_lines_to_show_but_its_count() -> None:
    assert [line.op for line in difference("a\nb\n", "a\nb\n")[0]] in ([], ["@"])


def test_a_long_file_is_cut_but_keeps_what_is_highlighted_and_says_so() -> None:
    text = "".join(f"line {n}\n" for n in range(5000)) + "the claim\n"
    start = text.index("the claim")
    lines, note = difference(None, text, [(start, start + 9)])
    assert len(lines) < 2 * differences.MOST_LINES
    assert lines[-1] == DiffLine("+", "the claim", ((0, 9),))
    assert "of 5,001 lines" in note
    assert any(line.op == "@" and "not shown" in line.text for line in lines)


def test_one_endless_line_is_shown_in_pieces_with_its_mark_in_place() -> None:
    text = "x" * 5000 + "claim"
    lines, _ = difference(None, text, [(5000, 5005)])
    assert "".join(line.text for line in lines) == text
    assert lines[-1].text[slice(*lines[-1].marks[0])] == "claim"


@given(before=st.text(alphabet="ab\n", max_size=60), after=st.text(alphabet="ab\n", max_size=60))
def test_added_and_kept_lines_are_the_new_text_and_removed_and_kept_the_old(before: str, after: str) -> None:
    lines, _ = difference(before, after)
    gap = sum(int(line.text.split()[0]) for line in lines if line.op == "@")
    kept = sum(line.op == " " for line in lines)
    for text, op in ((before, "-"), (after, "+")):
        whole = differences._lines(text)
        assert gap + kept + sum(line.op == op for line in lines) == len(whole)
        if not gap:
            assert [line.text for line in lines if line.op in (op, " ")] == whole


def test_changed_lines_are_those_that_a_text_does_not_share_in_order() -> None:
    before, after = "a\nb\nc\n", "a\nx\nc\n\ny\n"
    assert [after[start:end] for start, end in differences.changed_lines(before, after)] == ["x", "y"]
    assert differences.changed_lines(before, before) == ()


def unpacked(path: Path) -> object:
    found = re.fullmatch(r'steward\.receive\("([\w-]+)","([A-Za-z0-9+/=]*)"\);\n', path.read_text())
    assert found is not None
    assert found[1] == path.stem
    return json.loads(gzip.decompress(base64.b64decode(found[2])))


def test_a_shard_is_a_script_whose_only_content_is_base64(tmp_path: Path) -> None:
    value = ["</script><script>alert(1)</script>", '");alert(1);("', "\u2028"]
    write_shard(tmp_path, "pasb-0", json.dumps(value).encode())
    assert unpacked(tmp_path / "pasb-0.js") == value


def test_details_are_split_in_order_and_the_last_shard_may_be_short(tmp_path: Path) -> None:
    with DetailShards(tmp_path, "pasb", 2) as shards:
        for number in range(25):
            shards.add(EpisodeDetail(str(number), "title", "", (), ()))
    found = [unpacked(tmp_path / f"pasb-{n}.js") for n in range(13)]
    assert [len(shard) for shard in found] == [2] * 12 + [1]  # type: ignore[arg-type]
    assert [int(episode["id"]) for shard in found for episode in shard] == list(range(25))  # type: ignore[attr-defined]
    assert len(list(tmp_path.iterdir())) == 13


def test_a_shard_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError), DetailShards(tmp_path / "file", "pasb", 2) as shards:
        for number in range(25):
            shards.add(EpisodeDetail(str(number), "title", "", (), ()))


def test_the_list_stores_each_value_once_and_a_code_per_episode() -> None:
    index = EpisodeIndex((ListColumn("agent", "Agent", "category", filter=True), ListColumn("syc", "Syc", "score")), 40)
    for number, (agent, score) in enumerate((("b", "3"), ("a", ""), ("b", "3"))):
        index.add(f"e{number}", {"agent": agent, "syc": score})
    plain = index.plain()
    assert plain["ids"] == ["e0", "e1", "e2"]
    assert [(c["values"], c["codes"]) for c in plain["columns"]] == [(["b", "a"], [0, 1, 0]), (["3", ""], [0, 1, 0])]  # type: ignore[attr-defined]


def test_a_number_is_printed_as_the_report_printed_it_and_a_missing_one_is_no_zero() -> None:
    number = Quantity("-2.5", -2.5, n=1600, low=-4.04, high=1.0, unscored=3)
    assert number.text() == "−2.5"
    assert number.explanation() == "n = 1,600, 3 unscored, 95 % interval −4.0 to 1.0"
    assert Quantity("n/a", None, n=0).text() == "–"


@pytest.mark.parametrize(("value", "expected"), [(None, ""), (0.0, ""), (50.0, " h4"), (100.0, " h9"), (130.0, " h9")])
def test_shades_follow_the_scale_and_stay_on_it(value: float | None, expected: str) -> None:
    assert shade((0.0, 100.0), Quantity("x", value)) == expected
    assert shade(None, Quantity("x", value)) == ""


HOSTILE = "<script>alert(1)</script>\"&'"


def _charts() -> list[Dots | Stack | Plane]:
    number = Quantity("40.0", 40.0, n=10, low=30.0, high=50.0)
    missing = Quantity("–", None)
    rows = tuple(
        DotRow(HOSTILE * 3, (Dot(0, value), Dot(1, number)), end=number, strong=True) for value in (number, missing)
    )
    two = (Series(HOSTILE, 0, hollow=True), Series("b", 1))
    return [
        Dots(HOSTILE, two, (DotPanel(HOSTILE, rows, low=-20.0),), "%", connected=True),
        Dots(HOSTILE, two, (DotPanel("x", rows), DotPanel("y", rows), DotPanel("z", rows)), HOSTILE),
        Stack(HOSTILE, ("a", "b"), ("c", "d"), (StackRow(HOSTILE * 3, (number, missing), "n 1"),)),
        Plane(HOSTILE, two, (PlanePoint(HOSTILE, HOSTILE, 0, number, number),), "x", "y", x_high=3),
    ]


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("place", range(4))
def test_drawings_are_well_formed_escaped_and_named(width: int, place: int) -> None:
    drawn = _charts()[place].draw(width)
    root = ElementTree.fromstring(drawn)
    assert root.attrib["aria-label"] == HOSTILE
    assert root.attrib["role"] == "img"
    assert not list(root.iter("script"))
    assert "<script" not in drawn


def test_a_missing_number_draws_no_mark() -> None:
    row = DotRow("a", (Dot(0, Quantity("–", None, n=0)),))
    drawn = Dots("x", (Series("a", 0),), (DotPanel("", (row,)),), "%").draw(WIDE)
    assert "circle" not in drawn


def test_labels_too_long_for_a_narrow_drawing_stand_above_their_rows() -> None:
    def label_x(label: str) -> float:
        row = DotRow(label, (Dot(0, Quantity("1", 1.0)),))
        root = ElementTree.fromstring(Dots("x", (Series("a", 0),), (DotPanel("", (row,)),), "%").draw(NARROW))
        return next(float(node.attrib["x"]) for node in root.iter("text") if node.text == label)

    assert label_x("a long model name, on an agent") < 10 < label_x("short")


@given(low=st.floats(-1000, 0), width=st.floats(0.01, 5000), count=st.integers(1, 8))
def test_ticks_are_round_and_lie_on_the_scale(low: float, width: float, count: int) -> None:
    scale = svg.Scale(low, low + width, 0, 100)
    ticks = scale.ticks(count)
    assert all(low - 1e-6 * width <= tick <= low + width * 1.000001 for tick in ticks)
    assert len(ticks) <= count + 2


@pytest.mark.parametrize("entry", [*assets.ENTRIES, "theme"])
def test_joined_scripts_need_no_module_loader(entry: str) -> None:
    script = assets.joined(entry)
    assert not re.search(r"^\s*(import|export)\b", script, re.MULTILINE)
    assert script.startswith("(() => {")


def test_a_clash_of_names_between_modules_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    sources = {"js/a.js": 'import { x } from "./b.js";\nconst clash = 1;\n', "js/b.js": "export const clash = 2;\n"}
    monkeypatch.setattr(assets, "_read", sources.__getitem__)
    with pytest.raises(ValueError, match="both define clash"):
        assets.joined("a")


def test_no_script_can_turn_text_into_markup_or_reach_the_network() -> None:
    banned = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|fetch\(|XMLHttpRequest|https?:"
    )
    for module in JS.iterdir():
        assert not re.search(banned, module.read_text(encoding="utf-8")), module.name


def test_no_system_is_left_out_of_a_drawing_in_silence():
    from stewardbench.report.table import Definition, Table
    from stewardbench.sovereignpa.pages.views import MOST_SERIES, _left_out

    names = [f"system{number}" for number in range(MOST_SERIES + 2)]
    rows = pl.DataFrame({"origin": "own", "kind": "model", "system": names, "defense": "direct"})
    table = Table("sovereignpa_effects", Definition("t", "t"), ("system",), rows, "")
    (note,) = _left_out(table)
    assert all(name in note for name in names)
    assert _left_out(Table("sovereignpa_effects", Definition("t", "t"), ("system",), rows.head(3), "")) == ()
