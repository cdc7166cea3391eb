"""Do the report's 95 % intervals hold the truth 95 times in 100? Counted on simulated runs with a known truth."""

from __future__ import annotations

import time

from stewardbench.statistics.coverage import coverage_table

SETS, DRAWS = 4_000, 2_000


def main() -> None:
    """Print coverage and mean width of every estimator in every simulated world."""
    start = time.process_time()
    print(f"{SETS:,} simulated data sets per world, {DRAWS:,} draws; coverage of 95 % intervals, mean width in points")
    print(f"{'world':<36} {'estimator':<26} {'clusters':>8} {'coverage':>9} {'width':>7}")
    for row in coverage_table(sets=SETS, draws=DRAWS):
        print(f"{row.world:<36} {row.estimator:<26} {row.clusters:>8} {row.share:>9.1%} {100 * row.width:>7.1f}")
    print(f"{time.process_time() - start:.1f} CPU-seconds")
