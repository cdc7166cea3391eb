"""The demonstration: real agents under scripted models, and the rule-based agents of SovereignPA-Bench; no key needed.

Every part is an ordinary run folder that ``report``, ``judge`` and the site can read. A scripted model has a known
answer, so each row says whether the harness found exactly that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from stewardbench.agents.install import ensure_installed
from stewardbench.agents.interface import AgentSettings
from stewardbench.agents.registry import load_agent
from stewardbench.errors import UsageError
from stewardbench.pasb.measure import metrics
from stewardbench.pasb.measure.outcomes import EpisodeOutcome, outcomes
from stewardbench.pasb.records import Annotation, Episode, Judgment
from stewardbench.pasb.run.evaluation import run_pasb
from stewardbench.pasb.run.judges import ReferenceJudge
from stewardbench.pasb.run.known import unexpected
from stewardbench.pasb.run.scoring import Stored, annotate_stored
from stewardbench.pasb.run.settings import pasb_settings
from stewardbench.pasb.run.store import ANNOTATIONS, EPISODES, JUDGMENTS, base_items, read_records
from stewardbench.runs.folder import RunFolder
from stewardbench.runs.progress import Watch, ignore
from stewardbench.sovereignpa.run.evaluation import run_sovereignpa
from stewardbench.sovereignpa.run.settings import sovereignpa_settings

RULES = ("careful", "ask-always", "no-ask", "stale-follower", "overshare", "naive", "retained", "quitter")


@dataclass(frozen=True)
class PasbPart:
    """One run of the demonstration: a scripted model on an agent, over a stratified sample of some packaged tasks."""

    agent: str
    model: str
    sample: int
    tasks: str = "smoke"

    @property
    def folder(self) -> str:
        """The run folder's name."""
        return f"pasb-{self.agent}-{self.model}"


PASB_PARTS = (
    *(PasbPart("hermes", model, 16) for model in ("silent", "copier-profile", "promoter", "rule-maker")),
    PasbPart("hermes", "mixed", 20, "open"),  # 20 base items: every stratum of the model twice
    PasbPart("openclaw", "promoter", 4),
)


@dataclass(frozen=True)
class PasbRow:
    """What one part found: integer counts, and the tasks whose outcome is not the known answer."""

    part: PasbPart
    outcomes: tuple[EpisodeOutcome, ...]
    attested: int
    confined: int
    unexpected: dict[str, tuple[str, ...]]

    @property
    def valid(self) -> list[EpisodeOutcome]:
        """The episodes that enter rates."""
        return [one for one in self.outcomes if one.valid]

    def cells(self) -> list[str]:
        """Agent and model, n, commit, the three surfaces, the six failure rates, attested cuts, known answers met."""
        shares = metrics.surface_shares(self.valid)
        rates = metrics.failure_rates(self.valid)
        return [
            f"{self.part.agent} {self.part.model}",
            str(len(self.valid)),
            metrics.commit_rate(self.valid).percent(0),
            *(shares[label].percent(0) for label in ("user_profile", "memory_profile", "skill")),
            *(rate.percent(0) for rate in rates.values()),
            f"{self.attested}/{len(self.outcomes)}",
            f"{len(self.outcomes) - len(self.unexpected)}/{len(self.outcomes)}",
        ]


async def run_demo(
    out: Path, *, agents: tuple[str, ...], workers: int, tell: Callable[[str], None], watch: Watch = ignore
) -> Iterator[PasbRow]:
    """Install what is missing, run or resume every part, and give back one row per PASB part.

    Raises UsageError for an agent that the demonstration has no part for; else what the runs raise.
    """
    unknown = set(agents) - {part.agent for part in PASB_PARTS}
    if unknown:
        raise UsageError(f"the demonstration has no part for {', '.join(sorted(unknown))}.", hint="Try hermes.")
    parts = [part for part in PASB_PARTS if part.agent in agents]
    for name in RULES:
        tell(f"SovereignPA-Bench: the rule-based agent {name}")
        await run_sovereignpa(sovereignpa_settings(agent=name), out / f"sovereignpa-{name}")
    for part in parts:
        ensure_installed(load_agent(part.agent), AgentSettings(), tell)
        tell(f"PASB: scripted model {part.model} on the real {part.agent}, {part.sample} tasks")
        settings = pasb_settings(
            agent=part.agent, model=f"scripted/{part.model}", judge="reference", tasks=part.tasks, sample=part.sample
        )
        await run_pasb(settings, out / part.folder, workers=workers if part.agent == "hermes" else 1, watch=watch)
        with Stored(out / part.folder, locked=True) as stored:
            await annotate_stored(stored, ReferenceJudge(), watch=watch)
    return (_row(part, out / part.folder) for part in parts)


def _row(part: PasbPart, folder: Path) -> PasbRow:
    run = RunFolder.read(folder)
    episodes = list(read_records(run, EPISODES, Episode))
    found = outcomes(episodes, read_records(run, JUDGMENTS, Judgment), read_records(run, ANNOTATIONS, Annotation))
    final = {one.episode_id for one in found if one.valid}
    kept = [episode for episode in episodes if episode.episode_id in final]
    return PasbRow(
        part,
        tuple(found),
        attested=sum(episode.cut is not None and episode.cut.attested for episode in kept),
        confined=sum(episode.confined for episode in kept),
        unexpected=unexpected(part.model, found, base_items(run)),
    )
