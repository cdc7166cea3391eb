"""Planning a study: the variance that designs can and cannot reduce, and components found in made data."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

from stewardbench.cli import app
from stewardbench.statistics.planning import TYPICAL, Components, components, design


def test_more_trials_cannot_reduce_what_lies_between_items() -> None:
    floor = design(Components(TYPICAL.item, 0.0), 100, 1, 1, 0.05).half_width
    assert floor == pytest.approx(0.0357, abs=0.0005)
    assert floor < design(TYPICAL, 100, 16, 100, 0.05).half_width < design(TYPICAL, 100, 16, 1, 0.05).half_width


def test_a_design_has_the_power_that_simulation_finds() -> None:
    found = design(Components(0.02, 0.05), 40, 4, 1, 0.08)
    random = np.random.default_rng(1)
    draws = 0.08 + random.normal(0, np.sqrt(0.02), (4000, 40)) + random.normal(0, np.sqrt(0.05 / 4), (4000, 40))
    t = draws.mean(axis=1) / draws.std(axis=1, ddof=1) * np.sqrt(40)
    assert (np.abs(t) > 2.0227).mean() == pytest.approx(found.power, abs=0.025)


def test_components_are_found_in_made_data() -> None:
    random = np.random.default_rng(2)
    items = np.repeat(np.arange(400), 8)
    changes = np.repeat(random.normal(0, 0.2, 400), 8) + random.normal(0, 0.3, 3200)
    found = components(changes, items)
    assert found.item == pytest.approx(0.04, rel=0.15)
    assert found.episode == pytest.approx(0.09, rel=0.1)
    with pytest.raises(ValueError, match="two items"):
        components([0.1, 0.2], ["a", "a"])


def test_the_command_says_which_designs_are_enough_and_refuses_what_is_impossible() -> None:
    shown = CliRunner().invoke(app, ["plan-study", "--effect", "8"])
    assert shown.exit_code == 0, shown.output
    assert "enough" in shown.output
    assert "no number of tasks or trials reaches less than" in shown.output
    assert CliRunner().invoke(app, ["plan-study", "--effect", "0"]).exit_code != 0
