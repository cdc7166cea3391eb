"""Failures by kind: what endpoints really say, and which flag helps."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from stewardbench.errors import ModelError
from stewardbench.models.failures import failed, is_infrastructure, is_transient, retry_after


@pytest.mark.parametrize(
    ("status", "message", "kind", "parameter"),
    [
        (400, "Unsupported value: 'temperature' does not support 0.", "refused_parameter", "temperature"),
        (400, "`temperature` is deprecated for this model.", "refused_parameter", "temperature"),
        (400, "'max_tokens' is not supported; use 'max_completion_tokens'.", "refused_parameter", "max_tokens"),
        (422, "Extra inputs are not permitted: seed", "refused_parameter", "seed"),
        (400, '"auto" tool choice requires --enable-auto-tool-choice to be set', "refused_parameter", "tools"),
        (400, "registry/tiny:1b does not support tools", "refused_parameter", "tools"),
        (500, "tools param requires --jinja flag", "upstream_error", ""),
        (400, "This endpoint only supports streaming: stream must be true.", "refused_parameter", "stream"),
        (400, "messages[0].content must be a string", "bad_request", ""),
        (400, "This model's maximum context length is 8192 tokens. However, you requested 9000.", "context_length", ""),
        (400, "the request exceeds the available context size, try increasing it", "context_length", ""),
        (413, "Payload too large", "too_large", ""),
        (429, "You exceeded your current quota, please check your plan and billing details.", "quota", ""),
        (429, "Rate limit reached for requests", "rate_limit", ""),
        (402, "Insufficient credits", "quota", ""),
        (404, "The model `x` does not exist", "not_found", ""),
        (400, "The response was filtered by the content management policy", "content_filter", ""),
        (403, "Your chosen model requires moderation and your input was flagged", "content_filter", ""),
        (403, "Country not supported", "credentials", ""),
        (500, "Failed to parse input at pos 12: <tool_call>{", "unreadable_output", ""),
        (500, "The model produced output that does not match the expected peg-native format", "unreadable_output", ""),
        (500, "error parsing tool call: raw='{\"a\"', err=unexpected end of JSON input", "unreadable_output", ""),
        (400, "Failed to call a function. See 'failed_generation' (tool_use_failed)", "unreadable_output", ""),
        (500, "internal error", "upstream_error", ""),
        (529, "overloaded", "upstream_error", ""),
        (418, "teapot", "bad_request", ""),
    ],
)  # fmt: skip
def test_what_endpoints_say_is_known_by_its_kind(status: int, message: str, kind: str, parameter: str) -> None:
    error = failed(status, message)
    assert (error.kind, error.parameter, error.status) == (kind, parameter, status)
    assert kind == "bad_request" or kind in {"upstream_error", "content_filter"} or error.hint


def test_the_parameter_that_the_endpoint_names_itself_wins() -> None:
    assert failed(400, "Unsupported value: 0", parameter="temperature").parameter == "temperature"
    assert "--temperature default" in failed(400, "Unsupported value: 0", parameter="temperature").hint


@pytest.mark.parametrize("kind", ["content_filter", "unreadable_output", "turn_call_limit"])
def test_what_the_model_or_the_run_did_is_no_infrastructure(kind: str) -> None:
    assert not is_infrastructure(kind)


@pytest.mark.parametrize(
    ("error", "passes"),
    [
        (failed(429, "slow down"), True),
        (failed(503, "busy"), True),
        (failed(504, "late"), True),
        (failed(502, "gone", kind="connection"), True),
        (failed(501, "never"), False),
        (failed(401, "no"), False),
        (failed(402, "no"), False),
        (failed(429, "insufficient_quota"), False),
        (failed(500, "Failed to parse input at pos 3"), False),
        (ModelError("page", kind="malformed_reply"), False),
        (ValueError("ours"), False),
    ],
)
def test_only_what_may_pass_by_itself_is_tried_again(error: Exception, passes: bool) -> None:
    assert is_transient(error) is passes
    if passes and isinstance(error, ModelError):
        assert is_infrastructure(error.kind)


NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after": "Mon, 30 Nov 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Mon, 30 Nov 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "2 minutes"}, None),
    ],
)
def test_the_pause_that_an_endpoint_asks_for(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds
