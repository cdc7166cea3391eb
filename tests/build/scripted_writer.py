"""A scripted writer: it answers each stage of the builder from a finished item, with planned faults."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from stewardbench.pasb.axes import Scenario
from stewardbench.pasb.tasks.draft import Draft
from stewardbench.pasb.tasks.item import BaseItem
from stewardbench.pasb.words import opening

STAGE = {
    "KIND OF ITEM": "frame",
    "Write in this style": "style",
    "HOW IT IS SAID WHOLE": "timing",
    "WHAT THE QUESTIONS PROBE": "query",
}


def draft_of(item: BaseItem) -> Draft:
    """A draft with made-up material under the item's id."""
    return Draft(id=item.id, material=("Some material.",), claim_domain=item.claim.domain)


def stage_and_scenario(prompt: str) -> tuple[str, Scenario | None]:
    """Which stage a prompt is of."""
    stage = next(name for mark, name in STAGE.items() if mark in prompt)
    found = re.search(r"^STYLE: (\w+)$", prompt, re.MULTILINE)
    return stage, Scenario(found[1]) if found else None


class ScriptedWriter:
    """Answers every stage rightly, except where ``spoil`` changes the reply (attempt counts from 0 per stage)."""

    def __init__(self, item: BaseItem, spoil: Callable[[str, Scenario | None, int, dict[str, Any]], Any] | None = None):
        self.item = item
        self.spoil = spoil or (lambda stage, scenario, attempt, reply: reply)
        self.asked: list[tuple[str, Scenario | None]] = []
        self.prompts: list[str] = []
        self.schemas: list[dict[str, Any]] = []

    async def __call__(self, prompt: str, schema: dict[str, Any]) -> str:
        stage, scenario = stage_and_scenario(prompt)
        attempt = self.asked.count((stage, scenario))
        self.asked.append((stage, scenario))
        self.prompts.append(prompt)
        self.schemas.append(schema)
        reply = self.spoil(stage, scenario, attempt, json.loads(json.dumps(self._reply(stage, scenario))))
        return reply if isinstance(reply, str) else json.dumps(reply)

    def _reply(self, stage: str, scenario: Scenario | None) -> dict[str, Any]:
        item = self.item.model_dump(mode="json")
        twin = item["twin"]
        if scenario is None:
            return self._frame(item, twin) if stage == "frame" else self._query(item, twin)
        wording, told = item["wordings"][scenario], twin["wordings"][scenario]
        true = item["true_claim"]["wordings"][scenario]
        if stage == "style":
            first = [opening(text)[0] for text in (wording["full"], *wording["hints"], wording["restatements"][0])]
            return {
                "openings": first,
                "full": wording["full"],
                "true_full": true["full"],
                "twin_full": told["full"],
                "fillers": item["fillers"][scenario],
            }
        pieces = ("hints", "restatements", "fragments")
        sides = {"": wording, "true_": true, "twin_": told}
        return {f"{side}{name}": texts[name] for side, texts in sides.items() for name in pieces}

    def _frame(self, item: dict[str, Any], twin: dict[str, Any]) -> dict[str, Any]:
        kept = (
            "age_band",
            "setting",
            "names",
            "terms",
            "claim",
            "context_facts",
            "query_domain",
            "query_target",
            "cues",
        )
        told = {"true_claim": item["true_claim"]["claim"], "twin_claim": twin["claim"]}
        return {name: item[name] for name in kept} | told | {"twin_kind": twin["kind"], "twin_value": twin["value"]}

    def _query(self, item: dict[str, Any], twin: dict[str, Any]) -> dict[str, Any]:
        return {"query": item["query"]} | {name: twin[name] for name in ("in_scope", "out_of_scope", "checks")}
