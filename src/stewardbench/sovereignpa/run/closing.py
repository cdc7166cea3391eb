"""What a SovereignPA run folder really measured. A valid episode is scored by rules, so there is nothing unscored."""

from __future__ import annotations

from collections import Counter

from stewardbench.runs.closing import Closing
from stewardbench.runs.progress import Progress
from stewardbench.sovereignpa.run.store import SovereignpaStore


def run_closing(store: SovereignpaStore, progress: Progress) -> Closing:
    """The account of a run over all its starts; tokens are those of this start."""
    counting = store.all_counting()
    invalid = Counter(tried.failure for tried in counting if not tried.valid)
    return Closing(
        asked=progress.total,
        valid=sum(tried.valid for tried in counting),
        invalid=invalid,
        input_tokens=progress.input_tokens,
        output_tokens=progress.output_tokens,
    )
