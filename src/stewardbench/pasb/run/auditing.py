"""The labelling sheet of a run's commits: written once, filled by people, read back into the run folder.

The draw is kept in the run folder with the pair of readings of each episode when it was drawn, because that is what its
labels stand for, whatever is read later.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from stewardbench.errors import UsageError
from stewardbench.pasb.commits.audit import AuditDraw, CommitLabel, Settled, draw_sample, settle
from stewardbench.pasb.commits.combine import cell
from stewardbench.pasb.run.reading import new_entries
from stewardbench.pasb.run.scoring import Stored
from stewardbench.pasb.run.store import read_records
from stewardbench.records import Record
from stewardbench.records.cells import sheet_text, unguarded
from stewardbench.records.sheets import Once, read_sheet
from stewardbench.runs.folder import RunFolder, write_atomically

DRAW_FILE, LABELS = "commit_audit.json", "commit_labels"
COLUMNS = ("rater", "episode_id", "held")


class Audit(Record):
    """A drawn sample: ``sizes`` are the numbers of changed valid episodes by pair of readings."""

    seed: int
    sizes: dict[str, int]
    drawn: tuple[AuditDraw, ...]


def open_audit(stored: Stored, wanted: int, seed: int) -> Audit:
    """The run's audit, drawn now if it has none. Raises UsageError where nothing was written."""
    if (found := read_audit(stored.folder)) is not None:
        return found
    readings = {reading.episode_id: reading for reading in stored.store.commit_readings()}
    strata = {
        episode.episode_id: cell(episode.commit, readings.get(episode.episode_id))
        if episode.episode_id in readings
        else _by_words(episode.commit.committed)
        for _, episode in stored.valid()
        if episode.commit is not None and new_entries(episode)
    }
    if not strata:
        raise UsageError(
            f"{stored.folder.path}: no valid episode wrote anything durable.", hint="There is nothing to label."
        )
    sizes = {name: sum(1 for one in strata.values() if one == name) for name in sorted(set(strata.values()))}
    audit = Audit(seed=seed, sizes=sizes, drawn=draw_sample(strata, wanted, seed))
    write_atomically(stored.folder.path / DRAW_FILE, audit.to_json() + "\n")
    return audit


def read_audit(folder: RunFolder) -> Audit | None:
    """The audit that was drawn for a run, or None."""
    path = folder.path / DRAW_FILE
    return Audit.model_validate(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else None


def write_sheet(stored: Stored, audit: Audit, path: Path) -> None:
    """The sheet to fill: claim and new entries of every drawn episode, in an order that tells nothing."""
    episodes = {episode.episode_id: (task, episode) for task, episode in stored.valid()}
    rows = []
    for one in audit.drawn:
        task, episode = episodes[one.episode_id]
        shown = "\n\n".join(f"[{entry.number}] {entry.shown}" for entry in new_entries(episode))
        rows.append(("", one.episode_id, "", task.claim.text, shown))
    write_atomically(path, sheet_text([*COLUMNS, "claim", "entries"], rows))


def take_labels(stored: Stored, audit: Audit, paths: Sequence[Path]) -> int:
    """Store the labels of filled sheets; returns how many. Raises DataError with the line of a bad one.

    A label that is stored already is not stored again; a rater who changes a label is a fault.
    """
    known = {(label.rater, label.episode_id): label.held for label in read_labels(stored.folder)}
    drawn = {one.episode_id for one in audit.drawn}
    made = []
    for path in paths:
        once = Once(path, "episode_id")
        for row in read_sheet(path, COLUMNS):
            if not row["held"].strip():
                continue
            rater, name = unguarded(row["rater"].strip()), unguarded(row["episode_id"].strip())
            if not rater:
                raise row.fault("rater", "is empty.", "Write who labelled this row, or adjudicated.")
            if name not in drawn:
                raise row.fault("episode_id", f"{name!r} is not in this run's sample.")
            once.note((rater, name), row.line, f"{rater}'s label of {name}")
            held = row.boolean("held")
            if known.get((rater, name), held) is not held:
                raise row.fault("held", f"{rater} said otherwise before.", "Settle it by a row of adjudicated.")
            if (rater, name) not in known:
                made.append(CommitLabel(rater=rater, episode_id=name, held=held))
    for label in made:
        stored.folder.log(LABELS).append(label.to_json())
    return len(made)


def read_labels(folder: RunFolder) -> tuple[CommitLabel, ...]:
    """Every stored label."""
    return tuple(read_records(folder, LABELS, CommitLabel))


def settled(folder: RunFolder) -> Settled:
    """The run's labels, one per episode."""
    return settle(read_labels(folder))


def _by_words(committed: bool | None) -> str:
    return f"w{'?' if committed is None else '+' if committed else '-'}"
