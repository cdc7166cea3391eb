"""Every SovereignPA table of a study, in the order of the paper."""

from __future__ import annotations

from stewardbench.report.table import Table
from stewardbench.sovereignpa.report import effects, tables
from stewardbench.sovereignpa.report.cancellation import cancellation_table
from stewardbench.sovereignpa.report.published import beside
from stewardbench.sovereignpa.report.study import Study


def sovereignpa_tables(study: Study, *, published: bool = False) -> tuple[Table, ...]:
    """All tables that the study's rows allow. ``published`` puts the paper's main table beside, marked."""
    found: list[Table | None] = []
    if not study.valid.is_empty():
        main = tables.main_table(study)
        main = beside(main) if published else main
        found += [
            main,
            effects.effect_table(study),
            tables.variant_table(study),
            tables.pressure_table(study),
            tables.recall_table(study),
            effects.defense_table(study),
            effects.correlation_table(study, main.frame),
        ]
    found += [cancellation_table(study), tables.accounting_table(study), *tables.invalid_tables(study)]
    return tuple(table for table in found if table is not None)
