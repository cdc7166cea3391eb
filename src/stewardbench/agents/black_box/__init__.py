"""An assistant that can be reached over HTTP only: somebody else's server, with a memory that nobody else opens.

The run's model is the assistant itself (``--model URL#NAME``, its key from the environment), so that its calls are
retried, recorded and stopped at like any model's. Two forms of address:

    chat        an OpenAI-compatible chat API. A new user is the reset, a new list of messages the new session.
    assistant   the same, and beside it ``POST URL/assistant/reset``, ``session`` and, with ``export``, ``memory``.

Nothing that happens inside is seen. Commits are unknown, unless the server exports its memory; and the cut is what the
server declares, so that the attestation leaves open what it cannot look at.
"""

from stewardbench.agents.black_box.agent import HttpAgent

__all__ = ["HttpAgent"]
