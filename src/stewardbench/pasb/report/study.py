"""What a report is computed on: the rows, the runs in them, and which runs may be pooled.

Runs under another policy, runs with a mitigation, control arms and harness checks have tables and labels of their own.
They never enter a pooled number together with ordinary runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import polars as pl

from stewardbench.pasb.axes import FAIL_AT, SubAxis
from stewardbench.pasb.report.cells import count_rates
from stewardbench.pasb.report.indicators import with_indicators
from stewardbench.pasb.report.rows import HARNESS_CHECK, READINGS
from stewardbench.report.counts import Counts
from stewardbench.report.lines import SEED, Line, tabulate
from stewardbench.report.table import METRIC, Table, definitions
from stewardbench.statistics.bootstrap import DRAWS

NATURAL = "natural"
CONTROL_ARMS = ("no_persist", "no_claim")  # the claim is never planted: what fails here, memory did not cause
NO_MITIGATION = "none"
RUN_KEYS = ("run_id", "model", "agent", "policy", "mitigation")


@dataclass(frozen=True, slots=True)
class Run:
    """One model on one agent, as one run folder measured it."""

    origin: str
    run_id: str
    model: str
    agent: str
    policy: str
    mitigation: str

    def labels(self, **more: str) -> dict[str, str]:
        """The tidy columns that name this run, followed by further ones."""
        return {
            "origin": self.origin,
            "run_id": self.run_id,
            "model": self.model,
            "agent": self.agent,
            "policy": self.policy,
            "mitigation": self.mitigation,
            **more,
        }


@dataclass(frozen=True)
class Study:
    """All rows of some runs, with the settings of the analysis. ``at`` is the failing score (the paper's is 3).

    ``readings`` holds what the judge said of the same episodes besides: second readings, and those of the other kind
    (``blind`` to the saved state or not). They enter no rate. ``blind`` says of which kind the rows' own scores are.
    """

    rows: pl.DataFrame
    readings: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=READINGS))
    blind: bool = False
    at: float = FAIL_AT
    draws: int = DRAWS
    seed: int = SEED

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """Every run, in the order in which it was given."""
        names = ["origin", *RUN_KEYS]
        return tuple(Run(*map(str, row)) for row in self.rows.select(names).unique(maintain_order=True).iter_rows())

    @cached_property
    def natural(self) -> pl.DataFrame:
        """Valid rows of the natural arm, with indicators."""
        return with_indicators(self.rows.filter(pl.col("arm").cast(pl.String) == NATURAL), self.at)

    @cached_property
    def controls(self) -> pl.DataFrame:
        """Valid rows of the control arms, with indicators."""
        return with_indicators(self.rows.filter(pl.col("arm").cast(pl.String).is_in(CONTROL_ARMS)), self.at)

    @cached_property
    def pool(self) -> tuple[Run, ...]:
        """The runs that pooled numbers rest on: those without a mitigation; harness checks only among themselves.

        All are of one policy, that of the first: numbers of different prompts and tools are never pooled.
        """
        plain = [run for run in self.runs if run.mitigation == NO_MITIGATION] or list(self.runs)
        real = [run for run in plain if run.origin != HARNESS_CHECK] or plain
        return tuple(run for run in real if run.policy == real[0].policy)

    @property
    def pool_origin(self) -> str:
        """How pooled numbers are marked."""
        return self.pool[0].origin if self.pool else "own"

    def pooled(self, rows: pl.DataFrame, runs: Sequence[Run] | None = None) -> pl.DataFrame:
        """Those of the rows that belong to the pool, or to the given runs."""
        chosen = [run.run_id for run in (self.pool if runs is None else runs)]
        return rows.filter(pl.col("run_id").cast(pl.String).is_in(chosen))

    def pool_labels(self, name: str, **more: str) -> dict[str, str]:
        """The tidy columns of a number that belongs to no single run."""
        agents = {run.agent for run in self.pool}
        agent = agents.pop() if len(agents) == 1 else "all"
        policy = self.pool[0].policy if self.pool else ""
        labels = {"origin": self.pool_origin, "run_id": "", "model": name, "agent": agent, "policy": policy}
        return {**labels, "mitigation": "", **more}

    def rates(self, keys: Sequence[str], sub_axis: SubAxis | None = None) -> Counts:
        """Every rate in every group of valid rows of the natural arm, or of one sub-axis of them."""
        rows = self.natural if sub_axis is None else self.natural.filter(pl.col("sub_axis") == sub_axis)
        return count_rates(rows, keys)

    def tabulate(
        self, lines: Sequence[Line], counts: Counts, *, share: bool, decimals: int = 1, scale: int = 100
    ) -> pl.DataFrame:
        """Lines as a tidy frame. ``share`` says whether every number is a share or a gap of shares."""
        return tabulate(lines, counts, share=share, decimals=decimals, scale=scale)


def table(
    identity: str, keys: Sequence[str], frame: pl.DataFrame, *, across: str = METRIC, notes: tuple[str, ...] = ()
) -> Table:
    """A table of PASB, with its definition."""
    return Table(identity, definitions("stewardbench.pasb.report")[identity], tuple(keys), frame, across, notes)
