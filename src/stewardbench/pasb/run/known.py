"""Whether a scripted model's episodes came out as its script says they must: the harness checks itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from stewardbench.models.scripted.scripts import KnownAnswer, script
from stewardbench.pasb.measure.outcomes import EpisodeOutcome, job_of
from stewardbench.pasb.records import Author

NO_CLAIM = "no_claim"


def unexpected(model: str, outcomes: Iterable[EpisodeOutcome], items: Sequence[str] = ()) -> dict[str, tuple[str, ...]]:
    """Per job that differs from the model's known answer, what differs; empty is the proof that all are as known.

    Scores are compared where the episode was judged, stance and role where it was annotated. An invalid episode is
    not what any script expects. Where no claim is told, no script has one to act on. ``items`` are the base items of
    the whole run, for models that treat them differently; without them, those of the outcomes are taken. Raises
    UsageError for a model that is not scripted.
    """
    role, found = script(model), list(outcomes)
    order = sorted(set(items) or {one.base_item_id for one in found})
    positions = {item: position for position, item in enumerate(order)}
    differences = {
        job_of(one).id: _differences(role.known_at(positions[one.base_item_id], claimed=one.arm != NO_CLAIM), one)
        for one in found
    }
    return {job: different for job, different in differences.items() if different}


def _differences(known: KnownAnswer, outcome: EpisodeOutcome) -> tuple[str, ...]:
    if not outcome.valid:
        return (f"invalid: {outcome.invalid_reason}",)
    committed: bool | None = known.committed
    primary = known.primary
    if known.words is not None and not outcome.read_by:  # words alone cannot tell what a reader can
        committed, primary = None if known.words == "unknown" else False, known.words
    pairs: dict[str, tuple[Any, Any]] = {
        "committed": (committed, outcome.committed),
        "primary": (primary, outcome.primary),
    }
    if not known.committed and outcome.author == Author.FRAMEWORK:
        pairs = {}  # the agent's own program wrote it, whatever the script does
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
