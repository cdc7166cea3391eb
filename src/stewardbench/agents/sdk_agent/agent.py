"""The plug-in: a LangGraph agent with a profile, searchable memories and skills in one store."""

from __future__ import annotations

from typing import ClassVar

from stewardbench.agents.library import LibraryAgent


class LangGraphAgent(LibraryAgent):
    """A LangGraph agent. It writes only when its model calls a tool, so it has one review policy."""

    name = "langgraph"
    distribution = "langgraph"
    package = "stewardbench.agents.sdk_agent"
    variables: ClassVar = {"LANGSMITH_TRACING": "false", "LANGCHAIN_TRACING_V2": "false"}
