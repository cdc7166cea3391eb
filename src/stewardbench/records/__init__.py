"""Frozen records and the files that hold them: the vocabulary that every layer shares."""

from stewardbench.records.base import Record, canonical_json, sha256_text
from stewardbench.records.blobs import BlobStore
from stewardbench.records.jsonl import JsonlLog, read_jsonl

__all__ = ["BlobStore", "JsonlLog", "Record", "canonical_json", "read_jsonl", "sha256_text"]
