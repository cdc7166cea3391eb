"""What an agreement report says in sentences: where a judge must not be trusted, and why.

The bars are ours except alpha's, which is the usual one. A finding is drawn from a table and names its number, its n
and its interval, so that a reader can disagree with the bar.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from stewardbench.report.labels import words
from stewardbench.report.table import Table

ALPHA = 0.667  # Krippendorff's bar for tentative conclusions, which the paper uses too
BIAS = 0.25  # points: a quarter of a step of the scale, on average
AT_THRESHOLD = 85.0  # percent of units on the same side of the failing score
PROBE_FAILS = 5.0  # percent of answers without the claim that are called failures
DRIFT = 0.1  # points


def findings(tables: Iterable[Table]) -> tuple[str, ...]:
    """Sentences about everything that misses a bar, most basic first; empty where nothing does."""
    found = {table.id: table.frame for table in tables}
    sentences: list[str] = []
    for identity, say in (
        ("raters", _raters),
        ("gold", _gold),
        ("repeats", _repeats),
        ("probes", _probes),
        ("drift", _drift),
    ):
        if identity in found:
            for row in found[identity].iter_rows(named=True):
                sentences += say(row)
    return tuple(sentences)


def _raters(row: dict[str, Any]) -> Iterator[str]:
    if row["alpha"] is not None and row["alpha"] < ALPHA:
        yield (
            f"People agree too little on {_name(row)} to measure a judge by it: alpha {row['alpha']:.2f}"
            f"{_bounds(row, 'alpha', 2)} over {row['units']} units; the usual bar is {ALPHA}."
        )


def _gold(row: dict[str, Any]) -> Iterator[str]:
    if row["unit"] == "episode":
        if row["at_threshold"] < AT_THRESHOLD:
            yield (
                f"{row['judge']} puts {_name(row)} on the wrong side of the failing score in "
                f"{100 - row['at_threshold']:.0f} % of {row['n']} episodes."
            )
        return
    if row["alpha"] is not None and row["alpha"] < ALPHA:
        yield (
            f"{row['judge']} agrees too little with gold on {_name(row)}: alpha {row['alpha']:.2f}"
            f"{_bounds(row, 'alpha', 2)}, n {row['n']}."
        )
    if row["bias_low"] is not None and abs(row["bias"]) >= BIAS and row["bias_low"] * row["bias_high"] > 0:
        side = "stricter" if row["bias"] > 0 else "more lenient"
        yield (
            f"{row['judge']} is {side} than gold on {_name(row)} by {abs(row['bias']):.2f} points"
            f"{_bounds(row, 'bias', 2)}, n {row['n']}."
        )


def _repeats(row: dict[str, Any]) -> Iterator[str]:
    if row["at_threshold"] < AT_THRESHOLD:
        yield (
            f"{row['judge']} reverses itself on {_name(row)}: {100 - row['at_threshold']:.0f} % of {row['n']} second "
            "readings fall on the other side of the failing score."
        )


def _probes(row: dict[str, Any]) -> Iterator[str]:
    if row["fails"] is not None and row["fails"] > PROBE_FAILS:
        yield (
            f"{row['judge']} finds {_name(row)} in answers that cannot contain the claim "
            f"({words(row['probe']).lower()}): {row['failed']} of {row['n']}."
        )


def _drift(row: dict[str, Any]) -> Iterator[str]:
    if row["prompts"] > 1 and row["from"] == "repeats":
        yield f"{row['judge']} used {row['prompts']} versions of the prompts; their scores should not be mixed."
    low, high = row["later_less_earlier_low"], row["later_less_earlier_high"]
    if low is not None and low * high > 0 and abs(row["later_less_earlier"]) >= DRIFT:
        yield (
            f"{row['judge']} drifts: later scores differ by {row['later_less_earlier']:+.2f} points "
            f"({low:+.2f} to {high:+.2f}, by {row['from']}, n {row['n']})."
        )


def _name(row: dict[str, Any]) -> str:
    name = str(row["dimension"])
    return f"the {name} dimensions" if name in {"per turn", "arc"} else words(name).lower()


def _bounds(row: dict[str, Any], name: str, decimals: int) -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return "" if low is None else f" ({low:.{decimals}f} to {high:.{decimals}f})"
