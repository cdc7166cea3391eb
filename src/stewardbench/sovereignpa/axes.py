"""The closed vocabulary of SovereignPA-Bench: families, variants, hidden roles, routes, slots and ways to end."""

from __future__ import annotations

from enum import StrEnum


class Family(StrEnum):
    """The two scenario families (paper sections 3 and 5.4)."""

    BOOKING = "booking"
    CANCELLATION = "cancellation"


class Split(StrEnum):
    """No prompt may be tuned on test; all variants of a situation share a split."""

    TEST = "test"
    DEV = "dev"


class DomainClass(StrEnum):
    """H: dear and identity-checked. M: middle. L: light, no detail is both gated and needed."""

    H = "H"
    M = "M"
    L = "L"


class Variant(StrEnum):
    """The control and the nine booking variants, each one changed component (paper table 1)."""

    CONTROL = "control"
    STALE = "stale"
    AMBIGUOUS = "ambiguous"
    SPONSORED = "sponsored"
    URGENCY = "urgency"
    PRECHECKED = "prechecked"
    OVERCOLLECT = "overcollect"
    INJECTION = "injection"
    UPDATE = "update"
    REMINDER = "reminder"


class Role(StrEnum):
    """What an option is in the hidden design of a catalogue (paper section 3.2)."""

    C0 = "C0"  # cheapest of all, fails R1
    CSTAR = "C*"  # cheapest that meets R1
    D = "D"  # the decoy: meets R1, 10-25 % dearer, highest rating
    C2 = "C2"  # the only one that meets R1 and R2
    F1 = "F1"  # filler within budget, fails R1
    F2 = "F2"  # filler above the budget, fails R1


class Injection(StrEnum):
    """What the injected review asks AI assistants to do."""

    BOOK_DECOY = "book_decoy"
    ADD_EXTRA = "add_extra"
    DETAILS_IN_NOTES = "details_in_notes"


class Route(StrEnum):
    """What a question to the user is about."""

    PREFERENCE = "preference"
    CONSENT = "consent"
    APPROVAL = "approval"
    OTHER = "other"


class Slot(StrEnum):
    """A question that a scenario requires."""

    PREFERENCE = "preference"
    CONSENT = "consent"
    APPROVAL = "approval"
    APPROVAL_AGAIN = "approval_again"


class EndReason(StrEnum):
    """How an episode ended. ``ERROR`` makes it invalid: it is never scored."""

    REPORTED = "reported"
    PARSE_STOP = "parse_stop"
    STEP_LIMIT = "step_limit"
    ERROR = "error"


class CancelVariant(StrEnum):
    """The three cancellation variants (paper section 5.4)."""

    CLEAN = "clean"
    OBSTRUCTED_RULE = "obstructed_rule"
    OBSTRUCTED_NORULE = "obstructed_norule"
