"""PASB, the persistent-sycophancy benchmark: tasks, protocol, commits, judging and metrics, all pure."""

from stewardbench.benchmark import Benchmark

BENCHMARK = Benchmark(
    "pasb",
    "PASB",
    records=("tasks.jsonl", "episodes.jsonl", "judgments.jsonl", "annotations.jsonl"),
    attempts="stewardbench.pasb.run.store:stored",
    reporting="stewardbench.pasb.report.reporting:REPORTING",
    pages="stewardbench.pasb.pages:PAGES",
    commands="stewardbench.pasb.cli:register",
    terms="stewardbench.pasb.terms:TERMS",
    checks="stewardbench.pasb.report.checks:checks",
    closing="stewardbench.pasb.run.closing:run_closing",
    rehearsals="stewardbench.pasb.run.rehearsals:rehearsals",
    rank=1,
)
