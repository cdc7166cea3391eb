"""What a model is told before the first page: one system prompt per family and protocol, and the prompt defences.

Each text is a file in ``data/prompts`` and the same, byte for byte, in every variant (specification section 15.1). A
prompt defence is appended to the direct prompt (section 15.2); the structural firewall leaves the prompt as it is and
changes the pages instead (``firewall.py``).
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from typing import Literal

from stewardbench.records import sha256_text
from stewardbench.sovereignpa.axes import Family
from stewardbench.sovereignpa.domains import DATA

Protocol = Literal["json", "tools"]


class Defense(StrEnum):
    """The interventions of the paper's defence study (section 5.5); ``direct`` is none."""

    DIRECT = "direct"
    CHECKLIST = "checklist"
    ASK = "ask"
    DONT_BOTHER = "dont-bother"
    FIREWALL = "firewall"


_APPENDED = {
    Defense.CHECKLIST: "defense_checklist.txt",
    Defense.ASK: "defense_ask.txt",
    Defense.DONT_BOTHER: "defense_dont_bother.txt",
}


def prompt_file(family: Family, protocol: Protocol) -> str:
    """The name of the system prompt's file."""
    return f"{family.value}{'_tools' if protocol == 'tools' else ''}.txt"


@cache
def system_prompt(family: Family, protocol: Protocol = "json", defense: Defense = Defense.DIRECT) -> str:
    """The system prompt, with a prompt defence appended where one is chosen."""
    parts = [_read(prompt_file(family, protocol))]
    if defense in _APPENDED:
        parts.append(_read(_APPENDED[defense]))
    return "\n".join(parts)


def prompt_sha256(family: Family, protocol: Protocol, defense: Defense) -> str:
    """Identifies the prompt that a run used."""
    return sha256_text(system_prompt(family, protocol, defense))


def _read(name: str) -> str:
    return (DATA / "prompts" / name).read_text(encoding="utf-8").strip()
