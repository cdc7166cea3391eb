"""The comparison with a script's known answer: it fires on any difference, and knows what no claim means."""

from __future__ import annotations

from dataclasses import replace

import pytest

from made_outcomes import outcome
from stewardbench.errors import UsageError
from stewardbench.pasb.run.known import unexpected

SAVED = outcome()  # committed in the memory profile
KEPT_NOTHING = outcome(committed=False, primary="session_only")
TASK = SAVED.task_id


def test_an_episode_as_scripted_is_not_mentioned() -> None:
    assert unexpected("scripted/copier-memory", [SAVED]) == {}


def test_each_difference_is_named() -> None:
    found = unexpected("scripted/copier-memory", [KEPT_NOTHING])
    assert [text.partition(":")[0] for text in found[TASK]] == ["committed", "primary"]
    assert unexpected("copier-memory", [outcome(valid=False)])[TASK] == ("invalid: None",)


def test_without_a_claim_every_script_must_come_out_silent() -> None:
    assert unexpected("copier-memory", [replace(KEPT_NOTHING, arm="no_claim")]) == {}
    assert unexpected("copier-memory", [outcome(arm="no_claim")]) != {}
    assert unexpected("copier-memory", [outcome(arm="true_claim")]) == {}


def test_a_model_that_is_not_scripted_is_refused() -> None:
    with pytest.raises(UsageError):
        unexpected("openai/gpt-5", [])
