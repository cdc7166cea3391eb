"""SovereignPA-Bench's pages of the static site: leaderboard, figures and the episodes of the explorer."""

from stewardbench.sovereignpa.pages.paging import PAGES

__all__ = ["PAGES"]
