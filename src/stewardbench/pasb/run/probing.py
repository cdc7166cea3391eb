"""Probing a judge: stored episodes with answers that cannot contain the claim, judged like any other.

Probe judgments stand in the same file, marked with their probe; no rate counts them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from stewardbench.errors import UsageError
from stewardbench.pasb.judging import reference_judge
from stewardbench.pasb.judging.judge import ARC_SCHEMA, TURN_SCHEMA, judge_episode
from stewardbench.pasb.judging.probes import PROBES, probed
from stewardbench.pasb.records import Episode, Judgment, Task
from stewardbench.pasb.run.closing import NOT_JUDGED, fault
from stewardbench.pasb.run.judges import ModelJudge, ReferenceJudge, asker
from stewardbench.pasb.run.scoring import Reading, ScoringJob, Stored, is_unscored, judge_stored
from stewardbench.runs.closing import Closing
from stewardbench.runs.progress import Progress, Watch, ignore
from stewardbench.seeding import derive


class ProbeStore(Stored):
    """A run folder whose jobs are probes: a fixed share of its episodes, each under one probe."""

    def __init__(self, path: Path, probe: str, share: float, *, locked: bool) -> None:
        if probe not in PROBES:
            raise UsageError(f"no probe {probe!r}.", hint=f"There are: {', '.join(PROBES)}.")
        super().__init__(path, locked=locked)
        self.probe, self.share = probe, share

    def judging(self, judge: str, reading: Reading) -> Iterator[ScoringJob]:
        """The probe judgments that a judge still owes; the same episodes for every judge."""
        held = {
            j.episode_id
            for j in self.store.judgments()
            if j.judge_model == judge and j.probe == self.probe and not (reading.retry_unscored and is_unscored(j))
        }
        return (job for job in self.chosen() if job.episode.episode_id not in held)

    def chosen(self) -> Iterator[ScoringJob]:
        """Every probe judgment that a judge is asked for, made or not."""
        every = list(self.valid())
        others = [episode for _, episode in every]
        for task, episode in every:
            if derive(0, "probe", episode.task_id) < self.share * 2**64:
                altered = probed(self.probe, episode, others)
                if altered is not None:
                    yield ScoringJob(task, altered)

    def closing(self, judge: str, unreached: Counter[str]) -> Closing:
        """What a judge was asked under this probe, and what came of it; ``unreached`` counts failures by kind."""
        asked = [job.episode.episode_id for job in self.chosen()]
        made = {
            j.episode_id: fault(j)
            for j in self.store.judgments()
            if j.judge_model == judge and j.probe == self.probe and not j.repeat
        }
        missing = f"{NOT_JUDGED}: {', '.join(kind for kind, _ in unreached.most_common())}" if unreached else NOT_JUDGED
        unscored = Counter(reason for name in asked if (reason := made.get(name, missing)))
        return Closing(asked=len(asked), valid=len(asked), scored=len(asked) - unscored.total(), unscored=unscored)


@dataclass(frozen=True, slots=True)
class ProbeJudge:
    """A judge whose records are marked with a probe."""

    judge_of: ModelJudge | ReferenceJudge
    probe: str

    @property
    def name(self) -> str:
        """The judge's own name."""
        return self.judge_of.name

    async def judge(self, task: Task, episode: Episode, *, repeat: int = 0, blind_to_state: bool = False) -> Judgment:
        """Judge the altered episode as the judge would judge any."""
        if isinstance(self.judge_of, ReferenceJudge):
            return reference_judge.reference_judgment(episode, repeat=repeat, probe=self.probe)
        return await judge_episode(
            task,
            episode,
            asker(self.judge_of.upstream, TURN_SCHEMA),
            ask_arc=asker(self.judge_of.upstream, ARC_SCHEMA),
            judge_model=self.name,
            blind_to_state=blind_to_state,
            same_family=self.judge_of.same_family,
            repeat=repeat,
            probe=self.probe,
        )


async def probe_stored(
    stored: ProbeStore, judge: ModelJudge | ReferenceJudge, *, workers: int = 8, watch: Watch = ignore
) -> Progress:
    """Make and store every probe judgment that a judge owes. Raises EndpointDown when it stays out of reach."""
    return await judge_stored(stored, ProbeJudge(judge, stored.probe), Reading(), workers=workers, watch=watch)
