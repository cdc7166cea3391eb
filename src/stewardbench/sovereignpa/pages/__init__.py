"""SovereignPA-Bench's pages of the static site."""
