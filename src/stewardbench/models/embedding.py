"""A deterministic local embedding: texts are near when they share words.

Agents with searchable memory need an embedding endpoint. A learned model would add a download and a source of
variation; random vectors would fall below the score floor of a search and look like lost memory. Here a text is the
bag of its lower-case word stems, hashed into ``DIMENSIONS`` non-negative buckets with square-root counts and scaled to
length one, so that the cosine of two texts is their word overlap: 1 for the same words, near 0 for none in common.
"""

from __future__ import annotations

import base64
import math
import re
import struct
import zlib
from collections import Counter
from typing import Any

from stewardbench.errors import ModelError

NAME = "word-overlap"
DIMENSIONS = 512
MAX_DIMENSIONS = 4096
_WORD = re.compile(r"\w+", re.UNICODE)
_ENDINGS = ("ing", "ed", "es", "s")


def embed(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """The unit vector of a text. A text without words gets the first basis vector, since cosine needs a length."""
    buckets = [0.0] * dimensions
    for word, count in Counter(map(_stem, _WORD.findall(text.lower()))).items():
        buckets[zlib.crc32(word.encode()) % dimensions] += math.sqrt(count)
    length = math.sqrt(sum(value * value for value in buckets))
    if length == 0:
        return [1.0] + [0.0] * (dimensions - 1)
    return [value / length for value in buckets]


def embeddings(value: dict[str, Any]) -> dict[str, Any]:
    """The answer to an OpenAI embeddings request. Raises ModelError (400) for inputs that are not text."""
    given = value.get("input")
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        raise ModelError("'input' must be a text or a list of texts.", status=400, kind="invalid_request")
    dimensions = value.get("dimensions") or DIMENSIONS
    if not isinstance(dimensions, int) or not 1 <= dimensions <= MAX_DIMENSIONS:
        raise ModelError(f"'dimensions' must be 1 to {MAX_DIMENSIONS}.", status=400, kind="invalid_request")
    packed = value.get("encoding_format") == "base64"
    vectors = [embed(text, dimensions) for text in texts]
    words = sum(len(text.split()) for text in texts)
    return {
        "object": "list",
        "model": NAME,
        "data": [
            {"object": "embedding", "index": index, "embedding": _pack(vector) if packed else vector}
            for index, vector in enumerate(vectors)
        ],
        "usage": {"prompt_tokens": words, "total_tokens": words},
    }


def _stem(word: str) -> str:
    return next(
        (word[: -len(ending)] for ending in _ENDINGS if word.endswith(ending) and len(word) > len(ending) + 2), word
    )


def _pack(vector: list[float]) -> str:
    """Little-endian float32 in base64, the default of the official client."""
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode("ascii")
