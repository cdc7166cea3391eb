"""The library's own functions: run folders as frames and records, and a stored episode scored again.

from pathlib import Path
import stewardbench

rows = stewardbench.load_frames([Path("runs/a")])["rows.parquet"]
for episode in stewardbench.read_episodes(Path("runs/a")):
    print(episode.episode_id, episode.valid)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from stewardbench.records import Record
from stewardbench.report.build import build_report
from stewardbench.report.part import Settings, reporting
from stewardbench.runs.folder import read_manifest, run_folders

if TYPE_CHECKING:
    import polars as pl

    from stewardbench.sovereignpa.records import EpisodeLog
    from stewardbench.sovereignpa.sets import AnyScenario

FEW = 100  # bootstrap draws where only the rows are wanted


def load_frames(folders: Sequence[Path], *, judge: str | None = None) -> Mapping[str, pl.DataFrame]:
    """The per-episode rows of some runs: one row per task or scenario, by the file name a report gives them.

    ``judge`` chooses whose scores count where several models judged. Raises StoreError for a folder that is no run or
    is damaged, and UsageError when a judge has to be chosen.
    """
    return build_report(run_folders(folders), Settings(judge=judge, draws=FEW)).frames


def read_episodes(folder: Path) -> Iterator[Record]:
    """Every stored attempt of a run in the order in which it was finished, one at a time. Raises StoreError."""
    return reporting(read_manifest(folder).benchmark).episodes(folder)


def score_log(log: EpisodeLog, scenario: AnyScenario) -> Mapping[str, object]:
    """The metrics of a stored SovereignPA episode, computed again from its events. Raises DataError.

    The names are those of the paper's section 13 tables; None is unscored.
    """
    from stewardbench.sovereignpa.rescore import rescored

    return rescored(log, scenario).metrics.as_dict()
