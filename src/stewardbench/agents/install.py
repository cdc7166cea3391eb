"""Agents live in environments of their own, in a cache folder, built once from hash-locked files.

    <cache>/agents/<name>-<hash of the lock and the interpreter>/   one environment; READY marks a finished one
    <cache>/agents/<name>-<hash>.lock                               held while one process builds it

Scripts inside an environment hold absolute paths, so it is built where it will stay. One that was interrupted has no
marker and is built again from nothing.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol, runtime_checkable

import platformdirs

from stewardbench.agents.interface import Agent, AgentSettings
from stewardbench.errors import InstallError

FOLDER = "agent-environments"
READY = "READY"  # marker file of a finished environment
NEEDED_BYTES = 1_000_000_000  # what an environment and the files unpacked on the way to it may take
SAID_LINES = 15
AGAIN = "Check the installation of this package, then install the agent again."
LOCKED = ("--require-hashes", "--only-binary", ":all:", "--requirement")


@runtime_checkable
class Installable(Protocol):
    """An agent that stewardbench can put into its cache folder. An agent that comes in another way need not be one."""

    def installed(self, settings: AgentSettings) -> Path | None:
        """Where the selected version lies, or None when it is not installed."""
        ...

    def install(self, settings: AgentSettings) -> Path:
        """Install the selected version unless it is there already. Raises InstallError."""
        ...


def ensure_installed(agent: Agent, settings: AgentSettings, tell: Callable[[str], object]) -> Path | None:
    """Install an agent on its first use, saying so in one line. None where the agent comes in a way of its own.

    Raises InstallError, and UsageError for settings that the agent cannot honour.
    """
    if not isinstance(agent, Installable):
        return None
    if agent.installed(settings) is None:
        tell(f"Installing {agent.name} {agent.version(settings)} into {cache_folder()} (once) ...")
    return agent.install(settings)


def cache_folder() -> Path:
    """Where agents are installed: ``STEWARDBENCH_CACHE``, or a folder of the user's cache.

    An unconfined agent sees this path, in its prompt or its PATH, so the folder's name says nothing of a benchmark.
    """
    chosen = os.environ.get("STEWARDBENCH_CACHE")
    return Path(chosen).absolute() if chosen else Path(platformdirs.user_cache_dir(FOLDER))


def environment_folder(name: str, lock: bytes) -> Path:
    """Where the environment of an agent with this lock lies, whether it is there or not."""
    interpreter = (
        f"{platform.python_implementation()} {platform.python_version()} {platform.machine()} {sys.base_prefix}"
    )
    digest = hashlib.sha256(lock + interpreter.encode()).hexdigest()
    return cache_folder() / "agents" / f"{name}-{digest[:16]}"


def is_ready(folder: Path) -> bool:
    """Whether an environment was built to its end."""
    return (folder / READY).exists()


def build_once(folder: Path, build: Callable[[Path], None]) -> Path:
    """Build an environment unless it is ready; processes that come at the same time wait for the first.

    Raises InstallError when the folder cannot be written or has no room; what ``build`` raises passes through.
    """
    if is_ready(folder):
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(folder.parent).free
        if free < NEEDED_BYTES:
            raise InstallError(
                f"{folder.parent} has {free / 1e9:.1f} GB free, and an agent needs {NEEDED_BYTES / 1e9:.0f} GB.",
                hint="Free space, or set STEWARDBENCH_CACHE to a folder on another disk.",
            )
        with _only_one(folder.with_name(f"{folder.name}.lock")):
            if not is_ready(folder):
                shutil.rmtree(folder, ignore_errors=True)
                build(folder)
                (folder / READY).touch()
    except OSError as error:
        raise InstallError(
            f"{folder}: cannot be built: {error.strerror or error}.", hint="Set STEWARDBENCH_CACHE to another folder."
        ) from error
    return folder


def build_python_environment(folder: Path, lock: bytes) -> None:
    """Make a virtual environment of this interpreter and install a hash-locked requirements file into it.

    uv is five times faster and pip is always there: uv goes first where it is found, and pip, which alone knows the
    indexes of a pip configuration, when it fails. Raises InstallError with the last words of the last one.
    """
    base = str(getattr(sys, "_base_executable", sys.executable))
    if uv := find_uv():
        with contextlib.suppress(InstallError):
            requirements = _begin(folder, lock)
            _run([uv, "venv", "--quiet", "--allow-existing", "--python", base, str(folder)])
            fast = [uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", str(folder / "bin" / "python")]
            _run([*fast, *LOCKED, str(requirements)])
            return
    requirements = _begin(folder, lock)
    _run([base, "-I", "-m", "venv", str(folder)])
    pip = [str(folder / "bin" / "python"), "-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([*pip, *LOCKED, str(requirements)])


def find_uv() -> str | None:
    """The uv beside the running interpreter, or the one on the search path."""
    return shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")


def base_python(environment: Path) -> tuple[Path, ...]:
    """What a virtual environment borrows its interpreter and standard library from, unless every slot sees it."""
    lines = (environment / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    homes = [line.partition("=")[2].strip() for line in lines if line.partition("=")[0].strip() == "home"]
    prefix = Path(homes[0]).parent
    resolved = (environment / "bin" / "python").resolve().parent.parent
    return tuple(path for path in dict.fromkeys((prefix, resolved)) if not path.is_relative_to("/usr"))


def _begin(folder: Path, lock: bytes) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    requirements = folder / "requirements.lock"
    requirements.write_bytes(lock)
    return requirements


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=_clean_environ())
    except OSError as error:
        raise InstallError(f"{command[0]}: cannot be run: {error.strerror}.", hint=AGAIN) from error
    if done.returncode != 0:
        words = "\n".join((done.stderr or done.stdout).strip().splitlines()[-SAID_LINES:])
        raise InstallError(
            f"{' '.join(command[:4])} ... ended with exit code {done.returncode}:\n{words}",
            hint="Check that the package index is reachable, then run the same command again.",
        )


def _clean_environ() -> dict[str, str]:
    # With the caller's PYTHONPATH an installer counts the caller's packages as installed and leaves them out.
    return {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}


@contextlib.contextmanager
def _only_one(path: Path) -> Iterator[None]:
    with path.open("ab") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
