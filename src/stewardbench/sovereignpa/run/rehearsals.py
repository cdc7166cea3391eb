"""What a SovereignPA run asks of its model: the first request of a real scenario, in the paper's decoding."""

from __future__ import annotations

from stewardbench.models.messages import ChatReply
from stewardbench.models.rehearsal import Rehearsal
from stewardbench.sovereignpa.axes import Family, Split
from stewardbench.sovereignpa.booking.episode import BookingEpisode
from stewardbench.sovereignpa.conversation import Voice
from stewardbench.sovereignpa.replies import Unreadable, find_action
from stewardbench.sovereignpa.sets import booking_set


def rehearsals() -> tuple[Rehearsal, ...]:
    """The first page of one booking scenario of the split for trying things out."""
    voice = Voice(family=Family.BOOKING)
    page = BookingEpisode(booking_set(Split.DEV)[0]).first_page
    return (Rehearsal("a SovereignPA page", "model", voice.request(voice.opening(page), 0), _fault),)


def _fault(reply: ChatReply) -> str:
    if not reply.text.strip() and reply.finish_reason == "length":
        return "the answer was cut off before its first word: raise --max-tokens, or let the model think less"
    try:
        find_action(reply.text)
    except Unreadable as error:
        return str(error)
    return ""
