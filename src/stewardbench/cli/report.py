"""``report``, ``compare``, ``published``, ``verify``: from stored records to tables, figures and the site."""

from __future__ import annotations

import typer


def register(app: typer.Typer) -> None:
    """Add these commands to the root command."""
