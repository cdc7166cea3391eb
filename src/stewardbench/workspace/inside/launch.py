"""Start a confined process from outside: as a real unprivileged user, with an empty keyring, limits and a filter.

    python launch.py SPEC -- BWRAP OPTIONS ... -- COMMAND ...

SPEC is JSON:

    user, group    numeric ids to become (when the superuser runs a benchmark), or null to stay who one is
    stage          sources that the new user may not reach by their paths; each is mounted at /tmp/<its number>, in a
                   mount namespace of our own, before the change of user
    limits         resource limits by name (without RLIMIT_), each the most that the process may have
    filter         whether OPTIONS ask for a system call filter: "{filter}" in them becomes its descriptor
"""

from __future__ import annotations

import importlib
import json
import os
import platform
import stat
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
kernel: Any = importlib.import_module("kernel")

STAGE = "/tmp"  # hidden from nobody but the process that is started


def stage(sources: list[str]) -> None:
    """Mount what the new user needs where it can be reached."""
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.mount(None, "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    handles = [os.open(source, os.O_PATH) for source in sources]
    folders = [stat.S_ISDIR(os.fstat(handle).st_mode) for handle in handles]
    kernel.mount("tmpfs", STAGE, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=0755,size=1m")
    for number, (handle, folder) in enumerate(zip(handles, folders, strict=True)):
        place = Path(STAGE, str(number))
        if folder:
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
    program = os.open(command[0], os.O_RDONLY)  # before it may be out of reach
    os.set_inheritable(program, True)
    if spec["user"] is not None:
        stage(spec["stage"])
        os.chdir("/")
        os.setgroups([])
        os.setresgid(*[spec["group"]] * 3)
        os.setresuid(*[spec["user"]] * 3)
    kernel.new_session_keyring()
    for name, value in spec["limits"].items():
        kernel.lower(name, value)
    if spec["filter"]:
        handle = os.memfd_create("filter", 0)
        os.write(handle, kernel.filter_program(platform.machine()))
        os.lseek(handle, 0, os.SEEK_SET)
        command = [str(handle) if part == "{filter}" else part for part in command]
    divide = command.index("--")
    words = os.memfd_create("words", 0)  # so that the process list inside shows no path of the host
    os.write(words, b"".join(os.fsencode(word) + b"\0" for word in command[1:divide]))
    os.lseek(words, 0, os.SEEK_SET)
    os.execve(program, [command[0], "--args", str(words), *command[divide:]], os.environ)


if __name__ == "__main__":
    main(sys.argv[1:])
