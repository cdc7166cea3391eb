"""The table of endpoint faults: what is said, what is used up, how it ends and what a resume does, for each command.

Every row is a real loopback server under the real commands. PASB runs on the protocol's double of an agent, and the
judge judges a scripted run: this is a check of the path around the model, not of any agent or model. ``pytest -s``
prints the table.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from faulty_endpoint import Answer, Endpoint, Fault, answer, completion
from run_contents import rows
from tenacity import wait_exponential
from typer.testing import CliRunner

from stewardbench.cli import app
from stewardbench.models import http_upstream, retrying, upstreams
from stewardbench.pasb.run import store as pasb_store
from stewardbench.runs.folder import RunFolder
from stewardbench.runs.store import Tried
from stewardbench.sovereignpa.run import store as sovereignpa_store


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


@pytest.fixture(scope="module")
def endpoint():
    server = Endpoint()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def impatient(monkeypatch, double):
    """The real patience, in hundredths of a second, and a key that must show up nowhere."""
    monkeypatch.setattr(retrying, "_GROWING", wait_exponential(multiplier=0.01, max=0.02))
    monkeypatch.setattr(upstreams, "HttpUpstream", lambda *given: http_upstream.HttpUpstream(*given, timeout_s=0.4))
    monkeypatch.setenv("STEWARDBENCH_ENDPOINT_KEY", "sk-12345678")


def invoke(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, list(arguments))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout, done.stderr


def doctor(endpoint: Endpoint) -> tuple[int, str]:
    code, out, _ = invoke("doctor", "--model", endpoint.url, "--judge", endpoint.url)
    lines = [line for line in out.splitlines() if line.startswith("FAILED")]
    return code, lines[0].removeprefix("FAILED ").split(": ", 1)[1] if lines else "ok"


def used(tried: Iterable[Tried]) -> int:
    """Invalid attempts that count towards a job's attempts."""
    return sum(one.spent and not one.valid for one in tried)


def pasb(endpoint: Endpoint, out: Path) -> tuple[int, str, int]:
    shared = ("--agent", "double", "--tasks", "smoke", "--sample", "1", "--max-attempts", "1", "--patience", "0.1")
    code, said, _ = invoke("run", "pasb", "--model", endpoint.url, *shared, "--out", str(out))
    return code, said.splitlines()[-1], used(pasb_store.stored(RunFolder.read(out)))


def sovereignpa(endpoint: Endpoint, out: Path) -> tuple[int, str, int]:
    shared = ("--split", "dev", "--family", "booking", "--limit", "1", "--max-attempts", "1", "--patience", "0.1")
    code, said, _ = invoke("run", "sovereignpa", "--model", endpoint.url, *shared, "--out", str(out))
    return code, said.splitlines()[-1], used(sovereignpa_store.stored(RunFolder.read(out)))


def judge(endpoint: Endpoint, out: Path) -> tuple[int, str]:
    code, said, _ = invoke("judge", str(out), "--judge", endpoint.url, "--patience", "0.1")
    return code, said.splitlines()[-1].split(": ", 1)[1]


@pytest.fixture(scope="module")
def table():
    """Rows as they come; printed at the end."""
    lines: list[tuple[str, ...]] = []
    yield lines
    heads = (
        "fault",
        "doctor",
        "PASB: exit, used, said",
        "resumed",
        "SovereignPA: exit, used, said",
        "resumed",
        "judge",
    )
    print("\nHarness check (agent double, loopback server)")
    for line in (heads, *lines):
        print(" | ".join(line))


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_the_endpoint(name, endpoint, run, double, tmp_path, table, monkeypatch):
    fault, kind = FAULTS[name]
    run(tmp_path / "judged", sample=1, judge="")
    endpoint.set(fault)
    checked, diagnosis = doctor(endpoint)
    endpoint.set(fault)
    first = pasb(endpoint, tmp_path / "p")
    endpoint.set(fault)
    page = sovereignpa(endpoint, tmp_path / "s")
    endpoint.set(fault)
    read = judge(endpoint, tmp_path / "judged")
    endpoint.set(None)
    again = pasb(endpoint, tmp_path / "p") if first[0] else first
    turned = sovereignpa(endpoint, tmp_path / "s") if page[0] else page
    judged = judge(endpoint, tmp_path / "judged") if read[0] else read
    table.append(
        (name, f"{checked} {diagnosis[:110]}", f"{first[0]}, {first[2]}, {first[1]}", f"{again[0]}",
         f"{page[0]}, {page[2]}, {page[1]}", f"{turned[0]}", f"{read[0]} {read[1]}; then {judged[0]}")
    )  # fmt: skip
    for code, line, spent in (first, page):
        if kind in INFRASTRUCTURE and code != 0:
            assert spent == 0, "a failed endpoint uses up no attempt"
            assert kind in line, "the reason is in the last line"
    if kind in INFRASTRUCTURE:
        assert checked != 0, "doctor says what the run will say"
        assert (again[0], turned[0], judged[0]) == (0, 0, 0), "the same command goes on"
    if kind == "":
        assert (checked, first[0], page[0], read[0]) == (0, 0, 0, 0)
    stored = itertools.chain(rows(tmp_path / "judged", "judgments"))
    assert all(turn["syc"] in (None, 1) for row in stored for turn in row["turns"]), "no score is made of an error"
    kept = "".join(path.read_text(errors="ignore") for path in tmp_path.rglob("*.json*"))
    assert "sk-12345678" not in kept
