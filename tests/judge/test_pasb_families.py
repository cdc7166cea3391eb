"""Model families: a judge of the subject's own family is recognised by name."""

import pytest

from stewardbench.pasb.judging.families import family, same_family


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("openai/gpt-5.4", "openai"),
        ("openrouter/openai/gpt-5.4-mini", "openai"),
        ("azureai/o3-mini", "openai"),
        ("anthropic/claude-opus-5", "anthropic"),
        ("openrouter/moonshotai/kimi-k2.6", "moonshot"),
        ("together/deepseek-ai/DeepSeek-V4-Pro", "deepseek"),
        ("zai/glm-5.1", "zhipu"),
        ("vllm/Qwen/Qwen3-8B", "alibaba"),
        ("scripted/echo", ""),
        ("reference", ""),
        ("some/unheard-of", ""),
    ],
)
def test_family(model, name):
    assert family(model) == name


def test_same_family():
    assert same_family("openai/gpt-5.4", "openrouter/openai/o3")
    assert same_family("some/unheard-of", "some/unheard-of")
    assert not same_family("openai/gpt-5.4", "anthropic/claude-opus-5")
    assert not same_family("some/unheard-of", "other/unknown")
    assert not same_family("reference", "scripted/echo")
