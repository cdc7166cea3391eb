"""The errors that stewardbench raises, by the boundary they crossed.

    StewardError
    ├── UsageError        what the user asked for cannot be done as asked (exit code 2)
    ├── DataError         a task, gold or import file is wrong: file, line and field are named
    ├── StoreError        a run folder is locked, changed, damaged or cannot be written
    ├── ModelError        a model endpoint failed; carries the HTTP status it answered with
    ├── EndpointDown      an endpoint failed in the same way so often in a row that the run stopped
    ├── AgentError        an agent process failed
    │   ├── AgentCrashed  it ended or broke its pipe
    │   ├── AgentHung     it did not answer in time
    │   ├── ReviewFailed  its own background writer failed or never ended
    │   ├── StaleIndex    its memory search does not match its memory
    │   ├── StateBounds   it left more files, folders or bytes than are read
    │   ├── LimitExceeded it used more memory, disk, processor time or processes than its slot allows
    │   ├── SlotUnhealthy its slot does not reach its model any more
    │   └── Unreachable   it lives behind an address, which failed
    ├── ConfinementError  the sandbox could not be built
    ├── InstallError      an agent could not be installed into the cache
    └── MachineError      the operating system refused: a full disk, a read-only folder, no permission

Every message says what is wrong and where; ``hint`` says what to do next, and where it is empty the class's
``usual_hint`` does. The command line prints both without a traceback.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Self


class StewardError(Exception):
    """Root of all errors that a user may meet. ``hint`` is the next action, in one sentence."""

    exit_code = 1
    usual_hint = ""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class UsageError(StewardError):
    """The request itself is impossible: an unknown name, two options that exclude each other."""

    exit_code = 2


class DataError(StewardError):
    """A data file breaks its schema. ``path``, ``line`` (1-based) and ``field`` say where."""

    exit_code = 2
    usual_hint = "Correct the file there, then run the same command again."

    def __init__(self, message: str, *, path: Path | str = "", line: int = 0, field: str = "", hint: str = "") -> None:
        self.path, self.line, self.field = str(path), line, field
        where = ":".join(part for part in (str(path), str(line) if line else "", field) if part)
        super().__init__(f"{where}: {message}" if where else message, hint=hint)


class StoreError(StewardError):
    """A run folder is locked by another run, was started with other settings, or cannot be written."""


class ModelError(StewardError):
    """A model endpoint failed.

    ``status`` is the HTTP status to hand on to the client, ``kind`` the failure's name in records (see
    ``models.failures``), ``parameter`` the setting that the endpoint refused, and ``retry_after_s`` the seconds that
    it asked us to wait.
    """

    usual_hint = "Check the endpoint with `stewardbench doctor --model NAME`, then run the same command again."

    def __init__(
        self,
        message: str,
        *,
        status: int = 502,
        kind: str = "upstream_error",
        hint: str = "",
        parameter: str = "",
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.status, self.kind, self.parameter, self.retry_after_s = status, kind, parameter, retry_after_s


class EndpointDown(StewardError):
    """An endpoint failed in the same way so often in a row that going on would only fail again."""


class AgentError(StewardError):
    """An agent process failed in a way that makes the episode invalid. ``reason`` is the record's enum value."""

    reason = "agent_error"
    usual_hint = "Run the same command again; if it stays so, see what `stewardbench agents check NAME` says."


class AgentCrashed(AgentError):
    """The agent's process ended, or its pipe broke, before it answered."""

    reason = "agent_crashed"


class AgentHung(AgentError):
    """The agent did not answer within its time limit and was killed."""

    reason = "agent_timeout"


class ReviewFailed(AgentError):
    """The agent's own background review failed or outlived its limit, so its writes are unknown."""

    reason = "review_failed"


class StaleIndex(AgentError):
    """The agent's memory search index does not follow its memory files, so a search may miss or mix notes."""

    reason = "stale_index"


class StateBounds(AgentError):
    """The agent left more files, folders inside folders or bytes than a capture reads."""

    reason = "state_bounds"


class LimitExceeded(AgentError):
    """The agent used more of the machine than its slot allows; the message names the limit."""

    reason = "limit_exceeded"


class SlotUnhealthy(AgentError):
    """The slot's own way to its model does not answer, so the slot must not be used again."""

    reason = "slot_unhealthy"


class Unreachable(AgentError):
    """An assistant behind an address failed as an endpoint does, which says nothing about the assistant."""

    reason = "model_error"


class ConfinementError(StewardError):
    """The sandbox around an agent could not be built."""


class InstallError(StewardError):
    """An agent could not be installed into the cache folder."""


_ROOM = "Free space, or choose another place with --out, TMPDIR or STEWARDBENCH_CACHE; then run the same command again."
_ALLOWED = "Choose a place that you may read and write, or change its permissions."
_PATH = "Check the path."
_MACHINE_HINTS = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), _ROOM),
    **dict.fromkeys((errno.EROFS, errno.EACCES, errno.EPERM), _ALLOWED),
    **dict.fromkeys((errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENAMETOOLONG, errno.ELOOP), _PATH),
    **dict.fromkeys((errno.EMFILE, errno.ENFILE), "Use fewer workers, or raise the limit on open files (ulimit -n)."),
    errno.EADDRINUSE: "Choose another --port.",
    errno.ENOMEM: "Use fewer workers, or a machine with more memory.",
}


class MachineError(StewardError):
    """The operating system refused something: a full disk, a read-only folder, no permission, too many files."""

    @classmethod
    def of(cls, error: OSError, what: str = "") -> Self:
        """What the system said, about which file (or ``what``), and what to do."""
        name = what or (os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else "")
        words = (error.strerror or str(error) or type(error).__name__).rstrip(".")
        number = error.errno or next((code for code in _MACHINE_HINTS if os.strerror(code) in words), 0)
        hint = _MACHINE_HINTS.get(number, "Check the disk and the path, then run the same command again.")
        return cls(f"{name or 'a file or the output'}: {words}.", hint=hint)
