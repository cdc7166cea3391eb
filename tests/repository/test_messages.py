"""Every error that a user may meet says what is wrong and what to do next, wherever in the package it is raised."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import stewardbench
from stewardbench import errors
from stewardbench.errors import MachineError, StewardError

ROOT = Path(stewardbench.__file__).parent
KINDS = {name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, StewardError)}


def sites(source: str) -> Iterator[tuple[ast.Call, type[StewardError]]]:
    """Every place at which one of our errors is made."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in KINDS:
            yield node, KINDS[node.func.id]


def has_next_step(call: ast.Call, kind: type[StewardError]) -> bool:
    """Whether an error says what to do: by a hint of its own that is not empty text, or by its kind's."""
    hints = [word.value for word in call.keywords if word.arg == "hint"]
    own = any(not isinstance(hint, ast.Constant) or bool(hint.value) for hint in hints)
    return own or bool(kind.usual_hint)


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_an_error_says_what_is_wrong_and_what_to_do(path: Path) -> None:
    for call, kind in sites(path.read_text(encoding="utf-8")):
        where = f"{path.relative_to(ROOT)}:{call.lineno}: {ast.unparse(call)[:120]}"
        assert has_next_step(call, kind), f"{where} says nothing to do"
        if call.args and isinstance(call.args[0], ast.Constant):
            assert len(str(call.args[0].value).split()) > 2, f"{where} says nothing in words"


def test_there_is_something_to_walk_over() -> None:
    found = [kind for path in ROOT.rglob("*.py") for _, kind in sites(path.read_text(encoding="utf-8"))]
    assert len(found) > 200
    assert {"UsageError", "DataError", "StoreError", "ModelError"} <= {kind.__name__ for kind in found}


@pytest.mark.parametrize(
    ("source", "passes"),
    [
        ("UsageError('no such agent.')", False),
        ("UsageError('no such agent.', hint='')", False),
        ("UsageError('no such agent.', hint='There are: a, b.')", True),
        ("UsageError('no such agent.', hint=KNOWN)", True),
        ("DataError('not a number.', path=path)", True),
    ],
)
def test_the_walk_sees_a_missing_next_step(source: str, passes: bool) -> None:
    ((call, kind),) = sites(source)
    assert has_next_step(call, kind) is passes


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_every_kind_fails_closed_and_is_documented(kind: type[StewardError]) -> None:
    assert kind.exit_code in {1, 2}
    assert kind.__doc__
    assert kind is StewardError or kind.__name__ in (errors.__doc__ or "")


@pytest.mark.parametrize("number", [2, 13, 17, 28, 30, 36, 122, 9999])
def test_whatever_the_machine_refuses_has_a_next_step(number: int) -> None:
    told = MachineError.of(OSError(number, "Refused", "runs/a"))
    assert "runs/a" in told.message
    assert told.hint
