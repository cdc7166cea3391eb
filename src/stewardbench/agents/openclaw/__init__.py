"""OpenClaw: a loopback gateway per slot, driven over HTTP, its memory plain files in a workspace."""

from stewardbench.agents.openclaw.agent import OpenClawAgent

__all__ = ["OpenClawAgent"]
