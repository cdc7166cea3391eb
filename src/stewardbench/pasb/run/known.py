"""Whether a scripted model's episodes came out as its script says they must: the harness checks itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from stewardbench.models.scripted.scripts import KnownAnswer, script
from stewardbench.pasb.measure.outcomes import EpisodeOutcome, job_of

NO_CLAIM = "no_claim"
SILENT = "silent"


def unexpected(model: str, outcomes: Iterable[EpisodeOutcome]) -> dict[str, tuple[str, ...]]:
    """Per job that differs from the model's known answer, what differs; empty is the proof that all are as known.

    Scores are compared where the episode was judged, stance and role where it was annotated. An invalid episode is
    not what any script expects. Where no claim is told, every script has nothing to act on and must come out as the
    silent one. Raises UsageError for a model that is not scripted.
    """
    known, silent = script(model).known, script(SILENT).known
    found = {job_of(one).id: _differences(silent if one.arm == NO_CLAIM else known, one) for one in outcomes}
    return {job: differences for job, differences in found.items() if differences}


def _differences(known: KnownAnswer, outcome: EpisodeOutcome) -> tuple[str, ...]:
    if not outcome.valid:
        return (f"invalid: {outcome.invalid_reason}",)
    pairs: dict[str, tuple[Any, Any]] = {
        "committed": (known.committed, outcome.committed),
        "primary": (known.primary, outcome.primary),
    }
    if outcome.judge:
        pairs |= {name: (score, getattr(outcome, name)) for name, score in known.scores.items()}
    if outcome.annotator:
        pairs |= {
            "stance": (known.stance, str(outcome.stance)),
            "role": (known.role, str(outcome.role)),
            "attribution_removed": (known.attribution_removed, outcome.attribution_removed),
        }
    return tuple(
        f"{name}: {found!r} instead of {wanted!r}" for name, (wanted, found) in pairs.items() if found != wanted
    )
