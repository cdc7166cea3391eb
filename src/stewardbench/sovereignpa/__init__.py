"""SovereignPA-Bench: a scripted platform and user, an agent that books and cancels, deterministic metrics."""
