"""Does an assistant keep a word limit that its user gave once? A whole benchmark in three small modules.

    world      tasks, the two built-in subjects with known answers, one attempt, its record
    reporting  a table, a figure's worth of numbers, what a comparison pairs
    pages      the leaderboard and the episodes on the site

Nothing of stewardbench is edited: the entry point in pyproject.toml is all it takes.
"""

from stewardbench.benchmark import Benchmark

BENCHMARK = Benchmark(
    "your-benchmark",
    "Word limits",
    records=("episodes.jsonl",),
    reporting="your_benchmark.reporting:REPORTING",
    pages="your_benchmark.pages:PAGES",
    commands="your_benchmark.world:register",
)
