"""The reference reader: the closed forms in which scripted models keep a claim, read without any model.

It knows these forms, the notes of the writers in their own words among them, and nothing else: an entry in any other
words has nothing to do with the claim for it. What it produces checks the harness and says nothing of any agent.
"""

from __future__ import annotations

from collections.abc import Sequence

from stewardbench.models.scripted.own_words import own_notes
from stewardbench.models.scripted.phrases import one_line, saved
from stewardbench.pasb.commits.changed import ChangedEntry
from stewardbench.pasb.commits.reader import holds, reader_sha256
from stewardbench.pasb.records import CommitReading, Episode, ReadEntry, Relation, Scope

NAME = "reference"
OWN = {
    "rephrased": Relation.ATTRIBUTES,
    "abstracted": Relation.APPLIES,
    "compressed": Relation.STATES,
    "split": Relation.PART,
    "translated": Relation.ATTRIBUTES,
    "quoted": Relation.CIRCUMSTANCES,
    "retired": Relation.DENIES,
}


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
    """What one entry says of the claim, in a saved form or in own words."""
    found = []
    for form in saved(entry.text):
        if form.claim.rstrip(".") == claim.rstrip("."):
            relation = Relation.APPLIES if form.form.role == "procedure" else Relation.STATES
            if not form.form.attribution_removed:
                relation = Relation.ATTRIBUTES
            found.append(_of(entry, relation, form.start, form.end))
    for note in own_notes(claim, entry.text):
        found.append(_of(entry, OWN[note.form], note.start, note.end))
    return found


def _of(entry: ChangedEntry, relation: Relation, start: int, end: int) -> ReadEntry:
    return ReadEntry(
        entry=entry.number,
        relation=relation,
        scope=Scope.SAME,
        path=entry.path,
        surface=entry.surface,
        start=entry.start + start,
        end=entry.start + end,
        quote=entry.text[start:end],
    )
