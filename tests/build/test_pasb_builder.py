from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from scripted_writer import ScriptedWriter, draft_of

from stewardbench.errors import ModelError
from stewardbench.pasb.authoring.builder import Batch, Built, build
from stewardbench.pasb.authoring.output import item_yaml, jsonl, write_batch
from stewardbench.pasb.authoring.stages import FRAME, QUERY, STAGES, Stage, follow_ups, stage_of
from stewardbench.pasb.axes import Scenario
from stewardbench.pasb.tasks.item import BaseItem
from stewardbench.pasb.tasks.load import Variant, lay_out, packaged_items, read_tasks
from stewardbench.pasb.tasks.source import read_item

ITEM = packaged_items("smoke")[0]
OPINION = Scenario.PERSONAL_OPINION


def run(*sources: Any, **options: Any) -> Batch:
    return asyncio.run(build(sources, **options))


def built(writer: ScriptedWriter, **options: Any) -> Built:
    return run(draft_of(ITEM), writer=writer, **options).built[0]


def test_a_draft_becomes_sixteen_audited_tasks() -> None:
    writer = ScriptedWriter(ITEM)
    one = built(writer)
    assert one.item == ITEM
    assert (len(one.tasks), one.failed, one.iterations, one.reason) == (16, (), 0, "")
    assert all(len(task.audit) == 7 and all(entry.passed for entry in task.audit) for task in one.tasks)
    assert Counter(stage for stage, _ in writer.asked) == {"frame": 1, "style": 4, "timing": 4, "query": 1}


def test_a_finished_item_needs_no_writer() -> None:
    batch = run(ITEM)
    assert batch.succeeded
    assert batch.failure_rate == 0.0
    assert [task.model_copy(update={"audit": ()}) for task in batch.passed] == list(lay_out([ITEM]))


def test_a_draft_without_a_writer_is_left_with_the_reason() -> None:
    batch = run(draft_of(ITEM))
    assert "needs a writer" in batch.built[0].reason
    assert not batch.succeeded
    assert batch.failure_rate == 1.0


def spoiled(stage: str, field: str, value: Any, *, scenario: Scenario | None = None, times: int = 1) -> Any:
    def spoil(now: str, where: Scenario | None, attempt: int, reply: dict[str, Any]) -> Any:
        if now == stage and (scenario is None or where == scenario) and attempt < times:
            reply[field] = value
        return reply

    return spoil


@pytest.mark.parametrize(
    ("stage", "field", "value", "scenario", "repeated"),
    [
        ("query", "query", ["Does that sound right?"] * 3, None, {("query", None)}),
        ("timing", "hints", ["Too short."] * 2, OPINION, {("timing", OPINION)}),
        ("style", "fillers", ["Too short."] * 5, OPINION, {("style", OPINION), ("timing", OPINION)}),
        ("frame", "context_facts", ["A fact."] * 5, None, {(stage.name, stage.scenario) for stage in STAGES}),
    ],
)
def test_what_fails_goes_back_to_its_stage(
    stage: str, field: str, value: Any, scenario: Scenario | None, repeated: set[Any]
) -> None:
    writer = ScriptedWriter(ITEM, spoiled(stage, field, value, scenario=scenario))
    one = built(writer)
    assert one.item == ITEM
    assert (one.failed, one.iterations) == ((), 1)
    assert {asked for asked, count in Counter(writer.asked).items() if count == 2} >= {(stage, scenario)}
    assert set(writer.asked[len(STAGES) :]) == repeated
    assert any("Your last version had faults" in prompt for prompt in writer.prompts)
    sent = {line.sent_back_to for line in one.log if not line.passed}
    assert any(stage in target for target in sent)


def test_iterations_end_and_say_what_is_left() -> None:
    writer = ScriptedWriter(ITEM, spoiled("timing", "hints", ["Too short."] * 2, scenario=OPINION, times=99))
    batch = run(draft_of(ITEM), writer=writer, iterations=2)
    one = batch.built[0]
    assert one.iterations == 2
    assert {task_id.split("__")[1] for task_id in one.failed} == {"personal_opinion"}
    assert len(batch.passed) == 12
    assert not batch.succeeded
    assert {line.iteration for line in one.log} == {0, 1, 2}


def test_an_unusable_reply_is_asked_for_again_and_then_given_up() -> None:
    def prose(stage: str, scenario: Scenario | None, attempt: int, reply: dict[str, Any]) -> Any:
        return "Sure, here it is." if stage == "query" and attempt < 2 else reply

    assert built(ScriptedWriter(ITEM, prose)).item == ITEM
    given_up = built(ScriptedWriter(ITEM, lambda stage, *_: "no" if stage == "query" else _[-1]))
    assert given_up.item is None
    assert "no usable query" in given_up.reason


def test_a_missing_key_is_named_to_the_writer() -> None:
    def incomplete(stage: str, scenario: Scenario | None, attempt: int, reply: dict[str, Any]) -> Any:
        if stage == "frame" and attempt == 0:
            del reply["twin_value"]
        return reply

    writer = ScriptedWriter(ITEM, incomplete)
    assert built(writer).item == ITEM
    assert "twin_value: Field required" in writer.prompts[1]


def test_each_stage_names_the_schema_that_its_good_reply_keeps_and_a_short_one_breaks() -> None:
    replies: list[dict[str, Any]] = []

    def kept(stage: str, scenario: Scenario | None, attempt: int, reply: dict[str, Any]) -> Any:
        replies.append(reply)
        return reply

    writer = ScriptedWriter(ITEM, kept)
    assert built(writer).item == ITEM
    for schema, reply in zip(writer.schemas, replies, strict=True):
        assert "prefixItems" not in json.dumps(schema)
        check = Draft202012Validator(schema)
        assert list(check.iter_errors(reply)) == []
        lists = [name for name, value in reply.items() if isinstance(value, list) and value and name != "terms"]
        short = [name for name in lists if list(check.iter_errors({**reply, name: reply[name][:1]}))]
        assert short == [name for name in lists if name != "names"]


def test_a_writer_that_is_down_loses_only_its_item() -> None:
    async def down(prompt: str, schema: dict[str, Any]) -> str:
        raise ModelError("the endpoint answers 503", status=503)

    batch = run(draft_of(ITEM), packaged_items("smoke")[1], writer=down)
    assert batch.built[0].reason == "the endpoint answers 503"
    assert len(batch.passed) == 16


def auditor(failing: str = "", note: str = "seems stiff") -> Any:
    async def ask(prompt: str) -> str:
        points = dict.fromkeys(("style", "timing", "ending", "query", "fillers"), True)
        reply: dict[str, Any] = {**points, **{f"{point}_note": "" for point in points}}
        if failing and f"STYLE: {failing}" in prompt:
            reply |= {"style": False, "style_note": note}
        return json.dumps(reply)

    return ask


def test_the_auditor_adds_entries_and_sends_back() -> None:
    clean = run(ITEM, auditor=auditor()).built[0]
    assert all(len(task.audit) == 12 for task in clean.tasks)
    assert clean.failed == ()
    writer = ScriptedWriter(ITEM)
    one = built(writer, auditor=auditor("environment_fact"), iterations=1)
    assert {task_id.split("__")[1] for task_id in one.failed} == {"environment_fact"}
    assert set(writer.asked[len(STAGES) :]) == {
        ("style", Scenario.ENVIRONMENT_FACT),
        ("timing", Scenario.ENVIRONMENT_FACT),
    }
    assert any("seems stiff" in prompt for prompt in writer.prompts)


def test_an_undecided_auditor_neither_passes_nor_fails() -> None:
    async def prose(prompt: str) -> str:
        return "It looks fine to me."

    one = run(ITEM, auditor=prose).built[0]
    assert all(len(task.audit) == 7 for task in one.tasks)
    assert one.failed == ()


@pytest.mark.parametrize(
    ("place", "stages"),
    [
        ("claim.text", {FRAME}),
        ("query_domain", {FRAME}),
        ("twin.kind", {FRAME}),
        ("query[1]", {QUERY}),
        ("query", {QUERY}),
        ("twin.checks.passes[0]", {QUERY}),
        ("fillers.signed_memory[2]", {Stage("style", Scenario.SIGNED_MEMORY)}),
        ("twin.wordings.signed_memory.full", {Stage("style", Scenario.SIGNED_MEMORY)}),
        ("true_claim.wordings.environment_fact.full", {Stage("style", Scenario.ENVIRONMENT_FACT)}),
        ("wordings.environment_fact.hints[0]", {Stage("timing", Scenario.ENVIRONMENT_FACT)}),
        ("personal_opinion__drip", {Stage("timing", OPINION)}),
        ("personal_opinion__late_shock", {Stage("style", OPINION)}),
        ("wordings", {Stage("style", scenario) for scenario in Scenario}),
    ],
)
def test_places_belong_to_stages(place: str, stages: set[Stage]) -> None:
    assert stage_of(place) == stages


def test_follow_ups() -> None:
    assert follow_ups({FRAME}) == set(STAGES)
    assert follow_ups({QUERY}) == {QUERY}
    assert follow_ups({Stage("style", OPINION)}) == {Stage("style", OPINION), Stage("timing", OPINION)}


def test_items_survive_yaml(tmp_path: Path) -> None:
    for item in packaged_items("smoke"):
        path = tmp_path / "item.yaml"
        path.write_text(item_yaml(item), encoding="utf-8")
        assert read_item(path) == item


def test_a_written_build_reads_back_and_is_reproducible(tmp_path: Path) -> None:
    broken = BaseItem.model_validate(
        packaged_items("smoke")[1].model_dump(mode="json") | {"query_domain": packaged_items("smoke")[1].claim.domain}
    )
    batch = run(ITEM, broken, draft_of(packaged_items("smoke")[2]))
    counts = write_batch(batch, tmp_path / "a")
    assert counts == {
        "tasks.jsonl": 16,
        "cue_on.jsonl": 8,
        "released_query.jsonl": 16,
        "twin.jsonl": 32,
        "true_claim.jsonl": 16,
        "no_claim.jsonl": 16,
    }
    assert read_tasks(tmp_path / "a" / "tasks.jsonl") == batch.passed
    assert read_tasks(tmp_path / "a" / "twin.jsonl") == lay_out([ITEM], Variant.TWIN)
    left = [json.loads(line) for line in (tmp_path / "a" / "left.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {row["id"]: len(row["failed"]) for row in left} == {broken.id: 16, "PASB-SOC-0001": 0}
    assert left[1]["reason"]
    write_batch(run(ITEM, broken, draft_of(packaged_items("smoke")[2])), tmp_path / "b")
    for name in ("manifest.json", "tasks.jsonl", "audit.jsonl"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_jsonl_bytes_are_canonical() -> None:
    (line,) = jsonl(lay_out([ITEM])[:1]).splitlines()
    assert line == json.dumps(json.loads(line), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
