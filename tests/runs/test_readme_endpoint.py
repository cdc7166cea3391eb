"""The README's lines for one's own endpoint, run as printed, with a loopback server in the place of the printed one."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from faulty_endpoint import Endpoint
from typer.testing import CliRunner

from stewardbench.cli import app

README = Path(__file__).parents[2] / "README.md"
PRINTED = "127.0.0.1:8000"


def printed() -> list[str]:
    """The lines of the block after its mark, without comments."""
    block = re.search(r"<!-- own endpoint:[^>]*-->\n```\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    return [line.partition("  #")[0].strip() for line in block[1].splitlines()]


def test_the_lines_for_ones_own_endpoint_run_as_printed(monkeypatch, tmp_path):
    server = Endpoint()
    monkeypatch.chdir(tmp_path)
    ran = []
    try:
        for line in printed():
            words = shlex.split(line.replace(PRINTED, server.url.split("/")[2]))
            if words[0] == "export":
                name, _, value = words[1].partition("=")
                monkeypatch.setenv(name, value)
                continue
            assert words[0] == "stewardbench"
            done = CliRunner().invoke(app, words[1:])
            assert done.exit_code == 0, (line, done.stdout, done.stderr)
            ran.append(words[1])
            if words[1] == "doctor":
                assert "FAILED" not in done.stdout
                assert "takes the run's own request" in done.stdout
    finally:
        server.shutdown()
        server.server_close()
    assert ran == ["doctor", "run", "report"]
    assert {"my-model", "my-judge"} == {body["model"] for body in server.requests}
    assert len(list((tmp_path / "runs" / "first").glob("episodes.jsonl"))) == 1


def test_a_comment_is_no_part_of_an_address():
    assert all("#my-" in line for line in printed() if "http" in line)


@pytest.mark.parametrize("name", ["docs/how-to/endpoints.md"])
def test_pages_that_the_readme_names_exist(name):
    assert name in README.read_text(encoding="utf-8")
    assert (README.parent / name).exists()
