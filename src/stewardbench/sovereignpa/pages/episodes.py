"""A SovereignPA episode as the explorer shows it: verdicts with reasons, the pages, every action and what it did."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from stewardbench.report.labels import words
from stewardbench.runs.jobs import Attempts, Job
from stewardbench.site.episodes.blocks import (
    Block,
    CheckLine,
    Checks,
    Chip,
    EpisodeDetail,
    Facts,
    Page,
    Prose,
    Section,
    Step,
)
from stewardbench.site.episodes.differences import changed_lines
from stewardbench.site.episodes.index import ListColumn
from stewardbench.sovereignpa.axes import EndReason, Variant
from stewardbench.sovereignpa.booking.metrics import score
from stewardbench.sovereignpa.cancellation.episode import CancelEpisode
from stewardbench.sovereignpa.cancellation.metrics import cancel_score
from stewardbench.sovereignpa.cancellation.subscription import CancelScenario
from stewardbench.sovereignpa.details import LABELS
from stewardbench.sovereignpa.events import Turn
from stewardbench.sovereignpa.explain import Verdict, explain_booking, explain_cancellation
from stewardbench.sovereignpa.records import BookingLog, EpisodeLog, job_of
from stewardbench.sovereignpa.records import read_logs as logs_of
from stewardbench.sovereignpa.sets import AnyScenario, read_situations, scenarios_of
from stewardbench.sovereignpa.variants import Scenario

_RESULT = (("Success", "good"), ("Failure", "bad"), ("Invalid", "warn"), ("Superseded", "warn"))
COLUMNS = (
    ListColumn("scenario", "Situation", "name"),
    ListColumn("model", "Agent", "name", filter=True),
    ListColumn("variant", "Variant", "category", filter=True),
    ListColumn("domain", "Domain", "category", filter=True),
    ListColumn("result", "Result", "mark", filter=True, labels=_RESULT),
    ListColumn("faults", "What failed", "name"),
    ListColumn("burden", "Burden", "number"),
    ListColumn("steps", "Steps", "number"),
    ListColumn("family", "Family", "category", filter=True, hidden=True),
    ListColumn("defense", "Defense", "category", filter=True, hidden=True),
    ListColumn("protocol", "Protocol", "category", filter=True, hidden=True),
    ListColumn("end", "Ended by", "category", filter=True, hidden=True),
    ListColumn("run", "Run", "name", filter=True, hidden=True),
)
_FAULTS = {
    "addon_error": "extra",
    "overshare": "overshare",
    "consent_violation": "consent",
    "authority_violation": "authority",
    "candor_failure": "candor",
    "survey_detail": "detail in survey",
}


@dataclass(frozen=True, slots=True)
class ReadLog:
    """One episode log of a run, and its scenario, None where files or version no longer make what was played.

    ``control`` is the unchanged scenario of the same situation. ``superseded`` attempts came after a valid one.
    """

    log: EpisodeLog
    scenario: AnyScenario | None
    control: AnyScenario | None
    run_id: str
    superseded: bool = False

    @property
    def id(self) -> str:
        """The episode's address: run, scenario, seed and attempt."""
        log = self.log
        return f"{self.run_id}:{log.scenario_id}:{log.source.seed}:{log.attempt}"


def read_logs(folder: Path, run_id: str) -> Iterator[ReadLog]:
    """Every episode of a SovereignPA run in the order it was played. Raises StoreError for a damaged line."""
    situations = folder / "tasks.jsonl"
    scenarios = scenarios_of(read_situations(situations)) if situations.exists() else {}
    seen: Attempts[Job, None] = Attempts()
    for log in logs_of(folder / "episodes.jsonl"):
        found = scenarios.get(log.scenario_id)
        played = found if found and found.sha256 == log.scenario_sha256 else None
        job = job_of(log.scenario_id, log.source.seed)
        yield ReadLog(log, played, scenarios.get(f"{log.sid}.{Variant.CONTROL}"), run_id, seen.is_valid(job))
        seen.add(job, None, valid=log.valid)


def row(read: ReadLog) -> dict[str, str]:
    """The list's row of one episode."""
    log = read.log
    metrics = log.metrics
    return {
        "scenario": log.sid,
        "model": _who(log),
        "variant": words(log.variant),
        "domain": words(log.domain if isinstance(log, BookingLog) else log.service),
        "result": _result(read),
        "faults": ", ".join(_faults(log)),
        "burden": "" if metrics.burden is None else str(metrics.burden),
        "steps": str(metrics.steps),
        "family": "Booking" if isinstance(log, BookingLog) else "Cancellation",
        "defense": words(log.source.defense),
        "protocol": log.source.protocol,
        "end": words(log.end_reason),
        "run": read.run_id,
    }


def detail(read: ReadLog) -> EpisodeDetail:
    """The whole episode. Where the scenario is not at hand, pages come from the log and verdicts have no reasons."""
    log = read.log
    result = _result(read)
    chips = [Chip(_who(log)), Chip(result, dict(_RESULT)[result])]
    chips += [Chip(fault, "bad") for fault in _faults(log)]
    if log.source.defense != "direct":
        chips.append(Chip(f"Defense: {words(log.source.defense).lower()}"))
    sections = (
        Section("verdicts", "Verdicts", "", tuple(_verdicts(read))),
        Section("dialogue", "Pages and actions", _lead(read), (*_first_page(read), *_steps(read))),
        Section("sent", "What reached the provider", "", tuple(_sent(read))),
        Section("record", "Record", "", (_record(read),)),
    )
    return EpisodeDetail(
        id=read.id,
        title=f"{words(log.domain if isinstance(log, BookingLog) else log.service)}, {words(log.variant).lower()}",
        subtitle=log.scenario_id,
        chips=tuple(chips),
        sections=tuple(section for section in sections if section.blocks),
    )


def _who(log: EpisodeLog) -> str:
    """The system as the report's tables name it: model or reference agent, with an unusual protocol."""
    name = log.source.model or log.source.agent
    return name if log.source.protocol == "json" else f"{name} ({log.source.protocol})"


def _result(read: ReadLog) -> str:
    log = read.log
    if not log.valid:
        return "Invalid"
    if read.superseded:
        return "Superseded"
    success = log.metrics.ssr if isinstance(log, BookingLog) else log.metrics.success
    return "Success" if success else "Failure"


def _faults(log: EpisodeLog) -> list[str]:
    """What kept the episode from success, in the metrics' own words."""
    metrics = log.metrics.as_dict()
    found = [label for key, label in _FAULTS.items() if metrics.get(key)]
    if metrics.get("correct_choice") is False:
        found.insert(0, "choice")
    if metrics.get("cancelled") is False:
        found.insert(0, words(str(metrics["outcome"])).lower())
    return found


def _verdicts(read: ReadLog) -> list[Block]:
    log = read.log
    if not log.valid:
        return [Prose("Invalid episode", f"Counted, shown, and in no rate: {log.error or 'no reason recorded'}", "bad")]
    if read.scenario is None:
        text = "Files or version have changed since it was played, so verdicts are shown without reasons."
        failed = ", ".join(_faults(log)) or "nothing"
        return [Prose("The scenario cannot be made again", text, "warn"), Facts((("What failed", failed),))]
    verdicts: list[Verdict] = []
    if isinstance(log, BookingLog) and isinstance(read.scenario, Scenario):
        booked = score(read.scenario, log.events())
        verdicts = explain_booking(read.scenario, booked) if booked else []
    elif not isinstance(log, BookingLog):
        cancelled = cancel_score(log.events())
        verdicts = explain_cancellation(cancelled) if cancelled else []
    return [Checks(tuple(CheckLine(words(verdict.metric), verdict.good, verdict.why) for verdict in verdicts))]


def _lead(read: ReadLog) -> str:
    if read.log.source.defense == "firewall":
        return "The first page is shown as the platform made it; the firewall filtered what the agent saw."
    return "What the agent saw, sent and was answered."


def _first_page(read: ReadLog) -> list[Block]:
    if isinstance(read.scenario, Scenario):
        return [_booking_page(read.scenario, read.control)]
    if isinstance(read.scenario, CancelScenario):
        return [Page("First page", CancelEpisode(read.scenario).first_page)]
    return []


def _booking_page(scenario: Scenario, control: AnyScenario | None) -> Page:
    """The first page, with the lines marked that the variant changed."""
    if scenario.variant is Variant.CONTROL or not isinstance(control, Scenario):
        return Page("First page", scenario.pages.first)
    marks = changed_lines(control.pages.first, scenario.pages.first)
    label = "First page; what this variant changed is marked" if marks else "First page, the same as in the control"
    return Page(label, scenario.pages.first, marks)


def _steps(read: ReadLog) -> list[Block]:
    return [
        Step(turn.step, words(turn.action.action) if turn.action else "Unreadable reply", turn.raw, turn.reply, chips)
        for turn in read.log.turns
        for chips in (tuple(_step_chips(read, turn)),)
    ]


def _step_chips(read: ReadLog, turn: Turn) -> Iterator[Chip]:
    log = read.log
    if turn.error:
        yield Chip(turn.error, "bad")
    labels = log.labels if isinstance(log, BookingLog) else ()
    for place, question in enumerate(log.questions):
        if question.step != turn.step:
            continue
        yield Chip(f"{question.route} question")
        needed = place < len(labels) and labels[place].necessary
        yield Chip("necessary", "good") if needed else Chip("not necessary", "warn")
        if place < len(labels) and labels[place].repeat:
            yield Chip("repeat", "warn")
    if isinstance(log, BookingLog):
        for order in log.orders:
            if order.step == turn.step:
                yield Chip(f"charged {order.total}", "claim") if order.accepted else Chip("rejected", "warn")
        if log.midtask_step == turn.step:
            said = "the user changed the request" if log.variant is Variant.UPDATE else "the user reminded"
            yield Chip(f"then {said}", "claim")
    for disclosure in log.disclosures:
        if disclosure.step == turn.step and (problem := _problem(read, disclosure.detail, disclosure.granted)):
            yield Chip(f"{LABELS[disclosure.detail]} {problem}", "bad")


def _problem(read: ReadLog, detail_key: str, granted: bool) -> str:
    """What is wrong with sending a detail: nothing, that it was not needed, or that the user had not allowed it."""
    if isinstance(read.scenario, CancelScenario):
        return "sent, not needed"
    if not isinstance(read.scenario, Scenario):
        return ""
    situation = read.scenario.situation
    if detail_key not in situation.needed:
        return "sent, not needed"
    return "sent without consent" if detail_key in situation.gated and not granted else ""


def _sent(read: ReadLog) -> list[Block]:
    items = []
    for disclosure in read.log.disclosures:
        problem = _problem(read, disclosure.detail, disclosure.granted) or "sent"
        items.append(
            (LABELS[disclosure.detail], f"{problem}; step {disclosure.step}, {words(disclosure.where).lower()}")
        )
    return [Facts(tuple(items))] if items else []


def _record(read: ReadLog) -> Facts:
    log = read.log
    tokens = sum(turn.input_tokens for turn in log.turns), sum(turn.output_tokens for turn in log.turns)
    details = tuple((words(key), str(value)) for key, value in sorted(log.source.details.items()))
    return Facts(
        (
            ("Episode", read.id),
            ("Agent", f"{log.source.agent} {log.source.model}".strip()),
            ("Prompt, protocol", f"{log.source.prompt or 'none'}, {log.source.protocol}"),
            ("Split", log.split),
            ("Ended by", words(log.end_reason) + (f": {log.error}" if log.end_reason is EndReason.ERROR else "")),
            ("Steps", str(log.metrics.steps)),
            ("Tokens", f"{tokens[0]:,} in, {tokens[1]:,} out"),
            ("Scenario", log.scenario_sha256),
            ("Version", log.version),
            *details,
        )
    )
