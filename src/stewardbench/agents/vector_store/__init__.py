"""An agent with a vector store for a memory: mem0, with its local store, and embeddings from the model gateway."""

from stewardbench.agents.vector_store.agent import Mem0Agent

__all__ = ["Mem0Agent"]
