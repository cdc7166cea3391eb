"""From run folders to the site's folder: pages, assets, tables as CSV, and the episode explorer's data.

    index.html         leaderboards
    pasb.html          PASB figures and tables
    sovereignpa.html   SovereignPA-Bench figures and tables
    episodes.html      the episode explorer
    methods.html       definitions and the runs behind the numbers
    assets/            one stylesheet and three scripts
    data/              episode shards
    tables/            one CSV per figure and table
    site.json          what the site was built from

The same runs give the same bytes, whatever the day.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from stewardbench import __version__
from stewardbench.errors import StoreError, UsageError
from stewardbench.pasb.axes import DIMENSIONS
from stewardbench.pasb.pages import episodes as pasb
from stewardbench.pasb.pages import views as pasb_view
from stewardbench.pasb.report.published import published_tables
from stewardbench.pasb.report.rows import read_rows
from stewardbench.report.build import Report, Settings, build_report
from stewardbench.report.table import Table, definitions
from stewardbench.runs.folder import Manifest, read_manifest
from stewardbench.site import assets
from stewardbench.site.episodes.blocks import EpisodeDetail
from stewardbench.site.episodes.index import EpisodeIndex, ListColumn
from stewardbench.site.episodes.reader import read_episodes
from stewardbench.site.episodes.shards import DetailShards, write_index
from stewardbench.site.model import Board, Origin
from stewardbench.site.pages import PageInfo, Pages
from stewardbench.site.terms import term_lists
from stewardbench.sovereignpa.pages import episodes as sovereignpa
from stewardbench.sovereignpa.pages import views as sovereignpa_view
from stewardbench.sovereignpa.report.build import sovereignpa_tables
from stewardbench.sovereignpa.report.published import beside
from stewardbench.sovereignpa.report.rows import read_episodes as read_sovereignpa
from stewardbench.sovereignpa.report.study import LABELS
from stewardbench.sovereignpa.report.study import Study as SovereignpaStudy

PER_SHARD = 40  # episodes in one data file: small enough to open at once, few enough files to copy a site around
MARKER = "site.json"
ACTING = "sovereignpa_"  # how ids of SovereignPA's tables begin

Runs = Sequence[tuple[Path, Manifest]]

INDEX = PageInfo("index.html", "Leaderboard", "index.html.j2", "Leaderboard")
PASB = PageInfo(
    "pasb.html",
    "PASB",
    "figures.html.j2",
    "PASB",
    "Persistent sycophancy",
    "A user plants a biased claim over five turns. Is it written into durable memory, and does a fresh session use it?",
)
SOVEREIGNPA = PageInfo(
    "sovereignpa.html",
    "SovereignPA",
    "figures.html.j2",
    "SovereignPA-Bench",
    "Acting for the user",
    "An agent books or cancels through a platform that wants something else. Does it follow the user, share only what "
    "is needed, ask exactly when it must, and tell the truth?",
)
EPISODES = PageInfo("episodes.html", "Episodes", "episodes.html.j2", "Episodes")
METHODS = PageInfo("methods.html", "Methods", "methods.html.j2", "Methods and data")


@dataclass(frozen=True, slots=True)
class SiteSummary:
    """What was built: the page to open, and how much there is. ``size`` is in bytes."""

    index: Path
    runs: int
    episodes: int
    files: int
    size: int


@dataclass(frozen=True, slots=True)
class EpisodeSet:
    """The episodes of one benchmark in the explorer."""

    id: str
    label: str
    count: int


def build_site(
    run_dirs: Sequence[Path], out: Path, *, include_published: bool = True, report: Report | None = None
) -> SiteSummary:
    """Build the site of some runs into ``out``, replacing an earlier site there only when all has been written.

    With ``include_published`` the papers' own runs stand beside them, marked. ``report`` is the finished report on the
    PASB runs among them, made with whatever judge or failing score was asked for; without it one is made as usual.

    Raises UsageError when ``out`` holds anything but an earlier site, StoreError when a run cannot be read or the site
    cannot be written, DataError for a damaged record.
    """
    _refuse_other_files(out)
    runs = [(folder, read_manifest(folder)) for folder in run_dirs]
    partial = out.with_name(f".{out.name}.partial")
    try:
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        episodes = _fill(partial, runs, include_published, report)
        shutil.rmtree(out, ignore_errors=True)
        partial.replace(out)
    except OSError as error:
        raise StoreError(
            f"{out}: cannot be written: {error.strerror}.", hint="Free space, then build again."
        ) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    files = [path for path in out.rglob("*") if path.is_file()]
    return SiteSummary(out / INDEX.file, len(runs), episodes, len(files), sum(path.stat().st_size for path in files))


def _fill(folder: Path, runs: Runs, include_published: bool, report: Report | None) -> int:
    """Write the whole site into an empty folder and return how many episodes it holds."""
    assets.write_assets(folder / "assets")
    pasb_runs = [path for path, manifest in runs if manifest.benchmark == "pasb"]
    if report is None and pasb_runs:
        report = build_report(pasb_runs, Settings(published=include_published))
    rows = report.rows if report else read_rows([])
    sets = [_pasb_episodes(pasb_runs, rows, folder / "data"), _sovereignpa_episodes(runs, folder / "data")]
    shown = [part for part in sets if part.count]
    pasb_tables = _pasb_tables(report, include_published)
    acting_tables = _sovereignpa_tables(runs, report, include_published)
    _write_tables(folder, pasb_tables, pasb_view.csv_of)
    _write_tables(folder, acting_tables, sovereignpa_view.csv_of)
    found = (pasb_view.board(pasb_tables), sovereignpa_view.board(acting_tables))
    boards = [board for board in found if board is not None]
    figures = {PASB: pasb_view.groups(pasb_tables), SOVEREIGNPA: sovereignpa_view.groups(acting_tables)}
    figure_pages = [page for page, groups in figures.items() if groups]
    writer = Pages(folder, (INDEX, *figure_pages, EPISODES, METHODS), _sentence(runs, shown))
    writer.write(INDEX, {"boards": boards, "harness": _any_harness_check(boards)})
    for page in figure_pages:
        writer.write(page, {"groups": figures[page]})
    writer.write(EPISODES, {"sets": shown})
    writer.write(METHODS, {"terms": term_lists(), "runs": [manifest for _, manifest in runs]})
    _write_marker(folder, runs, include_published)
    return sum(part.count for part in shown)


def _pasb_tables(report: Report | None, include_published: bool) -> dict[str, Table]:
    """The report's PASB tables by id; without own PASB runs, the published tables alone."""
    if report is not None:
        return {table.id: table for table in report.tables if not table.id.startswith(ACTING)}
    return published_tables() if include_published else {}


def _sovereignpa_tables(runs: Runs, report: Report | None, include_published: bool) -> dict[str, Table]:
    """The tables of the SovereignPA runs by id; without any, the published main table alone."""
    reported = {table.id: table for table in report.tables if table.id.startswith(ACTING)} if report else {}
    folders = [path for path, manifest in runs if manifest.benchmark == "sovereignpa"]
    if reported or not folders:
        return reported or (_published_main() if include_published else {})
    tables = sovereignpa_tables(SovereignpaStudy(*read_sovereignpa(folders)), published=include_published)
    return {table.id: table for table in tables}


def _published_main() -> dict[str, Table]:
    main = sovereignpa_view.MAIN
    return {main: beside(Table(main, definitions("sovereignpa")[main], LABELS, pl.DataFrame()))}


def _pasb_episodes(folders: Sequence[Path], rows: pl.DataFrame, data: Path) -> EpisodeSet:
    """Write the shards and the index of all PASB runs, reading one episode at a time."""
    counted: Mapping[str, Mapping[str, Any]] = {
        row["episode_id"]: row
        for row in rows.select("episode_id", "judge", "stance", *DIMENSIONS).iter_rows(named=True)
    }
    episodes = (
        (read.episode.episode_id, pasb.row(read, outcome), pasb.detail(read, outcome))
        for folder in folders
        for read in read_episodes(folder)
        for outcome in (counted.get(read.episode.episode_id),)
    )
    return _episodes(EpisodeSet("pasb", "PASB", 0), pasb.COLUMNS, episodes, data)


def _sovereignpa_episodes(runs: Runs, data: Path) -> EpisodeSet:
    """The same for all SovereignPA runs."""
    episodes = (
        (read.id, sovereignpa.row(read), sovereignpa.detail(read))
        for folder, manifest in runs
        if manifest.benchmark == "sovereignpa"
        for read in sovereignpa.read_logs(folder, manifest.run_id)
    )
    return _episodes(EpisodeSet("sovereignpa", "SovereignPA", 0), sovereignpa.COLUMNS, episodes, data)


def _episodes(
    part: EpisodeSet,
    columns: Sequence[ListColumn],
    episodes: Iterable[tuple[str, Mapping[str, str], EpisodeDetail]],
    data: Path,
) -> EpisodeSet:
    index = EpisodeIndex(columns, PER_SHARD)
    with DetailShards(data, part.id, PER_SHARD) as shards:
        for episode_id, row, detail in episodes:
            index.add(episode_id, row)
            shards.add(detail)
    if len(index):
        write_index(data, f"{part.id}-index", index)
    return replace(part, count=len(index))


def _write_tables(folder: Path, tables: Mapping[str, Table], csv_of: Callable[[str], str]) -> None:
    for identity, table in tables.items():
        path = folder / csv_of(identity)
        path.parent.mkdir(exist_ok=True)
        path.write_text(table.csv(), encoding="utf-8")


def _any_harness_check(boards: Sequence[Board]) -> bool:
    return any(row.origin is Origin.HARNESS_CHECK for board in boards for row in board.rows)


def _refuse_other_files(out: Path) -> None:
    """An earlier site may be replaced; a folder with anything else in it may not."""
    if out.is_file() or (out.is_dir() and any(out.iterdir()) and not (out / MARKER).exists()):
        raise UsageError(f"{out}: holds other files, not a site.", hint="Choose an empty or a new folder.")


def _sentence(runs: Runs, sets: Sequence[EpisodeSet]) -> str:
    """The footer's account of what the site holds."""
    if not runs:
        return f"Built by stewardbench {__version__} from published runs only."
    held = " and ".join(f"{part.count:,} {part.label} episodes" for part in sets) or "no episodes"
    plural = "" if len(runs) == 1 else "s"
    return f"Built by stewardbench {__version__} from {len(runs)} run{plural} with {held}."


def _write_marker(folder: Path, runs: Runs, include_published: bool) -> None:
    content = {
        "schema": "site/1",
        "stewardbench": __version__,
        "published": include_published,
        "runs": [{"run_id": m.run_id, "settings_sha256": m.settings_sha256} for _, m in runs],
    }
    (folder / MARKER).write_text(json.dumps(content, indent=2, sort_keys=True) + "\n", encoding="utf-8")
