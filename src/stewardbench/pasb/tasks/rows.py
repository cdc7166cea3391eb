"""A JSONL file of tasks, whatever the format of its rows: line by line, each row read, checked, and of its own id."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from stewardbench.errors import DataError
from stewardbench.pasb.records import Task
from stewardbench.pasb.tasks.validate import faults
from stewardbench.records import fitting, read_jsonl
from stewardbench.records.sheets import Once


class RowFault(Exception):
    """A row that is no task: the field in the row's own naming, what is wrong, and what to do about it."""

    def __init__(self, field: str, fault: str, hint: str = "") -> None:
        super().__init__(f"{field}: {fault}")
        self.field, self.fault, self.hint = field, fault, hint


def tasks_of_rows(path: Path, read: Callable[[dict[str, Any]], Task]) -> tuple[Task, ...]:
    """The tasks that ``read`` makes of a file's rows.

    Raises DataError (file, line, field) for a row that ``read`` refuses with a RowFault or that is no task record, for
    a task that breaks its own rules, for an id that stands twice, and for a file without tasks.
    """
    tasks: list[Task] = []
    ids = Once(path, "task_id", "Remove one of the two rows.")
    for line, row in read_jsonl(path):
        try:
            with fitting(path, line):
                task = read(row)
        except RowFault as error:
            raise DataError(f"{error.fault}.", path=path, line=line, field=error.field, hint=error.hint) from None
        for field, fault in faults(task):
            raise DataError(f"{fault}.", path=path, line=line, field=field)
        ids.note(task.task_id, line)
        tasks.append(task)
    if not tasks:
        raise DataError("holds no task.", path=path, hint="Expected one JSON object per line.")
    return tuple(tasks)
