"""Signing a bundle and checking who signed it, with OpenSSH's own signatures (``ssh-keygen -Y``).

A hash says that nothing was changed; only a signature says by whom a bundle was made. OpenSSH is on most machines,
its keys are what people and services already publish for their identity, its signatures are bound to a purpose
(``NAMESPACE``), and it is maintained by others. The signature is a text file beside the bundle, so an unsigned and a
signed bundle are the same bytes.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import IO

from stewardbench.errors import StoreError, UsageError

NAMESPACE = "stewardbench-bundle"
ENDING = ".sig"
_TIMEOUT_S = 120


def signature_of(bundle: Path) -> Path:
    """Where the signature of a bundle lies."""
    return bundle.with_name(bundle.name + ENDING)


def sign(bundle: Path, key: Path) -> Path:
    """Sign a bundle with an OpenSSH key (a private key, or a public one whose private half an agent holds).

    Returns the signature's path. Raises UsageError where ssh-keygen is missing or refuses the key.
    """
    target = signature_of(bundle)
    target.unlink(missing_ok=True)
    made = _ssh_keygen("-Y", "sign", "-f", str(key), "-n", NAMESPACE, str(bundle))
    if made.returncode != 0 or not target.exists():
        raise UsageError(f"{key}: {bundle} could not be signed: {_last_line(made)}.", hint="Name an OpenSSH key.")
    return target


def signed_by(bundle: Path, signers: Path) -> str:
    """The identity whose signature a bundle carries, by a list of allowed signers (ssh-keygen(1), ALLOWED SIGNERS).

    Raises StoreError when there is no signature, when it is not of these bytes, or when its key is not on the list.
    """
    signature = signature_of(bundle)
    if not signature.is_file():
        raise StoreError(f"{signature}: no such file; the bundle is not signed.", hint="Fetch the signature too.")
    if not signers.is_file():
        raise UsageError(f"{signers}: no such file.", hint="List one signer a line: an address, then its public key.")
    shared = ("-f", str(signers), "-s", str(signature))
    found = _ssh_keygen("-Y", "find-principals", *shared)
    identity = found.stdout.decode("utf-8", "replace").split("\n")[0].strip()
    if found.returncode != 0 or not identity:
        raise StoreError(f"{signature}: made with a key that is not in {signers}.", hint="Ask its maker for the key.")
    with bundle.open("rb") as data:
        checked = _ssh_keygen("-Y", "verify", *shared, "-I", identity, "-n", NAMESPACE, stdin=data)
    if checked.returncode != 0:
        raise StoreError(f"{signature}: is not a signature of this bundle.", hint="Fetch both again.")
    return identity


def _ssh_keygen(*arguments: str, stdin: IO[bytes] | int = subprocess.DEVNULL) -> subprocess.CompletedProcess[bytes]:
    program = shutil.which("ssh-keygen")
    if program is None:
        raise UsageError("ssh-keygen was not found.", hint="Install OpenSSH (8.1 or later) to use signatures.")
    try:
        return subprocess.run(
            [program, *arguments],
            stdin=stdin,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise UsageError(f"ssh-keygen did not end within {_TIMEOUT_S} s.", hint="Use a key without a prompt.") from None


def _last_line(made: subprocess.CompletedProcess[bytes]) -> str:
    return (made.stderr.decode("utf-8", "replace").strip().splitlines() or ["no reason given"])[-1].rstrip(".")
