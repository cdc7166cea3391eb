"""Killing a process takes everything it started with it, also what left its session."""

from __future__ import annotations

import os
import subprocess
import sys

from stewardbench.workspace.processes import descendants, kill_tree

FAMILY = r"""
import os, sys
for _ in range(2):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.setsid()
        os.write(1, b"up\n")
        os.execvp("sleep", ["sleep", "1000"])
sys.stdin.read()
"""


def test_the_whole_family_ends() -> None:
    process = subprocess.Popen([sys.executable, "-c", FAMILY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert [process.stdout.readline() for _ in range(4)] == ["up\n"] * 4
    assert len(descendants(process.pid)) == 4
    kill_tree(process.pid)
    process.communicate(timeout=30)  # ends only when no member holds the pipe any more


def test_a_process_that_is_gone_is_no_error() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    kill_tree(process.pid)
    assert descendants(process.pid) == []
    assert os.getpid() in descendants(os.getppid())
