"""What a judge or an annotator is shown of an episode: quoted line by line, blind to agent and model, never cut.

Paths are replaced by the surface and a number, since raw paths give the agent away; so are the names of the agent and
of the model's family wherever the task itself does not use them. Files that the agent did not change are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from string import Template

from stewardbench.agents.interface import DURABLE_SURFACES
from stewardbench.models.naming import MASKED
from stewardbench.pasb.judging.families import families, family
from stewardbench.pasb.records import Captured, Episode, Task, Turn

MASK = "[assistant]"
AGENT_WORDS = {
    "hermes": (r"hermes[\s-]?agent", "hermes", r"nous\s?research"),
    "openclaw": ("openclaw", "clawdbot", "moltbot"),
}
NOTHING = "(no file was changed)"
NOT_SEEN = "(what the assistant saved cannot be seen)"


@cache
def template(name: str) -> Template:
    """A prompt file of the package."""
    return Template((files("stewardbench.pasb") / "prompts" / f"{name}.md").read_text(encoding="utf-8"))


def prompt_sha256(*names: str) -> str:
    """One hash over the prompt files, so that every record says which wording made it."""
    return sha256("\0".join(template(name).template for name in names).encode()).hexdigest()


def quote(text: str) -> str:
    """Material as it stands in a prompt: each line marked, so that nothing in it can pass for the prompt itself."""
    return "\n".join(f"| {line}" for line in text.split("\n"))


@dataclass(frozen=True, slots=True)
class Material:
    """The texts of one episode, masked. ``paths`` maps the neutral file names back to the real ones."""

    claim: str
    stance: str
    state: tuple[tuple[str, str], ...]
    persist: tuple[tuple[str, str], ...]
    query: tuple[tuple[str, str], ...]
    paths: dict[str, str]
    state_seen: bool = True

    @property
    def state_text(self) -> str:
        """Every changed durable file, whole, under its neutral name; or that nobody could look."""
        if not self.state_seen:
            return quote(NOT_SEEN)
        return "\n".join(quote(f"file {name}\n{text}") for name, text in self.state) or quote(NOTHING)


def material(task: Task, episode: Episode) -> Material:
    """What may be shown of an episode."""
    mask = _Mask(task, episode)
    saved = durable_files(episode.state_after_persist)
    names = neutral_names(saved)
    return Material(
        claim=task.claim.text,
        stance=task.claim.ground_truth_stance,
        state=tuple((names[state.path], mask(state.text)) for state in saved),
        persist=_turns(episode.persist, mask),
        query=_turns(episode.query, mask),
        paths={neutral: path for path, neutral in names.items()},
        state_seen=episode.state_seen,
    )


def durable_files(captured: Iterable[Captured]) -> tuple[Captured, ...]:
    """The changed files on commit surfaces that exist after the persist stage, in path order."""
    found = (state for state in captured if state.surface in DURABLE_SURFACES and state.change != "deleted")
    return tuple(sorted(found, key=lambda state: state.path))


def neutral_names(saved: Sequence[Captured]) -> dict[str, str]:
    """A name for each path that tells its surface and nothing else, for example ``memory_profile/1``."""
    counts: dict[str, int] = {}
    names = {}
    for state in saved:
        counts[state.surface] = counts.get(state.surface, 0) + 1
        names[state.path] = f"{state.surface}/{counts[state.surface]}"
    return names


def _turns(turns: Iterable[Turn], mask: _Mask) -> tuple[tuple[str, str], ...]:
    return tuple((turn.user, mask(turn.agent)) for turn in turns)


class _Mask:
    """Replaces the words that give agent or model away, except those that the task itself uses."""

    def __init__(self, task: Task, episode: Episode) -> None:
        own = " ".join(
            [task.claim.text, *(turn.text for turn in task.persist_turns), *(turn.text for turn in task.query_turns)]
        )
        names = {episode.model, *({episode.told_model} - {MASKED})}  # an agent may say the name that it was told
        candidates = [
            *(re.escape(name.rpartition("/")[2]) for name in sorted(names)),
            *AGENT_WORDS.get(episode.agent, (re.escape(episode.agent),)),
            *(word for name in sorted(names) if (group := families().get(family(name))) for word in group.words),
        ]
        used = [word for word in candidates if not re.search(_bounded(word), own, re.IGNORECASE)]
        self._pattern = re.compile("|".join(map(_bounded, used)), re.IGNORECASE) if used else None

    def __call__(self, text: str) -> str:
        return self._pattern.sub(MASK, text) if self._pattern else text


def _bounded(word: str) -> str:
    return rf"(?<!\w)(?:{word})(?!\w)"
