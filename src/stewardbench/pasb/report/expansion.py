"""The paper's own numbers as per-episode rows, to be played back through the ordinary aggregation.

The published percentages fix whole-number counts per run by scenario, by delivery and on the cross-domain items. This
module expands them to 38,400 rows that agree with every one of those counts, so that our tables can be compared with
the printed ones cell by cell.

What the paper does not print, the rows do not know. How commits and failures fall together inside a run is not
published, only pooled: 45.0 % on session-only and 71.9 % on committed episodes. The rows take one odds ratio for all
runs, scenarios and dimensions, the one that yields those two. Any number beyond the published margins and that pooled
pair (stances, surfaces, a single run's gap, intervals) is an artefact of the arrangement and must not be read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import polars as pl
from numpy.typing import NDArray

from stewardbench import published
from stewardbench.pasb.axes import DIMENSIONS, FAIL_AT, TURN_DIMENSIONS, Delivery, Scenario, SubAxis
from stewardbench.pasb.measure.metrics import percent
from stewardbench.pasb.measure.outcomes import EpisodeOutcome
from stewardbench.pasb.report.rows import PUBLISHED, rows_of
from stewardbench.seeding import array_generator

ITEMS = {SubAxis.PRF: 32, SubAxis.CDL: 18, SubAxis.SOC: 50}
FAILED, PASSED = FAIL_AT, 1  # the paper fixes on which side of 3 a score lies, not the score
UNKNOWN = -1
# One run lacks two signed-memory episodes; of one of them the arc was scored (the only solution of the printed cells)
MISSING = {
    ("DeepSeek-V4-Pro", "hermes"): {
        Delivery.ALL_AT_ONCE: (*TURN_DIMENSIONS, "commit"),
        Delivery.PROGRESSIVE: (*DIMENSIONS, "commit"),
    }
}

Ints = NDArray[np.int64]
RunKey = tuple[str, str]


@dataclass(frozen=True)
class Tasks:
    """The 1,600 tasks as columns: position of scenario and delivery, whether cross-domain, and their names."""

    scenario: Ints
    delivery: Ints
    cross: Ints
    names: tuple[tuple[str, SubAxis, Scenario, Delivery], ...]


@dataclass(frozen=True)
class Margins:
    """What the paper fixes of one metric in one run: counts by scenario, by delivery, and on cross-domain items."""

    scenario: Ints
    delivery: Ints
    cross: int


def published_rows() -> pl.DataFrame:
    """38,400 rows, marked published, that agree with every published count and with the pooled boundary."""
    tasks = _tasks()
    counts = _counts()
    runs = list(dict.fromkeys((model, agent) for model, agent, _, _ in counts))
    committed = {run: _commits(run, counts, tasks) for run in runs}
    margins = {(*run, name): _margins(run, name, counts) for run in runs for name in DIMENSIONS}
    targets = _committed_failures(margins, committed, tasks)
    found: list[EpisodeOutcome] = []
    for run in runs:
        scores = {
            name: _scores(
                run, name, margins[(*run, name)], targets[(*run, name)], tasks=tasks, committed=committed[run]
            )
            for name in DIMENSIONS
        }
        found += _outcomes(run, tasks, committed[run], scores)
    return rows_of(found, origin=PUBLISHED)


def _tasks() -> Tasks:
    names = []
    places = []
    for sub_axis, size in ITEMS.items():
        for number in range(1, size + 1):
            for s, scenario in enumerate(Scenario):
                for d, delivery in enumerate(Delivery):
                    names.append((f"PASB-{sub_axis}-{number:04d}", sub_axis, scenario, delivery))
                    places.append((s, d, int(sub_axis is SubAxis.CDL)))
    scenario, delivery, cross = np.array(places, np.int64).T
    return Tasks(scenario, delivery, cross, tuple(names))


def _counts() -> dict[tuple[str, str, str, str], int]:
    """k by (model, agent, cell, metric); cells are scenarios, deliveries, ``cdl`` and ``all``."""
    rows = published.pasb_counts().select("model", "agent", "cell", "metric", "k").iter_rows()
    return {(model, agent, cell, metric): k for model, agent, cell, metric, k in rows}


def _margins(run: RunKey, name: str, counts: Mapping[tuple[str, str, str, str], int]) -> Margins:
    return Margins(
        np.array([counts[(*run, str(scenario), name)] for scenario in Scenario]),
        np.array([counts[(*run, str(delivery), name)] for delivery in Delivery]),
        counts[(*run, "cdl", name)],
    )


def _missing(run: RunKey, name: str, tasks: Tasks) -> NDArray[np.bool_]:
    """Which tasks lack a value of one metric: the first same-domain one of each delivery named in ``MISSING``."""
    gone = np.zeros(len(tasks.names), bool)
    for delivery, metrics in MISSING.get(run, {}).items():
        if name in metrics:
            first = next(
                i for i, (_, _, s, d) in enumerate(tasks.names) if (s, d) == (Scenario.SIGNED_MEMORY, delivery)
            )
            gone[first] = True
    return gone


def _commits(run: RunKey, counts: Mapping[tuple[str, str, str, str], int], tasks: Tasks) -> Ints:
    """1 committed, 0 session-only, -1 unknown, per task: the count of each scenario, spread evenly over its tasks."""
    result = np.zeros(len(tasks.names), np.int64)
    result[_missing(run, "commit", tasks)] = UNKNOWN
    order = array_generator(0, "replay commits", *run).permutation(len(tasks.names))
    for s, scenario in enumerate(Scenario):
        open_tasks = order[(tasks.scenario[order] == s) & (result[order] != UNKNOWN)]
        # cycling through the deliveries and both kinds of item keeps commits balanced over them
        strata = tasks.delivery[open_tasks] * 2 + tasks.cross[open_tasks]
        rank = np.empty(len(open_tasks))
        for stratum in np.unique(strata):
            held = np.flatnonzero(strata == stratum)
            rank[held] = (np.arange(len(held)) + 0.5) / len(held)
        chosen = open_tasks[np.argsort(rank, kind="stable")[: counts[(*run, str(scenario), "commit")]]]
        result[chosen] = 1
    return result


def _committed_failures(
    margins: Mapping[tuple[str, str, str], Margins], committed: Mapping[RunKey, Ints], tasks: Tasks
) -> dict[tuple[str, str, str], Ints]:
    """How many failures of each scenario lie on committed episodes, per run and dimension: one odds ratio for all.

    The ratio is the one whose pooled df4 on both sides, and their gap, print as published.
    """
    keys = list(margins)
    k = np.stack([margins[key].scenario for key in keys]).astype(float)
    inside, outside = (
        np.stack([np.bincount(tasks.scenario[committed[key[:2]] == side], minlength=4) for key in keys]).astype(float)
        for side in (1, 0)
    )
    turn = np.array([key[2] in TURN_DIMENSIONS for key in keys])
    total = _pooled_target(*(int(table[turn].sum()) for table in (k, inside, outside)))
    low, high = 0.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2.0
        if _expected(k, inside, outside, np.exp(middle))[turn].sum() < total:
            low = middle
        else:
            high = middle
    exact = _expected(k, inside, outside, np.exp((low + high) / 2.0))
    whole = np.floor(exact).astype(np.int64)
    rest = np.where(turn[:, None], exact - whole, -1.0).ravel()
    largest = np.argsort(-rest, kind="stable")[: total - int(whole[turn].sum())]
    whole.ravel()[largest] += 1
    return dict(zip(keys, whole, strict=True))


def _expected(
    k: NDArray[np.float64], inside: NDArray[np.float64], outside: NDArray[np.float64], odds: float
) -> NDArray[np.float64]:
    """Failures among ``inside`` episodes when k fail altogether and the odds of failing differ by a factor."""
    a = 1.0 - odds
    b = outside - k + odds * (inside + k)
    c = -odds * inside * k
    root = np.sqrt(b * b - 4.0 * a * c)
    return np.asarray(np.where(abs(a) < 1e-12, inside * k / (inside + outside), (-b + root) / (2.0 * a + (a == 0))))


def _pooled_target(failures: int, inside: int, outside: int) -> int:
    """Failures on committed episodes with which both pooled sides and the gap print as in the running text."""
    text = published.pasb_text()
    wanted = [f"{text[key]:.1f}" for key in _POOLED_KEYS]

    def prints(on_committed: int) -> bool:
        session, commit = Fraction(failures - on_committed, outside), Fraction(on_committed, inside)
        return [percent(session), percent(commit), percent(commit - session)] == wanted

    fitting = [value for value in range(inside) if prints(value)]
    return fitting[len(fitting) // 2]


_POOLED_KEYS = (
    "boundary_session_only_mean_maxfr_perturn",
    "boundary_committed_mean_maxfr_perturn",
    "boundary_jump",
)


def _scores(
    run: RunKey, name: str, margins: Margins, target: Ints, *, tasks: Tasks, committed: Ints
) -> list[int | None]:
    """A score per task: failed or passed so that all margins and the number of committed failures are met."""
    missing = _missing(run, name, tasks)
    cells = ((tasks.scenario * 4 + tasks.delivery) * 2 + tasks.cross) * 2 + (committed == 1)
    sizes = np.bincount(cells[~missing], minlength=64)
    failed = np.zeros(len(cells), bool)
    order = array_generator(0, "replay scores", *run, name).permutation(len(cells))
    order = order[~missing[order]]
    for cell, number in enumerate(_fit(sizes, margins, target)):
        failed[order[cells[order] == cell][:number]] = True
    return [None if gone else FAILED if bad else PASSED for gone, bad in zip(missing, failed, strict=True)]


def _fit(sizes: Ints, margins: Margins, target: Ints) -> Ints:
    """Whole numbers of failures in the 64 cells (scenario, delivery, kind, side) that meet all the sums."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    scenario, delivery, cross, side = (axis.ravel() for axis in np.indices((4, 4, 2, 2)))
    sums = [scenario == level for level in range(4)] + [delivery == level for level in range(4)]
    sums += [cross == 1, *((scenario == level) & (side == 1) for level in range(4))]
    wanted = [*margins.scenario, *margins.delivery, margins.cross, *target]
    found = milp(
        np.zeros(len(sizes)),
        integrality=np.ones(len(sizes)),
        bounds=Bounds(0, sizes),
        constraints=LinearConstraint(np.array(sums, float), wanted, wanted),
    )
    if found.x is None:
        raise ValueError("the published counts allow no such arrangement")
    return np.asarray(np.round(found.x), dtype=np.int64)


def _outcomes(
    run: RunKey, tasks: Tasks, committed: Ints, scores: Mapping[str, list[int | None]]
) -> Iterator[EpisodeOutcome]:
    model, agent = run
    run_id = f"published {model} {agent}"
    for index, (item, sub_axis, scenario, delivery) in enumerate(tasks.names):
        task_id = f"{item}__{scenario}__{delivery}"
        known = int(committed[index]) != UNKNOWN
        yield EpisodeOutcome(
            episode_id=f"{run_id} {task_id}",
            run_id=run_id,
            task_id=task_id,
            base_item_id=item,
            sub_axis=sub_axis,
            scenario=scenario,
            delivery=delivery,
            agent=agent,
            model=model,
            committed=bool(committed[index]) if known else None,
            primary="session_only" if known and not committed[index] else "unknown",
            syc=scores["syc"][index],
            leak=scores["leak"][index],
            upg=scores["upg"][index],
            amp=scores["amp"][index],
            pers=scores["pers"][index],
            esc=scores["esc"][index],
        )
