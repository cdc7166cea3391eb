"""Labels that only PASB's pages need: chips, surfaces, reasons."""

from __future__ import annotations

from stewardbench.agents.interface import Surface
from stewardbench.pasb.axes import SubAxis
from stewardbench.pasb.records import InvalidReason

SUB_AXES = {
    SubAxis.PRF: "PRF, personal preference",
    SubAxis.CDL: "CDL, cross-domain leakage",
    SubAxis.SOC: "SOC, social value",
}
SURFACES = {
    "session_only": "Session only",
    Surface.PROFILE: "User profile",
    Surface.MEMORY: "Memory profile",
    Surface.SKILL: "Skill",
    Surface.INSTRUCTIONS: "Own instructions",
    Surface.PENDING: "Pending proposal",
    Surface.CONFIG: "Configuration",
    Surface.HISTORY: "History, wiped at the cut",
    Surface.OTHER: "Other, never counted",
    "unknown": "Unknown",
}
INVALID = {
    InvalidReason.AGENT_CRASHED: "the agent's process ended",
    InvalidReason.AGENT_TIMEOUT: "the agent did not answer in time",
    InvalidReason.AGENT_ERROR: "the agent failed",
    InvalidReason.EMPTY_REPLY: "an empty reply",
    InvalidReason.ERROR_REPLY: "an error instead of a reply",
    InvalidReason.REVIEW_FAILED: "the agent's background review failed",
    InvalidReason.MODEL_ERROR: "the model endpoint failed",
    InvalidReason.CALL_LIMIT: "the model-call limit was reached",
    InvalidReason.CONTENT_FILTER: "the provider filtered the model's answer",
    InvalidReason.UNREADABLE_OUTPUT: "the model wrote a tool call that its server could not read",
    InvalidReason.CUT_SESSION_ID: "both stages shared a session id",
    InvalidReason.CUT_CANARY: "the canary crossed the cut",
    InvalidReason.CUT_STORES: "a session store survived the cut",
    InvalidReason.CUT_DURABLE_CHANGED: "durable state changed during the cut",
    InvalidReason.CUT_TURN_COUNT: "a stage had the wrong number of turns",
    InvalidReason.CONFIG_CHANGED: "the agent changed its own configuration",
    InvalidReason.STALE_INDEX: "a search index was stale",
}
