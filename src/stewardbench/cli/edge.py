"""The edge of the command line: how an ended command is told, and with which code.

Whatever a command ran into ends here. What a user can mend (a StewardError, or something that the machine refused)
is one line and a next step on standard error; its code is never 0. Anything else is a bug and keeps its traceback.
Texts go out whatever the locale: a character that a terminal cannot show is written as its number. A reader that left
(``| head``) is no error to talk about, and still no success. A command that takes long and shows no progress of its own
is said to be at work.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import TextIOWrapper

import typer

from stewardbench.errors import MachineError, StewardError

FAILED = 1
FIRST_S, THEN_S = 5.0, 30.0  # when a silent command is first said to be at work, and how often after that
INTERRUPTED = 128 + signal.SIGINT
TRACEBACK = "STEWARDBENCH_TRACEBACK"  # set it to see where a failure came from


def run(command: Callable[[], object]) -> int:
    """Run a command and give back its exit code, with everything said that has to be said."""
    prepare_streams()
    logging.raiseExceptions = False  # a log of a library's that a full disk refuses would print its own traceback
    ended = threading.Event()
    threading.Thread(target=_heartbeat, args=(ended,), name="heartbeat", daemon=True).start()
    try:
        code = _outcome(command)
    finally:
        ended.set()
    if code == INTERRUPTED:
        _say("stewardbench: stopped. Run the same command again to resume.")
    return _flushed(code)


def prepare_streams() -> None:
    """Make standard output and error take any text, and exist."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # the shell closed it (>&-)
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115 - lives as long as we
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _heartbeat(ended: threading.Event, first_s: float = FIRST_S, then_s: float = THEN_S) -> None:
    """Say now and then that a command is at work, unless it tells so by itself."""
    start, pause = time.monotonic(), first_s
    while not ended.wait(pause):
        from stewardbench.runs.terminal import is_told

        if not is_told():
            _say(f"stewardbench: at work, {time.monotonic() - start:.0f} s so far")
        pause = then_s


def _outcome(command: Callable[[], object]) -> int:
    try:
        command()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else FAILED if ended.code else 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except (StewardError, OSError, ExceptionGroup) as error:
        known = _known(error)
        if known is None or os.environ.get(TRACEBACK):
            raise
        return _told(known)
    return 0


def _known(error: Exception) -> StewardError | None:
    """What a user can mend in an exception, or None where it holds a bug."""
    leaves = list(_leaves(error))
    if not all(isinstance(leaf, StewardError | OSError) for leaf in leaves):
        return None
    found = next((leaf for leaf in leaves if isinstance(leaf, StewardError)), leaves[0])
    return found if isinstance(found, StewardError) else MachineError.of(found) if isinstance(found, OSError) else None


def _leaves(error: Exception) -> Iterator[Exception]:
    if isinstance(error, ExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def _told(error: StewardError) -> int:
    _say(typer.style(f"stewardbench: {error.message}", fg="red"))
    if hint := error.hint or error.usual_hint:
        _say(f"  {hint}")
    return error.exit_code or FAILED


def _say(text: str) -> None:
    with suppress(OSError):  # nobody is left to hear it; the code still tells
        typer.echo(text, err=True)


def _flushed(code: int) -> int:
    """The exit code once everything is out: output that got lost is a failure."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _discard()
        return code or FAILED
    except OSError as error:
        _discard()
        return code or _told(MachineError.of(error, "standard output"))
    return code


def _discard() -> None:
    """Send what is still in the buffers nowhere, so that the interpreter does not complain of it when it ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
