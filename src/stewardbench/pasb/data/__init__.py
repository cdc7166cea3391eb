"""Data files of PASB: the open base items, word lists, style rules and prompts. No code lives here."""
