"""One process per slot that imports Hermes once and forks a fresh process for every session.

Many modules of Hermes freeze the path of its home at import. The zygote is started with the slot's home, whose path
never changes while its content is restored between episodes, so the frozen values stay right. It never runs an agent
itself and has a single thread, so a fork copies no lock that another thread holds.
"""

from __future__ import annotations

import ctypes
import functools
import gc
import importlib
import os
import resource
import signal
import socket
import ssl
import sys
import threading
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .conversation import converse
from .wire import Wire

PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
LOOK_S = 10.0


def main() -> None:
    """Import Hermes, say so, then serve one session after another until the parent closes the channel."""
    wire = Wire()
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # what a session leaves behind becomes ours to end
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)  # the agent's own tools cannot read our memory or descriptors
    resource.setrlimit(resource.RLIMIT_MSGQUEUE, (0, 0))  # a queue would outlive its session and is no file
    preload()
    wire.send({"ready": version("hermes-agent"), "pid": os.getpid()})
    while (message := wire.receive()) is not None:
        if message.get("op") == "way out":
            wire.send(look_out(message))
            continue
        code = serve(wire, message)
        end_descendants()
        wire.send({"ended": code})


def preload() -> None:
    """Load what every session needs and let Hermes seed the files that it creates on first use."""
    for name in Path(__file__).with_name("preload.txt").read_text().split():
        importlib.import_module(name)
    importlib.import_module("hermes_cli.config").load_config()
    share_tls_settings()
    threads = [thread.name for thread in threading.enumerate()]
    if threads != ["MainThread"]:
        sys.exit(f"Hermes started threads at import, so it cannot be forked: {threads}")
    gc.collect()
    gc.freeze()  # a collection in a session then leaves these pages shared


def share_tls_settings() -> None:
    """Read the machine's certificates once.

    Hermes makes a client for every model call, and each reads all certificates again: 70 % of its CPU time. The slot
    has no network, so none of these settings is ever used.
    """
    tls: Any = ssl
    tls.create_default_context = functools.cache(ssl.create_default_context)
    importlib.import_module("httpx").create_ssl_context()


def serve(wire: Wire, spec: dict[str, Any]) -> int:
    """Run one session in a process of its own, behind walls of its own where it is given some; its exit code."""
    if spec["walls"]:
        session = importlib.import_module("inside.session")
        return int(session.run(spec["walls"], lambda: converse(wire, spec)))
    child = os.fork()
    if child == 0:
        try:
            converse(wire, spec)
            os._exit(0)  # everything is closed; Hermes' exit handlers can hang
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def end_descendants() -> None:
    """Kill every process that a session left behind."""
    while children := Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
        for pid in map(int, children):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def look_out(message: dict[str, Any]) -> dict[str, Any]:
    """Ask the model server for its models, the way that a session's requests go; its status, or what went wrong."""
    request = f"GET /v1/models HTTP/1.1\r\nHost: model\r\nAuthorization: Bearer {message['secret']}\r\n\r\n"
    try:
        with connected(message) as end:
            end.settimeout(LOOK_S)
            end.sendall(request.encode())
            said = end.recv(1 << 12).split()
    except OSError as error:
        return {"status": 0, "fault": str(error)}
    return {"status": int(said[1]) if len(said) > 1 and said[1].isdigit() else 0}


def connected(message: dict[str, Any]) -> socket.socket:
    """A connection to the model server: to its socket where there is one, else to the address of its URL."""
    if "socket" not in message:
        address = urlsplit(message["url"])
        return socket.create_connection((address.hostname, address.port), LOOK_S)
    end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    end.connect(message["socket"])
    return end
