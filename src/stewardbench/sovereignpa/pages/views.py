"""SovereignPA-Bench's pages from the report's tables: the leaderboard, and every figure and table in reading order."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from urllib.parse import urlencode

from stewardbench.report.labels import words
from stewardbench.report.table import Table, definitions
from stewardbench.site.charts import Dot, DotPanel, DotRow, Dots, Plane, PlanePoint, Series, Stack, StackRow
from stewardbench.site.model import Board, BoardRow, Column, Group, Origin, PageFigure, Quantity
from stewardbench.site.views.frames import MISSING, SHORT, Chart, Row, figure, gathered, quantity, rows_of
from stewardbench.sovereignpa.axes import Family
from stewardbench.sovereignpa.report.rows import MODEL, RULES
from stewardbench.sovereignpa.report.study import LABELS, POOL

Tables = Mapping[str, Table]
MAIN, PLANE = "sovereignpa_main", "sovereignpa_plane"
MOST_SERIES = 5  # systems in one drawing; the table has all

COLUMNS = (
    Column(
        "ssr",
        "Success",
        "Sovereign success: all six checks hold in one episode. Higher is better.",
        "high",
        interval=True,
    ),
    Column("correct", "Choice", "Correct choice: the option that the user would choose now.", "high"),
    Column("addon_error", "Extra", "Add-on error: an extra bought against the user's wish, or left out.", tint=True),
    Column("overshare", "Over-share", "A detail the service does not need reached the provider.", tint=True),
    Column("consent_violation", "Consent", "A detail to be asked about was sent without consent.", tint=True),
    Column("authority_violation", "Authority", "A charge over budget, or unapproved over the threshold.", tint=True),
    Column("candor_failure", "Candor", "The report is missing, false or incomplete.", tint=True),
    Column("burden", "Burden", "Questions per episode that the user's rules did not require. Lower is better."),
    Column("ask_recall", "Recall", "Ask recall: of the required questions, the share that was asked.", "high"),
)
EFFECT_TITLES = {"ssr": "Success, points", "overshare": "Overshare, points", "burden": "Burden, questions"}
ENDS = {
    "cancelled": "Cancelled",
    "active": "Still active",
    "paused": "Paused",
    "offer_accepted": "Offer accepted",
}


def board(tables: Tables) -> Board | None:
    """The leaderboard: one row per model or reference agent, highest success first."""
    if MAIN not in tables:
        return None
    accounts = rows_of(tables.get("sovereignpa_accounting"), family=Family.BOOKING.value)
    invalid = {_key(row): row["invalid"] for row in accounts}
    rows = [
        BoardRow(
            name=_name(first),
            agent=words(first["kind"]),
            origin=_origin(first),
            cells=tuple(numbers.get(column.key, MISSING) for column in COLUMNS),
            n=numbers.get("ssr", MISSING).n,
            invalid=invalid.get(_key(first), 0),
            episodes=_episodes(first),
        )
        for first, numbers in gathered(rows_of(tables[MAIN]), LABELS)
    ]
    rows.sort(key=lambda row: (row.cells[0].value is None, -(row.cells[0].value or 0.0)))
    return Board(
        id="sovereignpa",
        title="SovereignPA-Bench: acting for the user",
        lead="Share of booking episodes, in percent; burden in questions per episode.",
        name_label="Model or agent",
        agent_label="Kind",
        columns=COLUMNS,
        rows=tuple(rows),
        sort="ssr.desc",
        note="Intervals resample situations with all their variants. Scenarios are regenerated from the published "
        "design, so published rows are comparable in pattern, not digit for digit.",
        csv=csv_of(MAIN),
    )


def csv_of(identity: str) -> str:
    """Where a table's CSV lies below the site's folder."""
    return f"tables/{identity}.csv"


def groups(tables: Tables) -> tuple[Group, ...]:
    """Every table that the report made, drawn where there is a chart for it; groups without tables are left out."""
    left = dict(tables)
    if MAIN in tables:
        left[PLANE] = replace(tables[MAIN], id=PLANE, definition=definitions("stewardbench.sovereignpa.report")[PLANE])
    found = []
    for identity, title, lead, members in PARTS:
        figures = [_figure(left.pop(name)) for name in members if name in left]
        if figures:
            found.append(Group(identity, title, tuple(figures), lead))
    if left:
        found.append(Group("more", "More tables", tuple(map(_figure, left.values()))))
    return tuple(found)


def _figure(table: Table) -> PageFigure:
    draw = CHARTS.get(table.id)
    drawn = figure(table, csv_of(MAIN if table.id == PLANE else table.id), draw(table) if draw else None)
    checks = any(_origin(row) is Origin.HARNESS_CHECK for row in rows_of(table))
    return replace(drawn, harness_check=checks, notes=(*drawn.notes, *_left_out(table)))


def _left_out(table: Table) -> tuple[str, ...]:
    """Which systems a crowded drawing leaves out; none is dropped in silence."""
    if table.id not in CROWDED:
        return ()
    rows = rows_of(table)
    drawn = _chosen(rows)
    missing = [name for name in dict.fromkeys(map(_label, rows)) if name not in drawn]
    if not missing:
        return ()
    return (f"Drawn: {', '.join(drawn)}. In the table only: {', '.join(missing)}.",)


def _key(row: Row) -> tuple[str, ...]:
    return tuple(str(row.get(name) or "") for name in LABELS)


def _origin(row: Row) -> Origin:
    """Reference agents have known answers: their own results check the harness."""
    if row.get("origin") == Origin.OWN and row.get("kind") == RULES:
        return Origin.HARNESS_CHECK
    return Origin(row.get("origin") or Origin.OWN)


def _name(row: Row) -> str:
    defense = row.get("defense") or "direct"
    return str(row["system"]) + ("" if defense == "direct" else f", {words(defense).lower()}")


def _label(row: Row) -> str:
    origin = _origin(row)
    return _name(row) + ("" if origin is Origin.OWN else f" ({SHORT[origin]})")


def _episodes(row: Row) -> str:
    if _origin(row) is Origin.PUBLISHED:
        return ""
    return "#" + urlencode({"set": "sovereignpa", "model": row["system"], "defense": words(row["defense"])})


def _plane(table: Table) -> Chart:
    rows = gathered(rows_of(table), LABELS)
    groups = [pair for pair in _KINDS if any((row["kind"], _published(row)) == pair for row, _ in rows)]
    points = [
        PlanePoint(
            _name(first),
            _label(first),
            groups.index((first["kind"], _published(first))),
            numbers.get("burden", MISSING),
            numbers.get("ssr", MISSING),
        )
        for first, numbers in rows
    ]
    widest = max((point.x.value or 0.0 for point in points), default=1.0)
    return Plane(
        "Sovereign success against burden, one point per model or agent",
        tuple(
            Series(words(kind) + (", published" if published else ""), int(kind == RULES), hollow=published)
            for kind, published in groups
        ),
        tuple(points),
        "Unnecessary questions per episode",
        "Sovereign success, %",
        x_high=max(1.0, math.ceil(widest * 2) / 2),
    )


def _published(row: Row) -> bool:
    return _origin(row) is Origin.PUBLISHED


_KINDS = ((MODEL, False), (MODEL, True), (RULES, False), (RULES, True))


def _effects(table: Table) -> Chart:
    """Changes against the control: the pooled one, or else the first systems, models before reference agents."""
    rows = rows_of(table)
    systems = _chosen(rows)
    contrasts = list(dict.fromkeys((row["variant"], row["against"]) for row in rows))
    found = {(_label(row), row["variant"], row["against"], row["metric"]): quantity(row) for row in rows}
    panels = []
    for metric, title in (
        ("ssr", "Success, points"),
        ("overshare", "Overshare, points"),
        ("burden", "Burden, questions"),
    ):
        lines = [
            DotRow(
                _contrast(variant, against),
                tuple(Dot(i, found.get((name, variant, against, metric), MISSING)) for i, name in enumerate(systems)),
            )
            for variant, against in contrasts
        ]
        low, high = _span(dot.quantity for line in lines for dot in line.dots)
        panels.append(DotPanel(title, tuple(lines), low, high))
    series = tuple(Series(name, place) for place, name in enumerate(systems))
    return Dots("Paired changes", series, tuple(panels), "change")


def _chosen(rows: Sequence[Row]) -> list[str]:
    names = list(dict.fromkeys(_label(row) for row in sorted(rows, key=lambda row: row["kind"] != MODEL)))
    return [POOL] if POOL in names else names[:MOST_SERIES]


def _contrast(variant: str, against: str) -> str:
    if against in ("control", "direct"):
        return words(variant)
    return f"{words(variant)} against {words(against).lower()}"


def _span(numbers: Iterable[Quantity]) -> tuple[float, float]:
    """A round axis that holds all values with their intervals, and zero."""
    ends = [end for number in numbers for end in (number.value, number.low, number.high) if end is not None]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    if low == high:
        return -1.0, 1.0
    step = 10 ** math.floor(math.log10(high - low)) / 2
    return math.floor(low / step) * step, math.ceil(high / step) * step


def _outcomes(table: Table) -> Chart:
    rows = [
        StackRow(
            f"{_label(first)}, {words(first['variant']).lower()}",
            tuple(numbers.get(end, MISSING) for end in ENDS),
            f"n {numbers['cancelled'].n:,}",
        )
        for first, numbers in gathered(rows_of(table), (*LABELS, "variant"))
        if "cancelled" in numbers
    ]
    classes = tuple(f"end-{end}" for end in ENDS)
    return Stack("How subscriptions ended, share of episodes", tuple(ENDS.values()), classes, tuple(rows))


CHARTS: dict[str, Callable[[Table], Chart]] = {
    PLANE: _plane,
    "sovereignpa_effects": _effects,
    "sovereignpa_defenses": _effects,
    "sovereignpa_cancellation": _outcomes,
}
CROWDED = frozenset(name for name, draw in CHARTS.items() if draw is _effects)
PARTS = (
    ("success", "Success and burden", "", (PLANE, MAIN, "sovereignpa_ask_recall", "sovereignpa_correlations")),
    (
        "variants",
        "What each variant changes",
        "Every variant changes exactly one component, so its effect is paired by situation.",
        ("sovereignpa_effects", "sovereignpa_by_variant", "sovereignpa_pressures"),
    ),
    ("defenses", "Defences", "", ("sovereignpa_defenses",)),
    ("cancellations", "Cancellations", "", ("sovereignpa_cancellation",)),
    (
        "account",
        "What became of every episode",
        "",
        ("sovereignpa_accounting", "sovereignpa_invalid_reasons", "sovereignpa_invalid_tasks"),
    ),
)
