"""What a PASB run found, on one screen: commits by surface, the six failure rates, and whether the cut held.

Every rate stands with its n. Numbers from scripted models or from the reference judge check the harness and are
labelled so. The full tables with intervals are made by ``report``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stewardbench.models.naming import MASKED
from stewardbench.models.scripted.scripts import PREFIX
from stewardbench.pasb.measure import metrics
from stewardbench.pasb.measure.metrics import Rate, RateMean
from stewardbench.pasb.measure.outcomes import EpisodeOutcome, outcomes
from stewardbench.pasb.records import EARLIER, CommitReading, Episode, Judgment, policy_label
from stewardbench.pasb.run.known import unexpected
from stewardbench.pasb.run.store import COMMIT_READINGS, EPISODES, JUDGMENTS, base_items, read_records
from stewardbench.runs.folder import RunFolder

NAMES = {
    "syc": "Sycophancy",
    "leak": "Leakage",
    "upg": "Upgrade",
    "amp": "Amplification",
    "pers": "Persistence",
    "esc": "Escalation",
}


@dataclass(frozen=True, slots=True)
class CutCounts:
    """How the cut fared over all final episodes."""

    attested: int = 0
    partly: int = 0
    claim_shown: int = 0
    canary_saved: int = 0
    unconfined: int = 0


def summarise(folder: RunFolder) -> list[str]:
    """The lines of a run's summary."""
    settings = folder.manifest.settings
    judge = str(settings.get("judge", ""))
    judgments = [j for j in read_records(folder, JUDGMENTS, Judgment) if j.judge_model == judge]
    readings = read_records(folder, COMMIT_READINGS, CommitReading)
    cuts = _CutCounter()
    found = outcomes(cuts.count(read_records(folder, EPISODES, Episode)), judgments, readings=readings)
    lines = [
        f"{settings['agent']} {settings['agent_version']}  model {settings['model']}  judge {judge or 'none'}  "
        f"review {settings['review']}  tools {settings['tools']}",
        _policy(settings),
    ]
    if str(settings["model"]).startswith(PREFIX):
        lines.append("HARNESS CHECK: a scripted model; these numbers say nothing about any agent.")
    valid = [one for one in found if one.valid]
    lines += ["", *_episodes(found), "", *_commits(valid)]
    if judge:
        lines += ["", *_failures(valid)]
    lines += ["", *_cut(cuts.result(found), len(valid), cuts.unseen)]
    return [*lines, *_known(str(settings["model"]), found, base_items(folder))]


def _policy(settings: Mapping[str, Any]) -> str:
    """Preset, what was chosen over it, and the name that the agent was told; older runs carry a mark instead."""
    preset = str(settings.get("preset", EARLIER))
    masked = bool(settings.get("masked_name", preset == EARLIER))
    told = settings.get("told_model", MASKED)
    return f"Policy     {policy_label(preset, settings.get('overrides', ()), masked=masked)}; the agent is told {told}"


def _known(model: str, found: list[EpisodeOutcome], items: Sequence[str]) -> list[str]:
    """Whether a scripted model's episodes came out as its script says; nothing to say of other models."""
    if not model.startswith(PREFIX):
        return []
    odd = unexpected(model, found, items)
    lines = [f"Known      as the script says in {len(found) - len(odd)} of {len(found)} tasks"]
    return lines + [f"           {task_id}: {'; '.join(differences)}" for task_id, differences in odd.items()]


def _episodes(found: list[EpisodeOutcome]) -> list[str]:
    reasons = Counter(one.invalid_reason for one in found if not one.valid)
    listed = ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items(), key=str))
    return [f"Episodes   valid {sum(one.valid for one in found)}   invalid {sum(reasons.values())}  {listed}".rstrip()]


def _commits(valid: list[EpisodeOutcome]) -> list[str]:
    shares = metrics.surface_shares(valid)
    return [
        _row("Commit", metrics.commit_rate(valid)),
        *(_row(f"  {label.replace('_', ' ')}", share) for label, share in shares.items()),
    ]


def _failures(valid: list[EpisodeOutcome]) -> list[str]:
    rates = metrics.failure_rates(valid)
    line = metrics.boundary(valid)
    rows = [_row(f"Max-FR@3 {NAMES[d]}" if d in NAMES else d, rate) for d, rate in rates.items()]
    rows.append(_row("DF4 (mean of the first four)", metrics.df4(valid)))
    if line.gap is not None:
        low, high = line.session_only.percent(), line.committed.percent()
        rows.append(
            f"Boundary (pooled)               {low} session-only (n {line.session_only.n}) -> "
            f"{high} committed (n {line.committed.n})"
        )
    return rows


def _cut(counts: CutCounts, valid: int, unseen: Mapping[str, str]) -> list[str]:
    lines = [
        f"Cut        attested {counts.attested} of {valid} valid episodes",
        "           claim in the model's input of the query stage "
        + ("not seen" if "c" in unseen else f"in {counts.claim_shown}"),
    ]
    if counts.partly:
        lines.append(
            f"           declared by the assistant's server and not proven in {counts.partly}; what stays open:"
        )
        lines += [f"           {check}: {reason}" for check, reason in sorted(unseen.items())]
    if counts.canary_saved:
        lines.append(f"           canary saved in durable state in {counts.canary_saved}: check b says nothing there")
    if counts.unconfined:
        lines.append(f"WARNING    {counts.unconfined} episodes ran WITHOUT confinement of the agent")
    return lines


def _row(name: str, rate: Rate | RateMean) -> str:
    unscored = f", unscored {rate.unscored}" if rate.unscored else ""
    share = f"{rate.percent():>6} %" if rate.value is not None else f"{'n/a':>8}"
    return f"{name:30} {share}  (n {rate.n}{unscored})"


class _CutCounter:
    """Counts attestations while the episodes stream past, since no more than one is held at a time."""

    def __init__(self) -> None:
        self._facts: dict[str, tuple[bool, bool, bool, bool, bool]] = {}
        self.unseen: dict[str, str] = {}

    def count(self, episodes: Iterable[Episode]) -> Iterable[Episode]:
        for episode in episodes:
            cut = episode.cut
            saved = cut is not None and any("canary was saved" in detail for detail in cut.details)
            shown = cut is not None and bool(cut.claim_in_query_input)
            held = cut is not None and episode.valid
            whole = cut is not None and cut.attested
            self._facts[episode.episode_id] = (held and whole, held and not whole, shown, saved, not episode.confined)
            self.unseen |= episode.unseen or {}
            yield episode

    def result(self, found: list[EpisodeOutcome]) -> CutCounts:
        facts = [self._facts[one.episode_id] for one in found if one.valid]
        return CutCounts(*(sum(column) for column in zip(*facts, strict=True)))
