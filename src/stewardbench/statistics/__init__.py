"""Intervals, clustered and paired estimates, agreement: pure functions on arrays, on numpy, scipy and friends."""
