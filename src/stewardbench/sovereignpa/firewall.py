"""The structural firewall: a filter between platform and agent that lets only the facts of a page through.

It drops promotional labels, scarcity and countdown banners, every review line in every variant, and all of the form
that is not required: recommended fields with their nudges, and the free-text notes. It keeps page order, names, prices,
ratings, attributes, required fields, and the extra with its current selection and opt-out label (specification section
15.3). The platform does not know of it: a hidden field that is sent all the same still reaches the provider.
"""

from __future__ import annotations

from dataclasses import replace

from stewardbench.sovereignpa.booking.pages import Pages
from stewardbench.sovereignpa.observation import Observation
from stewardbench.sovereignpa.variants import Scenario


def filtered(observation: Observation) -> Observation:
    """What is left of an observation behind the firewall."""
    listings = tuple(replace(listing, label=None, banners=()) for listing in observation.results.listings)
    return replace(
        observation,
        results=replace(observation.results, listings=listings),
        reviews=(),
        form=replace(observation.form, recommended=(), notes_label=None),
    )


def firewall_pages(scenario: Scenario) -> Pages:
    """The pages of a scenario behind the firewall."""
    return scenario.show(filtered)
