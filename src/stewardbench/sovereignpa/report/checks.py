"""What can be computed again of a SovereignPA run's records, without a model: every metric, label and page.

A log's metrics follow from its events, and its events from the raw replies: they are scored and played again through
the parser, the platform and the user.
"""

from __future__ import annotations

from collections.abc import Iterator

from stewardbench.errors import StewardError
from stewardbench.records import canonical_json
from stewardbench.runs.folder import RunFolder
from stewardbench.sovereignpa.records import EpisodeLog, read_logs
from stewardbench.sovereignpa.rescore import replayed, rescored
from stewardbench.sovereignpa.sets import AnyScenario, read_situations, scenarios_of


def checks(folder: RunFolder, *, blobs: bool) -> Iterator[str]:
    """A sentence for everything that does not follow from the rest of a run's records. Raises StoreError."""
    situations = folder.path / "tasks.jsonl"
    scenarios = scenarios_of(read_situations(situations)) if situations.exists() else {}
    asked = folder.manifest.settings.get("model"), folder.manifest.settings.get("agent")
    for log in read_logs(folder.path / "episodes.jsonl"):
        name = f"{log.scenario_id} (seed {log.source.seed}, attempt {log.attempt})"
        for fault in _faults(log, scenarios.get(log.scenario_id)):
            yield f"{name}: {fault}"
        if asked[0] and log.source.model != asked[0]:
            yield f"{name}: its model is {log.source.model}, of its run {asked[0]}"
        if not asked[0] and asked[1] and log.source.agent != asked[1]:
            yield f"{name}: its agent is {log.source.agent}, of its run {asked[1]}"


def _faults(log: EpisodeLog, scenario: AnyScenario | None) -> Iterator[str]:
    if scenario is None:
        yield "its scenario is not among the run's situations"
        return
    try:
        scored, played = rescored(log, scenario), replayed(log, scenario)
    except StewardError as error:
        yield error.message
        return
    except ValueError:  # an episode that has not ended has no log
        yield "its events do not follow from its replies, which do not lead to an end"
        return
    if canonical_json(scored.metrics.as_dict()) != canonical_json(log.metrics.as_dict()):
        yield "its metrics do not follow from its events"
    if canonical_json(played.metrics.as_dict()) != canonical_json(log.metrics.as_dict()):
        yield "its metrics do not follow from its replies"
    elif _events(played) != _events(log):
        yield "its events do not follow from its replies"


def _events(log: EpisodeLog) -> str:
    """What happened, without what a replay cannot know (times, native tool calls, the words of a provider's error)."""
    kept = {"questions", "disclosures", "report", "orders", "viewed", "labels", "survey_texts", "outcome", "valid"}
    return canonical_json(log.model_dump(mode="json", include=kept))
