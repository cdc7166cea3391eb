"""Kept fluency scores: how surprising a turn is as something typed to an assistant, in nats per token.

A score is the mean loss per token of the text as the first user turn of a chat, under Qwen2.5-Coder-0.5B-Instruct
(Q4_K_M). Scores are kept by the text's hash, so that a check needs no weights and only a changed text costs anything.
They measure fluency, not sense: 127 turns that real people typed have mean 4.44, three quarters below 4.91, nine tenths
below 5.64.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path

from stewardbench.errors import DataError
from stewardbench.pasb.axes import Scenario
from stewardbench.pasb.tasks.item import BaseItem
from stewardbench.records import sha256_text
from stewardbench.records.texts import read_text

KEY = 16  # hex digits of a text's SHA-256 that name its score
MEAN = 4.9  # at most, in each scenario
HIGH, HIGH_SHARE = 5.6, 0.15  # share of turns above it at most
NEVER = 6.5
FILE = Path(str(files("stewardbench.pasb.data") / "open" / "v2" / "fluency.json"))


def key(text: str) -> str:
    """Under which a text's score is kept."""
    return sha256_text(text)[:KEY]


@cache
def kept_scores() -> dict[str, float]:
    """The packaged scores by key."""
    scores: dict[str, float] = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    return scores


def scored_texts(item: BaseItem, scenario: Scenario) -> tuple[str, ...]:
    """The texts of one item that are scored: the fillers and the claim's own turns."""
    return (*item.fillers.of(scenario), *(text for _, text in item.wordings.of(scenario).turns()))


def unscored(items: Iterable[BaseItem]) -> tuple[str, ...]:
    """Texts without a kept score, each once, in the order of the items."""
    texts = [text for item in items for scenario in Scenario for text in scored_texts(item, scenario)]
    return tuple(dict.fromkeys(text for text in texts if key(text) not in kept_scores()))


def read_scores(path: Path) -> dict[str, float]:
    """Scores by key from a JSON object of hex SHA-256 (of the text's UTF-8 bytes) to loss. Raises DataError."""
    try:
        value = json.loads(read_text(path, "a JSON file"))
    except (ValueError, RecursionError) as error:
        raise DataError(f"not JSON: {error}.", path=path) from None
    if not isinstance(value, dict) or not all(isinstance(score, int | float) for score in value.values()):
        raise DataError("expected one object of text hashes to losses.", path=path, hint="See docs/authoring.md.")
    return {name[:KEY]: round(float(score), 2) for name, score in value.items()}


def merged(scores: dict[str, float], items: Iterable[BaseItem]) -> str:
    """The text of the packaged file with new scores added and scores of texts that are gone left out."""
    wanted = {key(text) for item in items for scenario in Scenario for text in scored_texts(item, scenario)}
    both = {name: score for name, score in (kept_scores() | scores).items() if name in wanted}
    return json.dumps(both, indent=0, sort_keys=True) + "\n"
