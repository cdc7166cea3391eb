"""Scenario sets: choosing scenarios by family, split and variant, and writing a set as files with a manifest.

    situations.jsonl, subscriptions.jsonl     the situations with their hidden truth
    booking-test.jsonl ... cancellation-dev.jsonl   the scenarios as components, one per line
    vocabulary.json                           requirement phrases and what they mean on a page
    prompts/                                  the system prompts, as runs use them
    manifest.json                             seed, mode, counts, and the SHA-256 of every file

The same seed and mode give the same bytes on every machine. The shipped set is quota mode, seed 7; it is generated when
it is needed, and the manifest's hashes in ``data/shipped.json`` pin it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from stewardbench.errors import DataError, StoreError, UsageError
from stewardbench.records import canonical_json, fitting, read_jsonl
from stewardbench.sovereignpa.axes import CancelVariant, Family, Split, Variant
from stewardbench.sovereignpa.cancellation.generate import subscriptions
from stewardbench.sovereignpa.cancellation.subscription import CancelScenario, Subscription, cancel_scenarios
from stewardbench.sovereignpa.domains import DATA, vocabulary
from stewardbench.sovereignpa.generate import SHIPPED_SEED, Mode, situations
from stewardbench.sovereignpa.situation import Situation
from stewardbench.sovereignpa.variants import Scenario, scenario, scenarios

AnyScenario = Scenario | CancelScenario
AnySituation = Situation | Subscription
_TYPES: dict[str, type[Situation | Subscription]] = {
    "sovereignpa-situation/1": Situation,
    "sovereignpa-subscription/1": Subscription,
}


def booking_set(
    split: Split | None = None,
    variants: Iterable[Variant] | None = None,
    seed: int = SHIPPED_SEED,
    mode: Mode = Mode.QUOTA,
) -> tuple[Scenario, ...]:
    """Booking scenarios of a split (None for both) and some variants (None for all ten)."""
    chosen = [situation for situation in situations(seed, mode) if split in (None, situation.split)]
    return scenarios(chosen, tuple(Variant) if variants is None else variants)


def cancellation_set(
    split: Split | None = None, variants: Iterable[CancelVariant] | None = None, seed: int = SHIPPED_SEED
) -> tuple[CancelScenario, ...]:
    """Cancellation scenarios of a split (None for both) and some variants (None for all three)."""
    chosen = [situation for situation in subscriptions(seed) if split in (None, situation.split)]
    return cancel_scenarios(chosen, tuple(CancelVariant) if variants is None else variants)


def find_scenario(scenario_id: str, seed: int = SHIPPED_SEED, mode: Mode = Mode.QUOTA) -> AnyScenario:
    """The scenario with an id such as ``flights-03.stale``. Raises UsageError with close ids where there is none."""
    sid, _, variant = scenario_id.partition(".")
    for situation in situations(seed, mode):
        if situation.sid == sid and variant in set(Variant):
            return scenario(situation, Variant(variant))
    for subscription in subscriptions(seed):
        if subscription.sid == sid and variant in set(CancelVariant):
            return cancel_scenarios([subscription], [CancelVariant(variant)])[0]
    known: tuple[AnySituation, ...] = (*situations(seed, mode), *subscriptions(seed))
    near = [situation.sid for situation in known if situation.sid.partition("-")[0] == sid.partition("-")[0]]
    hint = (
        f"Situations of that name: {', '.join(near)}. Booking variants: {', '.join(Variant)}. "
        f"Cancellation variants: {', '.join(CancelVariant)}."
        if near
        else "An id is a situation and a variant, such as flights-03.stale or meal_kit-2.clean."
    )
    raise UsageError(f"no scenario {scenario_id!r}.", hint=hint)


def scenario_line(scenario: AnyScenario) -> str:
    """One scenario as canonical JSON: its ids and the components that the agent can see."""
    components = scenario.observation.components() if isinstance(scenario, Scenario) else scenario.components()
    return canonical_json(
        {
            "schema": "sovereignpa-scenario/1",
            "family": scenario.family.value,
            "scenario_id": scenario.scenario_id,
            "sid": scenario.situation.sid,
            "variant": scenario.variant.value,
            "split": scenario.situation.split.value,
            "sha256": scenario.sha256,
            "components": components,
        }
    )


def read_situations(path: Path) -> tuple[AnySituation, ...]:
    """The situations in a JSONL file that a run or ``generate`` wrote. Raises DataError naming line and field."""
    found: list[AnySituation] = []
    for number, obj in read_jsonl(path):
        kind = _TYPES.get(str(obj.get("schema")))
        if kind is None:
            raise DataError("neither a situation nor a subscription.", path=path, line=number, field="schema")
        with fitting(path, number):
            found.append(kind.model_validate(obj))
    return tuple(found)


def scenarios_of(given: Iterable[AnySituation]) -> dict[str, AnyScenario]:
    """Every scenario of some situations, by id."""
    both = list(given)
    booking = scenarios([situation for situation in both if isinstance(situation, Situation)])
    cancelling = cancel_scenarios([situation for situation in both if isinstance(situation, Subscription)])
    together: tuple[AnyScenario, ...] = (*booking, *cancelling)
    return {scenario.scenario_id: scenario for scenario in together}


def files(seed: int = SHIPPED_SEED, mode: Mode = Mode.QUOTA) -> dict[str, bytes]:
    """The files of a set by name, with the manifest last."""
    content: dict[str, bytes] = {
        "situations.jsonl": _lines(situation.to_json() for situation in situations(seed, mode)),
        "subscriptions.jsonl": _lines(subscription.to_json() for subscription in subscriptions(seed)),
    }
    for split in Split:
        content[f"{Family.BOOKING}-{split}.jsonl"] = _lines(
            map(scenario_line, booking_set(split, seed=seed, mode=mode))
        )
        content[f"{Family.CANCELLATION}-{split}.jsonl"] = _lines(map(scenario_line, cancellation_set(split, seed=seed)))
    content["vocabulary.json"] = _document(vocabulary())
    prompts = DATA / "prompts"
    if prompts.is_dir():
        for file in sorted(prompts.iterdir(), key=lambda file: file.name):
            content[f"prompts/{file.name}"] = file.read_bytes()
    content["manifest.json"] = _document(_manifest(seed, mode, content))
    return content


def write_set(folder: Path, seed: int = SHIPPED_SEED, mode: Mode = Mode.QUOTA) -> dict[str, Any]:
    """Write a set's files into a folder and return its manifest. Raises StoreError where that is impossible."""
    content = files(seed, mode)
    try:
        for name, data in content.items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    except OSError as error:
        raise StoreError(
            f"{folder}: cannot write the scenario set: {error.strerror}.", hint="Choose another --out."
        ) from error
    manifest: dict[str, Any] = json.loads(content["manifest.json"])
    return manifest


def _manifest(seed: int, mode: Mode, content: Mapping[str, bytes]) -> dict[str, Any]:
    return {
        "schema": "sovereignpa-set/1",
        "seed": seed,
        "mode": mode.value,
        "note": "Regenerated scenarios: model rows are comparable with the paper in pattern, not digit for digit.",
        "files": {
            name: {"sha256": hashlib.sha256(data).hexdigest(), "lines": data.count(b"\n")}
            for name, data in content.items()
        },
    }


def _lines(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _document(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()
