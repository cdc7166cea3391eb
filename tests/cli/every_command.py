"""Every command of the program, each with the smallest arguments under which it does its work.

``{data}`` is a folder of inputs on a healthy disk, ``{disk}`` one on the disk that a test spoils; a command with an
argument there has to write there. A command that is missing here is run without arguments.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer.main

from stewardbench.cli import app

RUN_PASB = "--model scripted/silent --judge reference --tasks smoke --sample 1"
ARGUMENTS = {
    "demo": "--agents= --out {disk}/demo",
    "report": "{data}/pasb-silent {data}/sovereignpa-careful --out {disk}/report --site --bundle {disk}/bundle.zip",
    "compare": "{data}/sovereignpa-careful {data}/sovereignpa-no-ask",
    "merge": "{data}/sovereignpa-careful --out {disk}/merged",
    "plan-study": "",
    "verify": "{data}/bundle.zip",
    "doctor": "",
    "judge": "{disk}/run --judge reference --repeat 1",
    "annotate": "{disk}/run --annotator reference --same-family",
    "agreement": "{data}/pasb-rule-maker --out {disk}/agreement",
    "probe": "{disk}/run --judge reference --same-family",
    "run pasb": f"--agent double {RUN_PASB} --out {{disk}}/pasb",
    "run sovereignpa": "--agent naive --limit 1 --out {disk}/sovereignpa",
    "published pasb": "--out {disk}/published",
    "published sovereignpa": "--out {disk}/published",
    "agents install": "hermes",
    "agents differences": "--into {disk}/differences.md",
    "agents check": "hermes --only none",
    "agents matrix": "{data}/check.json --into {disk}/page.md",
    "pasb audit": "smoke --out {disk}/audited.jsonl",
    "pasb show": "{task}",
    "pasb import": "elephant {data}/posts.csv --out {disk}/imported.jsonl",
    "pasb twins": "{data}/pasb-silent",
    "pasb schema": "",
    "pasb build": "{data}/item.yaml --out {disk}/set",
    "pasb export": "smoke --out {disk}/exported",
    "pasb commit-check": "",
    "pasb commit-audit": "{data}/pasb-rule-maker --sheet {disk}/audit.csv",
    "pasb read-commits": "{disk}/run --reader reference --same-family",
    "pasb items gate": "open@1",
    "pasb items fluency": "{data}/item.yaml --missing {disk}/missing.txt",
    "pasb items check": "{data}/item.yaml",
    "pasb items new": "PASB-PRF-0002 --out {disk}/item.yaml",
    "pasb plan show": "natural",
    "pasb review export": "{disk}/review.csv",
    "pasb review import": "{data}/review.csv",
    "pasb gold export": "{disk}/gold.csv --annotator A",
    "pasb gold adjudicate": "{data}/gold.csv --out {disk}/gold.json",
    "sovereignpa generate": "--out {disk}/scenarios",
    "sovereignpa show": "flights-03.overcollect",
    "sovereignpa accept": "",
    "sovereignpa rescore": "{data}/sovereignpa-careful",
    "sovereignpa schema": "domain",
    "sovereignpa serve": "flights-03.overcollect --port {busy}",
}


def names(command: Any = None, so_far: str = "") -> Iterator[str]:
    """The name of every command, with its groups."""
    command = command or typer.main.get_command(app)
    if not hasattr(command, "commands"):
        yield so_far.strip()
        return
    for name, inner in command.commands.items():
        yield from names(inner, f"{so_far} {name}")


def command_line(name: str, **places: object) -> list[str]:
    """The words of a command."""
    return [*name.split(), *ARGUMENTS.get(name, "").format(**places).split()]


def writes(name: str) -> bool:
    """Whether a command has to write to the disk under test."""
    return "{disk}" in ARGUMENTS.get(name, "")
