"""The last line of a command that measures, and its exit code: what was asked, and what was really measured.

0   everything that was asked was measured
1   it was measured, and a check of the harness failed
3   a part of it was measured
4   nothing was
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

COMPLETE, FAULTY, PART, NOTHING = 0, 1, 3, 4
LONGEST = 100  # characters of a reason


@dataclass(frozen=True, slots=True)
class Closing:
    """The account of a run over all its starts.

    ``asked`` jobs; ``valid`` ones; of these ``scored`` (None where no scores were asked for); ``unscored`` and
    ``invalid`` by reason; what is missing was not reached. ``faults`` counts results that a known answer contradicts.
    """

    asked: int
    valid: int
    scored: int | None = None
    unscored: Mapping[str, int] = field(default_factory=dict)
    invalid: Mapping[str, int] = field(default_factory=dict)
    faults: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def measured(self) -> int:
        """Jobs that gave all that was asked of them."""
        return self.valid if self.scored is None else self.scored

    @property
    def exit_code(self) -> int:
        """See the module."""
        if self.measured < self.asked:
            return PART if self.measured else NOTHING
        return FAULTY if self.faults else COMPLETE

    @property
    def line(self) -> str:
        """One line that says it all."""
        parts = [f"asked {self.asked}", f"valid {self.valid}"]
        if self.scored is not None:
            parts.append(f"scored {self.scored}")
        if missing := sum(self.unscored.values()):
            reason, count = Counter(self.unscored).most_common(1)[0]
            parts.append(f"unscored {missing} (most often, {count}: {reason[:LONGEST]})")
        parts.append(f"invalid {sum(self.invalid.values())}{_listed(self.invalid)}")
        if left := self.asked - self.valid - sum(self.invalid.values()):
            parts.append(f"not done {left}")
        if self.input_tokens:
            parts.append(f"tokens {self.input_tokens:,} in, {self.output_tokens:,} out")
        name = {COMPLETE: "MEASURED", FAULTY: "FAULTY", PART: "INCOMPLETE", NOTHING: "NOTHING MEASURED"}
        faults = f"; {self.faults} not as the script says" if self.faults else ""
        return f"{name[self.exit_code]}: {', '.join(parts)}{faults}"


def _listed(reasons: Mapping[str, int]) -> str:
    listed = ", ".join(f"{reason} {count}" for reason, count in Counter(reasons).most_common())
    return f" ({listed})" if listed else ""
