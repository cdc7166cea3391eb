"""How a run's progress is shown: a moving line on a terminal, one plain line now and then anywhere else.

The line goes on while nothing happens, so that a call that hangs is seen: its age stands in it.
"""

from __future__ import annotations

import shlex
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Self

from stewardbench.models.in_flight import CALLS

if TYPE_CHECKING:
    from stewardbench.runs.closing import Closing
    from stewardbench.runs.progress import Progress

EVERY_S = 30.0
OLD_S = 10.0  # a call that waits for longer is named


_telling: list[object] = []  # what tells the user at this moment how far a command is


@contextmanager
def telling() -> Iterator[None]:
    """A command says by itself how far it is, or waits for its user, for as long as this is open."""
    mark = object()
    _telling.append(mark)
    try:
        yield
    finally:
        _telling.remove(mark)


def is_told() -> bool:
    """Whether something tells the user how far the command is."""
    return bool(_telling)


class ProgressLine:
    """A watcher of a run, as a context manager. Writes to standard error."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.status import Status

        self._console = Console(stderr=True)
        self._status = Status("starting", console=self._console) if self._console.is_terminal else None
        self._message = ""
        self._written = 0.0
        self._last: Progress | None = None
        self._ended = threading.Event()

    def __enter__(self) -> Self:
        if self._status is not None:
            self._status.start()
        _telling.append(self)
        threading.Thread(target=self._go_on, name="progress", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        _telling.remove(self)
        if self._status is not None:
            self._status.stop()
        if self._last is not None:
            self._write(describe(self._last))
        if kind is not None and issubclass(kind, KeyboardInterrupt):
            self._write("Stopped. The same command resumes.")

    def __call__(self, progress: Progress) -> None:
        """Show the state of the run."""
        first, self._last = self._last is None, progress
        if progress.message != self._message:
            self._message = progress.message
            self._write(f"  {progress.message}")
        if self._status is not None:
            self._status.update(describe(progress))
        elif first or time.monotonic() - self._written >= EVERY_S:
            self._written = time.monotonic()
            self._write(describe(progress))

    def again(self) -> None:
        """Show the state as it was last told, with the time that has passed since."""
        if self._last is None:
            return
        if self._status is not None:
            self._status.update(describe(self._last))
        elif time.monotonic() - self._written >= EVERY_S:
            self._written = time.monotonic()
            self._write(describe(self._last))

    def _go_on(self) -> None:
        with suppress(OSError):  # nobody reads it any more; the run's own output notices
            while not self._ended.wait(1.0):
                self.again()

    def _write(self, text: str) -> None:
        if self._status is not None:
            self._console.print(text, markup=False, highlight=False)
        else:
            print(text, file=sys.stderr, flush=True)


@contextmanager
def closing_line() -> Iterator[Callable[[Closing], None]]:
    """Print the account that is given inside as the last line, and end with its exit code.

    An endpoint that stopped the run is named first; every other error passes as it is.
    """
    import typer

    from stewardbench.errors import EndpointDown
    from stewardbench.runs.closing import COMPLETE, PART

    given: list[Closing] = []
    stopped: EndpointDown | None = None
    try:
        yield given.append
    except EndpointDown as error:
        stopped = error
        typer.echo(f"stewardbench: {error.message}\n  {error.hint}", err=True)
        typer.echo(f"  Go on with: {shlex.join(['stewardbench', *sys.argv[1:]])}", err=True)
    if not given:
        return
    (closing,) = given
    code = closing.exit_code
    if code != COMPLETE and stopped is None and closing.measured < closing.asked:
        typer.echo("The same command goes on with what is missing or was not reached.", err=True)
    typer.echo(closing.line)
    if code != COMPLETE or stopped is not None:
        raise typer.Exit(code or PART)


def describe(progress: Progress) -> str:
    """One line: what is finished, what went wrong, what it cost, how long it will take."""
    parts = [f"{progress.finished}/{progress.total} tasks"]
    parts += [
        f"{count} {name}"
        for name, count in (
            ("done", progress.done),
            ("done earlier", progress.earlier),
            ("invalid", progress.invalid),
            ("not reached", progress.unreached),
            ("retried", progress.retried),
            ("failed", progress.failed),
            ("judged", progress.judged),
            ("not judged", progress.unjudged),
        )
        if count
    ]
    if progress.input_tokens:
        parts.append(f"{_short(progress.input_tokens)} tokens in, {_short(progress.output_tokens)} out")
    parts.append(f"{_duration(progress.elapsed_s)} so far")
    if (oldest := CALLS.oldest_s()) >= OLD_S:
        parts.append(f"oldest call waits {_duration(oldest)}")
    eta = progress.eta_s
    if eta is not None and progress.finished < progress.total:
        parts.append(f"{_duration(eta)} left")
    return " | ".join(parts)


def _short(count: int) -> str:
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if count >= size:
            return f"{count / size:.1f}{unit}"
    return str(count)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
