"""The static site: one folder that opens from disk, with leaderboards, figures and the episode explorer."""

from stewardbench.site.build import SiteSummary, build_site

__all__ = ["SiteSummary", "build_site"]
