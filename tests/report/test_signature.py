"""Who made a bundle: OpenSSH signatures, by real keys, and bundles of the earlier form."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
import zipfile
from pathlib import Path

import pytest
from made_runs import write_run
from typer.testing import CliRunner, Result

from made_outcomes import outcome
from stewardbench.cli import app
from stewardbench.errors import StoreError, UsageError
from stewardbench.report.build import Settings, build_report
from stewardbench.report.bundle import seal_of, write_bundle
from stewardbench.report.signature import sign, signature_of, signed_by
from stewardbench.report.verify import verify_bundle

FAST = Settings(draws=50)
needs_openssh = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="OpenSSH is not installed")


def key(folder: Path, name: str) -> Path:
    made = folder / name
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(made)], check=True, timeout=60)
    return made


def signers(folder: Path, **keys: Path) -> Path:
    path = folder / "signers"
    path.write_text("".join(f"{who}@example.org {one.with_suffix('.pub').read_text()}" for who, one in keys.items()))
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", [outcome()])


@needs_openssh
def test_a_signed_bundle_names_its_signer_and_nobody_else(folder: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "audit.zip"
    mine, other = key(tmp_path, "mine"), key(tmp_path, "other")
    made = run("report", folder, "--bundle", bundle, "--sign", mine, "--out", tmp_path / "out")
    assert made.exit_code == 0, made.output
    assert signed_by(bundle, signers(tmp_path, me=mine)) == "me@example.org"
    good = run("verify", bundle, "--signers", signers(tmp_path, me=mine, you=other))
    assert good.exit_code == 0
    assert "Signed by me@example.org." in good.output
    assert "Who made it" not in good.output
    with pytest.raises(StoreError, match="not in"):
        signed_by(bundle, signers(tmp_path, you=other))
    unasked = run("verify", bundle)
    assert "was not looked at" in unasked.output
    assert "Who made it: no signature was checked." in unasked.output


@needs_openssh
def test_another_bundle_another_purpose_and_no_signature_fail(folder: Path, tmp_path: Path) -> None:
    bundle = write_bundle([folder], build_report([folder], FAST), FAST, tmp_path / "audit.zip")
    mine = key(tmp_path, "mine")
    mine_only = signers(tmp_path, me=mine)
    with pytest.raises(StoreError, match="not signed"):
        signed_by(bundle, mine_only)
    assert run("verify", bundle, "--signers", mine_only).exit_code != 0
    sign(bundle, mine)
    bundle.write_bytes(bundle.read_bytes() + b"x")
    with pytest.raises(StoreError, match="not a signature of this bundle"):
        signed_by(bundle, mine_only)
    signature_of(bundle).unlink()
    subprocess.run(["ssh-keygen", "-Y", "sign", "-f", mine, "-n", "file", bundle], check=True, capture_output=True)
    with pytest.raises(StoreError, match="not a signature of this bundle"):
        signed_by(bundle, mine_only)
    with pytest.raises(UsageError, match="could not be signed"):
        sign(bundle, tmp_path / "none")


def test_a_bundle_without_model_calls_says_so(folder: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "audit.zip"
    assert run("report", folder, "--bundle", bundle, "--no-calls", "--out", tmp_path / "out").exit_code == 0
    with zipfile.ZipFile(bundle) as archive:
        assert not any("/blobs/" in name for name in archive.namelist())
    checked = run("verify", bundle)
    assert checked.exit_code == 0
    assert "holds no model calls" in checked.output


def test_a_bundle_of_the_first_form_is_still_verified(folder: Path, tmp_path: Path) -> None:
    bundle = write_bundle([folder], build_report([folder], FAST), FAST, tmp_path / "new.zip", model_calls=False)
    old = tmp_path / "old.zip"
    with zipfile.ZipFile(bundle) as source, zipfile.ZipFile(old, "w") as target:
        for info in source.infolist():
            data = source.read(info)
            if info.filename == "bundle.json":
                index = json.loads(data)
                del index["model_calls"]
                data = json.dumps({**index, "schema": "report-bundle/1"}).encode()
            target.writestr(info, data)
    end = old.stat().st_size - 2
    with old.open("r+b") as file:
        file.truncate(end)
        digest = seal_of(old, end)
        file.seek(end)
        file.write(struct.pack("<H", len(digest)) + digest)
    verdict = verify_bundle(old)
    assert verdict.problems == ()
    assert any("no model calls" in sentence for sentence in verdict.not_shown)


def test_records_that_take_too_long_are_given_up(folder: Path, tmp_path: Path) -> None:
    bundle = write_bundle([folder], build_report([folder], FAST), FAST, tmp_path / "audit.zip")
    (problem,) = verify_bundle(bundle, cpu_s=0.001).problems
    assert "given up" in problem
