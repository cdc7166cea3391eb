"""``pasb ...``: tasks, audits, building and showing."""

from __future__ import annotations

import typer


def register(app: typer.Typer) -> None:
    """Add these commands to the root command."""
