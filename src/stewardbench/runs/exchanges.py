"""Model calls as one stored blob per episode: every request and reply, each distinct message written once.

A conversation's requests repeat each other, so messages and tool lists are pooled: an episode of half a megabyte of
requests takes a few kilobytes.
"""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Iterable, Sequence
from typing import Any, BinaryIO, cast

from stewardbench.errors import StoreError
from stewardbench.models.messages import ChatRequest, Exchange
from stewardbench.records import BlobStore, canonical_json
from stewardbench.records.bounds import whole

FORMAT = "exchanges/1"
RESTORE = "Restore the run folder from a copy, or read it with the version that wrote it."


def pack(exchanges: Iterable[Exchange]) -> bytes:
    """The stored form of an episode's model calls; equal calls give equal bytes."""
    pool = _Pool()
    rows = []
    for exchange in exchanges:
        row = exchange.model_dump(mode="json", exclude={"request"})
        request = exchange.request
        row["request"] = {
            "messages": pool.place("messages", request.messages),
            "tools": pool.place("tools", request.tools),
            "rest": request.model_dump(mode="json", exclude={"messages", "tools"}),
        }
        rows.append(row)
    stored = f'{{"format":"{FORMAT}","pool":[{pool.text}],"exchanges":{json.dumps(rows, ensure_ascii=False)}}}'
    return gzip.compress(stored.encode("utf-8", "surrogatepass"), compresslevel=6, mtime=0)


def unpack(data: bytes) -> tuple[Exchange, ...]:
    """The model calls of a stored blob. Raises StoreError when it is not one."""
    try:
        with gzip.open(io.BytesIO(data)) as packed:
            text = whole(cast(BinaryIO, packed))  # a few kilobytes could unpack to gigabytes
        stored = json.loads(text.decode("utf-8", "surrogatepass"))
        if stored["format"] != FORMAT:
            raise StoreError(f"model calls are stored as {stored['format']}, not {FORMAT}.", hint=RESTORE)
        pool = stored["pool"]
        return tuple(_exchange(row, pool) for row in stored["exchanges"])
    except (OSError, EOFError, ValueError, AttributeError, LookupError, TypeError, RecursionError, zlib.error) as error:
        raise StoreError(f"stored model calls cannot be read: {error}.", hint=RESTORE) from error


def load_exchanges(blobs: BlobStore, digest: str) -> tuple[Exchange, ...]:
    """The model calls of an episode, by the hash in its record; none where it made none."""
    return unpack(blobs.get(digest)) if digest else ()


class _Pool:
    """Distinct values by number. A request repeats the one before it, so that is looked at first."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._before: dict[str, list[tuple[Any, int]]] = {}

    @property
    def text(self) -> str:
        """All values, as the inside of a JSON list."""
        return ",".join(self._numbers)

    def place(self, part: str, values: Sequence[Any]) -> list[int]:
        """The numbers of some values, new ones where a value is new."""
        before = self._before.get(part, [])
        placed = [
            before[place]
            if place < len(before) and before[place][0] == value
            else (value, self._numbers.setdefault(canonical_json(value), len(self._numbers)))
            for place, value in enumerate(values)
        ]
        self._before[part] = placed
        return [number for _, number in placed]


def _exchange(row: dict[str, Any], pool: Sequence[Any]) -> Exchange:
    request = row.pop("request")
    messages, tools = ([pool[place] for place in request[part]] for part in ("messages", "tools"))
    whole = ChatRequest.model_validate({"messages": messages, "tools": tools, **request["rest"]})
    return Exchange.model_validate({**row, "request": whole})
