"""Running SovereignPA-Bench: settings, store, and the edge to Inspect."""
