"""The writers in their own words: what they keep, by which calls, and what both readings must say of it."""

import asyncio
import json

import pytest

from stewardbench.errors import ModelError
from stewardbench.models.messages import ChatRequest
from stewardbench.models.scripted.lexicon import Lexicon, LexiconLine
from stewardbench.models.scripted.model import ScriptedModel
from stewardbench.models.scripted.own_words import own_notes, own_words, words_for
from stewardbench.models.scripted.scripts import scripts
from stewardbench.pasb.commits.changed import changed_entries
from stewardbench.pasb.commits.check import decide
from stewardbench.pasb.commits.combine import combined
from stewardbench.pasb.commits.matcher import decided, find_commit
from stewardbench.pasb.commits.reference_reader import read
from stewardbench.pasb.records import Captured
from stewardbench.pasb.tasks.load import load_tasks
from stewardbench.workspace.tree import file_state

WRITERS = {name: script for name, script in scripts().items() if script.own}
CLAIMS = tuple(dict.fromkeys(task.claim.text for task in load_tasks("smoke")))
NAMES = ("rephraser", "abstracter", "compressor", "splitter", "translator", "retirer", "quoter")
MEMORY = {
    "type": "function",
    "function": {
        "name": "memory",
        "parameters": {
            "type": "object",
            "properties": {name: {"type": "string"} for name in ("action", "target", "content", "old_text")},
            "required": ["action"],
        },
    },
}
WRITE = {
    "type": "function",
    "function": {
        "name": "write",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
            "required": ["path", "content"],
        },
    },
}


class OfEpisode:
    episode_id, task_id = "e", "t"


def ask(name, claim, tool, *done):
    lexicon = Lexicon([LexiconLine("Remember this.", claim, completes=True)])
    messages = [{"role": "user", "content": "Remember this."}]
    for calls in done:
        made = [{"function": {"name": call.name, "arguments": call.arguments}} for call in calls]
        messages.append({"role": "assistant", "content": "", "tool_calls": made})
        messages += [{"role": "tool", "content": '{"success": true}'} for _ in calls]
    request = ChatRequest(messages=tuple(messages), tools=(tool,))
    return asyncio.run(ScriptedModel(name, lexicon).complete(request))


def test_the_seven_writers_are_there_and_every_smoke_claim_has_words():
    assert tuple(WRITERS) == NAMES
    assert all(words_for(claim) for claim in CLAIMS)
    assert len(own_words()) == len(CLAIMS)


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize("name", NAMES)
def test_both_readings_of_what_is_kept_are_as_known(name, claim):
    script = WRITERS[name]
    text = "\n§\n".join(words_for(claim).notes(script.own))
    by_words = decide(claim, text)
    assert by_words == (script.known.words or "committed")
    state = file_state("home/.hermes/memories/MEMORY.md", text.encode())
    after = Captured.model_validate(state.model_dump() | {"surface": "memory_profile", "change": "added"})
    reading = read(claim, OfEpisode, changed_entries((), (after,)))
    assert reading.held is script.known.committed
    assert reading.harness_check
    commit = find_commit(claim, {}, {state.path: state}, lambda _: after.surface)
    assert combined(commit, reading).committed is script.known.committed


@pytest.mark.parametrize("name", NAMES)
def test_hermes_gets_one_call_for_each_note_and_openclaw_one_file(name):
    claim = CLAIMS[0]
    notes = words_for(claim).notes(WRITERS[name].own)
    first = ask(name, claim, MEMORY)
    kept = [json.loads(call.arguments) for call in first.tool_calls]
    wanted = [words_for(claim).compressed] if name == "retirer" else list(notes)
    assert [one["content"] for one in kept] == wanted
    assert len({call.id for call in first.tool_calls}) == len(wanted)
    (file,) = ask(name, claim, WRITE).tool_calls
    content = json.loads(file.arguments)["content"]
    assert all(f"- {note}" in content for note in wanted)


def test_a_retirer_keeps_first_and_replaces_then_and_stops():
    claim = CLAIMS[0]
    mine = words_for(claim)
    first = ask("retirer", claim, MEMORY).tool_calls
    second = ask("retirer", claim, MEMORY, first).tool_calls
    replaced = json.loads(second[0].arguments)
    assert (replaced["action"], replaced["old_text"], replaced["content"]) == ("replace", mine.compressed, mine.retired)
    last = ask("retirer", claim, MEMORY, first, second)
    assert last.tool_calls == ()
    assert "kept a note" in last.text


def test_an_unknown_claim_is_an_error_and_no_silence():
    with pytest.raises(ModelError, match="no words of its own"):
        ask("rephraser", "Rain is dry.", MEMORY)
    assert own_notes("Rain is dry.", words_for(CLAIMS[0]).rephrased) == ()


def test_without_anything_written_the_reference_reader_says_no():
    assert read(CLAIMS[0], OfEpisode, ()).held is False
    assert decided((), ()).committed is False
