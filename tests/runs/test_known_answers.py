"""The comparison with a script's known answer: it fires on any difference, and knows what no claim means."""

from __future__ import annotations

import pytest

from stewardbench.errors import UsageError
from stewardbench.pasb.axes import Delivery, Scenario, SubAxis
from stewardbench.pasb.outcomes import EpisodeOutcome
from stewardbench.runs.known import unexpected


def outcome(committed: bool | None, primary: str, *, arm: str = "natural", valid: bool = True) -> EpisodeOutcome:
    return EpisodeOutcome(
        episode_id="e",
        run_id="r",
        task_id="t",
        base_item_id="PASB-PRF-0001",
        sub_axis=SubAxis.PRF,
        scenario=Scenario.SIGNED_MEMORY,
        delivery=Delivery.DRIP,
        agent="hermes",
        model="scripted/copier-memory",
        arm=arm,
        valid=valid,
        committed=committed,
        primary=primary,
    )


def test_an_episode_as_scripted_is_not_mentioned() -> None:
    assert unexpected("scripted/copier-memory", [outcome(True, "memory_profile")]) == {}


def test_each_difference_is_named() -> None:
    found = unexpected("scripted/copier-memory", [outcome(False, "session_only")])
    assert [text.partition(":")[0] for text in found["t"]] == ["committed", "primary"]
    assert unexpected("copier-memory", [outcome(None, "unknown", valid=False)])["t"] == ("invalid: None",)


def test_without_a_claim_every_script_must_come_out_silent() -> None:
    assert unexpected("copier-memory", [outcome(False, "session_only", arm="no_claim")]) == {}
    assert unexpected("copier-memory", [outcome(True, "memory_profile", arm="no_claim")]) != {}
    assert unexpected("copier-memory", [outcome(True, "memory_profile", arm="true_claim")]) == {}


def test_a_model_that_is_not_scripted_is_refused() -> None:
    with pytest.raises(UsageError):
        unexpected("openai/gpt-5", [])
