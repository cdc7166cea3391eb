"""Scoring again from logs alone: no agent and no model is called.

``rescored`` computes every label and metric of a log from its events; ``replayed`` runs its raw replies through the
parser, platform and user again. Both must give what the log says, or the log and this version do not belong together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from stewardbench.errors import DataError
from stewardbench.sovereignpa.axes import EndReason
from stewardbench.sovereignpa.booking.episode import BookingEpisode, Episode
from stewardbench.sovereignpa.booking.metrics import score
from stewardbench.sovereignpa.cancellation.episode import CancelEpisode
from stewardbench.sovereignpa.cancellation.metrics import cancel_score
from stewardbench.sovereignpa.cancellation.subscription import CancelScenario
from stewardbench.sovereignpa.firewall import firewall_pages
from stewardbench.sovereignpa.prompts import Defense
from stewardbench.sovereignpa.records import BookingLog, CancelLog, EpisodeLog, booking_log, cancel_log
from stewardbench.sovereignpa.rows import booking_row, cancel_row
from stewardbench.sovereignpa.sets import AnyScenario
from stewardbench.sovereignpa.variants import Scenario


@dataclass(frozen=True, slots=True)
class Difference:
    """A log whose stored verdicts differ from what its events or its replies give now."""

    scenario_id: str
    fields: tuple[str, ...]
    by: str


def rescored(log: EpisodeLog, scenario: AnyScenario) -> EpisodeLog:
    """The log with labels and metrics computed again from its events. Raises DataError for another scenario's log."""
    _check(log, scenario)
    if isinstance(log, BookingLog) and isinstance(scenario, Scenario):
        events = log.events()
        verdict = score(scenario, events)
        labels = verdict.ledger.labels if verdict else ()
        return log.model_copy(update={"labels": labels, "metrics": booking_row(scenario, events, verdict)})
    if isinstance(log, CancelLog) and isinstance(scenario, CancelScenario):
        given = log.events()
        return log.model_copy(update={"metrics": cancel_row(scenario, given, cancel_score(given))})
    raise DataError(f"the log of {log.scenario_id} belongs to the other family.")


def replayed(log: EpisodeLog, scenario: AnyScenario) -> EpisodeLog:
    """The log that the raw replies of a log give when they are played again."""
    _check(log, scenario)
    if isinstance(scenario, Scenario):
        episode = BookingEpisode(scenario, firewall_pages(scenario) if log.source.defense == Defense.FIREWALL else None)
        _feed(episode, log)
        return booking_log(episode, log.source, log.attempt)
    cancelling = CancelEpisode(scenario)
    _feed(cancelling, log)
    return cancel_log(cancelling, log.source, log.attempt)


def differences(logs: Iterable[EpisodeLog], scenarios: Mapping[str, AnyScenario]) -> list[Difference]:
    """Every log whose verdicts differ when scored or replayed again; an empty list is the proof that none does."""
    found = []
    for log in logs:
        scenario = scenarios.get(log.scenario_id)
        if scenario is None:
            raise DataError(f"no scenario {log.scenario_id} in this set.", hint="Name the set that the run used.")
        for by, again in (("events", rescored(log, scenario)), ("replies", replayed(log, scenario))):
            old, new = log.metrics.as_dict(), again.metrics.as_dict()
            changed = tuple(name for name in old if old[name] != new[name])
            if isinstance(log, BookingLog) and isinstance(again, BookingLog) and log.labels != again.labels:
                changed += ("labels",)
            if changed:
                found.append(Difference(log.scenario_id, changed, by))
    return found


def _feed(episode: Episode, log: EpisodeLog) -> None:
    for turn in log.turns:
        if episode.ended:
            break
        episode.step(turn.raw, input_tokens=turn.input_tokens, output_tokens=turn.output_tokens)
    if log.end_reason is EndReason.ERROR and not episode.ended:
        episode.abort(log.error)


def _check(log: EpisodeLog, scenario: AnyScenario) -> None:
    if log.scenario_sha256 != scenario.sha256:
        raise DataError(
            f"the log of {log.scenario_id} was made on another version of that scenario.",
            hint="Score it with the scenario file of its own run.",
        )
