"""Hermes-Agent 0.19.0 as an agent under test: installed apart, confined, one process per session."""

from stewardbench.agents.hermes.agent import HermesAgent

__all__ = ["HermesAgent"]
