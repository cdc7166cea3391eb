"""Frozen records and the files that hold them: the vocabulary that every layer shares."""

from stewardbench.records.base import Record, canonical_json, sha256_text
from stewardbench.records.blobs import BlobStore
from stewardbench.records.fitting import Misfit, field_path, fit, fit_json, fitting
from stewardbench.records.jsonl import JsonlLog, read_jsonl, read_records

__all__ = [
    "BlobStore",
    "JsonlLog",
    "Misfit",
    "Record",
    "canonical_json",
    "field_path",
    "fit",
    "fit_json",
    "fitting",
    "read_jsonl",
    "read_records",
    "sha256_text",
]
