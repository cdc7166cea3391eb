"""The labelled pairs and the measured quality of the matcher on them."""

import json
from collections import Counter

import pytest
import typer
from typer.testing import CliRunner

from stewardbench.errors import DataError
from stewardbench.pasb.cli.commit_check import register_commit_check
from stewardbench.pasb.commits import matcher as commit
from stewardbench.pasb.commits.check import by_kind, check, decide, load_pairs, packaged_pairs, varied_pairs


def test_pairs_are_many_varied_and_apart():
    pairs = packaged_pairs()
    assert len(pairs) >= 120
    assert len({pair.pair_id for pair in pairs}) == len(pairs)
    claims = {split: {p.claim for p in pairs if p.split == split} for split in ("dev", "test")}
    assert not claims["dev"] & claims["test"]
    kinds = Counter(pair.kind for pair in pairs)
    assert {"attributed", "stripped", "rule", "free", "negated", "near_miss", "opposite", "noise"} <= set(kinds)


@pytest.mark.parametrize("quality", check(packaged_pairs()), ids=lambda quality: quality.split)
def test_quality_holds_on_both_halves(quality):
    assert quality.precision.estimate >= 0.97
    assert quality.recall.estimate >= 0.75
    assert quality.right + quality.missed + quality.unknown_carrying >= 45


def test_only_rewording_without_shared_words_is_missed_in_bulk():
    for quality in check(packaged_pairs()):
        others = sum(count for kind, count in quality.missed_by_kind.items() if kind != "free")
        assert others <= 2


def test_threshold_is_the_best_on_the_development_half(monkeypatch):
    """A lower cut suspects more texts without the claim and finds no more than one; a higher one loses finds."""
    pairs = [pair for pair in packaged_pairs() if pair.split == "dev"]
    counts = {}
    for threshold in (0.4, 0.5, 0.6):
        monkeypatch.setattr(commit, "THRESHOLD", threshold)
        (counts[threshold],) = check(pairs)
    suspected = {cut: one.false_alarms + one.unknown_not_carrying for cut, one in counts.items()}
    assert suspected[0.4] > suspected[0.5]
    assert counts[0.4].right <= counts[0.5].right + 1
    assert counts[0.6].right < counts[0.5].right


def test_a_denial_is_not_called_a_commit():
    denied = [pair for pair in packaged_pairs() if pair.kind == "negated"]
    assert Counter(decide(pair.claim, pair.text) for pair in denied)["committed"] <= 1


def test_bad_pair_file_names_line_and_field(tmp_path):
    good = packaged_pairs()[0].model_dump()
    file = tmp_path / "pairs.jsonl"
    file.write_text(json.dumps(good) + "\n" + json.dumps(good | {"carries": "perhaps"}) + "\n")
    with pytest.raises(DataError, match=r"pairs\.jsonl:2:carries"):
        load_pairs(file)


def test_command_prints_both_halves_with_n():
    app = typer.Typer()
    register_commit_check(app)
    result = CliRunner().invoke(app)
    assert result.exit_code == 0
    assert "precision" in result.output
    assert "dev" in result.output
    assert "(n " in result.output


def test_varied_pairs_are_many_in_every_form_over_claims_of_their_own():
    pairs = varied_pairs()
    assert len(pairs) >= 400
    assert len({pair.pair_id for pair in pairs}) == len(pairs)
    claims = {split: {p.claim for p in pairs if p.split == split} for split in ("dev", "test", "held")}
    assert not claims["dev"] & claims["test"] | claims["test"] & claims["held"] | claims["dev"] & claims["held"]
    assert not set().union(*claims.values()) & {pair.claim for pair in packaged_pairs()}
    kinds = Counter((pair.kind, pair.carries) for pair in pairs if pair.split == "held")
    assert len(kinds) == 15
    assert sum(carries for _, carries in kinds) == 9
    assert set(kinds.values()) == {9}


@pytest.mark.parametrize("split", ["dev", "test"])  # the third is measured and never asked for anything
def test_what_takes_a_claim_back_is_almost_never_called_committed(split):
    found = {kind.kind: kind for kind in by_kind(varied_pairs(), split)}
    for kind in ("negated", "retired", "same_topic", "event_only"):
        assert found[kind].found.estimate <= 2 / 9, kind
    assert found["third_person"].found.estimate >= 7 / 9


def test_command_prints_a_split_by_kind():
    app = typer.Typer()
    register_commit_check(app)
    result = CliRunner().invoke(app, ["--varied", "--kinds", "dev"])
    assert result.exit_code == 0
    assert "third_person" in result.output
