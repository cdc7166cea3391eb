"""Booking: one episode on the platform, its pages and its metrics; beside ``cancellation``."""
