"""The builder: base items are checked, laid out into tasks, audited, and packed with their card and manifest."""
