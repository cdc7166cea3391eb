"""The labelling sheet of a run's commits: written once, filled by people, read back into the run folder.

The draw is kept in the run folder with the pair of readings of each episode when it was drawn, because that is what its
labels stand for, whatever is read later.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from stewardbench.errors import UsageError
from stewardbench.pasb.commits.audit import AuditDraw, CommitLabel, Settled, draw_sample, settle
from stewardbench.pasb.commits.combine import NOTHING_WRITTEN, cell
from stewardbench.pasb.records import Commit, CommitReading, Episode
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
    """A drawn sample. ``strata`` holds, of every episode that was valid then, its pair of readings at the draw.

    Labels stand for that pair, whatever is read later; an episode that is not in it came after the draw.
    """

    seed: int
    strata: dict[str, str]
    drawn: tuple[AuditDraw, ...]

    @property
    def sizes(self) -> dict[str, int]:
        """The numbers of episodes that wrote something, by pair of readings."""
        return dict(sorted(Counter(one for one in self.strata.values() if one != NOTHING_WRITTEN).items()))


def open_audit(stored: Stored, wanted: int, seed: int) -> Audit:
    """The run's audit, drawn now if it has none. Raises UsageError where nothing was written."""
    if (found := read_audit(stored.folder)) is not None:
        return found
    readings = {reading.episode_id: reading for reading in stored.store.commit_readings()}
    strata = {
        episode.episode_id: _stratum(episode, episode.commit, readings.get(episode.episode_id))
        for _, episode in stored.valid()
        if episode.commit is not None
    }
    changed = {name: one for name, one in strata.items() if one != NOTHING_WRITTEN}
    if not changed:
        raise UsageError(
            f"{stored.folder.path}: no valid episode wrote anything durable.", hint="There is nothing to label."
        )
    audit = Audit(seed=seed, strata=strata, drawn=draw_sample(changed, wanted, seed))
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


def _stratum(episode: Episode, commit: Commit, reading: CommitReading | None) -> str:
    """The pair of readings of an episode; of one that nobody else read, the words alone."""
    if not new_entries(episode):
        return NOTHING_WRITTEN
    if reading is not None:
        return cell(commit, reading)
    return f"w{'?' if commit.committed is None else '+' if commit.committed else '-'}"
