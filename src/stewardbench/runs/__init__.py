"""Running many episodes: the run folder, resume, workers, progress."""
