"""The only home of PASB's metrics: pure functions of records."""
