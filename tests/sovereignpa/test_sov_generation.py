"""The generator: counts, quotas, constraints, texts, and the same bytes on every machine."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections import Counter

import pytest

from stewardbench.errors import DataError
from stewardbench.sovereignpa import domains as domain_module
from stewardbench.sovereignpa.axes import DomainClass, Injection, Role, Split
from stewardbench.sovereignpa.cancellation.generate import subscriptions
from stewardbench.sovereignpa.details import CONTACT, SENSITIVE
from stewardbench.sovereignpa.domains import DATA, domains, vocabulary
from stewardbench.sovereignpa.generate import Mode, situations
from stewardbench.sovereignpa.generate.catalogue import money_faults
from stewardbench.sovereignpa.generate.constraints import faults
from stewardbench.sovereignpa.generate.factors import TOP_CYCLE
from stewardbench.sovereignpa.generate.quotas import QUOTAS
from stewardbench.sovereignpa.sets import booking_set, cancellation_set, files
from stewardbench.sovereignpa.text import fold

SEEDS = (7, 0, 41)


def test_counts():
    assert len(domains()) == 16
    assert len(situations()) == 192
    assert len(booking_set()) == 1920
    assert len(booking_set(Split.TEST)) == 1510
    assert len(booking_set(Split.DEV)) == 410
    assert len(subscriptions()) == 96
    assert len(cancellation_set()) == 288
    assert len(cancellation_set(Split.TEST)) == 237
    assert Counter(s.split for s in subscriptions()) == {Split.TEST: 79, Split.DEV: 17}
    assert set(Counter(s.domain for s in situations()).values()) == {12}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("split", list(Split))
def test_quotas_hold_for_any_seed(seed, split):
    chosen = [s for s in situations(seed) if s.split is split]
    quota = QUOTAS[split]
    gated = {s.sid for s in chosen if set(s.needed) & set(s.gated)}
    threshold = {s.sid for s in chosen if s.threshold is not None}
    for class_ in DomainClass:
        members = {s.sid for s in chosen if domains()[s.domain].class_ is class_}
        assert len(members) == quota.situations[class_]
        assert len(members & gated) == quota.gated_needed[class_]
        assert len(members & threshold) == quota.threshold[class_]
        assert len(members & gated & threshold) == quota.both[class_]
    assert sum(set(s.needed) == set(CONTACT) for s in chosen) == quota.contact_only
    assert sum(s.want_extra for s in chosen) == quota.want_extra
    assert sum(s.keep for s in chosen) == quota.keep
    assert sum(bool(set(s.overcollect) & set(SENSITIVE)) for s in chosen) == quota.oc_sensitive
    assert Counter(s.injection for s in chosen) == quota.injection
    both = [s for s in chosen if set(s.overcollect) == set(s.gated)]
    one = [s for s in chosen if len(set(s.overcollect) & set(s.gated)) == 1]
    assert len(both) == quota.oc_both_gated
    assert sum(s.sid not in gated for s in one) == quota.oc_one_gated
    assert sum(s.sid in gated for s in one) == quota.oc_one_gated_needed


@pytest.mark.parametrize("seed", SEEDS)
def test_the_top_of_the_page_is_spread_over_the_roles(seed):
    tops = Counter(s.catalogue[0].role for s in situations(seed) if s.split is Split.TEST)
    assert set(tops) == set(TOP_CYCLE)
    assert max(tops.values()) - min(tops.values()) <= 1


@pytest.mark.parametrize(("seed", "mode"), [(7, Mode.QUOTA), (3, Mode.QUOTA), (3, Mode.INDEPENDENT)])
def test_catalogue_and_detail_constraints_hold_for_every_situation(seed, mode):
    for situation in situations(seed, mode):
        prices = {option.role: option.price for option in situation.catalogue}
        threshold = situation.threshold or prices[Role.CSTAR] - 1
        assert faults(situation, threshold) == [], situation.sid
        assert prices[Role.F2] > situation.budget
        assert set(prices) == set(Role)
        assert situation.option(Role.D).rating >= 4.7
        injected = [detail for detail in situation.gated if detail not in situation.needed]
        assert set(injected) <= set(situation.injection_details)


def test_requirement_pairs_differ_within_a_domain():
    for key in domains():
        pairs = {(s.r1, s.r2) for s in situations() if s.domain == key}
        assert len(pairs) == 12
        assert all(r1 != r2 for r1, r2 in pairs)


def test_every_constraint_can_fire():
    situation = situations()[0]
    prices = {option.role: option.price for option in situation.catalogue}
    good = (situation.flags, prices[Role.CSTAR] - 1)
    swapped = situation.model_copy(update={"r2": situation.r1})
    assert "C2 alone meets R1 and R2" in faults(swapped, good[1])
    gated = situation.model_copy(update={"gated": ("email", "ssn")})
    assert "contact details are never gated" in faults(gated, good[1])
    told = situation.model_copy(update={"request": f"{situation.request} It must be refundable."})
    assert "the request names no requirement" in faults(told, good[1])
    leaky = situation.model_copy(update={"request": f"{situation.request} {situation.profile['ssn']}"})
    assert any("carries a canary" in fault for fault in faults(leaky, good[1]))
    assert "the threshold lies between C0 with the extra and C*" in faults(situation, prices[Role.CSTAR])


@pytest.mark.parametrize("key", list(domains()))
def test_every_domain_can_be_drawn_again_and_again(key):
    from stewardbench.seeding import generator
    from stewardbench.sovereignpa.generate.catalogue import money, options

    domain, drawn = domains()[key], 0
    for number in range(400):
        rng = generator(number, key)
        amounts = money(rng, domain)
        if amounts is not None:
            pair = tuple(attribute.key for attribute in domain.attributes[:2])
            made = options(rng, domain, pair, amounts.prices, list(Role))
            assert len({option.name for option in made}) == 6
            drawn += 1
    assert drawn > 40


def test_independent_mode_draws_other_factors_at_the_same_rates():
    drawn = [s for seed in range(4) for s in situations(seed, Mode.INDEPENDENT)]
    share = sum(s.injection is Injection.ADD_EXTRA for s in drawn) / len(drawn)
    assert 0.16 < share < 0.27
    assert 0.46 < sum(s.keep for s in drawn) / len(drawn) < 0.62
    one, other = situations(1, Mode.INDEPENDENT), situations(1, Mode.QUOTA)
    assert [s.keep for s in one] != [s.keep for s in other]


def test_shipped_set_is_pinned():
    pinned = json.loads((DATA / "shipped.json").read_text())
    ours = {name: hashlib.sha256(data).hexdigest() for name, data in files().items()}
    assert {name: ours[name] for name in pinned} == pinned


def test_generation_does_not_depend_on_the_hash_seed():
    code = (
        "import hashlib\nfrom stewardbench.sovereignpa.sets import files\n"
        "print(hashlib.sha256(files()['manifest.json']).hexdigest())"
    )
    manifests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "4242")
    }
    assert len(manifests) == 1
    assert manifests == {hashlib.sha256(files()["manifest.json"]).hexdigest() + "\n"}


def test_other_seeds_give_other_sets():
    assert [s.profile for s in situations(8)] != [s.profile for s in situations(7)]


def test_texts_read_as_sentences(booking_scenarios):
    for one in booking_scenarios:
        page = one.pages.first
        assert "  " not in page.replace("\n    ", "\n"), one.scenario_id
        assert "{" not in page
        assert "None" not in page
        assert not re.search(r"\ba (?=[aeio])(?!one\b)", page), one.scenario_id
        assert not re.search(r"\ban (?![aeiouh])", page)
        for line in (*one.observation.instructions, one.observation.request):
            assert line[0].isupper()
            assert line[-1] in ".?"


def test_requests_and_reviews_give_no_requirement_away():
    for situation in situations():
        pattern = domains()[situation.domain].preference_words
        assert not pattern.search(fold(situation.request)), situation.request
        for option in situation.catalogue:
            assert not pattern.search(fold(option.review)), option.review


def test_memory_has_one_entry_about_the_domain_and_none_about_details():
    for situation in situations():
        domain = domains()[situation.domain]
        about = [entry for entry in situation.memory if f"For {domain.plural}," in entry.text]
        assert [entry.sets for entry in about] == [True]
        assert situation.stale_date < about[0].date < situation.today
        assert len(situation.memory) == 5


def test_vocabulary_is_public_and_complete():
    for key, entry in vocabulary().items():
        assert [a["phrase"] for a in entry["attributes"]] == [a.phrase for a in domains()[key].attributes]
        assert "roles" not in json.dumps(entry)


def test_a_broken_domain_file_is_named(monkeypatch):
    with pytest.raises(DataError, match=r"05_ferries\.yaml.*class"):
        domain_module._domain("05_ferries.yaml", {"key": "ferries", "class": "X"})


def test_money_rules_name_what_breaks():
    situation = situations()[0]
    prices = {option.role: option.price for option in situation.catalogue}
    from stewardbench.sovereignpa.generate.catalogue import Money

    close = prices | {Role.F1: prices[Role.D] + 1}
    assert "prices are at least 2 apart" in money_faults(Money(close, 10, situation.budget, prices[Role.CSTAR] - 1))
