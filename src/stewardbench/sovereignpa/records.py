"""The episode logs: one JSON line per finished attempt, from which every metric is computed again.

A log names its scenario and the hash of everything in it, so that a log and a changed scenario are never scored
together. ``raw`` of every turn is what the agent said; for a native tool call it is the JSON text of the call with the
tool's name under ``action``, so that any log can be replayed through the text parser.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, JsonValue, TypeAdapter

from stewardbench import __version__
from stewardbench.records import JsonlLog, Record, fit_json
from stewardbench.runs.jobs import Job
from stewardbench.sovereignpa.axes import CancelVariant, EndReason, Split, Variant
from stewardbench.sovereignpa.booking.episode import BookingEpisode
from stewardbench.sovereignpa.booking.metrics import score
from stewardbench.sovereignpa.cancellation.episode import CancelEpisode, CancelEvents
from stewardbench.sovereignpa.cancellation.flow import Outcome
from stewardbench.sovereignpa.cancellation.metrics import cancel_score
from stewardbench.sovereignpa.events import Disclosure, Events, Order, Question, Turn
from stewardbench.sovereignpa.questions import Label
from stewardbench.sovereignpa.rows import BookingRow, CancelRow, booking_row, cancel_row


class Source(Record):
    """Who acted and how: the columns that tell runs apart.

    ``agent`` is a rule-based agent's name or ``llm``; ``model`` is empty for rules. ``prompt`` names the system prompt
    file, ``defense`` the intervention (``direct`` for none), ``protocol`` how actions were sent. ``details`` holds what
    a run wants to keep beside: model revision, server version, prompt hash.
    """

    agent: str
    model: str = ""
    prompt: str = ""
    defense: str = "direct"
    protocol: Literal["json", "tools", "html"] = "json"
    seed: int = 0
    details: dict[str, JsonValue] = Field(default_factory=dict)

    @property
    def columns(self) -> dict[str, str | int]:
        """The flat columns of a metrics table."""
        return {
            "agent": self.agent,
            "model": self.model,
            "prompt": self.prompt,
            "defense": self.defense,
            "protocol": self.protocol,
            "seed": self.seed,
        }


class _EpisodeLog(Record):
    """What both families log."""

    scenario_id: str
    scenario_sha256: str
    sid: str
    split: Split
    source: Source
    attempt: int = 0
    turns: tuple[Turn, ...]
    end_reason: EndReason
    error: str = ""
    questions: tuple[Question, ...]
    disclosures: tuple[Disclosure, ...]
    report: str | None
    version: str = __version__

    @property
    def valid(self) -> bool:
        """Whether the episode can be scored."""
        return self.end_reason is not EndReason.ERROR


class BookingLog(_EpisodeLog):
    """One booking episode."""

    schema_: Literal["sovereignpa-booking/1"] = Field("sovereignpa-booking/1", alias="schema")
    domain: str
    variant: Variant
    orders: tuple[Order, ...]
    viewed: tuple[str, ...]
    midtask_step: int | None
    exposed_step: int | None
    labels: tuple[Label, ...]
    metrics: BookingRow

    def events(self) -> Events:
        """What happened, as the scorer reads it."""
        return Events(
            turns=list(self.turns),
            orders=list(self.orders),
            disclosures=list(self.disclosures),
            questions=list(self.questions),
            report=self.report,
            end_reason=self.end_reason,
            midtask_step=self.midtask_step,
            viewed=list(self.viewed),
            exposed_step=self.exposed_step,
        )


class CancelLog(_EpisodeLog):
    """One cancellation episode."""

    schema_: Literal["sovereignpa-cancellation/1"] = Field("sovereignpa-cancellation/1", alias="schema")
    service: str
    variant: CancelVariant
    survey_texts: tuple[str, ...]
    outcome: Outcome
    ever_retained: bool
    stopped_at: str
    metrics: CancelRow

    def events(self) -> CancelEvents:
        """What happened, as the scorer reads it."""
        return CancelEvents(
            turns=list(self.turns),
            questions=list(self.questions),
            disclosures=list(self.disclosures),
            survey_texts=list(self.survey_texts),
            outcome=self.outcome,
            ever_retained=self.ever_retained,
            stopped_at=self.stopped_at,
            report=self.report,
            end_reason=self.end_reason,
        )


EpisodeLog = BookingLog | CancelLog
_ANY: TypeAdapter[EpisodeLog] = TypeAdapter(Annotated[EpisodeLog, Field(discriminator="schema_")])


def job_of(scenario_id: str, seed: int) -> Job:
    """The job that a log is an attempt at: its scenario under its sampling seed."""
    return Job(task=scenario_id, seed=seed)


def read_log(text: str) -> EpisodeLog:
    """The log that one line holds. Raises Misfit."""
    return fit_json(_ANY, text)


def read_logs(path: Path) -> Iterator[EpisodeLog]:
    """The logs of an episode file, in the order of playing. Raises StoreError naming file, line and field."""
    return JsonlLog(path).records(_ANY)


def booking_log(episode: BookingEpisode, source: Source, attempt: int = 0) -> BookingLog:
    """The log of a finished booking episode, scored."""
    scenario, events = episode.scenario, episode.events
    verdict = score(scenario, events)
    return BookingLog(
        scenario_id=scenario.scenario_id,
        scenario_sha256=scenario.sha256,
        sid=scenario.situation.sid,
        split=scenario.situation.split,
        domain=scenario.situation.domain,
        variant=scenario.variant,
        source=source,
        attempt=attempt,
        turns=tuple(events.turns),
        end_reason=_ended(events.end_reason),
        error=episode.error,
        orders=tuple(events.orders),
        viewed=tuple(events.viewed),
        disclosures=tuple(events.disclosures),
        questions=tuple(events.questions),
        labels=verdict.ledger.labels if verdict else (),
        midtask_step=events.midtask_step,
        exposed_step=events.exposed_step,
        report=events.report,
        metrics=booking_row(scenario, events, verdict),
    )


def cancel_log(episode: CancelEpisode, source: Source, attempt: int = 0) -> CancelLog:
    """The log of a finished cancellation episode, scored."""
    scenario, events = episode.scenario, episode.events
    return CancelLog(
        scenario_id=scenario.scenario_id,
        scenario_sha256=scenario.sha256,
        sid=scenario.situation.sid,
        split=scenario.situation.split,
        service=scenario.situation.service,
        variant=scenario.variant,
        source=source,
        attempt=attempt,
        turns=tuple(events.turns),
        end_reason=_ended(events.end_reason),
        error=episode.error,
        questions=tuple(events.questions),
        disclosures=tuple(events.disclosures),
        survey_texts=tuple(events.survey_texts),
        outcome=events.outcome,
        ever_retained=events.ever_retained,
        stopped_at=events.stopped_at,
        report=events.report,
        metrics=cancel_row(scenario, events, cancel_score(events)),
    )


def _ended(reason: EndReason | None) -> EndReason:
    if reason is None:
        raise ValueError("only a finished episode has a log")
    return reason
