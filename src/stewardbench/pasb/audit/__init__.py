"""The audit: what the seven dimensions of a task (section A.4) can decide by rule, and the tests of a whole set."""
