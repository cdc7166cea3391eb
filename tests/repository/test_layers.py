"""The shape of the package: imports point down only, the pure cores stay pure, files stay small."""

from __future__ import annotations

import ast
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

import stewardbench

ROOT = Path(stewardbench.__file__).parent
# Of ``runs``, what a job is and which attempt counts is everybody's.
SHARED = {"records", "seeding", "errors", "benchmark", "runs.jobs"}
ENGINE = ("runs", "report", "site")
WINGS = ("pasb", "sovereignpa")
# The edges of a wing stand above the engine, its core below; the core never sees an edge.
EDGES = ("run", "report", "agreement", "pages", "cli")
LEVEL = {
    **dict.fromkeys(SHARED, 0),
    "statistics": 1,
    "workspace": 2,
    "models": 3,
    "agents": 4,
    "published": 5,
    **dict.fromkeys(WINGS, 6),
    **{name: 7 + level for level, name in enumerate(ENGINE)},
    **{f"{wing}.{edge}": 10 + level for wing in WINGS for level, edge in enumerate(EDGES)},
    "commands": 9,
    "cli": 15,
    "_registry": 15,
    "library": 15,
}
IMPURE = {
    "subprocess",
    "socket",
    "httpx",
    "requests",
    "urllib.request",
    "inspect_ai",
    "asyncio.subprocess",
    "multiprocessing",
}
MODULES = sorted(ROOT.rglob("*.py"))


def name_of(path: Path) -> str:
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def layer(module: str) -> str:
    parts = module.split(".")
    inner = ".".join(parts[:2])
    return inner if inner in LEVEL else parts[0]


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def own_imports(path: Path) -> Iterator[str]:
    for target in imports(path):
        if target.startswith("stewardbench."):
            inner = target.removeprefix("stewardbench.")
            if layer(inner) in LEVEL:
                yield inner


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_point_down(path: Path) -> None:
    module = name_of(path)
    here = layer(module)
    if module == "":
        return
    for target in own_imports(path):
        there = layer(target)
        if here == there:
            continue
        assert LEVEL[there] < LEVEL[here] or there in SHARED, f"{module} imports {target}, which is not below it"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_the_cores_touch_no_process_network_or_inspect(path: Path) -> None:
    module = name_of(path)
    if layer(module) not in {"pasb", "sovereignpa", "statistics", "records"} or module.startswith(
        "sovereignpa.surface"
    ):
        return
    found = {
        target for target in imports(path) if any(target == name or target.startswith(name + ".") for name in IMPURE)
    }
    assert not found, f"{module} is part of a pure core but imports {sorted(found)}"


def test_the_two_benchmarks_do_not_know_each_other() -> None:
    for path in MODULES:
        here = name_of(path).split(".")[0]
        other = {"pasb": "sovereignpa", "sovereignpa": "pasb"}.get(here)
        for target in own_imports(path):
            assert target.split(".")[0] != other, f"{name_of(path)} imports {target}"


def test_the_engine_names_no_benchmark() -> None:
    for path in MODULES:
        if name_of(path).split(".")[0] not in {*ENGINE, "benchmark", "commands"}:
            continue
        code = ast.parse(path.read_text(encoding="utf-8"))
        named = {
            text
            for node in ast.walk(code)
            for text in (getattr(node, "id", None), getattr(node, "attr", None), getattr(node, "value", None))
            if isinstance(text, str) and any(wing in text.lower() for wing in WINGS)
        }
        assert not named, f"{name_of(path)} names a benchmark: {sorted(named)}"


def test_modules_are_small_and_say_what_they_model() -> None:
    lengths = {}
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        lengths[name_of(path)] = text.count("\n")
        assert ast.get_docstring(ast.parse(text)), f"{name_of(path)} has no docstring"
    assert max(lengths.values()) <= 500, max(lengths, key=lengths.__getitem__)
    assert statistics.median(lengths.values()) <= 150


def test_functions_are_short() -> None:
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                assert (node.end_lineno or 0) - node.lineno <= 80, f"{name_of(path)}:{node.name}"
