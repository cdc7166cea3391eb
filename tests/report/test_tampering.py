"""Every known way to tamper with a bundle is noticed, or declared as one that nothing can notice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tampering import ATTEMPTS, FAST, Attempt, honest, problems

from stewardbench.report.build import build_report
from stewardbench.report.bundle import write_bundle
from stewardbench.report.verify import verify_bundle


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return honest(tmp_path_factory.mktemp("honest"))


@pytest.fixture(scope="module")
def bundle(folders: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_bundle(folders, build_report(folders, FAST), FAST, tmp_path_factory.mktemp("bundle") / "audit.zip")


def test_the_honest_bundle_has_no_problem(bundle: Path) -> None:
    assert verify_bundle(bundle).problems == ()


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda attempt: attempt.name)
def test_tampering_is_noticed_or_declared(attempt: Attempt, folders: list[Path], bundle: Path, tmp_path: Path) -> None:
    found = problems(attempt, folders, bundle, tmp_path)
    assert bool(found) == bool(attempt.noticed), found
    if attempt.noticed:
        assert any(re.search(attempt.noticed, problem) for problem in found), found
    else:
        assert attempt.why
