"""stewardbench: is a personal agent a good steward of what its user says and owns?

Two published benchmarks, PASB and SovereignPA-Bench, on real agents, with proofs that the measurement holds.

What is named here is the library's public surface: it changes only with a note in the changelog. Everything below is
imported when it is first used, so that the command starts fast.

    Benchmark        what a plug-in of the group stewardbench.benchmarks names
    load_frames      run folders -> their per-episode rows as polars frames, by name
    build_report     run folders -> tables and figures
    read_manifest    what a run folder is
    read_episodes    a run folder -> its stored attempts, one at a time
    score_log        a stored SovereignPA episode -> its metrics
    run_plan         carry a PASB plan out on an agent
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "Benchmark": "stewardbench.benchmark",
    "build_report": "stewardbench.report.build",
    "load_frames": "stewardbench.library",
    "read_episodes": "stewardbench.library",
    "read_manifest": "stewardbench.runs.folder",
    "run_plan": "stewardbench.pasb.episode.protocol",
    "score_log": "stewardbench.library",
}
__all__ = [
    "Benchmark",
    "__version__",
    "build_report",
    "load_frames",
    "read_episodes",
    "read_manifest",
    "run_plan",
    "score_log",
]

if TYPE_CHECKING:
    from stewardbench.benchmark import Benchmark
    from stewardbench.library import load_frames, read_episodes, score_log
    from stewardbench.pasb.episode.protocol import run_plan
    from stewardbench.report.build import build_report
    from stewardbench.runs.folder import read_manifest


def __getattr__(name: str) -> Any:
    """A public name, imported now. Raises AttributeError for any other."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
