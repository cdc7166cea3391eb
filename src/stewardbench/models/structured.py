"""Asking for a JSON schema where the endpoint takes one, and without it where it does not."""

from __future__ import annotations

from stewardbench.errors import ModelError
from stewardbench.models.messages import ChatReply, ChatRequest, Upstream

FORMAT = "response_format"
_REFUSING = frozenset({400, 404, 415, 422, 501})


class SchemaWhereTaken:
    """An upstream that leaves out ``response_format`` from the moment on that the endpoint answers without it only."""

    def __init__(self, upstream: Upstream) -> None:
        self.name = upstream.name
        self.taken = True
        self._upstream = upstream

    def __repr__(self) -> str:
        return f"SchemaWhereTaken({self._upstream!r})"

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request. Raises the ModelError of the request without the schema."""
        if FORMAT not in request.settings or not self.taken:
            return await self._upstream.complete(_without(request))
        try:
            return await self._upstream.complete(request)
        except ModelError as error:
            if error.status not in _REFUSING:
                raise
        reply = await self._upstream.complete(_without(request))
        self.taken = False  # the request was good, so it was the schema that the endpoint refused
        return reply


def _without(request: ChatRequest) -> ChatRequest:
    rest = {name: value for name, value in request.settings.items() if name != FORMAT}
    return request.model_copy(update={"settings": rest})
