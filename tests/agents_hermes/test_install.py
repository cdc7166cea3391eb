"""An installation happens once, begins anew after an interruption, and fails in words."""

from __future__ import annotations

import shutil
import threading
from importlib.resources import files
from pathlib import Path

import pytest

from stewardbench.agents import install
from stewardbench.agents.hermes import HermesAgent
from stewardbench.agents.interface import AgentSettings
from stewardbench.agents.registry import agent_names, load_agent
from stewardbench.errors import InstallError, UsageError


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STEWARDBENCH_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_it_is_built_once_even_when_two_ask(cache: Path) -> None:
    folder, built = install.environment_folder("agent", b"lock"), []
    both = threading.Barrier(2)

    def build(target: Path) -> None:
        built.append(target)
        target.mkdir()

    def ask() -> None:
        both.wait()
        install.build_once(folder, build)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert built == [folder]
    assert install.is_ready(folder)
    assert folder.is_relative_to(cache)


def test_an_interrupted_build_is_no_installation_and_begins_anew() -> None:
    folder = install.environment_folder("agent", b"lock")

    def interrupted(target: Path) -> None:
        target.mkdir()
        (target / "half").touch()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        install.build_once(folder, interrupted)
    assert not install.is_ready(folder)
    install.build_once(folder, lambda target: target.mkdir())
    assert [each.name for each in folder.iterdir()] == [install.READY]


def test_another_lock_is_another_folder() -> None:
    assert install.environment_folder("agent", b"one") != install.environment_folder("agent", b"two")
    assert install.environment_folder("agent", b"one") == install.environment_folder("agent", b"one")


def test_too_little_room_is_told_before_anything_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage("/")
    monkeypatch.setattr(install.shutil, "disk_usage", lambda path: usage._replace(free=5))
    with pytest.raises(InstallError, match="STEWARDBENCH_CACHE"):
        install.build_once(install.environment_folder("agent", b"lock"), lambda target: pytest.fail("built"))


def test_a_cache_that_cannot_be_written_is_named(cache: Path) -> None:
    cache.write_text("a file where the folder should be")
    with pytest.raises(InstallError, match=r"cache.*cannot be built"):
        install.build_once(install.environment_folder("agent", b"lock"), lambda target: target.mkdir())


NO_SUCH = b"no-such-package==1.0 --hash=sha256:" + b"0" * 64


def test_a_failed_installation_ends_with_the_installers_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install, "find_uv", lambda: None)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(InstallError, match=r"(?s)exit code.*no-such-package") as caught:
        install.build_python_environment(tmp_path / "environment", NO_SUCH)
    assert "run the same command again" in caught.value.hint


def test_pip_takes_over_where_uv_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    uv = tmp_path / "uv"
    uv.write_text("#!/bin/sh\nexit 1\n")
    uv.chmod(0o755)
    commands = []
    run = install._run

    def told(command: list[str]) -> None:
        commands.append(command[0])
        if command[0] == str(uv):
            run(command)

    monkeypatch.setattr(install, "find_uv", lambda: str(uv))
    monkeypatch.setattr(install, "_run", told)
    install.build_python_environment(tmp_path / "environment", NO_SUCH)
    assert commands[0] == str(uv)
    assert commands[-1] == str(tmp_path / "environment" / "bin" / "python")


def test_the_callers_python_settings_do_not_reach_the_installer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    monkeypatch.setenv("VIRTUAL_ENV", "/elsewhere")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy")
    environ = install._clean_environ()
    assert "PYTHONPATH" not in environ
    assert "VIRTUAL_ENV" not in environ
    assert environ["HTTPS_PROXY"] == "http://proxy"


def test_the_lock_ships_with_the_package_and_pins_everything_by_hash() -> None:
    lock = files("stewardbench.agents.hermes").joinpath("requirements.lock").read_text()
    assert "hermes-agent==0.19.0" in lock
    requirements = [line for line in lock.splitlines() if line and not line.startswith((" ", "#"))]
    assert len(requirements) > 50
    assert all("==" in line and line.endswith("\\") for line in requirements)
    assert "://" not in lock


def test_hermes_is_not_installed_in_an_empty_cache() -> None:
    assert HermesAgent().installed(AgentSettings()) is None


def test_agents_are_found_by_name() -> None:
    assert "hermes" in agent_names()
    assert load_agent("hermes").name == "hermes"
    with pytest.raises(UsageError, match="hermes") as caught:
        load_agent("hermess")
    assert "hermes" in caught.value.hint


def test_an_agent_is_installed_on_first_use_and_one_line_says_so(tmp_path):
    from stewardbench.agents.install import ensure_installed
    from stewardbench.agents.interface import AgentSettings

    class Fresh:
        name, place = "fresh", None

        def version(self, settings):
            return "1.0"

        def installed(self, settings):
            return self.place

        def install(self, settings):
            self.place = tmp_path
            return tmp_path

    said, agent = [], Fresh()
    assert ensure_installed(agent, AgentSettings(), said.append) == tmp_path
    assert ensure_installed(agent, AgentSettings(), said.append) == tmp_path
    assert len(said) == 1
    assert said[0].startswith("Installing fresh 1.0 into")
    assert ensure_installed(object(), AgentSettings(), said.append) is None
