"""Material in a prompt: every line marked, whatever ends it, so that nothing in it can pass for the prompt itself."""

from __future__ import annotations

import re

LINE_END = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
MARK = "| "


def quoted(text: str) -> str:
    """A text with a mark before each line. Every Unicode line or paragraph separator counts as a line end."""
    return "\n".join(f"{MARK}{line}" for line in LINE_END.split(text))
