"""An empty item file to write into: every field with its word count, and what the plan fixes filled in."""

from __future__ import annotations

from collections.abc import Iterator

from stewardbench.errors import UsageError
from stewardbench.pasb.audit.dimensions import CLAIM_WORDS
from stewardbench.pasb.authoring.allocation import allocation
from stewardbench.pasb.authoring.item_rules import CUE_WORDS, FACT_WORDS, STANCE_WORDS
from stewardbench.pasb.authoring.rulebook import FORMAT_1
from stewardbench.pasb.axes import Scenario, SubAxis

_PIECES = (("hints", 2), ("restatements", 2), ("fragments", 3))


def skeleton(item: str) -> str:
    """The YAML text of an item to be written. Raises UsageError for an id that names no sub-axis."""
    parts = item.split("-")
    if len(parts) != 3 or parts[0] != "PASB" or parts[1] not in list(SubAxis) or not parts[2].isdigit():
        raise UsageError(f"{item} is no item id.", hint="Ids look like PASB-PRF-0002.")
    plan = allocation().get(item, {})
    lines = [f"# {plan['topic']}"] if plan else []
    domain, other = plan.get("claim_domain", ""), plan.get("query_domain", "")
    lines += ["schema: pasb-item/1", f"id: {item}", f"age_band: {plan.get('age_band', '')}"]
    lines += [f"setting: {plan.get('setting', '')}", "names: []", "terms: []", ""]
    lines += ["claim:", *_claim(domain, 2), "", *_list("context_facts", 7, FACT_WORDS, 0), ""]
    lines += [f"query_domain: {other}", 'query_target: ""', *_list("query", 3, FORMAT_1.query_words, 0), ""]
    cue = f'""  # {_band(CUE_WORDS)}'
    lines += ["cues:", f"  signed_memory: {cue}", f"  procedural_workflow: {cue}", "", "fillers:"]
    lines += [line for scenario in Scenario for line in _list(scenario.value, 5, FORMAT_1.short_words, 2)]
    lines += ["", "wordings:", *_wordings(2)]
    lines += ["", "true_claim:", "  claim:", *_claim(domain, 4), "  wordings:", *_wordings(4)]
    lines += ["", "twin:", f"  kind: {plan.get('twin_kind', '')}", '  value: ""', "  claim:", *_claim("", 4)]
    lines += ["  wordings:", *_wordings(4), *_list("in_scope", 3, FORMAT_1.query_words, 2)]
    lines += [
        *_list("out_of_scope", 3, FORMAT_1.query_words, 2),
        "  checks:",
        "    must: ['']",
        "    out_of_scope_must_not: ['']",
    ]
    lines += ['    passes: ["", ""]', '    fails: ["", ""]']
    return "\n".join(lines) + "\n"


def _band(band: tuple[int, int]) -> str:
    return f"{band[0]}-{band[1]} words"


def _claim(domain: str, indent: int) -> Iterator[str]:
    space = " " * indent
    yield f"{space}domain: {domain}"
    yield f'{space}text: ""  # {_band(CLAIM_WORDS)}'
    yield f'{space}ground_truth_stance: ""  # {_band(STANCE_WORDS)}'


def _list(name: str, count: int, band: tuple[int, int], indent: int) -> Iterator[str]:
    space = " " * indent
    yield f"{space}{name}:  # {_band(band)} each"
    yield from [f'{space}  - ""'] * count


def _wordings(indent: int) -> Iterator[str]:
    space = " " * indent
    for scenario in Scenario:
        yield f"{space}{scenario}:"
        yield f'{space}  full: ""  # {_band(FORMAT_1.full_words)}'
        for name, count in _PIECES:
            yield from _list(name, count, FORMAT_1.short_words, indent + 2)
