"""A program that tries to leave its slot and reports what it got, as JSON. It runs inside and outside the walls."""

from __future__ import annotations

import json
import os
import socket
import sys
import urllib.request
from pathlib import Path


def attempt(action):
    """What an action returned, or None when it was refused."""
    try:
        return action()
    except OSError:
        return None


def http(url):
    with urllib.request.urlopen(url, timeout=5) as answer:
        return answer.read().decode()


def connect(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as end:
        end.settimeout(5)
        end.connect(address)
        return True


def write(path):
    Path(path).write_text("I was here")
    return True


def main(wish):
    print(
        json.dumps(
            {
                "outside_file": attempt(lambda: Path(wish["outside_file"]).read_text()),
                "outside_write": attempt(lambda: write(wish["outside_write"])),
                "system_write": attempt(lambda: write("/usr/share/i_was_here")),
                "root_write": attempt(lambda: write("/i_was_here")),
                "device_write": attempt(lambda: write("/dev/i_was_here")),
                "loopback": attempt(lambda: http(f"http://127.0.0.1:{wish['port']}/")),
                "abstract_socket": attempt(lambda: connect(socket.AF_UNIX, "\0" + wish["abstract"])),
                "network": attempt(lambda: connect(socket.AF_INET, ("1.1.1.1", 53))) if wish["network"] else None,
                "environment": dict(os.environ),
                "processes": [int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit()],
                "user": [os.getuid(), os.getgid()],
                "shadow": attempt(lambda: Path("/etc/shadow").read_text()),
                "home_write": attempt(lambda: write(wish["home_write"])),
                "shared_write": attempt(lambda: write("/dev/shm/mine")) if wish["shared"] else None,
                "gateway": attempt(lambda: http(wish["gateway"])) if wish["gateway"] else None,
            }
        )
    )


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
