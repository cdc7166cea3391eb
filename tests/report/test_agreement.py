"""The agreement report on a made world: a judge with one planted error, people with gold, and the report finds it."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from made_runs import add_episode, add_judgment

from made_outcomes import outcome
from stewardbench.errors import DataError, UsageError
from stewardbench.pasb.agreement.gold import ARC, Unit, consensus, read_gold
from stewardbench.pasb.agreement.report import Agreement, agreement
from stewardbench.pasb.agreement.scores import judge_scores
from stewardbench.pasb.axes import DIMENSIONS, Delivery, Scenario
from stewardbench.pasb.measure.outcomes import EpisodeOutcome
from stewardbench.report.table import Table
from stewardbench.runs.folder import RunFolder
from stewardbench.seeding import generator

GOOD, BAD = "judge/good", "judge/bad"
DRAWS = 300


def truth(items: int = 40) -> list[EpisodeOutcome]:
    """True scores of four episodes of each of some base items; a good half of them fail."""
    draw = generator(1, "truth")
    return [
        outcome(
            episode_id=f"e{item}-{scenario}",
            base_item_id=f"PASB-PRF-{item:04d}",
            task_id=f"PASB-PRF-{item:04d}__{scenario}__drip",
            scenario=scenario,
            delivery=Delivery.DRIP,
            committed=draw.random() < 0.5,
            **{name: draw.choice([1, 2, 3, 4, 5]) for name in DIMENSIONS},
        )
        for item in range(items)
        for scenario in Scenario
    ]


def shifted(made: EpisodeOutcome, name: str, by: int) -> EpisodeOutcome:
    return replace(made, **{name: min(5, max(1, getattr(made, name) + by))})


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two judges of the same run: one is right but for rare slips, one scores amplification a point too high."""
    folder = tmp_path_factory.mktemp("agreement") / "run"
    draw = generator(2, "slips")
    with RunFolder.open(folder, "pasb", {"model": "model-a", "agent": "hermes"}) as store:
        for made in truth():
            add_episode(store, made)
            slip = shifted(made, draw.choice(DIMENSIONS), draw.choice([-1, 1])) if draw.random() < 0.1 else made
            add_judgment(store, slip, GOOD)
            add_judgment(store, shifted(made, "amp", 1), BAD)
            if draw.random() < 0.3:
                add_judgment(store, slip, GOOD, repeat=1)
                add_judgment(store, shifted(made, "amp", 1 if draw.random() < 0.5 else -2), BAD, repeat=1)
            if draw.random() < 0.3:
                clean = replace(made, **dict.fromkeys(DIMENSIONS, 1))
                for probe in ("blank", "swapped", "claim_free"):
                    add_judgment(store, clean, GOOD, probe=probe)
                    add_judgment(store, replace(clean, amp=3 if probe == "swapped" else 1), BAD, probe=probe)
    return folder


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four people on a quarter of the episodes; each is right nine times in ten, else one point off."""
    path = tmp_path_factory.mktemp("gold") / "gold.jsonl"
    draw = generator(3, "people")

    def seen(score: int) -> int:
        return score if draw.random() < 0.9 else min(5, max(1, score + draw.choice([-1, 1])))

    lines = []
    for made in truth()[::4]:
        for rater in ("ann", "ben", "cleo", "dan"):
            turns = [
                {"turn": t, **{name: seen(getattr(made, name)) for name in ("syc", "leak", "upg", "amp")}}
                for t in (1, 2, 3)
            ]
            arc = {name: seen(getattr(made, name)) for name in ("pers", "esc")}
            lines.append({"rater": rater, "episode_id": made.episode_id, "turns": turns, "arc": arc})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def found(run: Path, gold: Path) -> Agreement:
    return agreement([run], gold, draws=DRAWS)


def rows(found: Agreement, identity: str, **keys: object) -> list[dict[str, object]]:
    table: Table = next(table for table in found.tables if table.id == identity)
    return table.frame.filter(*(pl.col(name) == value for name, value in keys.items())).to_dicts()


def test_the_planted_error_is_found_and_named(found: Agreement) -> None:
    said = " ".join(found.findings)
    assert "judge/bad is stricter than gold on amplification" in said
    assert "judge/bad reverses itself on amplification" in said
    assert "judge/bad finds amplification in answers that cannot contain the claim (swapped)" in said
    assert "judge/bad puts amplification on the wrong side of the failing score" in said


def test_the_good_judge_and_the_good_dimensions_are_not_accused(found: Agreement) -> None:
    assert not [sentence for sentence in found.findings if GOOD in sentence]
    for name in ("sycophancy", "leak", "upgrade", "persistence", "escalation"):
        assert not [sentence for sentence in found.findings if f" {name} " in sentence], name
    assert not [sentence for sentence in found.findings if "People" in sentence]


def agreed(gold: Path, dimension: str) -> int:
    return sum(unit.dimension == dimension for unit in read_gold(gold).agreed)


def test_bias_is_measured_with_its_interval(found: Agreement, gold: Path) -> None:
    (row,) = rows(found, "gold", judge=BAD, unit="score", dimension="amp")
    assert row["n"] == agreed(gold, "amp") > 110
    assert row["base_items"] == 40
    assert 0.5 < row["bias_low"] < row["bias"] < row["bias_high"] < 1.0  # a point, less where gold is 5 already
    (good,) = rows(found, "gold", judge=GOOD, unit="score", dimension="amp")
    assert good["bias_low"] <= 0 <= good["bias_high"]
    assert good["alpha"] > 0.9 > row["alpha"]


def test_confusion_counts_every_unit_once(found: Agreement, gold: Path) -> None:
    cells = rows(found, "confusion", judge=BAD, dimension="amp")
    counts = {row["gold"]: [row[f"judge_{score}"] for score in range(1, 6)] for row in cells}
    assert sum(map(sum, counts.values())) == agreed(gold, "amp")
    assert counts[2][2] > 0.8 * sum(counts[2])  # a gold 2 is nearly always judged 3
    assert counts[2][1] <= 0.2 * sum(counts[2])


def test_people_agree_well_in_this_world(found: Agreement) -> None:
    for row in rows(found, "raters"):
        assert row["alpha"] > 0.8, row
        assert row["alpha_low"] < row["alpha"] < row["alpha_high"]
        assert (row["raters"], row["base_items"]) == (4, 40)


def test_judges_are_compared_with_each_other_and_with_themselves(found: Agreement) -> None:
    (amp,) = rows(found, "judges", dimension="amp")
    (syc,) = rows(found, "judges", dimension="syc")
    assert amp["n"] == 160 * 3
    assert amp["exact"] < 30 < 90 < syc["exact"]
    (steady,) = rows(found, "repeats", judge=GOOD, dimension="amp")
    (unsteady,) = rows(found, "repeats", judge=BAD, dimension="amp")
    assert steady["exact"] == 100.0
    assert unsteady["at_threshold"] < 80


def test_probes_show_false_failures_only_where_they_are(found: Agreement) -> None:
    for row in rows(found, "probes"):
        planted = (row["judge"], row["probe"], row["dimension"]) == (BAD, "swapped", "amp")
        assert row["fails"] == (100.0 if planted else 0.0)


def test_thresholds_cover_every_headline_and_never_rise(found: Agreement) -> None:
    for metric in (*DIMENSIONS, "df4", "df6", "df_any"):
        values = [row["value"] for row in rows(found, "thresholds", judge=GOOD, metric=metric)]
        assert len(values) == 5
        assert values == sorted(values, reverse=True), metric
        assert values[0] == values[1], "2.5 and 3 are one setting for whole scores"
    assert len(rows(found, "thresholds", judge=GOOD, metric="df4 gap", run_id="run-a")) == 5


def test_drift_is_seen_when_later_judgments_move(tmp_path: Path, gold: Path) -> None:
    with RunFolder.open(tmp_path / "run", "pasb", {}) as store:
        made = truth()
        for index, one in enumerate(made):
            add_episode(store, one)
            add_judgment(store, one if index < len(made) // 2 else shifted(one, "syc", 2), GOOD)
    found = agreement([tmp_path / "run"], gold, draws=DRAWS)
    assert any(sentence.startswith("judge/good drifts: later scores differ by +") for sentence in found.findings)


def test_mixed_prompts_are_reported(tmp_path: Path) -> None:
    with RunFolder.open(tmp_path / "run", "pasb", {}) as store:
        for index, one in enumerate(truth(4)):
            add_episode(store, one)
            add_judgment(store, one, GOOD, prompt_sha256=f"{index % 2}" * 64)
    found = agreement([tmp_path / "run"], draws=50)
    assert any("2 versions of the prompts" in sentence for sentence in found.findings)


def test_blind_judgments_are_a_judge_of_their_own(tmp_path: Path) -> None:
    with RunFolder.open(tmp_path / "run", "pasb", {}) as store:
        for one in truth(6):
            add_episode(store, one)
            add_judgment(store, one, GOOD)
            add_judgment(store, shifted(one, "syc", -1), GOOD, probe="blind_to_state", blind_to_state=True)
    found = agreement([tmp_path / "run"], draws=50)
    (row,) = rows(found, "judges", dimension="syc")
    assert (row["judge"], row["other"]) == (GOOD, "judge/good (blind to state)")
    assert row["bias"] > 0.5


def test_only_episodes_that_count_are_compared(tmp_path: Path) -> None:
    one = truth(1)[0]
    with RunFolder.open(tmp_path / "run", "pasb", {}) as store:
        add_episode(store, replace(one, episode_id="lost", valid=False, invalid_reason="agent_timeout"))
        add_episode(store, one)
        add_judgment(store, replace(one, episode_id="lost"), GOOD)
        add_judgment(store, replace(one, syc=1), GOOD)
        add_judgment(store, replace(one, syc=5), GOOD)  # read again later: replaces
    scores = judge_scores([tmp_path / "run"])
    assert set(scores["episode_id"]) == {one.episode_id}
    assert scores.filter(pl.col("dimension") == "syc")["score"].to_list() == [5, 5, 5]


@pytest.mark.parametrize(
    ("scores", "expected"),
    [([3], 3), ([3, 3, 4, 5], 3), ([2, 4], 3), ([2, 3], None), ([1, 1, 5, 5], 3), ([2, 2, 3, 3], None)],
)
def test_consensus_is_majority_then_whole_median_then_open(scores: list[int], expected: int | None) -> None:
    assert consensus(scores) == expected


def test_adjudication_settles_open_units(tmp_path: Path) -> None:
    path = tmp_path / "gold.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        sheet = csv.writer(file)
        sheet.writerow(["rater", "episode_id", "turn", "dimension", "score"])
        sheet.writerows([["ann", "e1", 1, "syc", 2], ["ben", "e1", 1, "syc", 3], ["ann", "e1", "", "pers", 2]])
        sheet.writerows([["ben", "e1", "", "pers", 3], ["adjudicated", "e1", 1, "syc", 3], ["ben", "e1", 2, "syc", ""]])
    gold = read_gold(path)
    assert gold.agreed == {Unit("e1", 1, "syc"): 3}
    assert gold.open_units == (Unit("e1", ARC, "pers"),)
    assert set(gold.raters) == {"ann", "ben"}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("g.jsonl", '{"rater":"a","episode_id":"e","turns":[{"turn":4}]}\n', r"g\.jsonl:1:turns\[0\]\.turn"),
        ("g.jsonl", '{"rater":"a","episode_id":"e","arc":{"pers":6}}\n', r"g\.jsonl:1:arc\.pers"),
        ("g.jsonl", '{"rater":"","episode_id":"e"}\n', r"g\.jsonl:1:rater"),
        ("g.jsonl", '{"rater":"a","episode_id":"e","arc":{"pers":2}}\n' * 2, "a's pers of e stands in line 1 already"),
        ("g.jsonl", "", "no scores"),
        ("g.csv", "rater,episode_id,turn,score\n", "no column dimension"),
        ("g.csv", "rater,episode_id,turn,dimension,score\na,e,1,pers,2\n", r"g\.csv:2:dimension"),
        ("g.csv", "rater,episode_id,turn,dimension,score\na,e,1,syc,2.5\n", r"g\.csv:2:score"),
        ("g.csv", "rater,episode_id,turn,dimension,score\na,e,9,syc,2\n", r"g\.csv:2:turn"),
    ],
)
def test_bad_gold_is_named_by_line_and_field(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        read_gold(tmp_path / name)


def test_gold_of_other_runs_and_unjudged_runs_are_errors(run: Path, tmp_path: Path) -> None:
    (tmp_path / "other.jsonl").write_text('{"rater":"a","episode_id":"none","arc":{"pers":2}}\n')
    with pytest.raises(DataError, match="none of its episodes is in these runs"):
        agreement([run], tmp_path / "other.jsonl", draws=10)
    with RunFolder.open(tmp_path / "run", "pasb", {}) as store:
        add_episode(store, outcome())
    with pytest.raises(UsageError, match="no judgments"):
        agreement([tmp_path / "run"], draws=10)
