"""What went wrong at a model endpoint, whichever client library noticed it: as a ModelError with a kind.

Provider libraries raise hundreds of types. They agree on little but a status number somewhere on the exception, and
that and the endpoint's own words are what we read. An exception that says nothing of the kind is a bug or a limit of
the run, not a failed endpoint, and is left alone.

    infrastructure   connection, timeout, rate_limit, upstream_error, credentials, quota, not_found, refused_parameter,
                     context_length, too_large, bad_request, malformed_reply: says nothing about the model; never an
                     attempt, never final. The first four may pass by themselves and are tried again.
    the model's own  content_filter, unreadable_output: what the model did, counted beside the scores.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from stewardbench.errors import ModelError

MAX_MESSAGE = 2000
CONTENT_FILTER, UNREADABLE_OUTPUT = MODELS_OWN = ("content_filter", "unreadable_output")
REFUSED_PARAMETER, MALFORMED_REPLY = "refused_parameter", "malformed_reply"
TRANSIENT = frozenset({"connection", "timeout", "rate_limit", "upstream_error"})
OURS = frozenset({"turn_call_limit", "invalid_request", "internal_error", "unauthorised"})  # what the gateway says

_SECRETS = re.compile(
    r"(?i)(bearer\s+|(?:api[-_]?key|access[-_]?token|key|token|secret)[\"']?\s*[=:]\s*[\"']?)[^\s\"'&,;}]+|\bsk-[\w-]{8,}"
)
_STATUS_KINDS = {
    400: "bad_request",
    401: "credentials",
    402: "quota",
    403: "credentials",
    404: "not_found",
    408: "timeout",
    413: "too_large",
    422: "bad_request",
    429: "rate_limit",
    504: "timeout",
}
# What endpoints say, whatever status they say it with.
_UNREADABLE = re.compile(
    r"(?i)failed to parse input at pos|does not match the expected [\w.-]* ?format|error parsing tool call"
    r"|tool_use_failed|failed_generation|malformed_function_call|failed to parse tool call"
)
_FILTERED = re.compile(
    r"(?i)content[_ ]filter|content management policy|safety system|flagged|moderation|data_inspection"
)
_TOO_LONG = re.compile(
    r"(?i)context[_ ](?:length|window|size)|maximum context|prompt is too long"
    r"|too many (?:input )?tokens|exceed_context"
)
_NO_CREDIT = re.compile(r"(?i)insufficient[_ ](?:quota|credit|balance|funds)|current quota|billing|out of credits")
_REFUSAL = re.compile(
    r"(?i)unsupported|not supported|n't support|not support|unknown|unrecogni[sz]ed|unexpected"
    r"|not (?:permitted|allowed)|extra inputs|only the default|requires?\b|must be|invalid|at least|at most|deprecated"
)
_PARAMETERS = (
    *("temperature", "top_p", "top_k", "max_completion_tokens", "max_tokens", "seed", "response_format", "json_schema"),
    *("parallel_tool_calls", "tool_choice", "tools", "tool choice", "tool use", "function calling", "stream"),
    *("reasoning_effort", "frequency_penalty", "presence_penalty", "logit_bias"),
)
_SPELLED = {"tool choice": "tools", "tool use": "tools", "function calling": "tools", "tool_choice": "tools"}
_NAMED = re.compile(r"(?i)\b(" + "|".join(map(re.escape, _PARAMETERS)) + r")(?:\b|ing\b)")
_HINTS = {
    "credentials": "Set the right key (STEWARDBENCH_ENDPOINT_KEY for a plain URL, else the provider's own variable).",
    "quota": "Top up the account or raise its limit.",
    "not_found": "Check the model's name and the address; the address ends with /v1 for most servers.",
    "context_length": "Serve the model with a longer context (vLLM: --max-model-len, llama.cpp: -c, Ollama: num_ctx).",
    "too_large": "Raise the endpoint's limit on the size of a request.",
    "connection": "Check that the endpoint is running and that the address is right.",
    "timeout": "Check that the model is being served and is fast enough.",
    "rate_limit": "Wait, use fewer workers, or ask the provider for a higher limit.",
    UNREADABLE_OUTPUT: "The model wrote a tool call that its server cannot read; another chat template may help.",
}
_FLAGS = {
    "temperature": "Leave it to the provider with --temperature default.",
    "top_p": "Leave it to the provider with --top-p default.",
    "seed": "Put a proxy before it that leaves the field out.",
    "max_tokens": "Choose another limit with --max-tokens, or leave it to the provider with --max-tokens default.",
    "tools": "Turn tool calling on where the model is served (vLLM: --enable-auto-tool-choice --tool-call-parser NAME; "
    "llama.cpp: --jinja).",
    "stream": "The endpoint answers streams only; put a proxy before it that collects them.",
}
_FLAGS["max_completion_tokens"] = _FLAGS["max_tokens"]


def model_error(error: BaseException) -> ModelError | None:
    """The failure of an endpoint, or None when the exception is not one."""
    cause = _innermost(error)
    if isinstance(cause, ModelError):
        return cause
    status = _status(cause)
    if status is not None:
        body = getattr(cause, "body", None)
        named = body.get("param") if isinstance(body, Mapping) else None
        return failed(status, str(cause), parameter=named, retry_after_s=_retry_after(cause))
    if isinstance(cause, TimeoutError | httpx.TimeoutException) or "timeout" in type(cause).__name__.lower():
        return failed(504, str(cause) or type(cause).__name__)
    if isinstance(cause, ConnectionError | httpx.TransportError) or "connection" in type(cause).__name__.lower():
        return failed(502, f"{type(cause).__name__}: {cause}", kind="connection")
    return None


def failed(
    status: int, message: str, *, kind: str = "", parameter: object = None, retry_after_s: float | None = None
) -> ModelError:
    """A ModelError of the kind that a status and the endpoint's words mean, with no secret in its message.

    ``parameter`` is the setting that the endpoint itself named as the culprit.
    """
    kind = kind or _kind(status, message, retry_after_s)
    culprit = ""
    if kind == "bad_request":
        culprit = _culprit(message, parameter)
        kind = REFUSED_PARAMETER if culprit else kind
    hint = _FLAGS.get(culprit, "") if culprit else _HINTS.get(kind, "")
    shown = redacted(message)
    if kind == "credentials":  # the provider's message may quote the key
        shown = "The provider refused the credentials."
    return ModelError(shown, status=status, kind=kind, hint=hint, parameter=culprit, retry_after_s=retry_after_s)


def is_infrastructure(kind: str) -> bool:
    """Whether a failure says nothing about the model: all but the model's own and the gateway's refusals."""
    return kind not in MODELS_OWN and kind not in OURS


def is_transient(error: BaseException) -> bool:
    """Whether a failure may pass by itself."""
    return isinstance(error, ModelError) and error.kind in TRANSIENT and error.status != 501


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """The seconds that an endpoint asks to wait, from ``Retry-After`` (seconds or a date) or ``Retry-After-Ms``."""
    milliseconds, given = headers.get("retry-after-ms"), headers.get("retry-after")
    try:
        if milliseconds:
            seconds = float(milliseconds) / 1000
        elif given and given.strip()[:1].isdigit():
            seconds = float(given)
        elif given:
            moment = parsedate_to_datetime(given)
            moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
            seconds = (moment - (now or datetime.now(UTC))).total_seconds()
        else:
            return None
    except (ValueError, OverflowError):
        return None
    return max(0.0, seconds)


def redacted(text: str) -> str:
    """A message fit for records: keys and tokens blanked, and not longer than ``MAX_MESSAGE`` characters."""
    return _SECRETS.sub(lambda match: f"{match[1] or ''}[redacted]", text)[:MAX_MESSAGE]


def _kind(status: int, message: str, retry_after_s: float | None) -> str:
    if _UNREADABLE.search(message):
        return UNREADABLE_OUTPUT
    if status < 500 and status not in {401, 404, 408, 429} and _FILTERED.search(message):
        return CONTENT_FILTER
    if status in {400, 413, 422, 500} and _TOO_LONG.search(message):
        return "context_length"
    if status == 429 and retry_after_s is None and _NO_CREDIT.search(message):
        return "quota"  # a limit that no waiting lifts
    return _STATUS_KINDS.get(status, "upstream_error" if status >= 500 else "bad_request")


def _culprit(message: str, named: object) -> str:
    """The setting that an endpoint refused, or nothing where it complains of something else."""
    if isinstance(named, str) and (own := _NAMED.search(named)):
        return _spelled(own[1])
    if not _REFUSAL.search(message):
        return ""
    found = _NAMED.search(message)
    return _spelled(found[1]) if found else ""


def _spelled(name: str) -> str:
    return _SPELLED.get(name.lower(), name.lower())


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


def _retry_after(error: BaseException) -> float | None:
    headers: Any = getattr(getattr(error, "response", None), "headers", None)
    return retry_after(headers) if isinstance(headers, Mapping | httpx.Headers) else None
