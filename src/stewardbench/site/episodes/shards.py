"""Data files that a page can load without a server: gzipped JSON inside a script that hands it to the page.

A browser does not let a page opened from disk fetch its neighbours, but it runs their scripts. Each shard is
``steward.receive(name, base64)``; base64 cannot leave a script string, so no recorded text is ever parsed as code.
"""

from __future__ import annotations

import base64
import gzip
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Self

from pydantic import TypeAdapter
from pydantic_core import to_json

from stewardbench.site.episodes.blocks import EpisodeDetail
from stewardbench.site.episodes.index import EpisodeIndex

LEVEL = 3  # of gzip: a tenth larger than the default and three times as fast
AHEAD = 4  # files waiting to be compressed
_DETAILS = TypeAdapter(list[EpisodeDetail])


def write_shard(folder: Path, name: str, payload: bytes) -> None:
    """Write JSON bytes as ``folder/name.js``. The same bytes give the same file."""
    packed = base64.b64encode(gzip.compress(payload, compresslevel=LEVEL, mtime=0)).decode("ascii")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.js").write_text(f'steward.receive("{name}","{packed}");\n', encoding="ascii")


def write_index(folder: Path, name: str, index: EpisodeIndex) -> None:
    """Write the list of episodes as ``folder/name.js``."""
    write_shard(folder, name, to_json(index.plain()))


class DetailShards:
    """Writes episode details in order, ``per_shard`` to a file. Use as a context manager.

    Compression runs beside the caller, at most ``AHEAD`` files behind, so memory holds a few files' worth.
    """

    def __init__(self, folder: Path, prefix: str, per_shard: int) -> None:
        self._folder, self._prefix, self._per_shard = folder, prefix, per_shard
        self._waiting: list[EpisodeDetail] = []
        self._written = 0
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="shards")
        self._writing: deque[Future[None]] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._pool:
            if kind is None:
                self._flush()
                while self._writing:
                    self._writing.popleft().result()

    def add(self, detail: EpisodeDetail) -> None:
        """Append one episode."""
        self._waiting.append(detail)
        if len(self._waiting) == self._per_shard:
            self._flush()

    def _flush(self) -> None:
        if not self._waiting:
            return
        payload = _DETAILS.dump_json(self._waiting)
        name = f"{self._prefix}-{self._written}"
        self._writing.append(self._pool.submit(write_shard, self._folder, name, payload))
        if len(self._writing) > AHEAD:
            self._writing.popleft().result()
        self._written += 1
        self._waiting = []
