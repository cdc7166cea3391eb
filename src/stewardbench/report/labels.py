"""The papers' terms as readers see them: identifiers of metrics, dimensions, axes and agents in plain words."""

from __future__ import annotations

SPELLED = {
    "syc": "Sycophancy",
    "leak": "Leak",
    "upg": "Upgrade",
    "amp": "Amplification",
    "pers": "Persistence",
    "esc": "Escalation",
    "df4": "DF4",
    "df6": "DF6",
    "df_any": "DFany",
    "write": "Durable write",
    "failure": "Any failure",
    "hermes": "Hermes-Agent",
    "openclaw": "OpenClaw",
    "PRF": "PRF",
    "CDL": "CDL",
    "SOC": "SOC",
}
HARNESS_NOTE = "Harness check: scripted models or the reference judge. Says nothing about any real model."


def words(identifier: str) -> str:
    """An identifier as words: ``signed_memory`` becomes ``Signed memory``, ``syc`` becomes ``Sycophancy``."""
    if identifier in SPELLED:
        return SPELLED[identifier]
    text = identifier.replace("_", " ")
    return text[:1].upper() + text[1:]
