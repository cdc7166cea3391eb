"""The results of several agents as one page: a matrix of checks by agents, and the reason of every gap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stewardbench.agents.conformance.report import CheckResult, ConformanceReport
from stewardbench.agents.presets import STOCK

BEGIN, END = "<!-- matrix -->", "<!-- /matrix -->"
MARKS = {"passed": "yes", "failed": "**no**", "skipped": "-", "missing": "**not tried**", "open": "cannot be seen"}


def markdown(reports: Sequence[ConformanceReport]) -> str:
    """A Markdown table with a row per check and a column per agent, then each check that did not pass, with why."""
    names = [_column(report) for report in reports]
    lines = [_row(["check", "passing it proves that", *names]), _row(["---"] * (2 + len(names)))]
    for check in _checks(reports):
        marks = [_mark(report, check.name) for report in reports]
        lines.append(_row([check.name, check.proves, *marks]))
    lines += [_row(["", "confined", *("yes" if report.confined else "no" for report in reports)])]
    gaps = [
        f"- {name}, {result.name} ({result.status}): {_cell(result.detail)}"
        for name, report in zip(names, reports, strict=True)
        for result in report.results
        if result.status != "passed"
    ]
    return "\n".join([*lines, "", *gaps]).rstrip() + "\n"


def _column(report: ConformanceReport) -> str:
    stock = (report.review, report.tools) == (STOCK, STOCK)
    return f"{report.agent} {report.version}{f', {STOCK}' if stock else ''}"


def put_into(page: str, table: str) -> str:
    """A page with the table between its two marks. Raises ValueError when it has no marks."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page has no {BEGIN} ... {END}")
    return f"{before}{BEGIN}\n{table}{END}{after}"


def _checks(reports: Iterable[ConformanceReport]) -> list[CheckResult]:
    """Every check that any report has, in the order of the suite."""
    return list({result.name: result for report in reports for result in report.results}.values())


def _mark(report: ConformanceReport, name: str) -> str:
    return next((MARKS[result.status] for result in report.results if result.name == name), "-")


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(map(_cell, cells))} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
