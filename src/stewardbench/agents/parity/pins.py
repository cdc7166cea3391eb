"""What a recorded conversation stands for: the exact installation of an agent, by the hash of its committed locks.

A recording keeps the pin that it was last seen under. When the locks of an agent change, the pins differ, and the stock
program has to hold its conversation again.
"""

from __future__ import annotations

import hashlib
from importlib.resources import files

from stewardbench.agents.openclaw.releases import NODE_VERSION, release


def pin(agent: str, version: str) -> str:
    """The pin of an agent's version: 16 hexadecimal digits. Raises UsageError for an OpenClaw that has no lock."""
    if agent == "openclaw":
        locked = (release(version).lock / "package-lock.json").read_bytes() + NODE_VERSION.encode()
    else:
        locked = (files(f"stewardbench.agents.{agent}") / "requirements.lock").read_bytes()
    return hashlib.sha256(locked).hexdigest()[:16]
