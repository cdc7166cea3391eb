"""One PASB run: tasks become stored episodes, and episodes become stored judgments, each exactly once.

    episode(job)     a job's stored final episode, or attempts on a free slot until one is valid or none is left
    judgment(...)    what the judge says of a valid episode, stored before it is handed on

An agent or model that fails makes an attempt invalid, which is stored like any other. A failed endpoint does too, but
such an attempt is not counted (``runs.outage``). An error of ours (a full disk, an agent that cannot be installed) or
an endpoint that stays down stops the run: ``stopped`` holds it, and no further task is begun.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from stewardbench.agents.interface import Agent, saves_of
from stewardbench.errors import ModelError, StewardError
from stewardbench.models.failures import failed as model_failed
from stewardbench.models.messages import Exchange, Upstream
from stewardbench.models.scripted.hands import declaring
from stewardbench.models.scripted.lexicon import Lexicon, using
from stewardbench.pasb.episode.assembly import assemble, exchanges_of
from stewardbench.pasb.episode.protocol import Conditions, Trial, run_episode
from stewardbench.pasb.episode.turns import Rig
from stewardbench.pasb.records import Episode, InvalidReason, Judgment
from stewardbench.pasb.run.judges import Judge
from stewardbench.pasb.run.settings import PasbSettings, TaskJob
from stewardbench.pasb.run.store import PasbStore, is_endpoints, read_tasks
from stewardbench.runs.jobs import Job
from stewardbench.runs.outage import Outage
from stewardbench.runs.progress import Progress, Watch, ignore
from stewardbench.runs.slots import Seat, SlotPool

DEAD = frozenset(
    {
        InvalidReason.AGENT_CRASHED,
        InvalidReason.AGENT_TIMEOUT,
        InvalidReason.REVIEW_FAILED,
        InvalidReason.LIMIT_EXCEEDED,
        InvalidReason.SLOT_UNHEALTHY,
    }
)


def is_dead(episode: Episode) -> bool:
    """Whether the slot must not be used again: its agent died, or could not reach its model."""
    cut_off = episode.invalid_reason is InvalidReason.AGENT_ERROR and "connection" in episode.invalid_detail.casefold()
    return cut_off or episode.invalid_reason in DEAD


class PasbRun:
    """The episode source behind the Inspect task. Not for two event loops at once."""

    def __init__(
        self,
        settings: PasbSettings,
        store: PasbStore,
        agent: Agent,
        jobs: Iterable[TaskJob],
        pool: SlotPool,
        *,
        upstream: Upstream,
        judge: Judge | None,
        watch: Watch = ignore,
    ) -> None:
        manifest = store.folder.manifest
        self.run_id = manifest.run_id
        self.jobs = tuple(jobs)
        self.stopped: StewardError | None = None
        self._store, self._pool, self._judge = store, pool, judge
        self._upstream, self._watch = upstream, watch
        self._max_attempts = settings.max_attempts
        self._outage, self._judge_outage = Outage(), Outage()
        self._lexicon = Lexicon.of_items(read_tasks(store.folder).values())
        self._conditions = Conditions(
            run_id=self.run_id,
            agent=agent,
            agent_version=str(manifest.settings["agent_version"]),
            settings=settings.agent_settings(agent),
            model=settings.model,
            told_model=settings.told_model,
            masked_name=settings.masked_name,
            config_sha256=manifest.settings_sha256,
            seed=settings.seed,
            flush=settings.flush,
        )
        self._held: dict[Job, Episode] = {}
        self.pending = self._pending()
        self.progress = Progress(total=len(self.jobs), earlier=len(self.jobs) - len(self.pending))
        if changes := store.folder.version_changes:
            self.progress.message = f"this run began with {'; '.join(changes)}"

    async def episode(self, job: TaskJob) -> Episode:
        """The final episode of a job. Raises what stopped the run, if anything did."""
        if job.key not in self._held:
            with self._stopping():
                self._held[job.key] = await self._obtain(job)
        return self._held[job.key]

    async def judgment(self, job: TaskJob, episode: Episode) -> Judgment | None:
        """The judgment of a valid episode; None without a judge, or when it cannot be reached."""
        if self._judge is None:
            return None
        with self._stopping():
            try:
                judgment = await self._judge.judge(job.task, episode)
            except ModelError as error:
                self.progress.unjudged += 1
                self._show(f"{self._judge.name}: {error.message}")
                if (down := self._judge_outage.failed(self._judge.name, error)) is not None:
                    raise down from error
                return None
            self._judge_outage.answered()
            self._store.add_judgment(judgment)
        self.progress.judged += 1
        self._show()
        return judgment

    def release(self, job: TaskJob) -> None:
        """A job needs no more work in this start."""
        episode = self._held.pop(job.key, None)
        if episode is not None:
            self.progress.done += episode.valid
            self.progress.unreached += is_endpoints(episode)
            self.progress.invalid += not episode.valid and not is_endpoints(episode)
        self._show()

    def _pending(self) -> tuple[TaskJob, ...]:
        """Jobs without a final episode, and those whose valid episode the judge has not seen."""
        judged = self._store.judged(self._judge.name) if self._judge else set()

        def is_left(job: TaskJob) -> bool:
            if not self._store.is_final(job.key):
                return True
            valid_id = self._store.valid_id(job.key)
            return self._judge is not None and valid_id is not None and valid_id not in judged

        return tuple(job for job in self.jobs if is_left(job))

    async def _obtain(self, job: TaskJob) -> Episode:
        """The final episode of a job; after ``max_attempts`` failures of its endpoint in this start, the last one."""
        unreached = 0
        while not self._store.is_final(job.key):
            async with self._pool.seat() as seat:
                if self.stopped is not None:
                    raise self.stopped
                episode = await self._attempt(job, seat)
                seat.spent = is_dead(episode)
            if not episode.valid:
                self._show(f"{job.key.id}: {episode.invalid_reason}: {episode.invalid_detail}")
            unreached += is_endpoints(episode)
            if self._store.is_final(job.key) or unreached >= self._max_attempts:
                return episode
            self.progress.retried += 1
        return self._store.final_episodes([job.key])[job.key]

    async def _attempt(self, job: TaskJob, seat: Seat) -> Episode:
        trial = Trial(job.task, self._conditions, self._store.attempts(job.key) + 1, job.trial)
        started = self._conditions.clock.now()
        with using(self._lexicon), declaring(saves_of(self._conditions.agent)):
            seat.gateway.begin(self._upstream)
        persisted, queried = await run_episode(trial, Rig(seat.slot, seat.gateway))
        exchanges = exchanges_of(persisted, queried)
        episode = assemble(
            trial,
            persisted,
            queried,
            worker=seat.worker,
            started=started,
            completed=self._conditions.clock.now(),
            exchanges_sha256=self._store.put_exchanges(exchanges),
        )
        self._store.add([episode])
        self._watch_endpoint(episode, exchanges)
        self.progress.input_tokens += episode.input_tokens
        self.progress.output_tokens += episode.output_tokens
        return episode

    def _watch_endpoint(self, episode: Episode, exchanges: Sequence[Exchange]) -> None:
        """Raises EndpointDown when the endpoint fails one task after the other in the same way."""
        if not is_endpoints(episode):
            self._outage.answered()
            return
        failed = next((e for e in reversed(exchanges) if e.error is not None), None)
        if failed is not None and failed.error is not None:
            error = model_failed(failed.status, failed.error.partition(": ")[2], kind=failed.failure)
        else:  # an assistant that could not even be told to begin anew
            error = model_failed(502, episode.invalid_detail)
        if (down := self._outage.failed(self._conditions.model, error)) is not None:
            raise down

    @contextmanager
    def _stopping(self) -> Iterator[None]:
        """Let an error of ours stop the whole run: what is missing is missing for every task."""
        if self.stopped is not None:
            raise self.stopped
        try:
            yield
        except StewardError as error:
            self.stopped = self.stopped or error
            raise
        except Exception as error:
            self.progress.failed += 1
            self._show(f"{type(error).__name__}: {error}")
            raise

    def _show(self, message: str = "") -> None:
        self.progress.message = message or self.progress.message
        self._watch(self.progress)
