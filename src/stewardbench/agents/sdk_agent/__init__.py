"""An agent made with an agent SDK: LangGraph, with its own long-term store and its own checkpoints."""

from stewardbench.agents.sdk_agent.agent import LangGraphAgent

__all__ = ["LangGraphAgent"]
