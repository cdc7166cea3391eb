"""Where model calls go, by name: a scripted model, a plain endpoint, or any Inspect model."""

from __future__ import annotations

import os

from stewardbench.errors import UsageError
from stewardbench.models.http_upstream import HttpUpstream
from stewardbench.models.inspect_upstream import InspectUpstream
from stewardbench.models.messages import Upstream
from stewardbench.models.retrying import PATIENCE_S, Retrying
from stewardbench.models.scripted.lexicon import Lexicon
from stewardbench.models.scripted.model import ScriptedModel
from stewardbench.models.scripted.scripts import PREFIX

KEY_VARIABLE = "STEWARDBENCH_ENDPOINT_KEY"


def open_upstream(
    name: str, *, lexicon: Lexicon | None = None, key: str | None = None, patience_s: float = PATIENCE_S
) -> Upstream:
    """The upstream of a name.

    ``scripted/NAME`` is a scripted model, which recognises claims by ``lexicon``; ``http://host:port/v1#MODEL`` is a
    plain OpenAI-compatible endpoint, with ``key`` or, when that is None, the environment's STEWARDBENCH_ENDPOINT_KEY;
    anything else is an Inspect model name such as ``openai/gpt-5``. Calls of the latter two are retried with
    ``patience_s`` seconds of pauses at most (``models.retrying``). Raises UsageError when there is no such model.
    """
    if name.startswith(PREFIX):
        return ScriptedModel(name, lexicon)
    if name.startswith(("http://", "https://")):
        base_url, mark, model = name.partition("#")
        if not mark or not model:
            raise UsageError(f"{base_url}: which model?", hint="Write http://host:port/v1#model.")
        plain = HttpUpstream(base_url, model, os.environ.get(KEY_VARIABLE, "") if key is None else key)
        return Retrying(plain, patience_s)
    return Retrying(_inspect(name), patience_s)


def _inspect(name: str) -> InspectUpstream:
    from inspect_ai.model import get_model
    from rich.text import Text

    try:
        return InspectUpstream(get_model(name))
    except Exception as error:  # Inspect raises its own, its providers' and plain types here
        reason = " ".join(Text.from_markup(str(getattr(error, "message", None) or error)).plain.split())
        raise UsageError(
            f"{name}: cannot be opened as a model: {reason}",
            hint="Write provider/model as Inspect knows it, and set the provider's key.",
        ) from error
