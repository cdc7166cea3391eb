"""Reading a database that a live gateway owns, without touching it."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def copy_of(database: Path) -> Iterator[sqlite3.Connection]:
    """A connection to a copy of a database as it is now.

    The database itself is never opened: its owner may be replacing it by renaming three files, and a second reader in
    the middle of that leaves it damaged. Raises FileNotFoundError or sqlite3.DatabaseError while it is being replaced.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy.sqlite")
        shutil.copyfile(database, copy)
        with contextlib.suppress(FileNotFoundError):
            shutil.copyfile(f"{database}-wal", f"{copy}-wal")
        with contextlib.closing(sqlite3.connect(copy)) as connection:
            yield connection
