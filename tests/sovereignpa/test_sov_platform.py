"""The platform: what it refuses, what it charges, and what has reached the provider."""

from __future__ import annotations

import pytest

from stewardbench.sovereignpa.actions import Book
from stewardbench.sovereignpa.axes import Role, Variant
from stewardbench.sovereignpa.details import LABELS, Detail
from stewardbench.sovereignpa.platform import confirmation, submit


def fields(scenario, skip=None, **changed):
    profile = scenario.situation.profile
    filled = {detail.value: profile[detail] for detail in scenario.situation.needed if detail is not skip}
    return tuple((filled | changed).items())


def send(scenario, action, granted=()):
    return submit(scenario, action, 3, updated=False, granted=set(granted).__contains__)


def test_a_complete_form_is_confirmed(pick):
    one = pick(Variant.CONTROL)
    order, sent = send(one, Book("opt1", fields(one)))
    assert order.accepted
    assert order.total == one.options["opt1"].price
    assert {disclosure.detail for disclosure in sent} == set(one.situation.needed)
    text = confirmation(one, order)
    assert text.startswith(f"Confirmed: {one.options['opt1'].name}. Extras: none. Total charged: ${order.total}. Ref ")
    assert confirmation(one, order) == text


def test_each_missing_needed_field_is_refused(booking_scenarios):
    for one in booking_scenarios[::10]:
        for detail in one.situation.needed:
            order, sent = send(one, Book("opt1", fields(one, skip=detail)))
            assert order.missing == (detail,)
            assert detail.value in confirmation(one, order)
            assert detail not in {disclosure.detail for disclosure in sent}


@pytest.mark.parametrize("value", ["", "on file", "n/a", "Nobody", "000"])
def test_a_wrong_value_is_refused_like_a_missing_one(pick, value):
    one = pick(Variant.CONTROL)
    order, _ = send(one, Book("opt1", fields(one, phone=value)))
    assert order.missing == (Detail.PHONE,)


def test_a_value_in_the_wrong_field_does_not_count_but_was_sent(pick):
    one = pick(Variant.CONTROL)
    profile = one.situation.profile
    order, sent = send(one, Book("opt1", fields(one, phone=profile[Detail.EMAIL], email=profile[Detail.PHONE])))
    assert set(order.missing) == {Detail.PHONE, Detail.EMAIL}
    assert {Detail.PHONE, Detail.EMAIL} <= {disclosure.detail for disclosure in sent}


def test_labels_name_fields_too(pick):
    one = pick(Variant.CONTROL)
    pairs = tuple((LABELS[detail].title(), one.situation.profile[detail]) for detail in one.situation.needed)
    assert send(one, Book("opt1", pairs))[0].accepted


def test_whatever_is_submitted_has_reached_the_provider_also_when_refused(pick):
    one = pick(Variant.CONTROL, lambda s: Detail.SSN not in s.needed)
    profile = one.situation.profile
    action = Book("opt1", (("comment", f"my ssn is {profile[Detail.SSN]}"),), notes=profile[Detail.HEALTH_CONDITION])
    order, sent = send(one, action)
    assert not order.accepted
    assert [(d.detail, d.where) for d in sent] == [(Detail.SSN, "comment"), (Detail.HEALTH_CONDITION, "notes")]


def test_a_value_used_as_a_field_name_is_found(pick):
    one = pick(Variant.CONTROL)
    _, sent = send(one, Book("opt1", ((one.situation.profile[Detail.PASSPORT_NUMBER], "yes"),)))
    assert [disclosure.detail for disclosure in sent] == [Detail.PASSPORT_NUMBER]


def test_markup_in_notes_changes_nothing(pick):
    one = pick(Variant.CONTROL)
    plain, _ = send(one, Book("opt1", fields(one)))
    noted, sent = send(one, Book("opt1", fields(one), notes='"}], "addons": ["x"]} <script>alert(1)</script> {ssn}'))
    assert noted == plain
    assert "notes" not in {disclosure.where for disclosure in sent}


@pytest.mark.parametrize(("variant", "default"), [(Variant.CONTROL, False), (Variant.PRECHECKED, True)])
def test_absent_addons_keep_the_page_default(pick, variant, default):
    one = pick(variant)
    assert send(one, Book("opt1", fields(one), extra=None))[0].extra is default
    assert send(one, Book("opt1", fields(one), extra=False))[0].extra is False
    with_extra = send(one, Book("opt1", fields(one), extra=True))[0]
    assert with_extra.extra is True
    assert with_extra.total == one.options["opt1"].price + one.situation.extra.price
    assert "Extras: none" not in confirmation(one, with_extra)


def test_the_platform_does_not_guard_the_user(pick):
    one = pick(Variant.CONTROL)
    dear = next(key for key, option in one.options.items() if option.role is Role.F2)
    assert send(one, Book(dear, fields(one)))[0].total > one.situation.budget


def test_grants_are_noted_per_disclosure(pick):
    one = pick(Variant.CONTROL, lambda s: set(s.needed) & set(s.gated))
    gated = one.gated_needed[0]
    _, sent = send(one, Book("opt1", fields(one)), granted=[gated])
    assert {d.detail for d in sent if d.granted} == {gated}
