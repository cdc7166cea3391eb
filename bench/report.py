"""How fast tables come out of records: a full study of 38,400 episodes from run folders, and a million rows.

Every number of every table has its 10,000-draw interval. Each case runs in a process of its own, so that the peak
memory is its own. The records are invented; their sizes are like those of real runs.
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

RUNS, ITEMS = 24, 100
MILLION = 1_000_000
EPISODE_BYTES = 16_000


def main() -> None:
    """Print wall seconds, CPU-seconds and peak memory of both cases."""
    print(f"{'case':<44} {'rows':>10} {'wall s':>8} {'CPU s':>8} {'peak MB':>8}")
    with tempfile.TemporaryDirectory() as scratch:
        folders = write_folders(Path(scratch))
        for name, case in (
            ("records of 24 runs -> rows", read_only),
            ("records of 24 runs -> all tables", tables_of_folders),
            ("a million rows -> all tables", tables_of_a_million),
            ("20 runs of 1,600 tasks -> ranking", ranking_of_twenty),
        ):
            rows, wall, cpu, peak = in_own_process(case, folders)
            print(f"{name:<44} {rows:>10,} {wall:>8.1f} {cpu:>8.1f} {peak:>8.0f}")


def in_own_process(case: Callable[[list[Path]], int], folders: list[Path]) -> tuple[int, float, float, float]:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(measured, case, folders).result()


def measured(case: Callable[[list[Path]], int], folders: list[Path]) -> tuple[int, float, float, float]:
    """(rows, wall seconds, CPU-seconds, peak MB) of one case, imports included."""
    wall, cpu = time.perf_counter(), time.process_time()
    rows = case(folders)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return rows, time.perf_counter() - wall, time.process_time() - cpu, peak


def read_only(folders: list[Path]) -> int:
    from stewardbench.pasb.report.rows import read_rows

    return read_rows(folders).height


def tables_of_folders(folders: list[Path]) -> int:
    from stewardbench.report.build import build_report

    return build_report(folders).frames["rows.parquet"].height


def tables_of_a_million(folders: list[Path]) -> int:
    from stewardbench.pasb.report.build import pasb_tables
    from stewardbench.pasb.report.study import Study

    rows = many_rows(MILLION)
    pasb_tables(Study(rows))
    return rows.height


def ranking_of_twenty(folders: list[Path]) -> int:
    from stewardbench.report.measured import measured as of_run
    from stewardbench.report.ranking import rank

    loaded = [of_run(folder) for folder in folders[:20]]
    start = time.process_time()
    rank(loaded)
    print(f"  of which ranking alone: {time.process_time() - start:.1f} CPU s")
    return sum(len(run.frame) for run in loaded)


def many_rows(count: int):  # type: ignore[no-untyped-def]
    """Rows of many runs with random scores, made column by column."""
    import numpy as np
    import polars as pl

    from stewardbench.pasb.axes import DIMENSIONS, Delivery, Scenario, SubAxis
    from stewardbench.pasb.records import Role, Stance
    from stewardbench.pasb.report.rows import SCHEMA
    from stewardbench.seeding import array_generator

    draw = array_generator(1, "bench rows")
    index = np.arange(count)
    item, scenario, delivery = index // 16 % ITEMS, index // 4 % 4, index % 4
    run = index // (ITEMS * 16)
    committed = draw.random(count) < 0.45
    items = [f"PASB-ITEM-{number:04d}" for number in range(ITEMS)]
    names = [f"model-{number:04d}" for number in range(int(run[-1]) + 1)]

    def column(labels: list[str], places: object) -> pl.Series:
        return pl.Series(np.array(labels, dtype=object)[places].tolist())

    frame = pl.DataFrame(
        {
            "origin": pl.Series(["own"] * count),
            "run_id": column(names, run),
            "model": column(names, run),
            "agent": column(["hermes", "openclaw"], run % 2),
            "policy": pl.Series(["released"] * count),
            "mitigation": pl.Series(["none"] * count),
            "arm": pl.Series(["natural"] * count),
            "trial": pl.Series(np.ones(count, np.int32)),
            "task_id": column([f"{i}-{v}" for i in items for v in range(16)], index % (ITEMS * 16)),
            "base_item_id": column(items, item),
            "sub_axis": column(["PRF"] * 32 + ["CDL"] * 18 + ["SOC"] * 50, item),
            "scenario": column([str(one) for one in Scenario], scenario),
            "delivery": column([str(one) for one in Delivery], delivery),
            "episode_id": index.astype(str),
            "valid": draw.random(count) < 0.99,
            "invalid_reason": pl.Series([None] * count, dtype=pl.String),
            "committed": committed,
            "primary": column(["session_only", "skill"], committed.astype(int)),
            **{name: draw.integers(1, 6, count) for name in DIMENSIONS},
            "stance": column([str(one) for one in Stance], draw.integers(0, 5, count)),
            "role": column([str(one) for one in Role], draw.integers(0, 4, count)),
            "promoted": draw.random(count) < 0.5,
            "attribution_removed": draw.random(count) < 0.3,
            "judge": pl.Series(["judge"] * count),
            "annotator": pl.Series(["annotator"] * count),
        }
    )
    assert len(SubAxis) == 3
    empty = [pl.lit(None).alias(name) for name in SCHEMA if name not in frame.columns]
    return frame.with_columns(empty).select(SCHEMA.keys()).cast(SCHEMA)


def write_folders(root: Path) -> list[Path]:
    """24 run folders of 1,600 episodes each, judged and annotated."""
    return [write_folder(root / f"run-{number:02d}", number) for number in range(RUNS)]


def write_folder(folder: Path, number: int) -> Path:
    from stewardbench.pasb.axes import Delivery, Scenario
    from stewardbench.runs.folder import RunFolder
    from stewardbench.seeding import generator

    model, agent = f"bench/model-{number // 2:02d}", ("hermes", "openclaw")[number % 2]
    with RunFolder.open(folder, "pasb", {"model": model, "agent": agent}):
        pass
    draw = generator(number, "bench run")
    padding = "x" * (EPISODE_BYTES // 8)
    with (
        (folder / "episodes.jsonl").open("w") as episodes,
        (folder / "judgments.jsonl").open("w") as judgments,
        (folder / "annotations.jsonl").open("w") as annotations,
    ):
        for item in range(ITEMS):
            sub_axis = "PRF" if item < 32 else "CDL" if item < 50 else "SOC"
            for scenario in Scenario:
                for delivery in Delivery:
                    base = f"PASB-{sub_axis}-{item:04d}"
                    ids = {
                        "episode_id": f"{number}-{base}-{scenario}-{delivery}",
                        "task_id": f"{base}__{scenario}__{delivery}",
                    }
                    committed = draw.random() < 0.45
                    primary = "skill" if committed else "session_only"
                    turn = {"user": padding, "agent": padding, "session_id": "s"}
                    episode = ids | {
                        "schema": "pasb-episode/1",
                        "run_id": folder.name,
                        "base_item_id": base,
                        "sub_axis": sub_axis,
                        "scenario": scenario,
                        "delivery": delivery,
                        "model": model,
                        "agent": agent,
                        "query": [turn | {"turn": t} for t in (1, 2, 3)],
                        "commit": {"committed": committed, "primary": primary, "matcher": "m"},
                        "valid": draw.random() < 0.99,
                    }
                    scores = {name: draw.randint(1, 5) for name in ("syc", "leak", "upg", "amp")}
                    judgment = ids | {
                        "schema": "pasb-judge/1",
                        "judge_model": "judge",
                        "prompt_sha256": "0",
                        "rubric_version": "1",
                        "turns": [{"turn": t, "rationale": "r" * 400, "raw": "r" * 800} | scores for t in (1, 2, 3)],
                        "arc": {"pers": draw.randint(1, 5), "esc": draw.randint(1, 5)},
                    }
                    annotation = ids | {
                        "schema": "pasb-annot/1",
                        "run_id": folder.name,
                        "model": model,
                        "agent": agent,
                        "stance": draw.choice(["challenge", "neutral", "acknowledge", "agree", "comply"]),
                        "role": "fact" if committed else "none",
                        "promoted": committed,
                        "attribution_removed": False,
                        "annotator": "annotator",
                        "prompt_sha256": "0",
                    }
                    for file, record in ((episodes, episode), (judgments, judgment), (annotations, annotation)):
                        file.write(json.dumps(record) + "\n")
    return folder
