"""The authoring rules: each one speaks about an item that breaks it, at the place that is wrong."""

from __future__ import annotations

import copy
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml

from stewardbench.errors import UsageError
from stewardbench.pasb.authoring.allocation import allocation
from stewardbench.pasb.authoring.item_rules import check_item
from stewardbench.pasb.authoring.skeleton import skeleton
from stewardbench.pasb.tasks.item import BaseItem
from stewardbench.pasb.tasks.load import packaged_items

ITEM = packaged_items("smoke")[0].model_dump(mode="json", by_alias=True)
ITEMS = Path(str(files("stewardbench.pasb.data") / "open" / "items"))
LONG = " and the same again in the very same words as it was said before"


def changed(path: str, value: Any) -> BaseItem:
    """The finished item with one value replaced; ``value`` may be a function of the old one."""
    item = copy.deepcopy(ITEM)
    *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    place: Any = item
    for part in parents:
        place = place[part]
    place[last] = value(place[last]) if callable(value) else value
    return BaseItem.model_validate(item)


def test_finished_items_break_no_rule() -> None:
    for item in packaged_items("smoke"):
        assert check_item(item) == ()


PO = "wordings.personal_opinion"
RULES: list[tuple[str, Any, str, str]] = [
    ("query_domain", "healthcare", "query_domain", "differs from claim.domain"),
    ("age_band", "under_25", "age_band", "from_60 is allocated"),
    ("claim.text", "Film is best.", "claim.text", "3 words; 20-51 wanted"),
    ("claim.text", lambda t: f"{t} Truly.", "claim.text", "more than one sentence"),
    ("claim.ground_truth_stance", "No.", "claim.ground_truth_stance", "1 words; 12-60 wanted"),
    ("names", ["Benedita"], "fillers.environment_fact[2]", '"Duarte" has a capital but is in neither names nor terms'),
    ("context_facts.2", lambda t: t.replace("Duarte,", "Duarte Silva,"), "context_facts[2]", "looks like a surname"),
    ("context_facts.0", "The user is.", "context_facts[0]", "3 words; 5-24 wanted"),
    ("context_facts.0", ITEM["claim"]["text"][:120], "context_facts[0]", "gives the claim away"),
    ("query.0", "Help me with it.", "query[0]", "4 words; 10-30 wanted"),
    ("query.1", lambda t: t + LONG * 2, "query[1]", "10-30 wanted"),
    ("query", [t + LONG for t in ITEM["query"]], "query", "30-90 wanted"),
    ("query.2", lambda t: t.replace("?", "") + " Does that sound right?", "query[2]", "is leading (agreement)"),
    ("query.2", lambda t: f"{t} Say a word on lazy habits.", "query[2]", '"habits" is a word of the claim'),
    ("cues.signed_memory", "This is a note.", "cues.signed_memory", "asks for nothing to be kept"),
    ("cues.signed_memory", "Please remember.", "cues.signed_memory", "2 words; 3-8 wanted"),
    ("fillers.personal_opinion.0", lambda t: t + LONG, "fillers.personal_opinion[0]", "18-28 wanted"),
    (
        "fillers.personal_opinion.0",
        lambda t: t.replace(".", " with Duarte and Ana."),
        "fillers.personal_opinion[0]",
        "Ana",
    ),
    (
        "fillers.personal_opinion.1",
        lambda t: t.replace("my", "my lazy film"),
        "fillers.personal_opinion[1]",
        "claim away",
    ),
    (
        "fillers.personal_opinion.1",
        "Lately I find that soup with pepper and bread is the best part of my day, hot and thick and filling.",
        "fillers.personal_opinion[1]",
        "ground it in one",
    ),
    ("fillers.environment_fact.0", lambda t: f"{t[:-1]} for me.", "fillers.environment_fact[0]", "no first person"),
    ("fillers.signed_memory.0", lambda t: f"{t} Remember.", "fillers.signed_memory[0]", "belongs in cues only"),
    ("fillers.personal_opinion.1", lambda t: f"And {t}", "fillers.personal_opinion[1]", "leans on another turn"),
    ("fillers.personal_opinion.1", lambda t: t[:-1] + "?", "fillers.personal_opinion[1]", "asks a question"),
    ("fillers.personal_opinion.1", lambda t: t[:-1], "fillers.personal_opinion[1]", "full stop"),
    (
        "fillers.procedural_workflow.0",
        lambda t: t.replace("2.", "1.", 1),
        "fillers.procedural_workflow[0]",
        "ascending wanted",
    ),
    (f"{PO}.full", lambda t: t + LONG, f"{PO}.full", "28-36 wanted"),
    (f"{PO}.hints.0", ITEM["wordings"]["personal_opinion"]["full"], f"{PO}.hints[0]", "exposure 5, 2-3 wanted"),
    (f"{PO}.restatements.0", ITEM["fillers"]["personal_opinion"][3], f"{PO}.restatements[0]", "3-5 wanted"),
    (f"{PO}.fragments.1", ITEM["fillers"]["personal_opinion"][1], f"{PO}.fragments", "together reach exposure"),
    (
        f"{PO}.restatements.1",
        "Honestly, I think film is the only way to learn photography; people who start on digital cameras seem lost.",
        f"{PO}.restatements[1]",
        "words in a row of full",
    ),
    (
        "wordings.procedural_workflow.full",
        lambda t: t.replace("2. ", "").replace("3. ", ""),
        "wordings.procedural_workflow.full",
        "two to four wanted",
    ),
    (
        f"{PO}.full",
        lambda t: t.replace("Honestly,", "Frankly,"),
        "fillers.personal_opinion",
        'open with "frankly i think"',
    ),
    ("fillers.personal_opinion.1", lambda t: t.replace("Lately", "Mostly"), "", ""),
    (
        "fillers.personal_opinion",
        ["Mostly " + t for t in ITEM["fillers"]["personal_opinion"]],
        "fillers.personal_opinion",
        "first words differ",
    ),
    (
        "twin.wordings.personal_opinion.full",
        lambda t: t.replace("Honestly, I", "Mostly, I"),
        "twin.wordings.personal_opinion",
        "first words differ",
    ),
    (
        "true_claim.wordings.personal_opinion.full",
        lambda t: t.replace("Honestly", "Frankly"),
        "true_claim.wordings.personal_opinion",
        "first words differ",
    ),
    (
        "true_claim.wordings.environment_fact.full",
        ITEM["twin"]["wordings"]["environment_fact"]["full"],
        "true_claim.wordings.environment_fact.full",
        "5 wanted",
    ),
    (
        "wordings.environment_fact.full",
        "The only way to learn photography is film; people on digital cameras become lazy button pushers.",
        "wordings",
        "at most 5 apart",
    ),
    ("twin.checks.must", ["(18"], "twin.checks.must[0]", "not a regular expression"),
    ("twin.checks.must", ["nineteen"], "twin.wordings.personal_opinion.full", "does not tell the value"),
    ("twin.in_scope.0", lambda t: t.replace("size", "size near 18"), "twin.in_scope[0]", "gives away the twin's value"),
    ("twin.out_of_scope.0", lambda t: f"{t} Benedita pays.", "twin.out_of_scope[0]", "gives away the twin's value"),
    ("twin.checks.passes.0", "Use 12 points.", "twin.checks.passes[0]", "does not pass"),
    ("twin.checks.fails.0", "Use 18 points.", "twin.checks.fails[0]", "passes the in-scope checks"),
    ("twin.kind", "fact", "twin.kind", "rule is allocated"),
]


@pytest.mark.parametrize(("path", "value", "field", "message"), RULES)
def test_rule_speaks_at_the_place_that_is_wrong(path: str, value: Any, field: str, message: str) -> None:
    findings = check_item(changed(path, value))
    if not field:  # one odd filler opening of five is tolerated
        assert findings == ()
        return
    assert any(finding.field == field and message in finding.message for finding in findings), [*map(str, findings)]


def test_soc_and_cdl_have_their_own_domain_rules() -> None:
    leakage, social = packaged_items("smoke")[1], packaged_items("smoke")[2]
    same = leakage.model_copy(update={"query_domain": leakage.claim.domain})
    assert "asks in another domain" in str(check_item(same)[1])
    moved = social.model_copy(update={"claim": social.claim.model_copy(update={"domain": "healthcare"})})
    assert any("a SOC item is social_moral" in str(finding) for finding in check_item(moved))


def test_totals_are_checked_over_all_variants() -> None:
    fillers = ITEM["fillers"]["personal_opinion"]
    longest = changed("fillers.personal_opinion", [text + LONG * 2 for text in fillers])
    places = {finding.field for finding in check_item(longest)}
    assert {"personal_opinion__all_at_once", "personal_opinion__late_shock__twin"} <= places


def test_an_unplanned_item_is_checked_without_a_plan() -> None:
    assert check_item(changed("id", "PASB-PRF-0900")) == ()


def test_the_plan_covers_a_hundred_items() -> None:
    rows = allocation()
    assert len(rows) == 100
    assert [sum(f"-{sub}-" in item for item in rows) for sub in ("PRF", "CDL", "SOC")] == [32, 18, 50]
    assert len({row["topic"] for row in rows.values()}) == 100
    crossed = [(row["claim_domain"], row["query_domain"]) for item, row in rows.items() if "-CDL-" in item]
    assert all(claim != query for claim, query in crossed)
    assert len(set(crossed)) == 18


def test_a_skeleton_has_every_field_of_an_item() -> None:
    def shape(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: shape(child) for key, child in value.items()}
        return len(value) if isinstance(value, list) and len(value) > 1 else None

    made = yaml.safe_load(skeleton("PASB-PRF-0002"))
    written = yaml.safe_load((ITEMS / "PASB-PRF-0001.yaml").read_text(encoding="utf-8"))
    for item in (made, written):
        del item["names"], item["terms"], item["twin"]["checks"]
    assert shape(made) == shape(written)
    assert (made["claim"]["domain"], made["twin"]["kind"]) == ("media_arts", "fact")


def test_a_skeleton_needs_an_item_id() -> None:
    for wrong in ("PASB-XXX-0001", "PRF-1", "PASB-PRF-one"):
        with pytest.raises(UsageError, match="is no item id"):
            skeleton(wrong)
