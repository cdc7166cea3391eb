"""The parity table and the lengths of system prompts, by agent, preset and model name: python tests/parity/table.py

Every cell is a conversation of our driver with the installed agent, held against the recorded one of the agent's own
program. ``equal`` counts requests that equal the stock program's in every byte after normalisation, ``as declared``
those whose every difference is on the list with its reason. Ends with exit code 1 when anything is undeclared or gone.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from stewardbench.agents.parity import golden
from stewardbench.agents.parity.compare import apart, differences
from stewardbench.agents.parity.declared import declared, judge
from stewardbench.agents.parity.driver import driven
from stewardbench.agents.parity.normal import prompt_of
from stewardbench.agents.parity.programs import Held
from stewardbench.agents.parity.talk import StagedTurns
from stewardbench.agents.presets import settings_for
from stewardbench.agents.registry import load_agent

GOLDEN = Path(__file__).with_name("golden")
MODELS = ("claude-sonnet-4-5", "deepseek-v3.2", "gemini-3-pro", "gpt-5")
PRESETS = ("released", "stock")
AGENTS = (("hermes", "", PRESETS), ("openclaw", "", PRESETS), ("openclaw", "2026.9.6", ("stock",)))
OURS = re.compile(r"\w*(?:steward|pasb|sovereign)\w*", re.IGNORECASE)


class Cell(NamedTuple):
    """One row of the table. ``prompts`` are the lengths of the first system prompt in characters, stock and ours."""

    compared: int
    equal: int
    as_declared: int
    reasons: int
    undeclared: int
    gone: int
    files: bool
    prompts: tuple[int, int]


def spoken(name: str, folder: Path, model: str, preset: str, *, talk: StagedTurns | None = None, **chosen: Any) -> Held:
    """Our driver's conversation, as it was on the wire."""
    return asyncio.run(driven(load_agent(name), folder / "own", model, preset, chosen, talk))


def ours(name: str, folder: Path, model: str, preset: str, **chosen: Any) -> golden.Conversation:
    """Our driver's conversation, normalised."""
    return golden.conversation_of(spoken(name, folder, model, preset, **chosen))


def named_in(held: Held) -> list[str]:
    """Words of ours in a request body, in a file that the agent left, or in a path that an unconfined agent sees."""
    texts = [json.dumps(held.bodies, ensure_ascii=False), *held.places, *(str(data) for data in held.files.values())]
    return sorted({found.lower() for text in texts for found in OURS.findall(text)})


def held_against(
    name: str, version: str, model: str, preset: str, theirs: golden.Conversation, own: golden.Conversation
) -> Cell:
    """Our conversation against the stock program's."""
    found, listed = differences(theirs.requests, own.requests), declared(name, preset, version, model)
    verdict = judge(found, listed)
    compared = min(len(apart(theirs.requests)[0]), len(apart(own.requests)[0]))
    unequal = {each.request for each in found} - {0}
    open_ones = {each.request for each in verdict.undeclared}
    return Cell(
        compared,
        compared - len(unequal),
        compared - len(open_ones - {0}),
        len(listed),
        len(verdict.undeclared),
        len(verdict.gone),
        own.files == theirs.files,
        (len(prompt_of(theirs.requests[0])), len(prompt_of(own.requests[0]))),
    )


def cells(
    agents: tuple[tuple[str, str, tuple[str, ...]], ...] = AGENTS,
) -> Iterator[tuple[tuple[str, str, str, str], Cell]]:
    """Every cell of the agents that are installed."""
    for name, wanted, presets in agents:
        agent = load_agent(name)
        chosen: Mapping[str, Any] = {"version": wanted} if wanted else {}
        settings = settings_for(agent, "stock", chosen)
        version = agent.version(settings)
        if agent.installed(settings) is None:  # type: ignore[attr-defined]
            print(f"{name} {version} is not installed: stewardbench agents install {name} --version {version}")
            continue
        for preset in presets:
            for model in MODELS:
                theirs = golden.read(GOLDEN / golden.file_name(name, version, model))
                with tempfile.TemporaryDirectory(prefix="p-") as folder:
                    own = ours(name, Path(folder), model, preset, **chosen)
                yield (name, version, preset, model), held_against(name, version, model, preset, theirs, own)


def main() -> int:
    """Print the table as it fills."""
    print(
        f"{'agent':10}{'version':11}{'preset':10}{'model name':19}{'compared':>9}{'equal':>7}{'as declared':>13}"
        f"{'reasons':>9}{'undeclared':>12}{'gone':>6}{'files':>7}{'prompt: stock':>15}{'ours':>8}"
    )
    clean = True
    for (name, version, preset, model), cell in cells(
        tuple(each for each in AGENTS if sys.argv[1:2] in ([], [each[0]]))
    ):
        clean = clean and not cell.undeclared and not cell.gone and (cell.files or preset == "released")
        files = "equal" if cell.files else "differ"
        print(
            f"{name:10}{version:11}{preset:10}{model:19}{cell.compared:9}{cell.equal:7}{cell.as_declared:13}"
            f"{cell.reasons:9}{cell.undeclared:12}{cell.gone:6}{files:>7}{cell.prompts[0]:15,}{cell.prompts[1]:8,}",
            flush=True,
        )
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main())
