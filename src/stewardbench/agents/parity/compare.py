"""Every place where our conversation differs from the stock program's. Pure.

tools              names that one side is not offered: ``tool -NAME`` (only stock), ``tool +NAME`` (only ours)
schema NAME        a tool that both offer in different words
prompt             lines of the system prompt: ``prompt -LINE`` and ``prompt +LINE``
FIELD              a field of the request: ``max_tokens 65536 -> 4096``
role, messages     the form of the conversation
message N          lines of one message, as of the prompt; or the whole of it, where more than its text differs
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from stewardbench.agents.parity.log import Body, text_of
from stewardbench.agents.parity.normal import prompt_of

REVIEW = "Review the conversation above"  # how Hermes begins one


class Departure(NamedTuple):
    """One place of one request (counted from 1). ``what`` says it on one line, stock first."""

    request: int
    what: str


def differences(stock: Sequence[Body], ours: Sequence[Body]) -> list[Departure]:
    """All differences, request by request. What an agent asks in background reviews is counted and taken out first."""
    found: list[Departure] = []
    (stock, reviews), (ours, own_reviews) = apart(stock), apart(ours)
    if reviews != own_reviews:
        found.append(Departure(0, f"background reviews {reviews} -> {own_reviews}"))
    if len(stock) != len(ours):
        found.append(Departure(0, f"requests {len(stock)} -> {len(ours)}"))
    for number, (theirs, own) in enumerate(zip(stock, ours, strict=False), 1):
        found += [Departure(number, what) for what in _request(theirs, own)]
    return found


def apart(bodies: Sequence[Body]) -> tuple[list[Body], int]:
    """The conversation without the requests of background reviews, and how many these are."""
    kept = [body for body in bodies if not any(text_of(each).startswith(REVIEW) for each in body["messages"])]
    return kept, len(bodies) - len(kept)


def _request(stock: Body, ours: Body) -> Iterator[str]:
    yield from _lines("prompt", prompt_of(stock), prompt_of(ours))
    yield from _tools(stock.get("tools") or [], ours.get("tools") or [])
    yield from _messages(stock["messages"], ours["messages"])
    for field in sorted({*stock, *ours} - {"messages", "tools"}):
        if stock.get(field) != ours.get(field):
            yield f"{field} {stock.get(field)!r} -> {ours.get(field)!r}"


def _lines(what: str, stock: str, ours: str) -> Iterator[str]:
    for line in difflib.ndiff(stock.split("\n"), ours.split("\n")):
        if line[0] in "+-" and line[2:].strip():
            yield f"{what} {line[0]}{line[2:].strip()}"


def _tools(stock: Sequence[Any], ours: Sequence[Any]) -> Iterator[str]:
    theirs = {tool["function"]["name"]: tool for tool in stock}
    own = {tool["function"]["name"]: tool for tool in ours}
    yield from (f"tool -{name}" for name in sorted(theirs.keys() - own.keys()))
    yield from (f"tool +{name}" for name in sorted(own.keys() - theirs.keys()))
    yield from (f"schema {name}" for name in sorted(own.keys() & theirs.keys()) if own[name] != theirs[name])


def _messages(stock: Sequence[Any], ours: Sequence[Any]) -> Iterator[str]:
    if stock[0]["role"] != ours[0]["role"]:
        yield f"role {stock[0]['role']} -> {ours[0]['role']}"
    if len(stock) != len(ours):
        yield f"messages {len(stock)} -> {len(ours)}"
    for number, (theirs, own) in enumerate(zip(stock[1:], ours[1:], strict=False), 2):
        if theirs == own:
            continue
        told, said = text_of(theirs), text_of(own)
        if told != said and {**theirs, "content": told} == {**own, "content": told}:
            yield from _lines(f"message {number}", told, said)
        else:
            yield f"message {number}: {str(theirs)[:400]} -> {str(own)[:400]}"
