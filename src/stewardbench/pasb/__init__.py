"""PASB, the persistent-sycophancy benchmark: tasks, protocol, commits, judging and metrics, all pure."""
