"""``inspect eval`` as people start it: it ends with the line that says what was measured, and with its exit code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from faulty_endpoint import Answer, Endpoint

INSPECT = str(Path(sys.executable).with_name("inspect"))


def inspect_eval(server: Endpoint, out: Path) -> subprocess.CompletedProcess[str]:
    """Two episodes with an OpenAI-compatible provider of Inspect on the server."""
    address = server.url.partition("#")[0]
    return subprocess.run(
        [
            *(INSPECT, "eval", "stewardbench/sovereignpa_booking", "--model", "openai-api/own/tiny"),
            *("-T", "split=dev", "-T", "limit=2", "-T", f"out={out / 'run'}", "-T", "max_attempts=1"),
            *("--display", "none", "--log-dir", str(out / "logs"), "-T", "patience_s=0"),
        ],
        env={**os.environ, "OWN_API_KEY": "k", "OWN_BASE_URL": address},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


@pytest.mark.parametrize(
    ("status", "code", "line"),
    [(0, 0, "MEASURED: asked 2, valid 2"), (402, 4, "NOTHING MEASURED: asked 2, valid 0, invalid 2 (quota 2)")],
)
def test_it_ends_with_what_was_measured(tmp_path, status, code, line):
    server = Endpoint()
    if status:
        server.set(lambda body, number: Answer(status, {"error": {"message": "no credit"}}))
    try:
        done = inspect_eval(server, tmp_path)
    finally:
        server.shutdown()
        server.server_close()
    assert done.returncode == code, done.stdout + done.stderr
    assert line in done.stderr
