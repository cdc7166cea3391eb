"""What an agent is told that its model is called."""

import pytest

from stewardbench.errors import UsageError
from stewardbench.models.naming import MASKED, told_name


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("openai/gpt-5", "gpt-5"),
        ("openrouter/openai/gpt-5.4", "openai/gpt-5.4"),
        ("http://127.0.0.1:8000/v1#Qwen/Qwen3-8B", "Qwen/Qwen3-8B"),
        ("scripted/promoter", "promoter"),
        ("bedrock/anthropic.claude-sonnet-4-5-v1:0", "anthropic.claude-sonnet-4-5-v1:0"),
    ],
)
def test_the_real_name_is_told_without_its_provider(model, told):
    assert told_name(model) == told


def test_a_deployment_is_told_under_the_name_of_its_family():
    assert told_name("azureai/prod-2", override="gpt-5") == "gpt-5"


def test_the_masked_arm_tells_nothing_of_it():
    assert told_name("openai/gpt-5", masked=True) == MASKED
    with pytest.raises(UsageError, match="exclude each other"):
        told_name("openai/gpt-5", override="gpt-5", masked=True)


@pytest.mark.parametrize("name", ["a name", "gpt\n5", "x" * 200, "/"])
def test_what_no_server_calls_a_model_is_refused(name):
    with pytest.raises(UsageError, match="--model-name"):
        told_name("openai/gpt-5", override=name)
