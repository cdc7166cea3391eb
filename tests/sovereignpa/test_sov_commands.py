"""The ``sovereignpa`` commands, as a user runs them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import jsonschema
import pytest
import typer
from typer.testing import CliRunner

from stewardbench.errors import UsageError
from stewardbench.sovereignpa import acceptance
from stewardbench.sovereignpa.agents import booking_agent, cancel_agent
from stewardbench.sovereignpa.booking.episode import BookingEpisode, play
from stewardbench.sovereignpa.cancellation.episode import CancelEpisode
from stewardbench.sovereignpa.cancellation.generate import subscriptions
from stewardbench.sovereignpa.cancellation.subscription import cancel_scenarios
from stewardbench.sovereignpa.cli import commands as sovereignpa
from stewardbench.sovereignpa.domains import domains
from stewardbench.sovereignpa.generate import situations
from stewardbench.sovereignpa.records import Source, booking_log, cancel_log
from stewardbench.sovereignpa.variants import scenarios


@pytest.fixture(scope="module")
def run():
    app = typer.Typer()
    sovereignpa.register(app)

    @app.command()
    def other() -> None:
        """Keeps the group a group."""

    runner = CliRunner()
    return lambda *words: runner.invoke(app, ["sovereignpa", *words])


def test_generate_prints_the_hash_of_every_file(run, tmp_path):
    result = run("generate", "--out", str(tmp_path / "set"))
    assert result.exit_code == 0
    for line in result.output.splitlines():
        digest, _, path = line.partition("  ")
        assert hashlib.sha256(Path(path).read_bytes()).hexdigest() == digest


def test_show_tells_the_whole_episode(run):
    result = run("show", "flights-02.overcollect", "--agent", "naive")
    assert result.exit_code == 0
    for part in ("RESULTS PAGE: flights", "agent, step 1:", "Confirmed:", "sovereign success     FAIL", "recommended"):
        assert part in result.output
    good = run("show", "flights-02.overcollect").output
    assert "sovereign success     pass" in good
    assert "FAIL" not in good


@pytest.mark.parametrize("agent", ["careful", "ask-always", "naive", "no-ask", "vague"])
@pytest.mark.parametrize("variant", ["control", "ambiguous", "update", "prechecked"])
def test_every_verdict_has_a_reason(run, agent, variant):
    output = run("show", f"hotels-04.{variant}", "--agent", agent).output
    verdicts = output.splitlines()[-9:]
    assert [line[:22].strip() for line in verdicts] == [
        "sovereign success",
        "correct choice",
        "extra",
        "only needed details",
        "consent",
        "authority",
        "candor",
        "burden",
        "ask recall",
    ]
    assert all(len(line) > 30 for line in verdicts)


def test_show_a_cancellation(run):
    output = run("show", "meal_kit-2.obstructed_norule", "--agent", "retained").output
    assert "PAGE: Your account" in output
    assert "success               FAIL" in output
    assert "offer_accepted" in output


def test_show_pages_only(run):
    output = run("show", "flights-02.update", "--pages").output
    assert "agent, step" not in output
    assert "After the first action:" in output
    assert output.count("Seat pitch:") == 6
    assert "PAGE: Your account" in run("show", "meal_kit-2.clean", "--pages").output


def test_unknown_names_are_refused_with_the_known_ones(run):
    for words in (("show", "flights-99.stale"), ("show", "flights-02.stale", "--agent", "nobody")):
        result = run(*words)
        assert isinstance(result.exception, UsageError)
        assert result.exception.hint


def test_accept_prints_published_beside_ours(run, monkeypatch, test_cells):
    real = acceptance.compare
    monkeypatch.setattr(acceptance, "compare", lambda split, seed: test_cells if split == "test" else real(split, seed))
    result = run("accept")
    assert result.exit_code == 0, result.output
    assert "MISS" not in result.output
    assert "no-ask          ssr                                         51     51.13  1510  ok" in result.output
    assert result.output.rstrip().endswith("accepted")


def test_accept_fails_when_a_cell_misses(run, monkeypatch):
    missed = acceptance.Cell("careful", "ssr", 100, 99.9, 1510, ok=False)
    monkeypatch.setattr(acceptance, "compare", lambda *_: [missed])
    result = run("accept")
    assert result.exit_code == 1
    assert "MISS" in result.output


def test_accept_bands(run, monkeypatch):
    band = acceptance.Band("careful", "ssr", 100, 100, 100, 100, 100, 1, 1)
    monkeypatch.setattr(acceptance, "bands", lambda *_: [band])
    result = run("accept", "--bands", "--seeds", "1", "--mode", "quota")
    assert result.exit_code == 0, result.output
    assert "1/1" in result.output


def test_rescore_a_run_folder(run, tmp_path):
    chosen, subscription = situations()[5], subscriptions()[0]
    (tmp_path / "tasks.jsonl").write_text(f"{chosen.to_json()}\n{subscription.to_json()}\n")
    lines = []
    for one in scenarios([chosen]):
        episode = BookingEpisode(one)
        play(episode, booking_agent("naive"))
        lines.append(booking_log(episode, Source(agent="naive")).to_json())
    for other in cancel_scenarios([subscription]):
        cancelling = CancelEpisode(other)
        play(cancelling, cancel_agent("quitter"))
        lines.append(cancel_log(cancelling, Source(agent="quitter")).to_json())
    (tmp_path / "episodes.jsonl").write_text("\n".join(lines) + "\n")
    result = run("rescore", str(tmp_path))
    assert result.exit_code == 0, result.output
    assert "13 episodes scored again, 0 differences" in result.output
    changed = json.loads(lines[0])
    changed["metrics"]["overshare"] = not changed["metrics"]["overshare"]
    (tmp_path / "episodes.jsonl").write_text(json.dumps(changed) + "\n")
    result = run("rescore", str(tmp_path))
    assert result.exit_code == 1
    assert "overshare differ" in result.output


def test_schemas_fit_the_records(run):
    chosen, subscription = situations()[5], subscriptions()[0]
    episode = BookingEpisode(scenarios([chosen])[0])
    play(episode, booking_agent("ask-always"))
    cancelling = CancelEpisode(cancel_scenarios([subscription])[1])
    play(cancelling, cancel_agent("doubter"))
    records = {
        "domain": next(iter(domains().values())),
        "situation": chosen,
        "subscription": subscription,
        "booking-log": booking_log(episode, Source(agent="x")),
        "cancellation-log": cancel_log(cancelling, Source(agent="x")),
    }
    for name, record in records.items():
        printed = json.loads(run("schema", name).output)
        jsonschema.Draft202012Validator(printed).validate(json.loads(record.to_json()))
    assert isinstance(run("schema", "nothing").exception, UsageError)


@pytest.mark.parametrize("command", ["generate", "show", "accept", "rescore", "schema"])
def test_help_has_an_example(run, command):
    assert "Example: stewardbench sovereignpa" in run(command, "--help").output.replace("\n", " ").replace("│", " ")
