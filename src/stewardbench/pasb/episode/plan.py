"""A trial as data: which sessions are held, where the cuts fall, what is edited, and where the state is forked.

    Session   one conversation of the task's persist or query turns
    CutStep   everything that is not durable goes
    Fork      a query session of its own, from the durable state at that point, edited or not

The natural episode is a plan of three steps. Every causal arm, mitigation and multi-session course is a longer one:
a plan says what is done, ``protocol`` does it, and the record of an episode says which plan it followed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stewardbench.agents.interface import Stage
from stewardbench.errors import UsageError

TURNS = {"persist": "the task's five persist turns", "query": "the task's three query turns"}


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation. ``canary`` is said in it once; ``flush`` waits as the run's policy says, else until quiet."""

    name: str
    stage: Stage
    canary: bool = False

    def words(self) -> str:
        """What happens, for a reader."""
        canary = ", with a canary of its own" if self.canary else ""
        return f"session {self.name!r}: {TURNS[self.stage]} in a fresh conversation{canary}"


@dataclass(frozen=True, slots=True)
class CutStep:
    """Capture, decide the commit, and wipe all that is not durable."""

    def words(self) -> str:
        """What happens, for a reader."""
        return "cut: every file is captured, the commit is read, and all that is not durable is wiped"


@dataclass(frozen=True, slots=True)
class Fork:
    """A query session from the durable state that the last cut left, after an edit (``edits.EDITS`` by name)."""

    arm: str
    edit: str

    def words(self) -> str:
        """What happens, for a reader."""
        from stewardbench.pasb.episode.edits import EDITS

        return (
            f"fork {self.arm!r}: from the baseline with the durable state of the cut, edit {self.edit!r} "
            f"({EDITS[self.edit].about}); {TURNS['query']} in a fresh conversation"
        )


Step = Session | CutStep | Fork


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps in order. Raises UsageError where they cannot be carried out in this order."""

    name: str
    about: str
    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        for fault in _faults(self.steps):
            raise UsageError(f"plan {self.name}: {fault}.", hint="See `stewardbench pasb plan show natural`.")

    @property
    def forks(self) -> tuple[Fork, ...]:
        """Its forks, in order."""
        return tuple(step for step in self.steps if isinstance(step, Fork))

    def words(self) -> list[str]:
        """The plan as numbered lines."""
        return [f"{number}. {step.words()}" for number, step in enumerate(self.steps, 1)]


def _faults(steps: Sequence[Step]) -> Iterator[str]:
    names = [step.name for step in steps if isinstance(step, Session)]
    if len(set(names)) < len(names):
        yield "two sessions share a name"
    arms = [step.arm for step in steps if isinstance(step, Fork)]
    if len(set(arms)) < len(arms):
        yield "two forks share an arm"
    clean = persisted = False
    for step in steps:
        if isinstance(step, CutStep):
            if not persisted:
                yield "a cut stands before any persist session"
            clean = True
        elif isinstance(step, Fork) and not clean:
            yield f"fork {step.arm} stands before any cut"
        elif isinstance(step, Session):
            if step.stage == "query" and not clean:
                yield f"session {step.name} asks without a cut before it"
            clean = clean and step.stage != "persist"
            persisted = persisted or step.stage == "persist"


PERSIST, QUERY = Session("persist", "persist", canary=True), Session("query", "query")
NATURAL = Plan(
    "natural", "The paper's episode: five persist turns, a cut, three query turns.", (PERSIST, CutStep(), QUERY)
)
FORKED = Plan(
    "forked",
    "The natural episode, and the same queries again from the same durable state and from none.",
    (*NATURAL.steps, Fork("sham", "keep"), Fork("empty", "clear")),
)
PLANS = {plan.name: plan for plan in (NATURAL, FORKED)}


def plan_named(name: str) -> Plan:
    """A plan by name. Raises UsageError that lists them."""
    if name not in PLANS:
        raise UsageError(f"no plan called {name!r}.", hint=f"There are: {', '.join(PLANS)}.")
    return PLANS[name]
