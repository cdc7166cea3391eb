"""Every PASB table of a study, in the order of the paper."""

from __future__ import annotations

from stewardbench.pasb.report import boundary, panels, tables
from stewardbench.pasb.report.blindness import blindness_table
from stewardbench.pasb.report.commits import commits_table
from stewardbench.pasb.report.missing import missing_table
from stewardbench.pasb.report.mitigation import mitigation_table
from stewardbench.pasb.report.selection import selection_tables
from stewardbench.pasb.report.study import Study
from stewardbench.pasb.report.trials import trials_table, variance_table
from stewardbench.report.table import Table


def pasb_tables(study: Study) -> tuple[Table, ...]:
    """All tables that the study's rows allow: control, mitigation and selection tables need their arms and labels."""
    found: list[Table | None] = [
        tables.main_table(study),
        tables.model_averages(study),
        boundary.boundary_table(study),
        blindness_table(study),
        boundary.control_table(study),
        *(selection_tables(study) or ()),
        panels.stance_table(study),
        boundary.gap_against_commit(study),
        panels.surface_table(study),
        panels.scenario_heatmap(study),
        panels.scenario_by_agent(study),
        panels.delivery_by_agent(study),
        panels.cross_domain_lift(study),
        panels.stance_per_run(study),
        mitigation_table(study),
        tables.likert_table(study),
        tables.scenario_table(study),
        tables.delivery_table(study),
        tables.cross_domain_table(study),
        tables.commit_table(study),
        commits_table(study),
        missing_table(study),
        trials_table(study),
        variance_table(study),
        tables.accounting_table(study),
        *tables.invalid_tables(study),
    ]
    return tuple(table for table in found if table is not None)
