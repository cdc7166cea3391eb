"""When a run stops because of its endpoint: the same failure so often in a row that the next task would fail too.

A failure of an endpoint uses up no attempt and is never final, so nothing is lost by stopping: the same command goes
on.
"""

from __future__ import annotations

from stewardbench.errors import EndpointDown, ModelError
from stewardbench.models.failures import is_infrastructure

STOP_AFTER = 5  # failures in a row; each has had its retries already

GO_ON = "What is measured is kept, and no attempt is used up: the same command goes on."


class Outage:
    """Counts the failures of one endpoint that follow each other with nothing answered between them."""

    def __init__(self) -> None:
        self._alike = ""
        self._count = 0

    def answered(self) -> None:
        """The endpoint answered: whatever was before is over."""
        self._alike, self._count = "", 0

    def failed(self, endpoint: str, error: ModelError) -> EndpointDown | None:
        """Take note of a failed task. Gives the error that stops the run when it was one too many in a row."""
        if not is_infrastructure(error.kind):
            return None
        alike = f"{error.kind} {error.status}"
        self._count = self._count + 1 if alike == self._alike else 1
        self._alike = alike
        if self._count < STOP_AFTER:
            return None
        return EndpointDown(
            f"stopped, since {endpoint} failed {self._count} times in a row in the same way: {error.kind} "
            f"(HTTP {error.status}): {error.message}",
            hint=f"{error.hint} {GO_ON}".strip(),
        )
