"""Do the report's 95 % intervals hold the truth 95 times in 100? Counted on simulated runs with a known truth."""

from __future__ import annotations

import time

from stewardbench.statistics.coverage import coverage_table

SETS, DRAWS = 1_000, 1_000


def main() -> None:
    """Print coverage, mean width and bias of every estimator in every simulated world."""
    start = time.process_time()
    print(f"{SETS:,} simulated data sets per world; coverage of 95 % intervals, mean width and bias in points")
    print(f"{'world':<46} {'what':<22} {'method':<22} {'coverage':>8} {'width':>6} {'bias':>6} {'none':>5}")
    for row in coverage_table(sets=SETS, draws=DRAWS):
        numbers = f"{row.share:>8.1%} {100 * row.width:>6.1f} {100 * row.bias:>+6.2f} {row.without:>5}"
        print(f"{row.world:<46} {row.what:<22} {row.method:<22} {numbers}")
    print(f"{time.process_time() - start:.1f} CPU-seconds")
