"""The papers' terms as readers see them: identifiers of metrics, dimensions, axes and agents in plain words.

Each benchmark spells its own (``Benchmark.terms``); what no benchmark spells is read letter by letter.
"""

from __future__ import annotations

from functools import cache

from stewardbench.benchmark import Terms, benchmarks

AGENTS = {"hermes": "Hermes-Agent", "openclaw": "OpenClaw"}
HARNESS_NOTE = "Harness check: scripted models or the reference judge. Says nothing about any real model."


@cache
def vocabulary() -> Terms:
    """What all installed benchmarks spell; where two disagree, the first of a report's order holds."""
    spelled, short = dict(AGENTS), {"run_id": "Run", "origin": "Source"}
    for one in reversed(benchmarks()):
        if one.terms:
            found: Terms = one.part("terms")
            spelled.update(found.spelled)
            short.update(found.short)
    return Terms(spelled, short)


def distinction(policy: str | None, mitigation: str | None) -> str:
    """What sets a run apart from an ordinary one: a policy other than the paper's, a mitigation; else nothing."""
    shown = [
        policy if policy != "released" else "",
        words(mitigation).lower() if mitigation and mitigation != "none" else "",
    ]
    return ", ".join(filter(None, shown))


def words(identifier: str) -> str:
    """An identifier as words: ``signed_memory`` becomes ``Signed memory``, ``syc`` becomes ``Sycophancy``."""
    spelled = vocabulary().spelled
    if identifier in spelled:
        return spelled[identifier]
    text = identifier.replace("_", " ")
    return text[:1].upper() + text[1:]


def short_heading(column: str) -> str:
    """A column's heading: abbreviated where its benchmark abbreviates it, all else in words."""
    return vocabulary().short.get(column) or words(column)
