"""Start a confined process from outside: as a real unprivileged user, with an empty keyring, limits and a filter.

    python launch.py SPEC -- COMMAND ...

SPEC is JSON:

    user, group    numeric ids to become (when the superuser runs a benchmark), or null to stay who one is
    stage          sources that the new user may not reach by their paths; each is mounted at /tmp/<its number>, in a
                   mount namespace of our own, before the change of user
    limits         resource limits by name (without RLIMIT_), each the most that the process may have
    filter         whether COMMAND takes a system call filter: "{filter}" in it becomes the filter's descriptor
"""

from __future__ import annotations

import json
import os
import platform
import resource
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import kernel

STAGE = "/tmp"  # hidden from nobody but the process that is started


def stage(sources: list[str]) -> None:
    """Mount what the new user needs where it can be reached."""
    handles = [os.open(source, os.O_PATH) for source in sources]
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.mount(None, "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    kernel.mount("tmpfs", STAGE, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=0755,size=1m")
    for number, (handle, source) in enumerate(zip(handles, sources, strict=True)):
        place = Path(STAGE, str(number))
        if Path(source).is_dir():
            place.mkdir()
        else:
            place.touch()
        kernel.mount(f"/proc/self/fd/{handle}", str(place), None, kernel.MS_BIND | kernel.MS_REC)
        os.close(handle)


def main(arguments: list[str]) -> None:
    """Prepare, then become the command."""
    text, dashes, *command = arguments
    if dashes != "--" or not command:
        sys.exit("usage: launch.py SPEC -- COMMAND ...")
    spec: dict[str, Any] = json.loads(text)
    if spec["user"] is not None:
        was_folder = {source: Path(source).is_dir() for source in spec["stage"]}
        assert all(was_folder[source] or Path(source).exists() for source in was_folder), spec["stage"]
        stage(spec["stage"])
        os.chdir("/")
        os.setgroups([])
        os.setresgid(*[spec["group"]] * 3)
        os.setresuid(*[spec["user"]] * 3)
    kernel.new_session_keyring()
    for name, value in spec["limits"].items():
        number = getattr(resource, f"RLIMIT_{name}")
        hard = resource.getrlimit(number)[1]
        least = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(number, (least, least))
    if spec["filter"]:
        handle = os.memfd_create("filter", 0)
        os.write(handle, kernel.filter_program(platform.machine()))
        os.lseek(handle, 0, os.SEEK_SET)
        command = [str(handle) if part == "{filter}" else part for part in command]
    os.execv(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
