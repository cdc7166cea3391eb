"""Tables of finished runs: the share of conversations that kept the limit, with n and intervals by topic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import polars as pl
from rich.console import Console

from stewardbench.report.counts import count
from stewardbench.report.figure import Figure
from stewardbench.report.lines import Line, tabulate
from stewardbench.report.measured import Measured, Metric
from stewardbench.report.part import Part, Settings
from stewardbench.report.show import show_table
from stewardbench.report.table import Definition, Table
from stewardbench.runs.folder import RunFolder
from stewardbench.runs.jobs import counting
from stewardbench.runs.loop import attempts_in
from your_benchmark.world import Attempt

NAME, MAIN, ROWS = "your-benchmark", "limits_kept", "rows_limits.parquet"
KEYS = ("origin", "run_id", "subject")
DEFINITION = Definition("Word limits kept", "A conversation keeps the limit when all three answers do.")
METRIC = Metric("kept", "Limit kept", lower=False)


def rows(folders: Sequence[Path]) -> pl.DataFrame:
    """One row per task of every run: the attempt that counts."""
    found = []
    for path in folders:
        folder = RunFolder.read(path)
        for one in counting(attempts_in(folder, Attempt), lambda a: a.job, lambda a: a.valid):
            verdict = None if None in one.kept else all(one.kept)
            found.append(("harness check", folder.manifest.run_id, one.subject, one.job.task, one.topic, verdict))
    schema = {**dict.fromkeys((*KEYS, "task", "topic"), pl.String), "kept": pl.Boolean}
    return pl.DataFrame(found, schema=schema, orient="row")


class Reporting:
    """A ``stewardbench.report.part.Reporting``."""

    def part(self, folders: Sequence[Path], settings: Settings) -> Part:
        frame = rows(folders)
        counts = count(frame, KEYS, {"kept": "kept"}, cluster="topic")
        lines = []
        for group in counts.groups:
            k, n, unscored = counts.cell(group, "kept")
            labels = dict(zip(KEYS, group, strict=True)) | {"metric": "kept"}
            value = Fraction(k, n) if n else None
            lines.append(Line(labels, value, n, unscored, ((Fraction(1), (group, "kept")),), k=k))
        table = Table(MAIN, DEFINITION, KEYS, tabulate(lines, counts, share=True))
        return Part(NAME, (table,), {ROWS: frame})

    def figures(self, tables: Sequence[Table]) -> tuple[Figure, ...]:
        return ()

    def measured(self, folder: Path, judge: str | None) -> Measured:
        frame = rows([folder])
        scores = frame.select("task", cluster=pl.col("topic"), kept=pl.col("kept").cast(pl.Float64))
        return Measured(NAME, str(frame["subject"][0]), scores, (METRIC,), "topics", True)

    def show(self, part: Part, console: Console) -> None:
        for table in part.tables:
            show_table(table, console)

    def episodes(self, folder: Path) -> Iterator[Attempt]:
        return attempts_in(RunFolder.read(folder), Attempt)

    def prompts(self) -> Mapping[str, bytes]:
        return {}


REPORTING = Reporting()
