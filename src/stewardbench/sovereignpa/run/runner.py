"""One SovereignPA run: scenarios become stored episode logs, each exactly once.

    rule-based agents   play straight through the pure engine, thousands of episodes a minute
    models              play inside Inspect samples, or directly where Inspect has no name for the endpoint

A provider that fails makes an attempt invalid; it is stored, not counted, and tried again (``runs.outage``). An error
of ours (a full disk) or an endpoint that stays down stops the run and is raised; what was finished until then is kept.
"""

from __future__ import annotations

from collections.abc import Sequence

from stewardbench.errors import ModelError, StewardError
from stewardbench.models.failures import is_infrastructure
from stewardbench.models.messages import Upstream
from stewardbench.runs.closing import Closing
from stewardbench.runs.outage import Outage
from stewardbench.runs.progress import Progress, Watch, ignore
from stewardbench.sovereignpa.agents import booking_agent, cancel_agent
from stewardbench.sovereignpa.axes import Family
from stewardbench.sovereignpa.booking.episode import BookingEpisode, play
from stewardbench.sovereignpa.cancellation.episode import CancelEpisode
from stewardbench.sovereignpa.conversation import converse, failure_of
from stewardbench.sovereignpa.firewall import firewall_pages
from stewardbench.sovereignpa.prompts import Defense
from stewardbench.sovereignpa.records import EpisodeLog, Source, booking_log, cancel_log
from stewardbench.sovereignpa.run.closing import run_closing
from stewardbench.sovereignpa.run.settings import CANCELLING_SELF, ScenarioJob, SovereignpaSettings
from stewardbench.sovereignpa.run.store import SovereignpaStore
from stewardbench.sovereignpa.sets import AnyScenario
from stewardbench.sovereignpa.variants import Scenario

AnyEpisode = BookingEpisode | CancelEpisode
BATCH = 100  # rule-based episodes that share one disk flush


class SovereignpaRun:
    """The episode source behind both ways of running. Not for two event loops at once."""

    def __init__(
        self, settings: SovereignpaSettings, store: SovereignpaStore, jobs: Sequence[ScenarioJob], watch: Watch = ignore
    ) -> None:
        self.run_id = store.folder.manifest.run_id
        self.jobs = tuple(jobs)
        self.patience_s = settings.patience_s
        self.stopped: StewardError | None = None
        self._settings, self._store, self._watch = settings, store, watch
        self._outage = Outage()
        self.pending = tuple(job for job in self.jobs if not store.is_final(job.key))
        self.progress = Progress(total=len(self.jobs), earlier=len(self.jobs) - len(self.pending))
        if changes := store.folder.version_changes:
            self.progress.message = f"this run began with {'; '.join(changes)}"

    def closing(self) -> Closing:
        """What the folder holds of what was asked."""
        return run_closing(self._store, self.progress)

    def play_rules(self) -> None:
        """Run what is missing with the rule-based agent. Raises StoreError."""
        for start in range(0, len(self.pending), BATCH):
            logs = [self._play(job) for job in self.pending[start : start + BATCH]]
            self._store.add(logs)
            self.progress.done += len(logs)
            self._watch(self.progress)

    async def episode(self, job: ScenarioJob, upstream: Upstream) -> EpisodeLog:
        """Run attempts with a model until one is valid, or this start's attempts are used up.

        Raises what stopped the run. An episode whose endpoint failed is tried again by the next start.
        """
        for tries in range(1, self._settings.max_attempts + 1):
            log = await self._attempt(job, upstream)
            if not log.valid:
                self.progress.message = f"{log.scenario_id}: {log.error}"
                self._watch(self.progress)
            if self._store.is_final(job.key) or tries == self._settings.max_attempts:
                break
            self.progress.retried += 1
        reached = not is_infrastructure(failure_of(log.error))
        self.progress.done += log.valid
        self.progress.invalid += not log.valid and reached
        self.progress.unreached += not log.valid and not reached
        self._watch(self.progress)
        return log

    async def _attempt(self, job: ScenarioJob, upstream: Upstream) -> EpisodeLog:
        if self.stopped is not None:
            raise self.stopped
        episode = open_episode(job.scenario, self._settings.defense)
        failure = await converse(episode, upstream, self._settings.voice(job.scenario.family), job.seed)
        source = self._settings.source(job.scenario.family, job.seed)
        log = log_of(episode, source, self._store.attempts(job.key) + 1)
        try:
            self._store.add([log])
            self._watch_endpoint(upstream, failure)
        except StewardError as error:
            self.stopped = self.stopped or error
            raise
        self.progress.input_tokens += sum(turn.input_tokens for turn in log.turns)
        self.progress.output_tokens += sum(turn.output_tokens for turn in log.turns)
        return log

    def _watch_endpoint(self, upstream: Upstream, failure: ModelError | None) -> None:
        """Raises EndpointDown when the endpoint fails one episode after the other in the same way."""
        if failure is None:
            self._outage.answered()
        elif (down := self._outage.failed(upstream.name, failure)) is not None:
            raise down

    def _play(self, job: ScenarioJob) -> EpisodeLog:
        name = self._settings.agent
        episode = open_episode(job.scenario)
        if job.scenario.family is Family.BOOKING:
            play(episode, booking_agent(name))
        else:
            play(episode, cancel_agent(CANCELLING_SELF.get(name, name)))
        return log_of(episode, self._settings.source(job.scenario.family, job.seed), 1)


def open_episode(scenario: AnyScenario, defense: Defense = Defense.DIRECT) -> AnyEpisode:
    """A fresh episode of a scenario, behind the firewall where that is the defence."""
    if isinstance(scenario, Scenario):
        return BookingEpisode(scenario, firewall_pages(scenario) if defense is Defense.FIREWALL else None)
    return CancelEpisode(scenario)


def log_of(episode: AnyEpisode, source: Source, attempt: int) -> EpisodeLog:
    """The log of a finished episode of either family."""
    if isinstance(episode, BookingEpisode):
        return booking_log(episode, source, attempt)
    return cancel_log(episode, source, attempt)
