"""YAML files that people bring: what is no YAML, and what is more of it than can be held, as errors of the file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

from stewardbench.errors import DataError
from stewardbench.records.bounds import TooMuch


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """What is read in this block is YAML of a bearable size; anything else is a DataError."""
    try:
        yield
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        hint = "Quote any text that holds a colon, or write it as a folded block (>-)."
        raise DataError(f"not YAML: {error.problem}.", path=path, line=line, hint=hint) from None
    except TooMuch as fault:
        raise DataError(f"not readable: {fault}.", path=path) from None
    except RecursionError:
        raise DataError("not readable: nested too deep.", path=path) from None
    except yaml.YAMLError as error:  # a character that YAML does not allow
        raise DataError(f"not YAML: {error}.", path=path) from None
    except ValueError as error:  # a number or date that Python cannot hold
        raise DataError(f"not readable: {error}.", path=path) from None
