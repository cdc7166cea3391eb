"""What an agent is told that its model is called.

Agents choose prompt text and wire form by the model's name: Hermes-Agent and OpenClaw both give GPT, Gemini and others
instructions of their own. A model under another name is therefore measured on prompts that its users never meet. The
name decides nothing else: where a call goes is the gateway's choice, and a judge is never shown it.
"""

from __future__ import annotations

import re

from stewardbench.errors import UsageError

MASKED = "assistant"  # what every agent was told before names were real, and what the ablation tells it
ALLOWED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@+/-]{0,127}")


def told_name(model: str, *, override: str = "", masked: bool = False) -> str:
    """The name for a run's model: ``override`` when given, ``MASKED`` in that arm, else the model without its provider.

    ``openai/gpt-5`` is told as ``gpt-5``, ``openrouter/openai/gpt-5`` as ``openai/gpt-5`` (as OpenRouter's users write
    it), ``http://host/v1#qwen3`` as ``qwen3``. ``override`` is for endpoints whose served name is not the family's,
    such as a deployment called ``prod-2``. Raises UsageError for a name that no server could have, and for both choices
    at once.
    """
    if override and masked:
        raise UsageError("--model-name and --masked-name exclude each other.", hint="Give one of them.")
    if masked:
        return MASKED
    name = override or _without_provider(model)
    if not ALLOWED.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot be the name of a model that an agent is told.",
            hint="Give the name that its users write with --model-name, for example --model-name gpt-5.",
        )
    return name


def _without_provider(model: str) -> str:
    if model.startswith(("http://", "https://")):
        return model.partition("#")[2]
    _, slash, name = model.partition("/")
    return name if slash else model
