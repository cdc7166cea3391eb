"""What a SovereignPA run declares: all that its numbers depend on, kept in its manifest and checked on resume."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from stewardbench.errors import UsageError
from stewardbench.models.retrying import PATIENCE_S
from stewardbench.records import Misfit, Record, fit, sha256_text
from stewardbench.runs.jobs import Job
from stewardbench.seeding import generator
from stewardbench.sovereignpa.agents import BOOKING_AGENTS, CANCEL_AGENTS, DEFECT_AGENTS
from stewardbench.sovereignpa.axes import Family, Split
from stewardbench.sovereignpa.conversation import Decoding, Voice, decoding_for
from stewardbench.sovereignpa.generate import SHIPPED_SEED, Mode
from stewardbench.sovereignpa.prompts import Defense, Protocol, prompt_file, prompt_sha256
from stewardbench.sovereignpa.records import Source, job_of
from stewardbench.sovereignpa.sets import AnyScenario, booking_set, cancellation_set

CANCELLING_SELF = {"careful": "canceller"}  # the booking agent that has a part in the other family too
RULES = {**BOOKING_AGENTS, **DEFECT_AGENTS, **CANCEL_AGENTS}


class SovereignpaSettings(Record):
    """The choices of one run: a rule-based ``agent`` or a ``model``, and the scenarios.

    ``seeds`` is how many sampling seeds each scenario is run with, from ``seed`` on; rules need one. ``set_seed`` and
    ``mode`` choose the scenario set. ``sample`` takes whole situations, spread over domains, until so many scenarios
    are reached; ``limit`` the first scenarios.
    """

    agent: str = ""
    model: str = ""
    defense: Defense = Defense.DIRECT
    protocol: Protocol = "json"
    family: Literal["booking", "cancellation", "both"] = "both"
    split: Split = Split.TEST
    seed: int = 0
    seeds: int = Field(1, ge=1)
    set_seed: int = SHIPPED_SEED
    mode: Mode = Mode.QUOTA
    sample: int | None = Field(None, ge=1)
    limit: int | None = Field(None, ge=1)
    decoding: Decoding | None = None
    system_role: bool = True
    max_attempts: int = Field(3, ge=1)
    patience_s: float = Field(PATIENCE_S, ge=0)

    def voice(self, family: Family) -> Voice:
        """How the model is spoken to in one family. The cancellation family knows no firewall."""
        return Voice(
            family=family,
            protocol=self.protocol,
            defense=self.defense,
            decoding=self.decoding or decoding_for(self.model),
            system_role=self.system_role,
        )

    def source(self, family: Family, seed: int) -> Source:
        """The columns that tell this run's episodes from another's."""
        if self.agent:
            return Source(agent=self.agent)
        return Source(
            agent="llm",
            model=self.model,
            prompt=prompt_file(family, self.protocol),
            defense=self.defense.value,
            protocol=self.protocol,
            seed=seed,
            details={"prompt_sha256": prompt_sha256(family, self.protocol, self.defense)},
        )


@dataclass(frozen=True)
class ScenarioJob:
    """One episode to run: a scenario under a sampling seed."""

    scenario: AnyScenario
    seed: int

    @property
    def key(self) -> Job:
        """What identifies the episode within a run."""
        return job_of(self.scenario.scenario_id, self.seed)


SEE_OPTIONS = "See `stewardbench run sovereignpa --help`; under `inspect eval` an option is written -T name=value."


def sovereignpa_settings(**choices: Any) -> SovereignpaSettings:
    """Settings from loose values, as a command line or Inspect gives them. Raises UsageError naming the bad one."""
    try:
        settings = fit(SovereignpaSettings, choices)
    except Misfit as misfit:
        raise UsageError(f"{misfit.field}: {misfit.sentence}", hint=SEE_OPTIONS) from None
    return _checked(settings)


def families(settings: SovereignpaSettings) -> tuple[Family, ...]:
    """The families that a run covers: those asked for, as far as a rule-based agent knows them."""
    asked = tuple(Family) if settings.family == "both" else (Family(settings.family),)
    if not settings.agent:
        return asked
    known = {Family.CANCELLATION} if settings.agent in CANCEL_AGENTS else {Family.BOOKING}
    if settings.agent in CANCELLING_SELF:
        known.add(Family.CANCELLATION)
    return tuple(family for family in asked if family in known)


def jobs(settings: SovereignpaSettings) -> tuple[ScenarioJob, ...]:
    """Every episode of a run, situation by situation."""
    chosen: list[AnyScenario] = []
    for family in families(settings):
        if family is Family.BOOKING:
            chosen += booking_set(settings.split, seed=settings.set_seed, mode=settings.mode)
        else:
            chosen += cancellation_set(settings.split, seed=settings.set_seed)
    if settings.sample is not None:
        chosen = _sampled(chosen, settings.sample, settings.seed)
    chosen = chosen[: settings.limit]
    return tuple(
        ScenarioJob(scenario, settings.seed + number) for number in range(settings.seeds) for scenario in chosen
    )


def manifest_settings(settings: SovereignpaSettings, found: tuple[ScenarioJob, ...]) -> dict[str, Any]:
    """The settings as a manifest holds them, with what they resolve to."""
    prompts = {}
    if settings.model:
        prompts = {
            f"{family.value}_prompt_sha256": prompt_sha256(family, settings.protocol, settings.defense)
            for family in families(settings)
        }
    scenarios = sha256_text("\n".join(job.scenario.sha256 for job in found))
    decoding = settings.voice(Family.BOOKING).decoding if settings.model else None
    return {
        **settings.model_dump(mode="json"),
        **prompts,
        "decoding": decoding.model_dump(mode="json") if decoding else None,
        "scenarios_sha256": scenarios,
    }


def _checked(settings: SovereignpaSettings) -> SovereignpaSettings:
    if bool(settings.agent) == bool(settings.model):
        raise UsageError(
            "name either an agent or a model.", hint=f"Rule-based agents: {', '.join(RULES)}. Models: any Inspect name."
        )
    if settings.agent:
        if settings.agent not in RULES:
            raise UsageError(f"no rule-based agent {settings.agent!r}.", hint=f"There are: {', '.join(RULES)}.")
        if settings.defense is not Defense.DIRECT or settings.protocol != "json" or settings.seeds != 1:
            raise UsageError(
                f"agent {settings.agent} follows rules: a defence, a protocol or more seeds would change nothing.",
                hint="Leave them out, or name a model.",
            )
    if not families(settings):
        raise UsageError(
            f"agent {settings.agent} knows nothing of the {settings.family} family.",
            hint=f"Cancellation agents: {', '.join((*CANCELLING_SELF, *CANCEL_AGENTS))}.",
        )
    if settings.defense is Defense.FIREWALL and Family.CANCELLATION in families(settings):
        raise UsageError("the firewall filters booking pages only.", hint="Choose the family booking.")
    return settings


def _sampled(scenarios: list[AnyScenario], wanted: int, seed: int) -> list[AnyScenario]:
    """Whole situations in a seeded order that goes round the domains, until enough scenarios are there."""
    by_situation: dict[str, list[AnyScenario]] = {}
    for scenario in scenarios:
        by_situation.setdefault(scenario.situation.sid, []).append(scenario)
    by_domain: dict[str, list[str]] = {}
    for sid in by_situation:
        by_domain.setdefault(sid.rpartition("-")[0], []).append(sid)
    for domain, sids in by_domain.items():
        generator(seed, domain, "sample").shuffle(sids)
    order = list(by_domain)
    generator(seed, "sample", "domains").shuffle(order)
    rounds = max(map(len, by_domain.values()), default=0)
    picked = [by_domain[domain][turn] for turn in range(rounds) for domain in order if turn < len(by_domain[domain])]
    kept: list[AnyScenario] = []
    for sid in picked:
        if len(kept) >= wanted:
            break
        kept += by_situation[sid]
    chosen = {scenario.scenario_id for scenario in kept}
    return [scenario for scenario in scenarios if scenario.scenario_id in chosen]
