"""Real agents behind one interface: start, send a turn, wait until quiet, capture, wipe, stop."""
