"""The one way out of a confined slot: a loopback port whose connections go to a bind-mounted Unix socket.

    python forwarder.py PORT SOCKET -- COMMAND ...

A slot has a loopback interface of its own and reaches no port of the host. This file runs inside the slot before the
agent: it starts the forwarder as a process of its own and then becomes the agent's command, so that nothing waits for
anything. It imports the standard library only and runs under whatever Python the slot can see.
"""

from __future__ import annotations

import os
import socket
import sys
import threading

CHUNK = 1 << 16


def pump(source: socket.socket, target: socket.socket) -> None:
    """Copy one direction until it ends, then pass the end on."""
    try:
        while data := source.recv(CHUNK):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue


def connect(client: socket.socket, path: str) -> None:
    """Join one client to the socket in both directions and close both ends after."""
    with client, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as upstream:
        try:
            upstream.connect(path)
        except OSError:
            return
        back = threading.Thread(target=pump, args=(upstream, client), daemon=True)
        back.start()
        pump(client, upstream)
        back.join()


def serve(listener: socket.socket, path: str) -> None:
    """Accept for ever; the slot's end is the forwarder's end."""
    while True:
        client, _ = listener.accept()
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=connect, args=(client, path), daemon=True).start()


def detach() -> bool:
    """Fork twice, so that the forwarder is no child of the agent. True in the forwarder, False in the caller."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return False
    if os.fork():
        os._exit(0)
    os.setsid()
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silence, stream)
    return True


def main(arguments: list[str]) -> None:
    """Listen, leave the forwarder behind, become the command."""
    port, path, dashes, *command = arguments
    if dashes != "--" or not command:
        sys.exit("usage: forwarder.py PORT SOCKET -- COMMAND ...")
    listener = socket.create_server(("127.0.0.1", int(port)))
    if detach():
        serve(listener, path)
    listener.close()
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
