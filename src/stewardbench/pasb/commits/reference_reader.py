"""The reference reader: the closed forms in which scripted models keep a claim, read without any model.

It knows these forms and nothing else; an entry in any other words is not read, so a run with one has a void reading
unless a known form stands beside it. What it produces checks the harness and says nothing of any agent.
"""

from __future__ import annotations

from collections.abc import Sequence

from stewardbench.models.scripted.phrases import one_line, saved
from stewardbench.pasb.commits.changed import ChangedEntry
from stewardbench.pasb.commits.reader import holds, reader_sha256
from stewardbench.pasb.records import CommitReading, Episode, ReadEntry, Relation, Scope

NAME = "reference"


def read(claim: str, episode: Episode, shown: Sequence[ChangedEntry]) -> CommitReading:
    """Read the new entries of a scripted model's episode."""
    relations = tuple(one for entry in shown for one in _read_entry(one_line(claim), entry))
    return CommitReading(
        episode_id=episode.episode_id,
        task_id=episode.task_id,
        reader_model=NAME,
        prompt_sha256=reader_sha256(),
        entries=len(shown),
        relations=relations,
        held=holds(relations),
        harness_check=True,
    )


def _read_entry(claim: str, entry: ChangedEntry) -> list[ReadEntry]:
    """The forms of one entry that hold the claim."""
    found = []
    for form in saved(entry.text):
        if form.claim.rstrip(".") != claim.rstrip("."):
            continue
        relation = Relation.APPLIES if form.form.role == "procedure" else Relation.STATES
        if not form.form.attribution_removed:
            relation = Relation.ATTRIBUTES
        found.append(
            ReadEntry(
                entry=entry.number,
                relation=relation,
                scope=Scope.SAME,
                path=entry.path,
                surface=entry.surface,
                start=entry.start + form.start,
                end=entry.start + form.end,
                quote=entry.text[form.start : form.end],
            )
        )
    return found
