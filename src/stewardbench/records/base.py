"""What a record is: an immutable, strictly validated pydantic model with one canonical JSON form."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """Base of everything that is stored. Unknown fields are an error; a record never changes after it is made.

    A record type names its format in a field ``schema_`` with the alias ``schema``, for example ``pasb-episode/1``.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", populate_by_name=True, serialize_by_alias=True, validate_default=True
    )

    def to_json(self) -> str:
        """One line of canonical JSON: keys sorted, no spaces, UTF-8 kept as it is."""
        return canonical_json(self.model_dump(mode="json"))


def canonical_json(value: Any) -> str:
    """The one text form of a JSON value, so that equal values have equal hashes."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def sha256_text(text: str) -> str:
    """Hex SHA-256 of a text's UTF-8 bytes; lone surrogates are kept, so any captured text can be hashed."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
