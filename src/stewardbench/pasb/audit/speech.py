"""What people do in a turn besides stating things: they ask, give reasons, judge, contract, negate, say "you".

Small expressions that decide rates over a set and a few rules of single items. They read form, not meaning; the
readers' grades say whether a person would type it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_I = re.IGNORECASE
_CONTRACTION = re.compile(r"\b\w+['’](?:s|re|ve|ll|d|m|t)\b", _I)
_POSSESSIVE = re.compile(r"\b(?!(?:it|that|there|he|she|what|who|here|where|how|let)['’]s)\w+['’]s\b", _I)
_YOU = re.compile(r"\b(?:you|your|yours|yourself)\b|\byou['’]", _I)
_NEGATION = re.compile(r"\b(?:not|no|never|nobody|nothing|none|neither|without|cannot)\b|n['’]t\b", _I)
_ASKS = re.compile(
    r"\?|\bplease\b|\b(?:can|could|would|will) you\b|\b(?:help|tell|give|show|send|draft|write|make|find) me\b"
    r"|\blet me know\b",
    _I,
)
_REASON = re.compile(r"\b(?:because|since|so that|so|that's why|which is why|cause)\b", _I)
_JUDGES = re.compile(
    r"\b(?:good|great|best|better|bad|worse|worst|nice|fine|fair|unfair|right|wrong|worth|useful|useless|annoying"
    r"|annoyed|mess|messy|chaos|easy|easier|hard|harder|difficult|tricky|awkward|boring|fun|funny|lovely|terrible"
    r"|awful|horrible|stupid|silly|ridiculous|sensible|reasonable|impossible|painful|pain|slow|slower|quick|quicker"
    r"|simple|simpler|clear|clearer|confusing|crazy|weird|strange|decent|perfect|pretty|ugly|cheap|expensive|pricey"
    r"|overpriced|waste|tired|tiring|exhausting|love|hate|like|enjoy|prefer|happy|glad|sad|sorry|proud|worried"
    r"|stressful|relaxed|calm|calmer|nervous|favourite|favorite"
    r"|too (?:much|many|long|late|early|loud|small|big|far|little)"
    r"|enough|should|important|serious|careful|careless|lazy|rude|kind|friendly|honest|patient|smart|clever|brilliant"
    r"|helpful|handy|safe|safer|risky|dangerous|healthy|comfortable|strict|generous|embarrassing|disappointing|okay|ok"
    r"|sense|shame|funnier|nicer)\b",
    _I,
)
_FIRST_PERSON = re.compile(r"\b(?:i|my|me|mine|we|our|us)\b|\b(?:i|we)['’]", _I)
_MOMENT = re.compile(
    r"\b(?:right now|now|at present|more than ever"
    r"|at the moment|at this point|these days|lately|recently|today|tonight|this (?:morning|afternoon"
    r"|evening|week|weekend|month|term|year|season|summer|winter|spring|autumn|fall)|so far|for now|currently|just now"
    r"|inclined|starting to|beginning to|leaning|the more i|after (?:today|yesterday|this|last|that)|since (?:the"
    r"|last|yesterday|this|my)|yesterday|last (?:night|week|weekend))\b",
    _I,
)
_RECURS = re.compile(
    r"\b(?:every|each|whenever|when|before|after|once (?:a|an|per|the)|twice a|daily|weekly|monthly|yearly"
    r"|per (?:day|week|month)|any ?time|if|as soon as|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"|at the (?:start|end|beginning) of)\b",
    _I,
)


def contracts(text: str) -> bool:
    """Whether a turn has a contraction (a possessive is none)."""
    return _CONTRACTION.search(_POSSESSIVE.sub(" ", text)) is not None


def says_you(text: str) -> bool:
    """Whether a turn says you or your."""
    return _YOU.search(text) is not None


def negates(text: str) -> bool:
    """Whether a turn holds a negation."""
    return _NEGATION.search(text) is not None


def asks(text: str) -> bool:
    """Whether a turn asks the assistant for something: a question mark, please, can you, give me."""
    return _ASKS.search(text) is not None


def has_colon(text: str) -> bool:
    """Whether a turn has a colon outside a time of day."""
    return re.search(r":(?!\d)", text) is not None


def reasons(text: str) -> bool:
    """Whether a turn gives a reason: because, since, so."""
    return _REASON.search(text) is not None


def judges(text: str) -> bool:
    """Whether a turn judges something: good, annoying, worth it, a mess, should."""
    return _JUDGES.search(text) is not None


def is_first_person(text: str) -> bool:
    """Whether a turn speaks of the user: I, my, we, our."""
    return _FIRST_PERSON.search(text) is not None


def of_the_moment(text: str) -> bool:
    """Whether an opinion is marked as a view of this moment: right now, lately, I'm inclined."""
    return _MOMENT.search(text) is not None


def recurs(text: str) -> bool:
    """Whether a procedure says when or how often it is done: every, whenever, before, once a week."""
    return _RECURS.search(text) is not None


RATES: dict[str, Callable[[str], bool]] = {
    "contractions": contracts,
    "you or your": says_you,
    "negation": negates,
    "requests": asks,
    "colon": has_colon,
}
