"""Run all benchmark parts, or those named on the command line."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

APART = {"faults", "stock"}  # long, with options of their own: ``python -m bench.stock``
PARTS = sorted(
    path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("_") and path.stem not in APART
)


def main() -> int:
    """Run each part's ``main`` in turn; an unknown name is an error that lists the known ones."""
    wanted = sys.argv[1:] or PARTS
    unknown = [name for name in wanted if name not in PARTS]
    if unknown:
        print(f"no such part: {', '.join(unknown)}; there are: {', '.join(PARTS)}", file=sys.stderr)
        return 2
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start\n")
    for name in wanted:
        print(f"== {name}")
        importlib.import_module(f"bench.{name}").main()
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
