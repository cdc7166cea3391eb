"""Running PASB: settings, seats, store, judging of stored episodes; the wing's edge to Inspect and to processes."""
