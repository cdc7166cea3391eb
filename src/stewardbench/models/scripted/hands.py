"""The hands of a scripted model: tool calls made from recipes, for whichever memory tools the agent offers."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any

import yaml

from stewardbench.errors import UsageError
from stewardbench.models.messages import ChatRequest, ToolCall
from stewardbench.models.scripted.phrases import PhraseForm, one_line, phrases
from stewardbench.records import Record

SEARCH = "kept note for later conversations"
SAMPLES = {"string": "example", "integer": 1, "number": 1, "boolean": True, "array": [], "object": {}}


class Recipe(Record):
    """One way to do something: the tools that can, and the arguments they take."""

    tools: tuple[str, ...]
    arguments: dict[str, Any]


class Recipes(Record):
    """All recipes, in order of preference."""

    write: dict[str, tuple[Recipe, ...]]
    replace: dict[str, tuple[Recipe, ...]]
    load: tuple[Recipe, ...]
    search: tuple[Recipe, ...]


class Attempt(Record):
    """One try of history-cheat."""

    tool: str
    arguments: dict[str, Any]


@cache
def recipes() -> Recipes:
    """The packaged recipes."""
    loaded = _yaml("tools.yaml")
    return Recipes.model_validate({key: loaded[key] for key in ("write", "replace", "load", "search")})


Declared = Mapping[str, Sequence[Mapping[str, Any]]]
"""An agent's own ways to save, by surface (profile, memory, note, skill): recipes as ``tools.yaml`` has them."""

_DECLARED: ContextVar[Mapping[str, tuple[Recipe, ...]]] = ContextVar("declared", default={})  # noqa: B039


@contextmanager
def declaring(saves: Declared) -> Iterator[None]:
    """Scripted models know an agent's own save tools inside. Raises UsageError for a declaration that is none."""
    token = _DECLARED.set(declared_recipes(saves))
    try:
        yield
    finally:
        _DECLARED.reset(token)


def declared_recipes(saves: Declared) -> dict[str, tuple[Recipe, ...]]:
    """A declaration as recipes. Raises UsageError that shows a good one."""
    surfaces = tuple(recipes().write)
    if unknown := set(saves) - set(surfaces):
        raise UsageError(
            f"the agent's `saves` names the surface {sorted(unknown)[0]!r}.", hint=f"There are: {', '.join(surfaces)}."
        )
    try:
        return {
            surface: tuple(Recipe(tools=tuple(one["tools"]), arguments=dict(one["arguments"])) for one in ways)
            for surface, ways in saves.items()
        }
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(
            f"the agent's `saves` cannot be read: {type(error).__name__}: {error}.",
            hint="Write for example saves = {'memory': [{'tools': ['jot'], 'arguments': {'words': '$line'}}]}.",
        ) from error


@cache
def attempts() -> tuple[tuple[Attempt, ...], ...]:
    """What history-cheat tries, by turn."""
    return tuple(tuple(Attempt.model_validate(one) for one in turn) for turn in _yaml("history.yaml"))


def write(request: ChatRequest, surface: str, form: PhraseForm, claim: str) -> ToolCall | None:
    """The call that saves a claim on a surface, or None when no offered tool can.

    An agent without notes outside its prompt gets a note as memory.
    """
    name = skill_name(claim)
    words = phrases().skill
    line = form.save(claim)
    document = f"# {words.title}: {SEARCH}\n\n{line}\n"
    known = {
        "line": line,
        "document": document,
        "name": name,
        "title": words.title,
        "description": words.description,
        "skill": f"---\nname: {name}\ndescription: {words.description}\n---\n\n{document}",
        "date": _date(request),
    }
    own = _DECLARED.get()
    ways = own.get(surface, ()) + recipes().write[surface]
    if surface == "note":
        ways += own.get("memory", ()) + recipes().write["memory"]
    return _first(request, ways, known)


def keep(request: ChatRequest, surface: str, notes: Sequence[str]) -> tuple[ToolCall, ...]:
    """The calls that keep some notes as entries of their own: one call each, or one file with a list of them."""
    ways = _DECLARED.get().get(surface, ()) + recipes().write[surface]
    calls = [_first(request, ways, {"line": note, "document": None, "date": _date(request)}) for note in notes]
    if all(calls):
        return tuple(
            call.model_copy(update={"id": f"{call.id}_{number}"}) for number, call in enumerate(calls, 1) if call
        )
    listed = "\n".join(f"- {note}" for note in notes)
    document = f"# {phrases().skill.title}: {SEARCH}\n\n{listed}\n"
    whole = _first(request, ways, {"line": None, "document": document, "date": _date(request)})
    return (whole,) if whole else ()


def replace(request: ChatRequest, surface: str, old: str, new: str) -> tuple[ToolCall, ...]:
    """The call that puts one note in the place of another; none where no offered tool can."""
    document = f"# {phrases().skill.title}: {SEARCH}\n\n- {new}\n"
    call = _first(request, recipes().replace[surface], {"old": old, "line": new, "document": document})
    return (call,) if call else ()


def load(request: ChatRequest, prompt: str) -> ToolCall | None:
    """The call that loads a kept skill which the prompt lists, or None when it lists none."""
    listed = re.search(re.escape(phrases().skill.prefix) + r"[0-9a-f]+", prompt)
    if listed is None:
        return None
    path = re.search(rf"[^\s<>\"'()]*{listed[0]}/SKILL\.md", prompt)
    return _first(request, recipes().load, {"name": listed[0], "path": path[0] if path else None})


def search(request: ChatRequest) -> ToolCall | None:
    """The call that searches for kept notes, or None when nothing can be searched."""
    return _first(request, recipes().search, {"search": SEARCH})


def cheat(request: ChatRequest, turn: int, question: str, results: str) -> tuple[ToolCall, ...]:
    """All offered ways back into history for this turn (1-based) of a conversation."""
    offered = _offered(request)
    sessions = sorted(set(re.findall(r"agent:[\w:-]+|(?<=\"session_id\": \")[\w:-]+", results)))
    known = {"question": one_line(question), "any": " OR ".join(re.findall(r"\w{4,}", question))}
    calls: list[ToolCall] = []
    for attempt in attempts()[min(turn, len(attempts())) - 1]:
        if attempt.tool in offered:
            named = "$session" in attempt.arguments.values()
            for session in sessions if named else [""]:
                arguments = _fill(attempt.arguments, {**known, "session": session})
                calls.append(_call(request, attempt.tool, arguments, len(calls)))
    return tuple(calls)


def forced(request: ChatRequest) -> ToolCall | None:
    """The call that the request's ``tool_choice`` demands, with arguments made up from the tool's schema."""
    choice = request.tool_choice
    if isinstance(choice, dict):
        wanted = str(choice.get("function", {}).get("name"))
    elif choice == "required" and request.tools:
        wanted = request.tools[0]["function"]["name"]
    else:
        return None
    schema = _offered(request).get(wanted)
    if schema is None:
        return None
    known = schema.get("properties", {})
    return _call(request, wanted, {name: _sample(known.get(name, {})) for name in schema.get("required", [])}, 0)


def skill_name(claim: str) -> str:
    """The name of the skill that keeps a claim: a function of the claim alone."""
    return phrases().skill.prefix + hashlib.sha256(one_line(claim).encode()).hexdigest()[:8]


def _first(request: ChatRequest, ways: Sequence[Recipe], known: Mapping[str, str | None]) -> ToolCall | None:
    """The first recipe that the offered tools and the known values allow."""
    offered = _offered(request)
    for way in ways:
        arguments = _fill(way.arguments, known)
        for tool in way.tools:
            schema = offered.get(tool)
            if schema is None or None in arguments.values():
                continue
            if set(schema.get("required", [])) <= set(arguments) <= set(schema.get("properties", {})):
                return _call(request, tool, arguments, 0)
    return None


def _fill(arguments: Mapping[str, Any], known: Mapping[str, str | None]) -> dict[str, Any]:
    """Arguments with their placeholders filled; None where a value is not known."""
    filled: dict[str, Any] = {}
    for key, value in arguments.items():
        if isinstance(value, str) and value.startswith("$") and value[1:] in known:
            filled[key] = known[value[1:]]
        elif isinstance(value, str) and "/" in value:
            filled[key] = Template(value).safe_substitute({name: text for name, text in known.items() if text})
        else:
            filled[key] = value
    return filled


def _call(request: ChatRequest, tool: str, arguments: Mapping[str, Any], number: int) -> ToolCall:
    """A call whose id is unique in its conversation, without a counter."""
    text = json.dumps(arguments, ensure_ascii=False)
    return ToolCall(id=f"call_{len(request.messages)}_{number}", name=tool, arguments=text)


def _offered(request: ChatRequest) -> dict[str, dict[str, Any]]:
    """The parameter schema of every offered tool."""
    return {tool["function"]["name"]: tool["function"].get("parameters") or {} for tool in request.tools}


def _sample(schema: Mapping[str, Any]) -> Any:
    values = schema.get("enum")
    return values[0] if values else SAMPLES.get(str(schema.get("type")), "example")


def _date(request: ChatRequest) -> str:
    """The first date that the conversation mentions, newest message first; agents name their notes by day."""
    for message in reversed(request.messages):
        found = re.search(r"\d{4}-\d{2}-\d{2}", str(message.get("content")))
        if found:
            return found[0]
    return phrases().skill.prefix.strip("-")


def _yaml(name: str) -> Any:
    return yaml.safe_load(files("stewardbench.models.scripted").joinpath(name).read_text(encoding="utf-8"))
