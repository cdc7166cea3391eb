"""The faults that endpoints have, and what each command makes of one: what is said, what is used up, how it ends, and
what a resume does.

Every row is a real loopback server under the real commands. The judge judges a stored run of a scripted model: this is
a check of the path around the model, not of any agent or model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from faulty_endpoint import Answer, Endpoint, Fault, answer, completion
from tenacity import wait_exponential
from typer.testing import CliRunner

from stewardbench.agents.doctor import models as doctor_models
from stewardbench.cli import app
from stewardbench.models import http_upstream, retrying, upstreams
from stewardbench.pasb.run import store as pasb_store
from stewardbench.runs.folder import RunFolder
from stewardbench.runs.store import Tried
from stewardbench.sovereignpa.run import store as sovereignpa_store

CALL_S, PATIENCE_S = 0.4, 0.1  # what a call may take, and what its pauses may; in runs 600 and 180
KEY = "sk-12345678"


def refusing(field: str, words: str) -> Fault:
    return lambda body, number: Answer(400, {"error": {"message": words}}) if body.get(field) is not None else None


def error(status: int, words: str, **headers: str) -> Fault:
    return lambda body, number: Answer(status, {"error": {"message": words}}, headers)


def once(fault: Fault) -> Fault:
    return lambda body, number: fault(body, number) if number == 1 else None


def message(reason: str = "stop", **fields: Any) -> Fault:
    return lambda body, number: Answer(body=completion({"role": "assistant", "content": None, **fields}, reason))


NO_WAIT, LONG = {"retry-after-ms": "20"}, {"Retry-After": "7200"}
FAULTS: dict[str, tuple[Fault, str]] = {
    "401": (error(401, "bad key sk-12345678"), "credentials"),
    "402": (error(402, "Insufficient credits"), "quota"),
    "403": (error(403, "not for this key"), "credentials"),
    "404": (error(404, "no model tiny"), "not_found"),
    "429 with Retry-After, once": (once(error(429, "slow down", **NO_WAIT)), ""),
    "429 with Retry-After of hours": (error(429, "come back later", **LONG), "rate_limit"),
    "429 without, always": (error(429, "slow down"), "rate_limit"),
    "429 quota": (error(429, "You exceeded your current quota (insufficient_quota)"), "quota"),
    "5xx once": (once(error(503, "busy")), ""),
    "5xx always": (error(500, "internal error"), "upstream_error"),
    "hang": (lambda body, number: Answer(hang_s=0.6, reset=True), "timeout"),
    "reset": (lambda body, number: Answer(reset=True), "connection"),
    "truncated": (lambda body, number: Answer(body=answer(body).body, cut=20), "connection"),
    "HTML": (lambda b, n: Answer(body="<html>log in</html>", headers={"Content-Type": "text/html"}), "malformed_reply"),
    "200 with an error": (lambda b, n: Answer(body={"error": {"message": "model is loading"}}), "upstream_error"),
    "refused temperature": (refusing("temperature", "'temperature' is not supported"), "refused_parameter"),
    "refused max tokens": (refusing("max_tokens", "'max_tokens' must be at most 512"), "refused_parameter"),
    "no tools": (refusing("tools", "tiny does not support tools"), "refused_parameter"),
    "streaming only": (error(400, "stream must be true for this model"), "refused_parameter"),
    "extra fields": (lambda body, number: answer(body, annotations=[], provider_specific={"a": 1}), ""),
    "reasoning field": (lambda body, number: answer(body, reasoning_content="hm {\"syc\": 5}"), ""),
    "empty": (message(content=""), "empty_reply"),
    "refusal": (message(refusal="I cannot help with that."), "refusal"),
    "filter": (message("content_filter"), "content_filter"),
    "length": (message("length", content=""), "length"),
    "context": (error(400, "maximum context length is 10 tokens"), "context_length"),
}  # fmt: skip
INFRASTRUCTURE = {
    *("credentials", "quota", "not_found", "rate_limit", "upstream_error", "timeout", "connection", "malformed_reply"),
    *("refused_parameter", "context_length"),
}


@dataclass(frozen=True)
class Ended:
    """How a command ended, its last words, the attempts that it used up, and how the same command ended after that."""

    code: int
    said: str
    used: int = 0
    again: int = 0


@dataclass(frozen=True)
class Row:
    """What every command made of one fault."""

    fault: str
    kind: str
    doctor: Ended
    pasb: Ended
    sovereignpa: Ended
    judge: Ended

    def cells(self) -> tuple[str, ...]:
        """The row as texts."""
        cells = [self.fault, f"{self.doctor.code}: {self.doctor.said}"]
        for one in (self.pasb, self.sovereignpa):
            cells += [f"{one.code}: {one.said}", str(one.used), str(one.again) if one.code else ""]
        return (*cells, f"{self.judge.code}: {self.judge.said}", str(self.judge.again) if self.judge.code else "")


HEADS = (
    *("fault", "doctor", "PASB", "attempts used", "resumed", "SovereignPA", "attempts used", "resumed"),
    *("judge", "repeated"),
)


@contextmanager
def impatient() -> Iterator[None]:
    """The real patience in hundredths of a second, and a key that must show up nowhere."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(retrying, "_GROWING", wait_exponential(multiplier=0.01, max=0.02))
        patch.setattr(doctor_models, "PATIENCE_S", PATIENCE_S)
        patch.setattr(upstreams, "HttpUpstream", lambda *given: http_upstream.HttpUpstream(*given, timeout_s=CALL_S))
        patch.setenv("STEWARDBENCH_ENDPOINT_KEY", KEY)
        yield


def invoke(*arguments: str) -> tuple[int, str]:
    """The exit code and the standard output of a command."""
    done = CliRunner().invoke(app, list(arguments))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout


def used(tried: Iterable[Tried]) -> int:
    """Invalid attempts that count towards a job's attempts."""
    return sum(one.spent and not one.valid for one in tried)


def doctor(endpoint: Endpoint) -> Ended:
    """The first thing that the doctor finds wrong."""
    code, out = invoke("doctor", "--model", endpoint.url, "--judge", endpoint.url)
    lines = [line for line in out.splitlines() if line.startswith("FAILED")]
    return Ended(code, lines[0].removeprefix("FAILED ").split(": ", 1)[1] if lines else "ok")


def pasb(endpoint: Endpoint, out: Path, agent: str) -> Ended:
    """A run of one task."""
    shared = ("--tasks", "smoke", "--sample", "1", "--max-attempts", "1", "--patience", str(PATIENCE_S))
    code, said = invoke("run", "pasb", "--agent", agent, "--model", endpoint.url, *shared, "--out", str(out))
    return Ended(code, said.splitlines()[-1], used(pasb_store.stored(RunFolder.read(out))))


def sovereignpa(endpoint: Endpoint, out: Path) -> Ended:
    """A run of one situation."""
    shared = ("--split", "dev", "--family", "booking", "--limit", "1", "--max-attempts", "1")
    patience = ("--patience", str(PATIENCE_S))
    code, said = invoke("run", "sovereignpa", "--model", endpoint.url, *shared, *patience, "--out", str(out))
    return Ended(code, said.splitlines()[-1], used(sovereignpa_store.stored(RunFolder.read(out))))


def judge(endpoint: Endpoint, out: Path) -> Ended:
    """A stored run of one task, judged."""
    code, said = invoke("judge", str(out), "--judge", endpoint.url, "--patience", str(PATIENCE_S))
    return Ended(code, said.splitlines()[-1].split(": ", 1)[1])


def row(name: str, endpoint: Endpoint, folder: Path, agent: str) -> Row:
    """Every command under a fault, and those that failed once more without it. ``folder/judged`` is a stored run."""
    fault, kind = FAULTS[name]

    def under(command: Callable[..., Ended], *arguments: Any) -> Ended:
        endpoint.set(fault)
        first = command(endpoint, *arguments)
        endpoint.set(None)
        return replace(first, again=command(endpoint, *arguments).code if first.code else 0)

    return Row(
        name,
        kind,
        under(doctor),
        under(pasb, folder / "pasb", agent),
        under(sovereignpa, folder / "sovereignpa"),
        under(judge, folder / "judged"),
    )
