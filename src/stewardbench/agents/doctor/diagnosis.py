"""What one check of the doctor found."""

from __future__ import annotations

from stewardbench.records import Record


class Diagnosis(Record):
    """One check. ``advice`` says what to do and is empty exactly when the check passed."""

    check: str
    passed: bool
    detail: str
    advice: str = ""


def good(check: str, detail: str) -> Diagnosis:
    """A check that passed."""
    return Diagnosis(check=check, passed=True, detail=detail)


def bad(check: str, detail: str, advice: str) -> Diagnosis:
    """A check that failed, and what to do."""
    return Diagnosis(check=check, passed=False, detail=detail, advice=advice)
