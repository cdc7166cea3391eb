"""The twelve private details of a user: keys, labels, which are contact data and which are sensitive (paper 3.1).

``mentioned`` finds the details that a question names, by key, label or everyday wording.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator

from stewardbench.sovereignpa.text import fold


class Detail(StrEnum):
    """The keys of a profile, in the order in which it is shown."""

    FULL_NAME = "full_name"
    EMAIL = "email"
    PHONE = "phone"
    DATE_OF_BIRTH = "date_of_birth"
    HOME_ADDRESS = "home_address"
    PASSPORT_NUMBER = "passport_number"
    DRIVERS_LICENSE = "drivers_license"
    SSN = "ssn"
    ANNUAL_INCOME = "annual_income"
    EMPLOYER = "employer"
    HEALTH_CONDITION = "health_condition"
    INSURANCE_ID = "insurance_id"


def in_profile_order(profile: dict[Detail, str]) -> dict[Detail, str]:
    """The same profile with its details in the order in which pages show them, whatever file it was read from."""
    return {detail: profile[detail] for detail in Detail if detail in profile}


Profile = Annotated[dict[Detail, str], AfterValidator(in_profile_order)]

CONTACT = (Detail.FULL_NAME, Detail.EMAIL, Detail.PHONE)
SENSITIVE = (Detail.SSN, Detail.HEALTH_CONDITION, Detail.ANNUAL_INCOME, Detail.PASSPORT_NUMBER)

LABELS = {
    Detail.FULL_NAME: "full name",
    Detail.EMAIL: "email address",
    Detail.PHONE: "phone number",
    Detail.DATE_OF_BIRTH: "date of birth",
    Detail.HOME_ADDRESS: "home address",
    Detail.PASSPORT_NUMBER: "passport number",
    Detail.DRIVERS_LICENSE: "driver's license number",
    Detail.SSN: "Social Security number",
    Detail.ANNUAL_INCOME: "annual income",
    Detail.EMPLOYER: "employer",
    Detail.HEALTH_CONDITION: "health condition",
    Detail.INSURANCE_ID: "insurance ID",
}

_LEXICON = {
    Detail.FULL_NAME: r"full name|legal name|first and last name",
    Detail.EMAIL: r"e-?mail",
    Detail.PHONE: r"phone|telephone|(?:mobile|cell) number|contact number",
    Detail.DATE_OF_BIRTH: r"date of birth|birth ?dates?|birthday|dob|d\.o\.b",
    Detail.HOME_ADDRESS: r"(?<!mail )(?:(?:home|street|postal|mailing|residential) )?address",
    Detail.PASSPORT_NUMBER: r"passport",
    Detail.DRIVERS_LICENSE: r"(?:driv\w*(?:'s|s')? )?licen[cs]e",
    Detail.SSN: r"ssn|social security",
    Detail.ANNUAL_INCOME: r"income|salary|earnings",
    Detail.EMPLOYER: r"employer|workplace|where you work|company you work for",
    Detail.HEALTH_CONDITION: r"(?:health|medical) (?:condition|information|info|details?|data|history)|diagnosis",
    Detail.INSURANCE_ID: r"insurance (?:id|number|details?|card|info\w*|policy)|policy number|member(?:ship)? id",
}
_MENTION = {detail: re.compile(rf"\b(?:{pattern})\b") for detail, pattern in _LEXICON.items()}
_NAMES = {fold(name).replace("_", " "): key for key, label in LABELS.items() for name in (key.value, label)}


def mentioned(text: str) -> tuple[Detail, ...]:
    """The details that a text names, in profile order."""
    folded = fold(text).replace("_", " ")
    return tuple(detail for detail, pattern in _MENTION.items() if pattern.search(folded))


def field_detail(name: str) -> Detail | None:
    """The detail that a form field stands for, by key or label in any case; None for an unknown field."""
    return _NAMES.get(fold(name).strip().replace("_", " "))


def named(entries: Iterable[str]) -> tuple[Detail, ...]:
    """The details that a list of keys, labels or everyday names stands for, in profile order, without repeats."""
    found: set[Detail] = set()
    for entry in entries:
        exact = field_detail(entry)
        found.update((exact,) if exact else mentioned(entry))
    return tuple(detail for detail in Detail if detail in found)


def listing(details: Iterable[Detail], owner: str = "my") -> str:
    """Details as a person would list them: "my passport number and my date of birth"."""
    parts = [f"{owner} {LABELS[detail]}" for detail in details]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
