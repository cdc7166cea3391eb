"""The commands ``agents`` and ``doctor``: what they print and how they end."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from stewardbench.agents import doctor, install
from stewardbench.agents.doctor.diagnosis import bad, good
from stewardbench.cli import agents
from stewardbench.errors import UsageError


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> typer.Typer:
    monkeypatch.setenv("STEWARDBENCH_CACHE", str(tmp_path / "cache"))
    app = typer.Typer()
    agents.register(app)
    return app


def test_list_shows_what_is_not_installed_and_how_to_install_it(app: typer.Typer) -> None:
    result = CliRunner().invoke(app, ["agents", "list"])
    assert result.exit_code == 0
    (line,) = [line for line in result.output.splitlines() if line.startswith("hermes")]
    assert "0.19.0" in line
    assert "stewardbench agents install hermes" in line


def test_install_builds_once_and_says_where(app: typer.Typer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    built = []

    def build(folder: Path, lock: bytes) -> None:
        built.append(folder)
        folder.mkdir()

    monkeypatch.setattr("stewardbench.agents.hermes.agent.build_python_environment", build)
    for _ in range(2):
        result = CliRunner().invoke(app, ["agents", "install", "hermes"])
        assert result.exit_code == 0
        assert f"is installed in {tmp_path / 'cache'}" in result.output.replace("\n", "")
    assert len(built) == 1
    assert install.is_ready(built[0])


@pytest.mark.parametrize(
    "arguments",
    [
        ["agents", "install", "hermess"],
        ["agents", "install", "hermes", "--version", "1"],
        ["agents", "check", "hermes", "--only", "colour"],
    ],
)
def test_what_does_not_exist_is_refused_with_the_choices(app: typer.Typer, arguments: list[str]) -> None:
    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, UsageError)
    assert result.exception.hint


@pytest.mark.parametrize("passed", [True, False])
def test_doctor_prints_each_check_with_advice_and_its_exit_code_tells(
    app: typer.Typer, monkeypatch: pytest.MonkeyPatch, passed: bool
) -> None:
    asked = []

    async def agent(agent: object, settings: object) -> doctor.Diagnosis:
        return good("agent hermes", "answers")

    async def model(name: str, check: object, opened: object) -> doctor.Diagnosis:
        asked.append((name, getattr(check, "func", check)))
        return good(name, "fine") if passed else bad(name, "drops tools", "Turn on tool calling.")

    async def reach(names: list[str], opened: object, limit_s: float) -> dict[str, doctor.Diagnosis]:
        assert names == ["m/a", "m/b"]
        return {}  # both answer in time

    monkeypatch.setattr(doctor, "check_agent", agent)
    monkeypatch.setattr(doctor, "check_reach", reach)
    monkeypatch.setattr(doctor, "check_model", model)
    result = CliRunner().invoke(app, ["doctor", "--agent", "hermes", "--model", "m/a", "--judge", "m/b"])
    assert [one for one in asked if one[1] is not doctor.check_rehearsal] == [
        ("m/a", doctor.check_endpoint),
        ("m/b", doctor.check_judge),
    ]
    assert {name for name, check in asked if check is doctor.check_rehearsal} == {"m/a", "m/b"}
    assert "agent hermes: answers" in result.output
    assert ("Turn on tool calling." in result.output) is not passed
    assert (result.exit_code == 0) is passed or "confinement" in result.output


def test_doctor_asks_no_model_when_the_models_are_part_of_the_package(
    app: typer.Typer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def agent(agent: object, settings: object) -> doctor.Diagnosis:
        return good("agent hermes", "answers")

    monkeypatch.setattr(doctor, "check_agent", agent)
    monkeypatch.setattr(doctor, "check_model", lambda name, check, opened: pytest.fail("asked"))
    result = CliRunner().invoke(app, ["doctor", "--model", "scripted/silent", "--judge", "reference"])
    assert "endpoint" not in result.output
