"""What went wrong at a model endpoint, whichever client library noticed it: as a ModelError with a status.

Provider libraries raise hundreds of types. They agree on little but a status number somewhere on the exception, and
that is what we read. An exception that says nothing of the kind is a bug or a limit of the run, not a failed endpoint,
and is left alone.
"""

from __future__ import annotations

import re

import httpx

from stewardbench.errors import ModelError

MAX_MESSAGE = 2000
_SECRETS = re.compile(
    r"(?i)(bearer\s+|(?:api[-_]?key|access[-_]?token|key|token|secret)[\"']?\s*[=:]\s*[\"']?)[^\s\"'&,;}]+|\bsk-[\w-]{8,}"
)
_STATUS_KINDS = {
    400: "bad_request",
    404: "not_found",
    408: "timeout",
    413: "too_large",
    429: "rate_limit",
    504: "timeout",
}


def model_error(error: BaseException) -> ModelError | None:
    """The failure of an endpoint, or None when the exception is not one."""
    cause = _innermost(error)
    if isinstance(cause, ModelError):
        return cause
    status = _status(cause)
    if status is not None:
        return failed(status, str(cause))
    if isinstance(cause, TimeoutError | httpx.TimeoutException) or "timeout" in type(cause).__name__.lower():
        return failed(504, str(cause) or type(cause).__name__)
    if isinstance(cause, ConnectionError | httpx.TransportError) or "connection" in type(cause).__name__.lower():
        return failed(502, f"{type(cause).__name__}: {cause}", kind="connection")
    return None


def failed(status: int, message: str, *, kind: str = "") -> ModelError:
    """A ModelError with the conventional name of its status and no secret in its message."""
    if status in {401, 403}:  # the provider's message may quote the key
        return ModelError(
            "The provider refused the credentials.", status=status, kind="credentials", hint="Check the key's setting."
        )
    return ModelError(redacted(message), status=status, kind=kind or _STATUS_KINDS.get(status, "upstream_error"))


def redacted(text: str) -> str:
    """A message fit for records: keys and tokens blanked, and not longer than ``MAX_MESSAGE`` characters."""
    return _SECRETS.sub(lambda match: f"{match[1] or ''}[redacted]", text)[:MAX_MESSAGE]


def _innermost(error: BaseException) -> BaseException:
    """What a retry wrapper gave up on (tenacity's RetryError keeps it as its last attempt)."""
    attempt = getattr(error, "last_attempt", None)
    inner = attempt.exception() if attempt is not None and hasattr(attempt, "exception") else None
    return _innermost(inner) if isinstance(inner, BaseException) else error


def _status(error: BaseException) -> int | None:
    response = getattr(error, "response", None)
    if isinstance(response, dict):  # botocore keeps the status in a dictionary
        candidates = [response.get("ResponseMetadata", {}).get("HTTPStatusCode")]
    else:
        candidates = [getattr(response, "status_code", None)]
    candidates += [getattr(error, name, None) for name in ("status_code", "status", "code", "http_status")]
    return next((found for found in candidates if isinstance(found, int) and 400 <= found <= 599), None)
