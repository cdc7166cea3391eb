"""The numbers that both papers published, as packaged data: figures only, each with the place it was printed.

    pasb_table        one of PASB's tables as printed, tidy, marked ``published``
    pasb_counts       the whole numbers k and n behind every printed percentage
    pasb_text         numbers of the running text and of the project page, by key
    sovereignpa_table the main table of SovereignPA-Bench
    sources           where all of it comes from

Nothing here is measured by this package.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import polars as pl
import yaml

from stewardbench.errors import UsageError

ORIGIN = "published"
PASB_TABLES = ("table02", "table02_avg", "table09", "table10", "table11", "table12", "table13", "mitigation")
AVERAGE = "Average over runs"
_AXIS = {"table10": "scenario", "table11": "delivery", "table13": "scenario"}


def pasb_table(name: str) -> pl.DataFrame:
    """One PASB table with a row per printed cell: origin, model, agent, the table's axis, metric, printed, value, k, n.

    k and n are empty for averages and mean scores. Raises UsageError for an unknown table.
    """
    if name not in PASB_TABLES:
        raise UsageError(f"no published table {name!r}.", hint=f"There are: {', '.join(PASB_TABLES)}.")
    if name == "mitigation":
        return _mitigation()
    frame = _read("pasb", name)
    if name == "table02_avg":
        frame = frame.select("model", agents=pl.lit("hermes + openclaw"), metric=pl.lit("average"), printed="printed")
        return _marked(frame)
    axis = _AXIS.get(name)
    counts = pasb_counts().filter(pl.col("table") == name).drop("table", "printed").rename({"cell": axis or "cell"})
    keys = ["model", "agent", *([axis] if axis else []), "metric"]
    return _marked(frame.join(counts.select(*keys, "k", "n"), on=keys, how="left", maintain_order="left"))


def pasb_counts() -> pl.DataFrame:
    """table, model, agent, cell, metric, printed, k, n of every published percentage of Tables 2 and 10-13."""
    return _read("pasb", "counts").with_columns(pl.col("k", "n").cast(pl.Int64))


def pasb_text(source: str = "text") -> dict[str, float]:
    """Numbers by key: of the paper's running text, or with ``page`` of the project page."""
    frame = _read("pasb", source)
    return dict(zip(frame["key"], frame["value"].cast(pl.Float64), strict=True))


def sovereignpa_table(name: str = "table2") -> pl.DataFrame:
    """The main table (``table2``) or the numbers of the running text (``text``) of SovereignPA-Bench, as printed."""
    return _read("sovereignpa", name)


def sources() -> dict[str, Any]:
    """Which publication each file was taken from, per benchmark."""
    found: dict[str, Any] = yaml.safe_load(_data("sources.yaml"))
    return found


def _mitigation() -> pl.DataFrame:
    """The mitigation block of the project page, one row per number."""
    names = ["commit", "upg", "df4", "rel_commit", "rel_df4"]
    wide = _read("pasb", "mitigation")
    return _marked(
        wide.unpivot(names, index=["model", "agent", "mitigation"], variable_name="metric", value_name="printed")
    )


def _marked(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select(
        pl.lit(ORIGIN).alias("origin"), pl.all(), pl.col("printed").cast(pl.Float64).alias("value")
    ).select(pl.all().exclude("k", "n"), *[name for name in ("k", "n") if name in frame.columns])


@cache
def _read(benchmark: str, name: str) -> pl.DataFrame:
    """A packaged CSV with every column as text, so that a printed 85.0 stays 85.0."""
    return pl.read_csv(_data(f"{benchmark}/{name}.csv"), infer_schema=False)


def _data(path: str) -> bytes:
    return files("stewardbench.published").joinpath("data", path).read_bytes()
