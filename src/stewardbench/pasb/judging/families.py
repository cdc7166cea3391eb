"""Which family a model belongs to: a judge must come from another one than its subject (paper section 3.3)."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

import yaml

from stewardbench.records import Record


class ModelFamily(Record):
    """How a family's models are named, and the words in a text that give it away; regular expressions both."""

    names: tuple[str, ...]
    words: tuple[str, ...]


def family(model: str) -> str:
    """The family of a model name such as ``openrouter/openai/gpt-5.4``, or the empty string when it is unknown.

    Scripted models and the reference judge belong to none.
    """
    parts = model.casefold().split("/")
    if parts[0] == "scripted":
        return ""
    last = parts[-1]
    for name, one in families().items():
        if any(re.search(pattern, last) for pattern in one.names):
            return name
    return next((part for part in parts[:-1] if part in families()), "")


def same_family(judge: str, subject: str) -> bool:
    """Whether two models are known to be of one family; a model is always of its own."""
    return judge == subject or (family(judge) != "" and family(judge) == family(subject))


@cache
def families() -> dict[str, ModelFamily]:
    """The packaged families, by name."""
    text = (files("stewardbench.pasb") / "data" / "families.yaml").read_text(encoding="utf-8")
    return {name: ModelFamily.model_validate(fields) for name, fields in yaml.safe_load(text).items()}
