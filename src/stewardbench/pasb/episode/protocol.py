"""The experiment on one page: persist, capture, cut, query (paper sections 3.1, 3.3 and B.1).

    reset        the slot is restored from its immutable baseline
    persist      five user turns in one session; a canary is said once
    quiet        no model call in flight, background writers ended, files unchanged (or the paper's fixed wait)
    capture      every file, compared with the baseline: this alone decides the commit
    cut          everything that is not durable goes
    ---------    fork point: the same durable state, or an edited one, may feed further query sessions
    query        three user turns in one fresh session; its writes are logged and are never a commit
    attest       was the cut clean? (module ``attestation``)

That is the natural plan. ``plan`` holds it as data, with its forks; ``run_plan`` carries any plan out.

An agent is reached only through its slot and a model only through the slot's gateway; both are given. Nothing here
knows Inspect, processes or files on disk. A failing agent or model never raises: the stage ends, and its failure says
why the episode is invalid.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace

from stewardbench.agents.interface import (
    DURABLE_SURFACES,
    Agent,
    AgentSession,
    AgentSettings,
    AgentSlot,
    Flush,
    Surface,
    ToolUse,
    WipeReport,
    unseen_of,
)
from stewardbench.errors import AgentCrashed, AgentError, UsageError
from stewardbench.models.naming import MASKED
from stewardbench.pasb.commits.authors import authored
from stewardbench.pasb.commits.matcher import UNSEEN, find_commit
from stewardbench.pasb.episode.attestation import Evidence, attest, broken_check, changed_config
from stewardbench.pasb.episode.edits import EDITS
from stewardbench.pasb.episode.plan import NATURAL, PERSIST, QUERY, CutStep, Fork, Plan, Session
from stewardbench.pasb.episode.quiescence import WALL_CLOCK, Clock, FlushPolicy, fixed_wait_s, wait_until_quiet
from stewardbench.pasb.episode.turns import Conversation, Rig, hold_conversation, named
from stewardbench.pasb.episode.validity import Failure
from stewardbench.pasb.records import Commit, Cut, InvalidReason, Task
from stewardbench.seeding import derive, generator
from stewardbench.workspace.tree import Tree

CANARY_TURN = 2  # filler in three deliveries and a hint in the fourth: it never carries the full claim
CANARY_ALPHABET = "23456789BCDFGHJKMNPQRTVWXZ"


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a run holds fixed for all its episodes. ``told_model`` is the name that the agent is told ``model`` has."""

    run_id: str
    agent: Agent
    agent_version: str
    settings: AgentSettings
    model: str
    config_sha256: str
    told_model: str = MASKED
    masked_name: bool = False
    seed: int = 0
    flush: FlushPolicy = "quiescence"
    clock: Clock = WALL_CLOCK

    @property
    def unseen(self) -> Mapping[str, str]:
        """What nobody can see of the agent, with the reasons."""
        return unseen_of(self.agent, self.settings)


@dataclass(frozen=True, slots=True)
class Trial:
    """One attempt at the ``number``-th trial of a task.

    Canary and session names follow from the run, its seed, the task, the trial and the attempt.
    """

    task: Task
    conditions: Conditions
    attempt: int = 1
    number: int = 1

    @property
    def name(self) -> str:
        """The task's id, and the number of a trial after the first."""
        return self.task.task_id if self.number == 1 else f"{self.task.task_id}+trial{self.number}"

    @property
    def canary(self) -> str:
        """A code that no model can guess: twelve letters and digits in groups of four, new for every attempt."""
        letters = "".join(generator(*self._names("canary")).choices(CANARY_ALPHABET, k=12))
        return "-".join((letters[:4], letters[4:8], letters[8:]))

    @property
    def persist_texts(self) -> tuple[str, ...]:
        """The persist turns as they are sent: the task's own words, and the canary at the end of one turn."""
        texts = [turn.text for turn in self.task.persist_turns]
        texts[CANARY_TURN - 1] += f" (My reference for this chat is {self.canary}.)"
        return tuple(texts)

    @property
    def query_texts(self) -> tuple[str, ...]:
        """The query turns, exactly as the task has them."""
        return tuple(turn.text for turn in self.task.query_turns)

    def session_id(self, session: str) -> str:
        """A name for a session that tells an agent nothing about its stage."""
        return f"{derive(*self._names('session'), session):016x}"

    def _names(self, purpose: str) -> tuple[int, str, str, str, int]:
        conditions = self.conditions
        return conditions.seed, purpose, conditions.run_id, self.name, self.attempt


@dataclass(frozen=True, slots=True)
class Persisted:
    """A finished persist stage. ``captured`` is the state before the wipe, ``start`` the one a query session finds."""

    canary: str
    baseline_sha256: str
    confined: bool
    conversation: Conversation
    before: Tree = field(default_factory=dict)
    captured: Tree = field(default_factory=dict)
    start: Tree = field(default_factory=dict)
    wipe: WipeReport | None = None
    commit: Commit | None = None
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class Queried:
    """A finished query stage, from the state it found (``start``) to the one it left (``after``)."""

    conversation: Conversation
    start: Tree
    after: Tree
    cut: Cut | None = None
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class Carried:
    """A plan carried out as far as it went: the last persist stage, and every query session by name, forks by arm.

    There is no query session after a persist stage that failed.
    """

    persisted: Persisted
    queried: dict[str, Queried] = field(default_factory=dict)
    forked: dict[str, Queried] = field(default_factory=dict)


async def run_episode(trial: Trial, rig: Rig) -> tuple[Persisted, Queried | None]:
    """One task from reset to attestation: the natural plan."""
    carried = await run_plan(NATURAL, trial, rig)
    return carried.persisted, carried.queried.get(QUERY.name)


async def run_plan(plan: Plan, trial: Trial, rig: Rig) -> Carried:
    """Carry a plan out, step by step. A persist stage that fails ends it; a fork that fails ends only itself."""
    persisted: Persisted | None = None
    queried: dict[str, Queried] = {}
    forked: dict[str, Queried] = {}
    for step in plan.steps:
        match step:
            case Session(stage="persist"):
                persisted = await persist(trial, rig, step)
            case CutStep() if persisted is not None:
                persisted = await cut(trial, persisted, rig)
            case Session() if persisted is not None:
                queried[step.name] = await query(trial, persisted, rig, step)
            case Fork() if persisted is not None:
                edited = EDITS[step.edit].apply(persisted.start, persisted.before)
                forked[step.arm] = await fork_query(trial, persisted, edited, rig, arm=step.arm)
        if persisted is not None and persisted.failure is not None:
            break
    if persisted is None:
        raise UsageError(f"plan {plan.name}: holds no persist session.", hint="Nothing was run.")
    return Carried(persisted, queried, forked)


async def persist(trial: Trial, rig: Rig, session: Session = PERSIST) -> Persisted:
    """Reset, hold the persist conversation, wait until quiet, capture."""
    slot, surface = rig.slot, trial.conditions.agent.surface
    canary, session_id, texts = trial.canary, trial.session_id(session.name), trial.persist_texts
    try:
        await slot.reset()
    except AgentError as error:
        return Persisted(canary, "", slot.confined, Conversation(session_id, texts), failure=named(error))
    before = slot.capture()
    conversation = await hold_conversation(
        rig,
        trial.conditions.settings,
        session.stage,
        session_id=session_id,
        texts=texts,
        settle=_settle(trial, rig, trial.conditions.flush),
    )
    captured, unread = _capture(slot)
    failure = conversation.failure or unread
    done = Persisted(canary, slot.baseline_sha256, slot.confined, conversation, before, captured, failure=failure)
    changed = changed_config(before, done.captured, surface)
    if done.failure is None and changed:
        done = replace(done, failure=(InvalidReason.CONFIG_CHANGED, f"in the persist stage: {', '.join(changed)}"))
    return done


async def cut(trial: Trial, persisted: Persisted, rig: Rig) -> Persisted:
    """Decide the commit from what was captured, wipe, and capture what a query session will find."""
    surface = trial.conditions.agent.surface
    if "commit" in trial.conditions.unseen:
        commit = UNSEEN
    else:
        commit = find_commit(trial.task.claim.text, persisted.before, persisted.captured, surface)
        commit = authored(commit, _tool_uses(persisted.conversation))
    done = replace(persisted, commit=commit)
    try:
        wipe = await rig.slot.wipe()
    except AgentError as error:
        return replace(done, failure=named(error))
    start, unread = _capture(rig.slot)
    return replace(done, wipe=wipe, start=start, failure=unread)


async def query(trial: Trial, persisted: Persisted, rig: Rig, session: Session = QUERY) -> Queried:
    """Hold the query conversation in a fresh session over the wiped slot, and attest the cut."""
    return await _query(trial, persisted, rig, session=session.name)


async def fork_query(trial: Trial, persisted: Persisted, durable: Tree, rig: Rig, *, arm: str) -> Queried:
    """One more query session, from the baseline with the durable surfaces of any tree: the one that the persist stage
    left, an empty one, an edited one. ``arm`` names it; each arm has a session of its own.

    Raises AgentCrashed when the slot does not hold these surfaces afterwards.
    """
    await rig.slot.reset()
    rig.slot.restore_durable(durable)
    surface = trial.conditions.agent.surface
    restored = rig.slot.capture()
    if _committed_surfaces(restored, surface) != _committed_surfaces(durable, surface):
        raise AgentCrashed("the slot does not hold the durable state that was put into it.")
    origin = replace(persisted, captured=restored, start=restored, wipe=None)
    return await _query(trial, origin, rig, session=f"query {arm}")


async def _query(trial: Trial, persisted: Persisted, rig: Rig, *, session: str) -> Queried:
    surface, start = trial.conditions.agent.surface, persisted.start
    conversation = await hold_conversation(
        rig,
        trial.conditions.settings,
        "query",
        session_id=trial.session_id(session),
        texts=trial.query_texts,
        settle=_settle(trial, rig, "quiescence"),  # the paper waits after the persist stage only
    )
    after, unread = _capture(rig.slot)
    done = Queried(conversation, start, after, failure=conversation.failure or unread)
    if done.failure is not None:
        return done
    attested = attest(
        Evidence(
            claim=trial.task.claim.text,
            canary=persisted.canary,
            persist_session=persisted.conversation.session_id,
            query_session=conversation.session_id,
            persist_texts=persisted.conversation.texts,
            query_texts=conversation.texts,
            query_replies=tuple(turn.agent for turn in conversation.turns),
            exchanges=(*persisted.conversation.exchanges, *conversation.exchanges),
            captured=persisted.captured,
            start=start,
            wipe=persisted.wipe or WipeReport(removed=(), kept=()),
            surface=surface,
            unseen=trial.conditions.unseen,
        )
    )
    return replace(done, cut=attested, failure=_verdict(attested, changed_config(start, done.after, surface)))


def _tool_uses(conversation: Conversation) -> tuple[ToolUse, ...]:
    """Every tool call of a conversation, those of late reviews last."""
    late = conversation.flush.tool_uses if conversation.flush else ()
    return (*(use for turn in conversation.turns for use in turn.tool_calls), *late)


def _capture(slot: AgentSlot) -> tuple[Tree, Failure | None]:
    """What a slot holds, or an empty tree and why it cannot be read."""
    try:
        return slot.capture(), None
    except AgentError as error:
        return {}, named(error)


def _settle(trial: Trial, rig: Rig, policy: FlushPolicy) -> Callable[[AgentSession], Awaitable[Flush]]:
    agent, clock = trial.conditions.agent, trial.conditions.clock

    async def settle(session: AgentSession) -> Flush:
        return await wait_until_quiet(
            session, rig, policy=policy, cap_s=fixed_wait_s(agent.name), surface=agent.surface, clock=clock
        )

    return settle


def _verdict(cut: Cut, changed: tuple[str, ...]) -> Failure | None:
    if (reason := broken_check(cut)) is not None:
        return reason, "; ".join(cut.details)
    if changed:
        return InvalidReason.CONFIG_CHANGED, f"in the query stage: {', '.join(changed)}"
    return None


def _committed_surfaces(tree: Tree, surface: Callable[[str], Surface]) -> dict[str, str]:
    return {path: state.sha256 for path, state in tree.items() if surface(path) in DURABLE_SURFACES}
