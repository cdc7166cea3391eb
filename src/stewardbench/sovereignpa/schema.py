"""JSON schemas of what others may read or write: domains, situations, episode logs (JSON Schema 2020-12)."""

from __future__ import annotations

from typing import Any

from stewardbench.records import Record
from stewardbench.sovereignpa.cancellation.subscription import Subscription
from stewardbench.sovereignpa.domains import Domain
from stewardbench.sovereignpa.records import BookingLog, CancelLog
from stewardbench.sovereignpa.situation import Situation

SCHEMAS: dict[str, type[Record]] = {
    "domain": Domain,
    "situation": Situation,
    "subscription": Subscription,
    "booking-log": BookingLog,
    "cancellation-log": CancelLog,
}


def json_schema(name: str) -> dict[str, Any]:
    """The schema of one record, by its name in ``SCHEMAS``, under the field names that files use."""
    schema = SCHEMAS[name].model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
