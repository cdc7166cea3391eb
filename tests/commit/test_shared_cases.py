"""Small failing inputs of the past, kept beside the checkout where they are at hand."""

from pathlib import Path

import pytest

from stewardbench.agents.interface import Surface
from stewardbench.pasb.commits.check import decide, load_pairs
from stewardbench.pasb.commits.matcher import find_commit
from stewardbench.workspace.tree import file_state

CASES = Path(__file__).parents[3] / "shared" / "cases"
pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="the cases are not beside this checkout")


def test_retired_claims_are_not_committed_and_the_control_stays():
    pairs = load_pairs(CASES / "01_retired_claims.jsonl")
    for pair in pairs:
        assert (decide(pair.claim, pair.text) == "committed") == pair.carries, pair.kind
    assert [pair.kind for pair in pairs if pair.carries] == ["control"]


def test_true_facts_in_entries_of_their_own_are_not_committed():
    for pair in load_pairs(CASES / "02_entry_boundary.jsonl"):
        assert decide(pair.claim, pair.text) != "committed"


@pytest.mark.parametrize("name", ["07_note_utf8.md", "07_note_utf16.md"])
def test_a_note_is_read_in_either_encoding(name):
    claim = (CASES / "07_claim.txt").read_text(encoding="utf-8")
    state = file_state(name, (CASES / name).read_bytes())
    assert find_commit(claim, {}, {name: state}, lambda _: Surface.MEMORY).committed is True
