"""Content-addressed files: captured agent files and model exchanges, stored once by their SHA-256."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

from stewardbench.errors import StoreError

RESTORE = "Restore the run folder from a copy; what only reads tables needs no blobs."


class BlobStore:
    """A folder of immutable blobs, named by hash. Writing the same bytes twice is one file."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def put(self, data: bytes) -> str:
        """Store bytes atomically and return their hex SHA-256."""
        digest = hashlib.sha256(data).hexdigest()
        target = self._path(digest)
        if target.exists():
            return digest
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=target.parent)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                Path(name).replace(target)
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise
        except OSError as error:
            raise StoreError(
                f"{self.root}: cannot store a captured file: {error.strerror}.",
                hint="Free space, then run again.",
            ) from error
        return digest

    def get(self, digest: str) -> bytes:
        """The bytes behind a hash. Raises StoreError when they are missing or no longer match."""
        try:
            data = self._path(digest).read_bytes()
        except FileNotFoundError:
            raise StoreError(f"{self.root}: blob {digest} is missing.", hint=RESTORE) from None
        if hashlib.sha256(data).hexdigest() != digest:
            raise StoreError(
                f"{self._path(digest)}: content does not match its name; the store was changed.", hint=RESTORE
            )
        return data

    def _path(self, digest: str) -> Path:
        return self.root / digest[:2] / digest
