"""The declared public surface: every name is there, is documented, and does what the library says on a stored run."""

from pathlib import Path

import pytest

import stewardbench

OLD_RUNS = Path(__file__).parents[1] / "old_runs"


@pytest.mark.parametrize("name", [name for name in stewardbench.__all__ if name != "__version__"])
def test_every_public_name_is_there_and_documented(name: str) -> None:
    found = getattr(stewardbench, name)
    assert found.__doc__
    assert name in dir(stewardbench)


def test_the_surface_is_exactly_what_is_declared() -> None:
    assert sorted(stewardbench.__all__) == sorted([*stewardbench._HOMES, "__version__"])
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = stewardbench.nothing
