"""The explorer's list: one row per episode, stored by column with one small code per cell.

Forty thousand episodes with fifteen columns are about 300 kB this way, so the whole list can be searched, filtered
and sorted in the browser.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class ListColumn:
    """How the explorer lists one column. ``filter`` offers its values in a menu; ``hidden`` only searches it.

    ``short`` is the list's heading where the label is too wide; ``labels`` gives values their chip's tone.

    Kinds: ``name`` (free text), ``category`` (few values), ``score`` (1-5, shown as a shaded digit), ``mark``
    (a category drawn as a chip), ``number`` (a count).
    """

    key: str
    label: str
    kind: Literal["name", "category", "score", "mark", "number"]
    filter: bool = False
    hidden: bool = False
    labels: tuple[tuple[str, str], ...] = ()
    short: str = ""


class EpisodeIndex:
    """One row per episode, by column: the distinct values, and one code per episode.

    Row i's detail is in shard ``i // per_shard``.
    """

    def __init__(self, columns: Sequence[ListColumn], per_shard: int) -> None:
        self.columns, self.per_shard = tuple(columns), per_shard
        self.ids: list[str] = []
        self._codes: dict[str, list[int]] = {column.key: [] for column in columns}
        self._values: dict[str, dict[str, int]] = {column.key: {} for column in columns}

    def __len__(self) -> int:
        return len(self.ids)

    def add(self, episode_id: str, row: Mapping[str, str]) -> None:
        """Append one episode. ``row`` holds a text for every column; the empty text means no value."""
        self.ids.append(episode_id)
        for column in self.columns:
            values = self._values[column.key]
            self._codes[column.key].append(values.setdefault(row[column.key], len(values)))

    def plain(self) -> dict[str, object]:
        """The index as JSON values for the explorer."""
        return {
            "ids": self.ids,
            "perShard": self.per_shard,
            "columns": [
                {
                    "key": column.key,
                    "label": column.label,
                    "kind": column.kind,
                    "filter": column.filter,
                    "hidden": column.hidden,
                    "labels": dict(column.labels),
                    "short": column.short or column.label,
                    "values": list(self._values[column.key]),
                    "codes": self._codes[column.key],
                }
                for column in self.columns
            ],
        }
