"""One episode as readable text: what the agent saw, said and was answered, and every verdict with its why."""

from __future__ import annotations

from stewardbench.sovereignpa.agents import booking_agent, cancel_agent
from stewardbench.sovereignpa.booking.episode import BookingEpisode, Episode, play
from stewardbench.sovereignpa.booking.metrics import Score, score
from stewardbench.sovereignpa.cancellation.episode import CancelEpisode
from stewardbench.sovereignpa.cancellation.metrics import cancel_score
from stewardbench.sovereignpa.cancellation.subscription import CancelScenario
from stewardbench.sovereignpa.events import Question
from stewardbench.sovereignpa.explain import Verdict, explain_booking, explain_cancellation
from stewardbench.sovereignpa.questions import Label
from stewardbench.sovereignpa.sets import AnyScenario
from stewardbench.sovereignpa.variants import Scenario

_RULE = "-" * 100


def narrate(scenario: AnyScenario, agent: str = "") -> str:
    """A whole episode of a rule-based agent. Raises UsageError for an unknown agent."""
    if isinstance(scenario, CancelScenario):
        cancelling = CancelEpisode(scenario)
        play(cancelling, cancel_agent(agent or "canceller"))
        return narrate_cancellation(cancelling)
    booking = BookingEpisode(scenario)
    play(booking, booking_agent(agent or "careful"))
    return narrate_booking(booking)


def narrate_booking(episode: BookingEpisode) -> str:
    """A finished booking episode."""
    verdict = score(episode.scenario, episode.events)
    lines = [_RULE, _truth(episode.scenario), _RULE, episode.first_page, *_dialogue(episode)]
    if verdict is not None:
        lines += [_RULE, *_labels(episode.events.questions, verdict)]
        lines += _verdicts(explain_booking(episode.scenario, verdict))
    return "\n".join(lines)


def narrate_cancellation(episode: CancelEpisode) -> str:
    """A finished cancellation episode."""
    verdict = cancel_score(episode.events)
    title = f"{episode.scenario.scenario_id} ({episode.scenario.situation.split.value} split)"
    lines = [_RULE, title, _RULE, episode.first_page, *_dialogue(episode)]
    if verdict is not None:
        lines += [_RULE, *_verdicts(explain_cancellation(verdict))]
    return "\n".join(lines)


def narrate_pages(scenario: AnyScenario) -> str:
    """Everything an agent can be shown of a scenario, without playing it."""
    if isinstance(scenario, CancelScenario):
        return CancelEpisode(scenario).first_page
    message = scenario.observation.midtask
    later = [f"After the first action: {message}"] if message else []
    return f"\n{_RULE}\n".join([scenario.pages.first, *scenario.pages.options.values(), *later])


def _truth(scenario: Scenario) -> str:
    """The hidden side of a scenario: roles and the correct choice."""
    situation = scenario.situation
    roles = ", ".join(f"{option_id} {option.role}" for option_id, option in scenario.options.items())
    correct = scenario.correct.name if scenario.correct else "nothing"
    return (
        f"{scenario.scenario_id} ({situation.split.value} split)\n"
        f"hidden: R1 {situation.r1}, R2 {situation.r2}; {roles}; correct: {correct}; "
        f"extra {'wanted' if situation.want_extra else 'not wanted'}"
    )


def _dialogue(episode: Episode) -> list[str]:
    lines = []
    for turn in episode.turns:
        lines += [_RULE, f"agent, step {turn.step}: {turn.raw}"]
        if turn.reply:
            lines += ["", turn.reply]
    lines += [_RULE, f"the episode ended: {episode.end_reason} {episode.error}".rstrip()]
    return lines


def _labels(questions: list[Question], verdict: Score) -> list[str]:
    return [_label(question, label) for question, label in zip(questions, verdict.ledger.labels, strict=True)]


def _label(question: Question, label: Label) -> str:
    state = "necessary" if label.necessary else "not necessary"
    slots = f" ({', '.join(label.slots)})" if label.slots else ""
    repeat = ", a repeat" if label.repeat else ""
    declared = "" if question.type is question.route else f", declared as {question.type}"
    return f"question at step {question.step}: {question.route}{declared}, {state}{slots}{repeat}"


def _verdicts(verdicts: list[Verdict]) -> list[str]:
    marks = {True: "pass", False: "FAIL", None: ""}
    return [f"{verdict.metric:<22}{marks[verdict.good]:<6}{verdict.why}" for verdict in verdicts]
