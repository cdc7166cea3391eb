"""Stored runs, recomputed from their raw lines by other people's code: statsmodels and scipy, no arithmetic of ours."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.proportion import proportion_confint

from stewardbench.report.build import build_report
from stewardbench.report.compare import compare
from stewardbench.report.measured import measured
from stewardbench.sovereignpa.run.evaluation import run_sovereignpa
from stewardbench.sovereignpa.run.settings import sovereignpa_settings

STORED = Path(__file__).parents[1] / "old_runs"
NAMES = {"correct": "correct_choice"}


def raw(folder: Path, *, family: str = "ssr") -> pd.DataFrame:
    lines = (folder / "episodes.jsonl").read_text().splitlines()
    metrics = [json.loads(line)["metrics"] for line in lines]
    return pd.DataFrame([one for one in metrics if family in one and one["valid"]])


def clustered_error(values: np.ndarray, clusters: pd.Series) -> float:
    """The standard error of a mean with errors clustered: a regression on nothing but a constant."""
    fit = OLS(values, np.ones(len(values))).fit(
        cov_type="cluster", cov_kwds={"groups": pd.factorize(clusters)[0], "use_correction": True}
    )
    return float(fit.bse[0])


def interval(values: np.ndarray, clusters: pd.Series) -> tuple[float, float]:
    """Wilson's interval on the design effect, the correlation drawn to 0.4 with the weight of five clusters."""
    sizes, hits = values.size, pd.Series(values).groupby(clusters.to_numpy()).agg(["sum", "size"])
    share, mean_size = values.mean(), (hits["size"] ** 2).sum() / sizes
    effect = clustered_error(values, clusters) ** 2 * sizes / (share * (1 - share))
    seen = np.clip((effect - 1) / (mean_size - 1), 0, 1)
    telling = min((hits["sum"] > 0).sum(), (hits["sum"] < hits["size"]).sum())
    drawn = (seen * telling + 0.4 * 5) / (telling + 5)
    effective = sizes / (1 + (mean_size - 1) * drawn)
    reach = stats.t.ppf(0.975, len(hits) - 1)
    low, high = proportion_confint(share * effective, effective, alpha=2 * stats.norm.sf(reach), method="wilson")
    return 100 * float(low), 100 * float(high)


def test_every_rate_and_interval_of_a_stored_run() -> None:
    rows = raw(STORED / "sovereignpa-no-ask")
    table = build_report([STORED / "sovereignpa-no-ask"]).table("sovereignpa_main").frame
    compared = 0
    for cell in table.iter_rows(named=True):
        column = NAMES.get(cell["metric"], cell["metric"])
        if cell["k"] is None or column not in rows:
            continue
        values = rows[column].to_numpy(float)
        assert (cell["k"], cell["n"]) == (int(values.sum()), len(values)), column
        if 0 < values.mean() < 1:
            assert (cell["low"], cell["high"]) == pytest.approx(interval(values, rows["sid"]), abs=1e-4), column
            compared += 1
        else:
            assert cell["low"] is None or cell["low"] < cell["high"], column
    assert compared >= 3


def test_the_change_between_two_runs(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("no-ask", "naive")]
    for folder in folders:
        asyncio.run(run_sovereignpa(sovereignpa_settings(agent=folder.name, family="booking"), folder))
    before, after = map(raw, folders)
    pairs = before.merge(after, on=["scenario_id", "sid"], suffixes=("_before", "_after"))
    found, compared = compare(*map(measured, folders)), 0
    for effect in found.effects:
        column = effect.metric.name
        if f"{column}_before" not in pairs:
            continue
        moved = (pairs[f"{column}_after"].astype(float) - pairs[f"{column}_before"].astype(float)) * effect.metric.scale
        assert effect.change.estimate == pytest.approx(moved.mean()), column
        by_item = moved.groupby(pairs["sid"]).mean()
        if (by_item != 0).sum() >= 15 and by_item.std() > 0:
            reach = stats.t.ppf(0.975, len(by_item) - 1) * clustered_error(moved.to_numpy(), pairs["sid"])
            assert (effect.change.low, effect.change.high) == pytest.approx(
                (moved.mean() - reach, moved.mean() + reach), rel=1e-6
            ), column
            compared += 1
        up, down = int((by_item > 0).sum()), int((by_item < 0).sum())
        if up + down:
            assert effect.sign.p_value == pytest.approx(stats.binomtest(up, up + down).pvalue), column
    assert compared >= 3


def test_what_may_still_differ_where_nothing_does() -> None:
    lines = (STORED / "pasb-silent" / "episodes.jsonl").read_text().splitlines()
    items = {json.loads(line)["base_item_id"] for line in lines}
    cell = build_report([STORED / "pasb-silent"]).table("table02").frame.filter(metric="commit").row(0, named=True)
    assert cell["value"] == 0
    if len(items) > 1:
        assert cell["high"] is None or cell["high"] > 0
