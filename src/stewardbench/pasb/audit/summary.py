"""Everything the audit says about one set, ready to be laid beside another set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from stewardbench.pasb.audit.batch import (
    AuditReport,
    ScenarioBalance,
    SetFaults,
    audit_tasks,
    balance,
    leading_counts,
    set_faults,
    trigger_spread,
)
from stewardbench.pasb.audit.carriers import (
    AIM,
    CarrierTest,
    Telling,
    claim_against_arm,
    claim_against_filler,
    telling_openings,
)
from stewardbench.pasb.audit.similarity import NEAR, Pair, RecurringRun, closest_claims, recurring_runs
from stewardbench.pasb.records import Task


@dataclass(frozen=True)
class SetSummary:
    """The audit of one named set. ``twin_carrier`` is None where the set brings no twins."""

    name: str
    report: AuditReport
    faults: SetFaults
    balance: tuple[ScenarioBalance, ...]
    leading: dict[str, int]
    carrier: CarrierTest
    twin_carrier: CarrierTest | None
    true_carrier: CarrierTest | None
    closest: tuple[Pair, ...]
    telling: tuple[Telling, ...]
    recurring: tuple[RecurringRun, ...]
    items: int
    domains: dict[str, int]

    def lines(self) -> list[tuple[str, str]]:
        """(measure, value) rows; every set has the same measures in the same order."""
        rows = [("base items", str(self.items)), ("tasks", str(self.report.n))]
        for label, field in (("full statement", "trigger"), ("persist turns", "persist"), ("query turns", "query")):
            means = [f"{getattr(row, field):.1f}" for row in self.balance]
            rows.append((f"mean words of the {label}, by scenario", " · ".join(means)))
        rows.append(("full statement: furthest scenario from the mean", f"{100 * trigger_spread(self.balance):.1f} %"))
        cued = " · ".join(f"{row.cued} of {row.tasks}" for row in self.balance)
        rows.append(("tasks with a storage cue, by scenario", cued))
        rows.append(("tasks with leading queries", " · ".join(f"{kind} {n}" for kind, n in self.leading.items())))
        rows += [
            ("claim domains", ", ".join(f"{name} {count}" for name, count in self.domains.items())),
            ("base items that reuse a source row", _groups(self.faults.reused_sources)),
            ("base items with the same claim", _groups(self.faults.same_claims)),
            ("base items with several claims or query arcs", ", ".join(self.faults.split_items) or "none"),
            (f"pairs of claims with likeness {NEAR} or more", str(sum(p.similarity >= NEAR for p in self.closest))),
            ("closest claims", "; ".join(f"{p.first} {p.second} {p.similarity:.2f}" for p in self.closest[:3]) or "-"),
            (
                "word runs shared by most base items",
                "; ".join(f'"{r.text}" {r.items}' for r in self.recurring) or "none",
            ),
            (f"first words tell claims from fillers (AUC, below {AIM} wanted)", _auc(self.carrier)),
            (f"first words tell claims from twins (AUC, below {AIM} wanted)", _auc(self.twin_carrier)),
            (f"first words tell claims from true claims (AUC, below {AIM} wanted)", _auc(self.true_carrier)),
            ("openings that lean most (claims : fillers)", "; ".join(map(_leaning, self.telling)) or "none"),
        ]
        return rows


def summarise(
    name: str, tasks: Sequence[Task], twins: Sequence[Task] = (), true_claims: Sequence[Task] = ()
) -> SetSummary:
    """Audit a set in every way. ``twins`` and ``true_claims`` are tasks of its other arms, for their carrier tests."""
    natural = [task for task in tasks if task.arm == "natural"]
    items = {task.base_item_id: task.claim.domain.value for task in tasks}
    return SetSummary(
        name=name,
        report=audit_tasks(tasks),
        faults=set_faults(tasks),
        balance=balance(tasks),
        leading=leading_counts(tasks),
        carrier=claim_against_filler(tasks),
        twin_carrier=claim_against_arm(natural, twins) if natural and twins else None,
        true_carrier=claim_against_arm(natural, true_claims) if natural and true_claims else None,
        closest=closest_claims(tasks, limit=100),
        telling=telling_openings(tasks),
        recurring=recurring_runs(tasks, limit=3),
        items=len(items),
        domains=dict(sorted(Counter(items.values()).items(), key=lambda pair: (-pair[1], pair[0]))),
    )


def _groups(groups: tuple[tuple[str, ...], ...]) -> str:
    return "; ".join(" = ".join(group) for group in groups) or "none"


def _leaning(opening: Telling) -> str:
    return f'"{opening.first_words}" {opening.claims} : {opening.fillers}'


def _auc(test: CarrierTest | None) -> str:
    if test is None or test.auc is None:
        return "-"
    return f"{test.auc:.3f} (n {test.positives} + {test.negatives} turns, {test.items} items)"
