"""What a new user's agent does under scripted models: every outcome against its known answer, by surface and author.

    python -m bench.stock                                64 tasks x 3 scripted models x 2 agents; resumes
    python -m bench.stock --agent openclaw --sample 16   a stratified part of them

Each model writes to one surface. The runs are ordinary run folders under ``--out``. OpenClaw needs two starts an
episode under ``stock``, because what a terminal has started must not outlive its session: about 20 CPU-seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from collections import Counter
from pathlib import Path

from stewardbench.pasb.measure.outcomes import outcomes
from stewardbench.pasb.records import Episode, Judgment
from stewardbench.pasb.run.evaluation import run_pasb
from stewardbench.pasb.run.known import unexpected
from stewardbench.pasb.run.settings import pasb_settings
from stewardbench.pasb.run.store import EPISODES, JUDGMENTS, read_records
from stewardbench.runs.folder import RunFolder

AGENTS = ("hermes", "openclaw")
MODELS = ("promoter", "copier-profile", "rule-maker")
TASKS = 64
ROW = "{:10}{:11}{:16}{:>4}{:>7}{:>10}{:>11}{:>9}{:>8}{:>11}   {}"


def main() -> None:
    """Print a row per agent and model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agent", choices=AGENTS, action="append")
    parser.add_argument("--sample", type=int, default=TASKS)
    parser.add_argument("--out", type=Path, default=Path("out/stock"))
    parser.add_argument("--preset", default="stock")
    chosen = parser.parse_args()
    print("Scripted models: a check of the harness, no measurement of any model.")
    head = ("agent", "preset", "model", "n", "valid", "as known", "committed", "profile", "memory", "skill", "author")
    print(ROW.format(*head))
    for agent in chosen.agent or AGENTS:
        for model in MODELS:
            print(row(agent, model, chosen.preset, chosen.sample, chosen.out), flush=True)


def row(agent: str, model: str, preset: str, sample: int, out: Path) -> str:
    """One run, finished or resumed, as a line."""
    settings = pasb_settings(
        agent=agent, model=f"scripted/{model}", judge="reference", tasks="smoke", sample=sample, preset=preset
    )
    place = out / f"{agent}-{preset}-{model}-{sample}"
    started, before = time.perf_counter(), len(list(place.glob("*"))) if place.exists() else 0
    asyncio.run(run_pasb(settings, place, workers=1))
    folder = RunFolder.read(place)
    episodes = list(read_records(folder, EPISODES, Episode))
    found = list(outcomes(episodes, read_records(folder, JUDGMENTS, Judgment)))
    wrong = unexpected(f"scripted/{model}", found)
    surfaces = Counter(str(surface) for one in episodes for surface in (one.commit.surfaces if one.commit else ()))
    authors = Counter(str(span.author or "not told") for one in episodes if one.commit for span in one.commit.spans)
    told = ", ".join(f"{author} {count}" for author, count in sorted(authors.items()))
    if not before:
        told += f"   ({(time.perf_counter() - started) / sample:.1f} s an episode)"
    for job, differences in list(wrong.items())[:3]:
        told += f"\n    {job}: {'; '.join(differences)}"
    return ROW.format(
        *(agent, preset, model, len(found), sum(one.valid for one in found), f"{len(found) - len(wrong)}/{len(found)}"),
        *(sum(bool(one.committed) for one in found), surfaces["user_profile"], surfaces["memory_profile"]),
        *(surfaces["skill"], told),
    )


if __name__ == "__main__":
    os.nice(5)
    main()
