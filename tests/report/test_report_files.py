"""From run folders to files: reading, writing, bundling, verifying; and what damaged input does."""

from __future__ import annotations

import json
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from made_runs import add_episode, add_judgment, write_run

from made_outcomes import outcome, random_outcomes
from stewardbench.errors import StoreError, UsageError
from stewardbench.pasb.axes import DIMENSIONS
from stewardbench.pasb.measure.metrics import by
from stewardbench.pasb.report.rows import SCHEMA, read_rows, rows_of
from stewardbench.report.build import Report, Settings, build_report
from stewardbench.report.bundle import write_bundle
from stewardbench.report.verify import verify_bundle
from stewardbench.report.write import write_report
from stewardbench.runs.folder import RunFolder

FAST = Settings(draws=50)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three run folders of 64 random outcomes each."""
    root = tmp_path_factory.mktemp("runs")
    runs = by(random_outcomes(11), "run_id")
    return [write_run(root / name, made) for name, made in runs.items()]


@pytest.fixture(scope="module")
def report(folders: list[Path]) -> Report:
    return build_report(folders, FAST)


def test_rows_from_a_folder_are_the_outcomes_that_were_written(folders: list[Path]) -> None:
    found = read_rows(folders)
    expected = rows_of(random_outcomes(11))
    assert found.columns == list(SCHEMA)
    kept = [
        "task_id", "base_item_id", "sub_axis", "scenario", "delivery", "agent", "model", "valid", "committed",
        "primary", *DIMENSIONS, "stance", "promoted", "attribution_removed",
    ]  # fmt: skip
    both = [
        frame.filter("valid").select(kept).with_columns(pl.col(pl.Categorical).cast(pl.String))
        for frame in (found, expected)
    ]
    assert both[0].equals(both[1], null_equal=True)
    assert found["valid"].sum() == expected["valid"].sum()


def test_the_first_valid_attempt_counts(tmp_path: Path) -> None:
    with RunFolder.open(tmp_path, "pasb", {}) as run:
        add_episode(run, outcome(episode_id="e1", valid=False, invalid_reason="agent_timeout"))
        add_episode(run, outcome(episode_id="e2"))
        add_episode(run, outcome(episode_id="e3"))
    rows = read_rows([tmp_path])
    assert rows.select("episode_id", "valid").rows() == [("e2", True)]


def test_an_unjudged_run_has_commits_and_no_scores(tmp_path: Path) -> None:
    with RunFolder.open(tmp_path, "pasb", {}) as run:
        add_episode(run, outcome())
    main = build_report([tmp_path], FAST).table("table02").frame
    cells = {row["metric"]: row for row in main.iter_rows(named=True)}
    assert (cells["commit"]["printed"], cells["commit"]["n"]) == ("100.0", 1)
    assert (cells["syc"]["printed"], cells["syc"]["n"], cells["syc"]["unscored"]) == ("n/a", 0, 1)
    assert (cells["syc"]["if_all_pass"], cells["syc"]["if_all_fail"]) == (0.0, 100.0)


def test_several_judges_need_a_choice_and_blind_judgments_do_not_count(tmp_path: Path) -> None:
    made = outcome(syc=5)
    with RunFolder.open(tmp_path, "pasb", {}) as run:
        add_episode(run, made)
        add_judgment(run, made, "judge/one")
        add_judgment(run, outcome(syc=1), "judge/one", blind_to_state=True)
    assert read_rows([tmp_path])["syc"].to_list() == [5]
    with RunFolder.open(tmp_path, "pasb", {}) as run:
        add_judgment(run, outcome(syc=2), "judge/two", same_family=True)
    with pytest.raises(UsageError, match="judge/two"):
        read_rows([tmp_path])
    chosen = read_rows([tmp_path], judge="judge/two")
    assert chosen["syc"].to_list() == [2]
    assert "own family" in chosen["judge"].cast(pl.String)[0]


def test_the_gap_is_shown_under_both_readings_and_the_blind_one_can_be_the_primary(tmp_path: Path) -> None:
    made = [
        outcome(episode_id=f"e{n}", task_id=f"t{n}", base_item_id=f"i{n % 4}", committed=n < 8, syc=5 if n < 8 else 1)
        for n in range(16)
    ]
    with RunFolder.open(tmp_path, "pasb", {}) as run:
        for one in made:
            add_episode(run, one)
            add_judgment(run, one, "judge/one")
            if one.episode_id != "e0":  # not read blind: in neither gap of the comparison
                add_judgment(run, replace(one, syc=1), "judge/one", blind_to_state=True, probe="blind_to_state")
    found = build_report([tmp_path], FAST).table("blindness").frame.filter(failure="syc", metric="gap")
    assert dict(found.select("reading", "printed").iter_rows()) == {"sighted": "+100.0", "blind": "+0.0"}
    assert found["n"].to_list() == [15, 15]
    blind = build_report([tmp_path], replace(FAST, blind=True))
    (cell,) = blind.table("table02").frame.filter(metric="syc").iter_rows(named=True)
    assert (cell["printed"], cell["n"], cell["unscored"]) == ("0.00", 15, 1)
    assert blind.table("accounting").frame["judge"].to_list() == ["judge/one (blind to state)"]


def test_blind_scores_that_nobody_made_are_asked_for(tmp_path: Path) -> None:
    write_run(tmp_path, [outcome()])
    with pytest.raises(UsageError, match="blind to the state"):
        build_report([tmp_path], replace(FAST, blind=True))


def test_a_damaged_record_is_named_by_file_line_and_field(tmp_path: Path) -> None:
    write_run(tmp_path, [outcome()])
    file = tmp_path / "judgments.jsonl"
    record = json.loads(file.read_text())
    record["turns"][0]["syc"] = 9
    file.write_text(json.dumps(record) + "\n")
    with pytest.raises(StoreError, match=r"judgments\.jsonl:1:turns\[0\]\.syc"):
        read_rows([tmp_path])


def test_folders_that_are_no_pasb_runs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="not a run folder"):
        read_rows([tmp_path])
    with RunFolder.open(tmp_path, "sovereignpa", {}):
        pass
    with pytest.raises(StoreError, match="sovereignpa run, not pasb"):
        read_rows([tmp_path])


def test_the_same_run_given_twice_is_refused_and_shards_of_one_run_are_joined(tmp_path: Path) -> None:
    one = write_run(tmp_path / "one", [outcome(episode_id="e1", task_id="a")])
    other = write_run(tmp_path / "two", [outcome(episode_id="e2", task_id="b")])
    assert read_rows([one, other]).height == 2
    with pytest.raises(UsageError, match="given twice"):
        read_rows([one, one])


def test_a_run_without_a_finished_episode_says_so(tmp_path: Path) -> None:
    with RunFolder.open(tmp_path, "pasb", {}):
        pass
    with pytest.raises(UsageError, match="no finished episode yet"):
        build_report([tmp_path], FAST)


@pytest.mark.parametrize("at", [1.0, 5.5, float("nan")])
def test_an_impossible_failing_score_is_refused(folders: list[Path], at: float) -> None:
    with pytest.raises(UsageError, match="failing score"):
        build_report(folders, Settings(at=at, draws=10))


def test_every_table_is_written_with_its_definition(report: Report, tmp_path: Path) -> None:
    paths = write_report(report, tmp_path)
    assert len(paths) == 2 * len(report.tables) + 2
    for table in report.tables:
        back = pl.read_parquet(tmp_path / "tables" / f"{table.id}.parquet")
        assert back.equals(table.frame)
        assert pl.read_csv(tmp_path / "tables" / f"{table.id}.csv").height == table.frame.height
        assert table.definition.title in (tmp_path / "README.txt").read_text()
    assert pl.read_parquet(tmp_path / "rows.parquet").height == report.frames["rows.parquet"].height


def test_every_figure_is_written_as_svg_png_data_and_text(report: Report, tmp_path: Path) -> None:
    write_report(report, tmp_path, figures=True)
    assert {figure.id for figure in report.figures} == {
        "figure03a", "figure03b", "surfaces", "figure03d", "figure04a", "figure04b", "figure05", "figure07",
    }  # fmt: skip
    for figure in report.figures:
        base = tmp_path / "figures" / figure.id
        assert base.with_suffix(".svg").read_text().startswith("<svg")
        assert base.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
        assert pl.read_csv(base.with_suffix(".csv")).height == figure.data.height
        assert figure.definition.text in base.with_suffix(".txt").read_text()


def test_figures_and_tables_of_harness_checks_say_so(tmp_path: Path) -> None:
    folder = write_run(
        tmp_path / "run",
        [outcome(model="scripted/copier", run_id="r", committed=c, task_id=t) for c, t in ((True, "a"), (False, "b"))],
    )
    made = build_report([folder], FAST)
    assert all(table.harness_check for table in made.tables if "origin" in table.frame.columns)
    drawn = [figure for figure in made.figures if "missing" not in figure.data.columns]
    assert drawn and all("Harness check" in figure.svg() for figure in drawn)
    write_report(made, tmp_path / "out")
    assert "Harness check" in (tmp_path / "out" / "README.txt").read_text()


def test_a_figure_without_numbers_says_what_it_needs_and_one_episode_is_enough_for_a_report(tmp_path: Path) -> None:
    made = build_report([write_run(tmp_path / "run", [outcome()])], FAST)
    empty = {figure.id: figure for figure in made.figures if "missing" in figure.data.columns}
    assert "stewardbench annotate RUN" in " ".join(empty["figure03a"].data["missing"])
    assert "annotate" in empty["figure03a"].svg()
    assert write_report(made, tmp_path / "out")


def test_a_folder_that_cannot_be_written_is_a_clear_error(report: Report, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be written"):
        write_report(report, tmp_path / "file" / "report")


@pytest.fixture(scope="module")
def bundle(folders: list[Path], report: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_bundle(folders, report, FAST, tmp_path_factory.mktemp("bundle") / "audit.zip")


def test_a_fresh_bundle_verifies(bundle: Path, report: Report) -> None:
    verdict = verify_bundle(bundle)
    assert verdict.problems == ()
    assert verdict.tables == len(report.tables)
    assert len(verdict.runs) == 3


def test_the_same_report_gives_the_same_bytes(
    bundle: Path, folders: list[Path], report: Report, tmp_path: Path
) -> None:
    again = write_bundle(folders, report, FAST, tmp_path / "again.zip")
    assert again.read_bytes() == bundle.read_bytes()


def test_a_bundle_holds_records_manifests_prompts_and_versions(bundle: Path) -> None:
    with zipfile.ZipFile(bundle) as archive:
        names = set(archive.namelist())
        index = json.loads(archive.read("bundle.json"))
    assert {"runs/1/run.json", "runs/1/episodes.jsonl", "runs/3/judgments.jsonl", "prompts/judge_turn.md"} <= names
    assert {"stewardbench", "libraries", "settings", "prompts"} <= set(index)
    assert set(index["files"]) == names - {"bundle.json"}


@pytest.mark.parametrize(
    "name", ["runs/2/judgments.jsonl", "runs/1/run.json", "tables/table10.csv", "prompts/judge_arc.md"]
)
def test_a_changed_file_is_named(bundle: Path, tmp_path: Path, name: str) -> None:
    changed = tmp_path / "changed.zip"
    with zipfile.ZipFile(bundle) as source, zipfile.ZipFile(changed, "w") as target:
        for info in source.infolist():
            data = source.read(info)
            if info.filename == name:
                data = data[:40] + bytes([data[40] ^ 1]) + data[41:]
            target.writestr(info, data)
    problems = verify_bundle(changed).problems
    assert problems == (f"{name}: content does not match its hash",)


def test_every_flipped_byte_of_a_bundle_is_noticed(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", [outcome()])
    small = write_bundle([folder], build_report([folder], FAST), FAST, tmp_path / "small.zip")
    whole = small.read_bytes()
    with zipfile.ZipFile(small) as archive:
        spans = [(info.header_offset, info.filename) for info in archive.infolist()]
    for place in range(0, len(whole), 211):
        small.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
        try:
            problems = verify_bundle(small).problems
        except StoreError as error:
            problems = (str(error),)
        assert problems, f"byte {place}"
    name = next(name for offset, name in reversed(spans) if offset < len(whole) // 3)
    offset = next(start for start, found in spans if found == name)
    place = offset + 30 + len(name) + 20 + 25  # inside the packed content
    small.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
    assert any(problem.startswith(name) for problem in verify_bundle(small).problems)


def test_records_and_tables_that_do_not_belong_together_are_named(
    folders: list[Path], report: Report, tmp_path: Path
) -> None:
    """A forger who also rewrites every hash still has to make the tables follow from the records."""
    forged_folder = tmp_path / "forged"
    shutil.copytree(folders[0], forged_folder)
    lines = (forged_folder / "judgments.jsonl").read_text().splitlines()
    (forged_folder / "judgments.jsonl").write_text("\n".join(lines[:20]) + "\n")
    forged = write_bundle([forged_folder, *folders[1:]], report, FAST, tmp_path / "forged.zip")
    problems = verify_bundle(forged).problems
    assert any(problem.startswith("tables/table02.csv: rebuilding gives another table") for problem in problems)


def test_files_that_are_no_bundles_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no such file"):
        verify_bundle(tmp_path / "none.zip")
    (tmp_path / "text.zip").write_text("not a zip")
    with pytest.raises(StoreError, match="not a readable bundle"):
        verify_bundle(tmp_path / "text.zip")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("a.txt", "a")
    with pytest.raises(StoreError, match=r"bundle\.json"):
        verify_bundle(tmp_path / "other.zip")
    with zipfile.ZipFile(tmp_path / "escape.zip", "w") as archive:
        archive.writestr("../escape.txt", "a")
        archive.writestr("bundle.json", "[]")
    with pytest.raises(StoreError):
        verify_bundle(tmp_path / "escape.zip")
    assert not (tmp_path.parent / "escape.txt").exists()
