"""What a new release of an agent changed in the requests that its user's model is sent: prompts, tools, limits, form.

    python tests/parity/record.py hermes gpt-5             with the new release installed: its stock conversation
    python tests/parity/changes.py OLD.json NEW.json       then this, before the pin is moved

Ends with exit code 1 when anything changed.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from stewardbench.agents.parity import golden
from stewardbench.agents.parity.compare import differences


def changes(old: Path, new: Path) -> list[str]:
    """One line per change, with the number of requests that it is in; then the memory files that changed."""
    before, after = golden.read(old), golden.read(new)
    counted = Counter(each.what for each in differences(before.requests, after.requests))
    lines = [f"{count:3} x {what}" for what, count in counted.items()]
    names = sorted({*before.files, *after.files})
    return lines + [f"file {name}" for name in names if before.files.get(name) != after.files.get(name)]


if __name__ == "__main__":
    found = changes(Path(sys.argv[1]), Path(sys.argv[2]))
    print("\n".join(found) or "nothing changed")
    sys.exit(1 if found else 0)
