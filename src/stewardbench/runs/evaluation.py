"""One Inspect evaluation inside a run folder: what both benchmarks ask of Inspect, and how it may end."""

from __future__ import annotations

import asyncio
import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stewardbench.errors import StewardError, StoreError

if TYPE_CHECKING:
    from inspect_ai import Task as InspectTask

    from stewardbench.runs.closing import Closing

DIRECT = ("http://", "https://")  # endpoints that Inspect has no name for
DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO}
NO_MODEL = "none/none"  # stands in Inspect's log where the model is called directly


def account_at_end(account: Callable[[], Closing]) -> None:
    """Let ``inspect eval`` end with the line that says what was measured, and with its exit code.

    Inspect's command ends with 0 whatever its samples came to, so this is done when the command closes. Outside a
    command nothing is done: who calls Inspect as a library has its log.
    """
    import click

    context = click.get_current_context(silent=True)
    if context is None:
        return

    def end() -> None:
        closing = account()
        print(closing.line, file=sys.stderr, flush=True)
        if closing.exit_code:
            sys.exit(closing.exit_code)

    context.find_root().call_on_close(end)


def _refused_by_the_disk(failed: BaseException | None) -> OSError | None:
    """The error of a full, read-only or broken disk behind an exception, also inside groups; None for any other."""
    if failed is None:
        return None
    if isinstance(failed, OSError) and failed.errno in DISK:
        return failed
    behind = failed.exceptions if isinstance(failed, BaseExceptionGroup) else ()
    found = (_refused_by_the_disk(one) for one in (*behind, failed.__cause__ or failed.__context__))
    return next((one for one in found if one is not None), None)


def known_to_inspect(model: str) -> bool:
    """Whether Inspect can open a model by this name."""
    return bool(model) and not model.startswith(DIRECT)


async def evaluate(
    task: InspectTask, out: Path, *, model: str, stopped: Callable[[], StewardError | None], **settings: Any
) -> None:
    """Run a task with one log below ``out/logs``. ``settings`` go to Inspect as they are.

    ``stopped`` gives the error of ours that ended the run, if there is one; it is raised in place of what Inspect made
    of it. Raises CancelledError when the user stopped the run, StewardError when Inspect failed by itself.
    """
    from inspect_ai import eval_async
    from inspect_ai.util import display_type

    os.environ.setdefault("INSPECT_DISPLAY", "none")  # progress is shown by the caller
    display_type()  # Inspect reads the variable here, once
    try:
        logs = await eval_async(
            task,
            model=model if known_to_inspect(model) else NO_MODEL,
            log_dir=str(out / "logs"),
            log_format="eval",
            fail_on_error=False,
            log_realtime=False,
            log_model_api=False,
            score_display=False,
            **settings,
        )
    except Exception as failed:
        if (error := stopped()) is not None:
            raise error from None
        if (full := _refused_by_the_disk(failed)) is not None:  # Inspect writes its log as the run goes on
            raise StoreError(
                f"{out / 'logs'}: cannot be written: {full.strerror}.",
                hint="Free space or fix permissions, then run the same command again; finished episodes are kept.",
            ) from failed
        raise
    if (error := stopped()) is not None:
        raise error
    if not logs or logs[0].status == "cancelled":
        raise asyncio.CancelledError  # Inspect takes an interrupt for an end; asyncio makes it one again
    (log,) = logs
    if log.status == "error" and log.error is not None:
        raise StewardError(f"Inspect ended the run: {log.error.message}", hint=f"Details: {log.location}")
