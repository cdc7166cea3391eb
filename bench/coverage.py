"""Do the report's 95 % intervals hold the truth 95 times in 100? Counted on simulated runs with a known truth.

python -m bench coverage             print every row
python -m bench.coverage --docs      put the table into docs/concepts/statistics.md
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

from stewardbench.statistics.coverage import NOW, PERCENTILE, Coverage, coverage_table

SETS, DRAWS = 1_000, 1_000
PAGE = Path(__file__).parents[1] / "docs" / "concepts" / "statistics.md"
BEGIN, END = "<!-- made by: python -m bench.coverage --docs -->", "<!-- end -->"


def main() -> None:
    """Print coverage, mean width and bias of every estimator in every simulated world."""
    start = time.process_time()
    print(f"{SETS:,} simulated data sets per world; coverage of 95 % intervals, mean width and bias in points")
    print(f"{'world':<46} {'what':<22} {'method':<22} {'coverage':>8} {'width':>6} {'bias':>6} {'none':>5}")
    for row in coverage_table(sets=SETS, draws=DRAWS):
        numbers = f"{row.share:>8.1%} {100 * row.width:>6.1f} {100 * row.bias:>+6.2f} {row.without:>5}"
        print(f"{row.world:<46} {row.what:<22} {row.method:<22} {numbers}")
    print(f"{time.process_time() - start:.1f} CPU-seconds")


def markdown(rows: Sequence[Coverage]) -> str:
    """The table of the page: each world and quantity, as printed beside the percentile bootstrap over items."""
    lines = [
        f"{SETS:,} data sets a row. Width and bias are in points.",
        "",
        "| simulated world | what | coverage | width | bias | percentile bootstrap |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    beside = {(row.world, row.what): row for row in rows if row.method == PERCENTILE}
    for row in rows:
        other = beside.get((row.world, row.what))
        if row.method != PERCENTILE and (row.method == NOW or row.what not in {r.what for r in beside.values()}):
            told = f"{row.what}{'' if row.method == NOW else ', ' + row.method}"
            cells = (f"{row.share:.1%}", f"{100 * row.width:.1f}", f"{100 * row.bias:+.1f}")
            lines.append(f"| {row.world} | {told} | {' | '.join(cells)} | {f'{other.share:.1%}' if other else ''} |")
    return "\n".join(lines)


def write_page() -> None:
    """Replace the table between the two marks of the page."""
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, tail = rest.partition(END)
    table = markdown(coverage_table(sets=SETS, draws=DRAWS))
    PAGE.write_text(f"{head}{BEGIN}\n\n{table}\n\n{END}{tail}", encoding="utf-8")


if __name__ == "__main__":
    write_page() if "--docs" in sys.argv[1:] else main()
