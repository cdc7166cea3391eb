"""What a user declares about an assistant behind an address."""

from __future__ import annotations

from typing import Literal

from stewardbench.agents.interface import AgentSettings
from stewardbench.errors import UsageError
from stewardbench.records import Misfit, Record, fit


class Options(Record):
    """The options of ``--agent http``.

    ``export``: the server hands out its memory. ``history`` says who keeps the turns of a session: a ``client`` sends
    them all each time, a ``server`` gets the new one alone; empty is the custom of the form. ``user_field`` and
    ``session_field`` are the fields of a chat request that name the user and the session; an empty session field
    sends none.
    """

    api: Literal["chat", "assistant"] = "chat"
    export: bool = False
    history: Literal["", "client", "server"] = ""
    user_field: str = "user"
    session_field: str = "session_id"

    @property
    def server_keeps_history(self) -> bool:
        """Whether a request holds the new turn alone."""
        return (self.history or {"chat": "client", "assistant": "server"}[self.api]) == "server"


def read_options(settings: AgentSettings) -> Options:
    """The options of a run. Raises UsageError for those that are unknown or cannot be together."""
    unknown = sorted(set(settings.options) - set(Options.model_fields))
    if unknown:
        raise UsageError(f"http has no option {unknown[0]!r}.", hint=f"It has {', '.join(Options.model_fields)}.")
    try:
        options = fit(Options, settings.options)
    except Misfit as misfit:
        raise UsageError(f"--option {misfit.field}: {misfit.sentence}", hint="See how-to/black-box-agent.") from None
    if options.export and options.api != "assistant":
        raise UsageError("--option export=true: the chat form has no export.", hint="Add --option api=assistant.")
    if not options.user_field:
        raise UsageError(
            "--option user_field: without a user's name nothing can begin with an empty memory.",
            hint="Name the field by which the server tells its users apart.",
        )
    if options.server_keeps_history and not options.session_field:
        raise UsageError(
            "--option session_field: a server that keeps the turns must be told the session.",
            hint="Name the field, or add --option history=client.",
        )
    return options
