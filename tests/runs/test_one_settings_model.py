"""One settings model per benchmark: its fields are what the command line asks for, Inspect takes, a manifest holds."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from stewardbench.errors import UsageError
from stewardbench.pasb.cli.run import run_pasb
from stewardbench.pasb.run import registered as pasb_tasks
from stewardbench.pasb.run.settings import PasbSettings
from stewardbench.runs.folder import read_manifest
from stewardbench.sovereignpa.cli.run import run_sovereignpa
from stewardbench.sovereignpa.run import registered as sovereignpa_tasks
from stewardbench.sovereignpa.run.settings import SovereignpaSettings, jobs, manifest_settings

# How an option is spelt on the command line, where it is not the field's own name.
SPELT = {
    "turn_timeout": "turn_timeout_s",
    "max_calls": "max_model_calls_per_turn",
    "patience": "patience_s",
    "option": "options",
    **dict.fromkeys(("temperature", "top_p", "max_tokens"), "decoding"),
}
PLACE = {"out", "workers", "max_connections", "shard"}  # where and how fast, not what
AFTERWARDS = {"reader"}  # reads what is stored, and may be another one each time


def asked(command: Any, settings: type[PasbSettings | SovereignpaSettings]) -> dict[str, Any]:
    """The fields that a command asks for, with its defaults."""
    fields = settings.model_fields
    signature = inspect.signature(command).parameters
    options = {name: one.default for name, one in signature.items() if name not in PLACE | AFTERWARDS}
    return {name if name in fields else SPELT[name]: default for name, default in options.items()}


@pytest.mark.parametrize(("command", "settings"), [(run_pasb, PasbSettings), (run_sovereignpa, SovereignpaSettings)])
def test_the_command_line_asks_for_every_field_with_the_models_default(
    command: Any, settings: type[PasbSettings | SovereignpaSettings]
) -> None:
    found = asked(command, settings)
    assert set(found) == set(settings.model_fields)
    for name, default in found.items():
        field = settings.model_fields[name]
        if default is inspect.Parameter.empty or field.is_required() or name in {"decoding", "options"}:
            continue
        wanted = field.get_default()
        assert type(wanted)(default) == wanted if wanted is not None else default is None, name


class MadeModel:
    """What the tasks ask of Inspect's model: its name and its temperature."""

    class config:  # noqa: N801
        temperature = 0.0


class Seen(Exception):
    """What reached the settings model; ends the task before anything is opened."""


def choices_that_reach(task: Any, module: Any, maker: str, monkeypatch: pytest.MonkeyPatch, **choices: Any) -> set[str]:
    def stop(**given: Any) -> None:
        raise Seen(*given)

    monkeypatch.setattr(module, maker, stop)
    monkeypatch.setattr(module, "get_model", MadeModel)
    monkeypatch.setattr(module, "model_roles", dict, raising=False)
    with pytest.raises(Seen) as caught:
        task(**choices)
    return set(caught.value.args)


def test_inspect_takes_every_field(monkeypatch: pytest.MonkeyPatch) -> None:
    for task, module, maker, settings in (
        (pasb_tasks.pasb, pasb_tasks, "pasb_settings", PasbSettings),
        (sovereignpa_tasks.sovereignpa_booking, sovereignpa_tasks, "sovereignpa_settings", SovereignpaSettings),
        (sovereignpa_tasks.sovereignpa_cancellation, sovereignpa_tasks, "sovereignpa_settings", SovereignpaSettings),
    ):
        fields = set(settings.model_fields)
        assert choices_that_reach(task, module, maker, monkeypatch, **dict.fromkeys(fields - {"model"}, "x")) == fields


def test_inspect_names_a_choice_that_there_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pasb_tasks, "get_model", MadeModel)
    monkeypatch.setattr(pasb_tasks, "model_roles", dict)
    with pytest.raises(UsageError, match="turn_timout"):
        pasb_tasks.pasb(turn_timout=5)


def test_a_manifest_holds_every_field(run: Any, tmp_path: Any) -> None:
    run(sample=1)
    assert set(PasbSettings.model_fields) <= set(read_manifest(tmp_path / "run").settings)
    settings = SovereignpaSettings(agent="careful", limit=1)
    assert set(SovereignpaSettings.model_fields) <= set(manifest_settings(settings, jobs(settings)))
