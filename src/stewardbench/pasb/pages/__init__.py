"""PASB's pages of the static site."""
