"""A scripted model: a pure function from a request, and the lexicon in scope, to a reply.

    a turn of the lexicon is in the request   this is the conversation in which the claim is made: save it once, where
                                              the script says, when the turn that completes it is reached
    no such turn is in the request            this is a later conversation: load kept skills and search kept notes if
                                              the prompt shows none, then answer with what the request holds

Nothing is remembered between calls; whether the claim was already saved is read from the request's own history.
"""

from __future__ import annotations

from stewardbench.errors import ModelError
from stewardbench.models.messages import ChatReply, ChatRequest, ToolCall, Usage, message_text
from stewardbench.models.scripted import hands, lexicon
from stewardbench.models.scripted.conversation import HeardConversation
from stewardbench.models.scripted.lexicon import Lexicon
from stewardbench.models.scripted.own_words import words_for
from stewardbench.models.scripted.phrases import one_line, phrases, saved
from stewardbench.models.scripted.scripts import PREFIX, Script, script

CHEAT = "history-cheat"
MAX_REPEATED = 4000  # characters of tool results that history-cheat repeats


class ScriptedModel:
    """An upstream that follows one script. ``known`` is the lexicon; without one, the lexicon in scope is used."""

    def __init__(self, name: str, known: Lexicon | None = None) -> None:
        self.script = script(name)
        self.name = PREFIX + self.script.name
        self._lexicon = known

    def __repr__(self) -> str:
        return f"ScriptedModel({self.name!r})"

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request. Raises ModelError (500) when a script that writes has no lexicon."""
        known = self._lexicon or lexicon.in_use()
        if known is None and (self.script.form or self.script.own):
            raise ModelError(
                f"{self.name} cannot tell which user turn carries a claim: no lexicon is in scope.",
                status=500,
                kind="no_lexicon",
                hint="Call it inside stewardbench.models.scripted.lexicon.using(Lexicon.of_tasks(tasks)).",
            )
        return reply_to(request, self.script, known or Lexicon())


def reply_to(request: ChatRequest, role: Script, known: Lexicon) -> ChatReply:
    """The reply of a script to a request."""
    talk = HeardConversation(request)
    demanded = hands.forced(request)
    if demanded is not None and not talk.acted:
        return _reply(request, calls=(demanded,))
    if talk.is_review:
        return _reply(request, phrases().nothing_to_save)
    if any(known.lines_in(text) for text in talk.users):
        return _persist(request, talk, role, known)
    return _query(request, talk, role, known)


def _persist(request: ChatRequest, talk: HeardConversation, role: Script, known: Lexicon) -> ChatReply:
    """In the conversation that makes the claim: save it once, and take the script's stance to it."""
    claim = next((line.claim for line in known.lines_in(talk.last_user) if line.completes), None)
    if claim is not None and role.own is not None:
        return _keep_own(request, talk, role, claim)
    if claim is None or role.form is None or role.surface is None:
        return _reply(request, phrases().stances["neutral"])
    mine = role.stratum(known.position(claim) or 0)
    stance = phrases().stances[mine.stance if mine else role.stance]
    if mine is not None and not mine.writes:
        return _reply(request, stance)
    if talk.acted or talk.has_sent(claim):
        return _reply(request, phrases().unsaved if talk.refused else stance)
    call = hands.write(request, role.surface, phrases().form(role.form), claim)
    return _reply(request, calls=(call,)) if call else _reply(request, phrases().unsaved)


def _keep_own(request: ChatRequest, talk: HeardConversation, role: Script, claim: str) -> ChatReply:
    """Keep a claim in own words, once; a retirer keeps it first and then puts its retirement in that note's place."""
    mine = words_for(claim)
    if mine is None or role.own is None or role.surface is None:
        raise ModelError(
            f"{PREFIX}{role.name} has no words of its own for the claim {claim[:60]!r}.",
            status=500,
            kind="no_own_words",
            hint="Run the writers in own words on --tasks smoke.",
        )
    notes = mine.notes(role.own)
    calls: tuple[ToolCall, ...] = ()
    if role.own == "retired":
        first = mine.compressed
        if not talk.has_sent(first):
            calls = hands.keep(request, role.surface, (first,))
        elif not talk.has_sent(notes[0]):
            calls = hands.replace(request, role.surface, first, notes[0])
    elif not any(talk.has_sent(note) for note in notes):
        calls = hands.keep(request, role.surface, notes)
    if calls:
        return _reply(request, calls=calls)
    kept = talk.has_sent(notes[-1]) and not talk.refused
    return _reply(request, phrases().stances[role.stance] if kept else phrases().unsaved)


def _query(request: ChatRequest, talk: HeardConversation, role: Script, known: Lexicon) -> ChatReply:
    """In a later conversation: answer the question, and use what the request holds as the script says."""
    answers = phrases().neutral_answers
    neutral = answers[min(talk.turn, len(answers)) - 1]
    if role.name == CHEAT:
        return _cheat(request, talk, neutral, known)
    if not role.answers:
        return _reply(request, neutral)
    held = _held(talk, known)
    if role.strata:
        held = _failing(talk, role, known, told=bool(held))
    elif not held and not talk.calls:
        call = hands.load(request, talk.prompt) or hands.search(request)
        if call is not None:
            return _reply(request, calls=(call,))
    form = phrases().form(role.answers[min(talk.turn, len(role.answers)) - 1])
    return _reply(request, "\n\n".join([neutral, *(form.say(claim) for claim in held)]))


def _cheat(request: ChatRequest, talk: HeardConversation, neutral: str, known: Lexicon) -> ChatReply:
    """Try every way back that is offered, then repeat what came of it: whole claims first, then the raw text."""
    if not talk.acted:
        calls = hands.cheat(request, talk.turn, talk.last_user, "\n".join(talk.raw_results))
        if calls:
            return _reply(request, calls=calls)
    found = "\n".join(talk.results)
    turns = [line for line in known.lines_in(found) if line.completes]
    claims = sorted({line.claim for line in turns} | set(_held(talk, known)))
    fact = phrases().form("fact")
    parts = [neutral, *(fact.say(claim) for claim in claims)]
    if found:
        parts.append(f"From elsewhere:\n{found[:MAX_REPEATED]}")
    return _reply(request, "\n\n".join(parts))


def _held(talk: HeardConversation, known: Lexicon) -> list[str]:
    """The claims that the request shows: in a saved form, or word for word when they are in the lexicon."""
    held = [found.claim for found in saved(talk.shown)]
    flat = one_line(talk.shown) if known.claims else ""
    return list(dict.fromkeys([*held, *(claim for claim in known.claims if claim in flat)]))


def _failing(talk: HeardConversation, role: Script, known: Lexicon, *, told: bool) -> list[str]:
    """The claim of the item that is asked about, when its stratum fails on it as the request stands; else nothing."""
    asked = known.asked_in(talk.last_user)
    mine = role.stratum(asked.position) if asked else None
    if asked is None or mine is None:
        return []
    return [asked.claim] if (mine.told if told else mine.floor) else []


def _reply(request: ChatRequest, text: str = "", calls: tuple[ToolCall, ...] = ()) -> ChatReply:
    """A reply with its usage, counted in words: no tokeniser, no download, the same everywhere."""
    spoken = sum(_words(message_text(message)) for message in request.messages)
    tools = sum(_words(str(tool["function"].get("description"))) for tool in request.tools)
    written = _words(text) + sum(_words(call.arguments) for call in calls)
    return ChatReply(
        text=text,
        tool_calls=calls,
        finish_reason="tool_calls" if calls else "stop",
        usage=Usage(input_tokens=spoken + tools, output_tokens=written),
    )


def _words(text: str) -> int:
    return len(text.split())
