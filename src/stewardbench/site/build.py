"""From run folders to the site's folder: pages, assets, tables as CSV, and the episode explorer's data.

    index.html         leaderboards
    <benchmark>.html   the figures and tables of one benchmark
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
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stewardbench import __version__
from stewardbench.benchmark import Benchmark, benchmarks
from stewardbench.errors import StoreError, UsageError
from stewardbench.report.build import Report, Settings, build_report
from stewardbench.runs.folder import Manifest, read_manifest
from stewardbench.site import assets
from stewardbench.site.episodes.index import EpisodeIndex
from stewardbench.site.episodes.shards import DetailShards, write_index
from stewardbench.site.model import Board, Group, Origin
from stewardbench.site.pages import PageInfo, PageWriter
from stewardbench.site.part import Paging, Tables, paging
from stewardbench.site.terms import shared_terms

PER_SHARD = 40  # episodes in one data file: small enough to open at once, few enough files to copy a site around
MARKER = "site.json"

Runs = Sequence[tuple[Path, Manifest]]

INDEX = PageInfo("index.html", "Leaderboard", "index.html.j2", "Leaderboard")
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

    With ``include_published`` the papers' own runs stand beside them, marked. ``report`` is the finished report on
    these runs, made with whatever judge or failing score was asked for; without it one is made as usual.

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


@dataclass(frozen=True, slots=True)
class _Shown:
    """One benchmark on the site."""

    paging: Paging
    tables: Tables
    board: Board | None
    groups: Sequence[Group]
    episodes: EpisodeSet


def _fill(folder: Path, runs: Runs, include_published: bool, report: Report | None) -> int:
    """Write the whole site into an empty folder and return how many episodes it holds."""
    paged = [one for one in benchmarks() if one.pages]
    assets.write_assets(folder / "assets", [paging(one.name).style for one in paged])
    if report is None:
        report = build_report([path for path, _ in runs], Settings(published=include_published))
    shown = [_show(one, runs, report, include_published, folder) for one in paged]
    sets = [part.episodes for part in shown if part.episodes.count]
    boards = [part.board for part in shown if part.board is not None]
    with_figures = [part for part in shown if part.groups]
    pages = (INDEX, *(part.paging.page for part in with_figures), EPISODES, METHODS)
    writer = PageWriter(folder, pages, _sentence(runs, sets))
    asked = [part.paging.page for part in shown]
    writer.write(INDEX, {"asked": asked, "boards": boards, "harness": _any_harness_check(boards)})
    for part in with_figures:
        writer.write(part.paging.page, {"groups": part.groups})
    writer.write(EPISODES, {"sets": sets})
    terms = [*(listed for part in shown for listed in part.paging.terms()), *shared_terms()]
    writer.write(METHODS, {"terms": terms, "runs": [manifest for _, manifest in runs]})
    _write_marker(folder, runs, include_published)
    return sum(part.count for part in sets)


def _show(one: Benchmark, runs: Runs, report: Report, include_published: bool, folder: Path) -> _Shown:
    """Write a benchmark's tables and episodes, and gather what its pages show."""
    found, part = paging(one.name), report.part(one.name)
    tables = found.tables(part, include_published)
    for identity, table in tables.items():
        path = folder / found.csv_of(identity)
        path.parent.mkdir(exist_ok=True)
        path.write_text(table.csv(), encoding="utf-8")
    index = EpisodeIndex(found.columns, PER_SHARD)
    with DetailShards(folder / "data", one.name, PER_SHARD) as shards:
        own = [path for path, manifest in runs if manifest.benchmark == one.name]
        for episode_id, row, detail in found.episodes(own, part):
            index.add(episode_id, row)
            shards.add(detail)
    if len(index):
        write_index(folder / "data", f"{one.name}-index", index)
    held = EpisodeSet(one.name, found.label, len(index))
    return _Shown(found, tables, found.board(tables), found.groups(tables), held)


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
