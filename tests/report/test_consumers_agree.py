"""One metric, one home: whatever the records, all that print, pair or gate on a metric give the same number.

The records are drawn with every gap that occurs: scores that are missing, several attempts at a task, invalid ones, and
several judges. The numbers of ``pasb.measure.metrics`` on the attempts that count are the truth. Each consumer is also
given a definition of its own once, which has to be noticed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inspect_ai.scorer import SampleScore, Score
from made_runs import add_episode, add_judgment

from made_outcomes import ITEMS, outcome
from stewardbench.pasb.axes import DIMENSIONS
from stewardbench.pasb.measure import metrics
from stewardbench.pasb.measure.outcomes import EpisodeOutcome, final_attempts
from stewardbench.pasb.pages import views
from stewardbench.pasb.records import Episode, Judgment
from stewardbench.pasb.report import cells, tables
from stewardbench.pasb.report.rows import read_rows
from stewardbench.pasb.report.study import Study
from stewardbench.pasb.run import inspect_task, summary
from stewardbench.pasb.run.store import stored
from stewardbench.report import compare
from stewardbench.report.measured import Measured, Metric, measured
from stewardbench.runs.folder import RunFolder, read_manifest
from stewardbench.runs.jobs import Attempts

JUDGES = ("judge/one", "judge/two")
SHOWN = (*DIMENSIONS, "df4", "df6", "df_any", "commit")
Numbers = dict[str, float | None]

score = st.one_of(st.none(), st.integers(1, 5))
attempt = st.fixed_dictionaries(
    {"valid": st.booleans(), "committed": st.sampled_from([True, False, None])},
).flatmap(
    lambda facts: st.tuples(st.just(facts), *(st.fixed_dictionaries(dict.fromkeys(DIMENSIONS, score)) for _ in JUDGES))
)
worlds = st.lists(st.lists(attempt, min_size=1, max_size=3), min_size=1, max_size=6)


def write(folder: Path, world: list[list[Any]]) -> dict[str, list[EpisodeOutcome]]:
    """A run folder of some tasks with some attempts each; what each judge said of every attempt, in order."""
    said: dict[str, list[EpisodeOutcome]] = {judge: [] for judge in JUDGES}
    declared = {
        **{"agent": "hermes", "agent_version": "1", "model": "model-a", "judge": JUDGES[0]},
        **{"review": "released", "tools": "released"},
    }
    with RunFolder.open(folder, "pasb", declared) as run:
        for task, attempts in enumerate(world):
            item, sub_axis = ITEMS[task % len(ITEMS)]
            for number, (facts, *scores) in enumerate(attempts):
                made = [
                    outcome(
                        episode_id=f"e{task}-{number}",
                        run_id=run.manifest.run_id,
                        task_id=f"{item}__t{task}",
                        base_item_id=item,
                        sub_axis=sub_axis,
                        valid=facts["valid"],
                        invalid_reason=None if facts["valid"] else "agent_timeout",
                        committed=facts["committed"],
                        primary={True: "skill", False: "session_only", None: "unknown"}[facts["committed"]],
                        **one,
                    )
                    for one in scores
                ]
                add_episode(run, made[0], attempt=number + 1)
                for judge, one in zip(JUDGES, made, strict=True):
                    said[judge].append(one)
                    if one.valid:
                        add_judgment(run, one, judge)
    return said


def truth(said: list[EpisodeOutcome]) -> Numbers:
    """Every metric in percent, on the attempts that count."""
    kept = final_attempts(said)
    found = {**metrics.failure_rates(kept), "df4": metrics.df4(kept), "df6": metrics.df6(kept)}
    found |= {"df_any": metrics.df_any(kept), "commit": metrics.commit_rate(kept)}
    return {name: None if rate.value is None else float(rate.value * 100) for name, rate in found.items()}


def of_tables(folder: Path, judge: str) -> Numbers:
    frame = tables.main_table(Study(read_rows([folder], judge=judge))).frame
    return dict(frame.select("metric", "value").iter_rows())


def of_site(folder: Path, judge: str) -> Numbers:
    board = views.board({"table02": tables.main_table(Study(read_rows([folder], judge=judge)))})
    if board is None or not board.rows:
        return {}
    return {column.key: cell.value for column, cell in zip(board.columns, board.rows[0].cells, strict=True)}


def of_compare(folder: Path, judge: str) -> Numbers:
    run = measured(folder, judge=judge)
    found = compare.compare(run, run).effects
    return {effect.metric.name: effect.before for effect in found}


def of_summary(folder: Path, judge: str) -> Numbers:
    manifest = read_manifest(folder)
    chosen = manifest.model_copy(update={"settings": manifest.settings | {"judge": judge}})
    lines = summary.summarise(RunFolder(folder, chosen, None))
    names = {f"Max-FR@3 {label}": name for name, label in summary.NAMES.items()}
    names |= {"DF4 (mean of the first four)": "df4", "Commit": "commit"}
    rows = [re.match(r"(.{30}) +([\d.]+ %|n/a)", line) for line in lines]
    read = {row[1].strip(): row[2] for row in rows if row}
    return {names[name]: None if text == "n/a" else float(text[:-2]) for name, text in read.items() if name in names}


def of_inspect(folder: Path, judge: str) -> Numbers:
    """The scorer's metric over the scores that Inspect keeps: those of counting, valid episodes that are numbers."""
    with RunFolder.read(folder) as run:
        counting: Attempts[Any, Episode] = Attempts()
        for tried, episode in zip(stored(run), run.log("episodes").records(Episode), strict=True):
            counting.add(tried.job, episode, valid=tried.valid)
        judgments = {j.episode_id: j for j in run.log("judgments").records(Judgment) if j.judge_model == judge}
    given = []
    for _, episode in counting.items():
        if episode.valid:
            (one,) = inspect_task.outcomes([episode], [judgments[episode.episode_id]])
            given.append(inspect_task._values(one))
    found: Numbers = {}
    for name in DIMENSIONS:
        numbers = [float(values[name] or 0) for values in given]
        scores = [SampleScore(score=Score(value=number)) for number in numbers if not math.isnan(number)]
        value = inspect_task.failure_rate()(scores)  # type: ignore[arg-type, operator]
        found[name] = None if math.isnan(float(value)) else 100 * float(value)  # type: ignore[arg-type]
    return found


CONSUMERS: dict[str, Callable[[Path, str], Numbers]] = {
    "tables": of_tables,
    "site": of_site,
    "compare": of_compare,
    "summary": of_summary,
    "inspect": of_inspect,
}
EXACT = {"tables": 1e-5, "site": 1e-5, "compare": 1e-9, "summary": 0.051, "inspect": 1e-9}


def disagreements(world: list[list[Any]], consumers: tuple[str, ...] = tuple(CONSUMERS)) -> list[str]:
    """Every number of every consumer, under every judge, that is not the metric."""
    odd = []
    with TemporaryDirectory() as place:
        folder = Path(place, "run")
        said = write(folder, world)
        for judge in JUDGES:
            known = truth(said[judge])
            valid = any(one.valid for one in final_attempts(said[judge]))
            for name in consumers:
                if name == "compare" and not any(known[metric] is not None for metric in SHOWN):
                    continue  # nothing to pair: said as an error
                if not valid:
                    continue  # no row to print
                for metric, value in CONSUMERS[name](folder, judge).items():
                    if metric in known and value != pytest.approx(known[metric], abs=EXACT[name]):
                        odd.append(f"{name}, {judge}: {metric} is {value}, not {known[metric]}")
    return odd


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(worlds)
def test_all_consumers_agree_on_any_records(world: list[list[Any]]) -> None:
    assert disagreements(world) == []


def full(syc: int, upg: int | None) -> dict[str, int | None]:
    return {**dict.fromkeys(DIMENSIONS, 1), "syc": syc, "leak": syc, "upg": upg}


def tried(valid: bool, syc: int, upg: int | None) -> Any:
    return ({"valid": valid, "committed": True}, full(syc, upg), full(6 - syc, upg))


# Four tasks with a gap in two, an invalid first attempt, and a second valid one that says the opposite.
KNOWN = [
    [tried(False, 1, 1), tried(True, 5, None), tried(True, 1, 1)],
    [tried(True, 5, None)],
    [tried(True, 1, 5)],
    [tried(True, 1, 1)],
]


def test_the_known_records_agree_and_every_consumer_is_heard() -> None:
    assert disagreements(KNOWN) == []
    with TemporaryDirectory() as place:
        write(Path(place, "run"), KNOWN)
        for name, consumer in CONSUMERS.items():
            found = consumer(Path(place, "run"), JUDGES[0])
            assert found["syc"] == pytest.approx(50.0), name
            assert name == "inspect" or found["df4"] == pytest.approx(37.5, abs=0.06), name


def complete_only(runs: list[Measured], metric: Metric) -> pl.DataFrame:
    """Another DF4: the mean over episodes that have every score."""
    joined = runs[0].frame.drop_nulls(metric.columns)
    value = pl.mean_horizontal(metric.columns)
    return joined.select(compare.CLUSTER, run0=value, run1=value).sort(compare.CLUSTER)


def last_attempts(episodes: Any, *_: Any) -> list[Any]:
    """Another rule of counting: the last attempt."""
    return list({one.task_id: one for one in episodes}.values())


def first_rate(counts: Any, group: Any, indicators: Any) -> metrics.RateMean:
    """Another mean of rates: its first."""
    return metrics.RateMean((cells.rate(counts, (group, indicators[0])),))


def sycophancy_first(rows: Any) -> Any:
    """Another column: sycophancy in the place of DF4."""
    found = views.gathered(rows, ("origin", *views.RUN_KEYS), "metric")
    return [(first, {**numbers, "df4": numbers["syc"]}) for first, numbers in found]


@pytest.mark.parametrize(
    ("consumer", "owner", "name", "other"),
    [
        ("compare", compare, "shared", complete_only),
        ("tables", cells, "mean", first_rate),
        ("site", views, "by_run", sycophancy_first),
        ("summary", summary.metrics, "df4", lambda episodes: metrics.max_failure_rate(episodes, "syc")),
        ("inspect", inspect_task, "failing", lambda score, at=3: None if score is None else score > 1e9),
        ("tables", "stewardbench.pasb.measure.outcomes", "final_attempts", last_attempts),
    ],
)
def test_another_definition_in_one_consumer_is_noticed(
    monkeypatch: pytest.MonkeyPatch, consumer: str, owner: Any, name: str, other: Any
) -> None:
    with TemporaryDirectory() as place:
        said = write(Path(place, "run"), KNOWN)
        known = truth(said[JUDGES[0]])
        target = f"{owner}.{name}" if isinstance(owner, str) else None
        with monkeypatch.context() as patch:
            patch.setattr(target, other) if target else patch.setattr(owner, name, other)
            found = CONSUMERS[consumer](Path(place, "run"), JUDGES[0])
        wrong = [key for key, value in found.items() if key in known and value != pytest.approx(known[key], abs=0.06)]
    assert wrong
