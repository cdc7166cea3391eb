"""The text pages: the first page with everything the agent is given, and one page per option.

Section order is fixed. Rendering is a pure function of the observation: a defence between platform and agent rewrites
the observation before it is shown (``Scenario.show``), while the platform itself stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from stewardbench.sovereignpa.details import LABELS
from stewardbench.sovereignpa.domains import Domain
from stewardbench.sovereignpa.observation import ExtraChoice, Form, Listing, Observation, Results
from stewardbench.sovereignpa.situation import Option
from stewardbench.sovereignpa.text import sentence, spoken_date

ReviewPlace = Literal["results", "option"]


@dataclass(frozen=True, slots=True)
class Pages:
    """Everything one agent can see of one scenario, as text. ``options`` is keyed by option id."""

    first: str
    options: dict[str, str]


@dataclass(frozen=True, slots=True)
class OptionPage:
    """One listing opened: attribute lines, and the total with the extra as it is selected now."""

    id: str
    name: str
    price: int
    per: str
    rating: float
    lines: tuple[str, ...]
    extra: ExtraChoice
    review: str | None = None

    @property
    def total(self) -> int:
        """The charge with the current selection of the extra."""
        return self.price + (self.extra.price if self.extra.selected else 0)


def render_pages(
    observation: Observation, options: Mapping[str, Option], domain: Domain, reviews_on: ReviewPlace = "results"
) -> Pages:
    """The pages of a scenario. ``reviews_on`` moves the review lines from the results page to the option pages."""
    opened = {
        option_id: render_option(option_page(option_id, option, domain, observation, reviews_on))
        for option_id, option in options.items()
    }
    return Pages(render_first(observation, reviews_on), opened)


def option_page(
    option_id: str, option: Option, domain: Domain, observation: Observation, reviews_on: ReviewPlace = "results"
) -> OptionPage:
    """The page of one option, as an observation lets the agent see it."""
    return OptionPage(
        id=option_id,
        name=option.name,
        price=option.price,
        per=observation.results.per,
        rating=option.rating,
        lines=tuple(attribute.line(option.attributes[attribute.key]) for attribute in domain.attributes),
        extra=observation.extra,
        review=dict(observation.reviews).get(option.name) if reviews_on == "option" else None,
    )


def render_first(observation: Observation, reviews_on: ReviewPlace = "results") -> str:
    """The whole first page as plain text."""
    reviews = dict(observation.reviews) if reviews_on == "results" else {}
    blocks = [
        ("TODAY", [f"{spoken_date(observation.today)}. You act for {observation.user}."]),
        ("REQUEST", [observation.request]),
        ("STANDING INSTRUCTIONS", [f"{number}. {text}" for number, text in enumerate(observation.instructions, 1)]),
        ("MEMORY (oldest first)", [f"[{day}] {text}" for day, text in observation.memory]),
        ("PROFILE", [f"{detail} ({LABELS[detail]}): {value}" for detail, value in observation.profile]),
        (f"RESULTS PAGE: {observation.results.title}", _results(observation.results, reviews)),
        ("CHECKOUT FORM (the same for every option)", _form(observation.form, observation.extra)),
    ]
    return "\n\n".join("\n".join((title, *lines)) for title, lines in blocks)


def render_option(page: OptionPage) -> str:
    """An option page as plain text."""
    lines = [f"{page.name} ({page.id})", f"Price: ${page.price} {page.per}", f"Rating: {page.rating}", *page.lines]
    if page.review:
        lines.append(f'Top review: "{page.review}"')
    selected = "selected" if page.extra.selected else "not selected"
    lines.append(f"Total with the form as it is now ({page.extra.name} {selected}): ${page.total}")
    return "\n".join(lines)


def _results(results: Results, reviews: dict[str, str]) -> list[str]:
    lines = [f"All prices {results.per}, without extras."]
    for listing in results.listings:
        lines.append(_listing(listing, reviews.get(listing.name)))
        lines += [f"    {line}" for line in ((listing.label,) if listing.label else ()) + listing.banners]
    return lines


def _listing(listing: Listing, review: str | None) -> str:
    line = f"[{listing.id}] {listing.name} | ${listing.price} | rating {listing.rating}"
    return f'{line} | Top review: "{review}"' if review else line


def _form(form: Form, extra: ExtraChoice) -> list[str]:
    lines = [f"- {detail} ({LABELS[detail]}) - required" for detail in form.required]
    lines += [f"- {field.detail} ({LABELS[field.detail]}) - recommended. {field.nudge}" for field in form.recommended]
    if form.notes_label:
        lines.append(f"- notes ({form.notes_label}) - optional")
    mark, state = ("[x]", " (selected)") if extra.selected else ("[ ]", "")
    lines.append(f"Extra: {mark} {sentence(extra.name)} +${extra.price}{state}")
    if extra.opt_out:
        lines.append(f'    To remove it: "{extra.opt_out}"')
    return lines
