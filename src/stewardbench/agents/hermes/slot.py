"""One live Hermes in one folder: a zygote process, the baseline, and what is captured, wiped and restored."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Self

from stewardbench.agents.clock import declared_moment, declared_start
from stewardbench.agents.hermes.layout import Layout
from stewardbench.agents.hermes.session import HermesSession
from stewardbench.agents.hermes.settings import SEARCH, config_yaml, review_policy, toolsets
from stewardbench.agents.hermes.surfaces import POLICY, STATE
from stewardbench.agents.interface import AgentSettings, Stage, WipeReport
from stewardbench.agents.worker import Worker
from stewardbench.errors import AgentCrashed, AgentError, SlotUnhealthy
from stewardbench.models.endpoint import Endpoint
from stewardbench.workspace.cell import FILE_MODE, Content
from stewardbench.workspace.confinement import SOCKET_INSIDE
from stewardbench.workspace.folders import PreservationPolicy, list_files
from stewardbench.workspace.tree import Tree, printable, read_tree, tree_sha256

START_TIMEOUT_S = 180.0  # the first start on a cold, loaded machine
OPEN_TIMEOUT_S = 60.0


class HermesSlot:
    """A Hermes that serves one episode at a time. Make one with ``HermesAgent.open_slot``."""

    def __init__(self, layout: Layout, endpoint: Endpoint, settings: AgentSettings) -> None:
        self._layout, self._endpoint, self._settings = layout, endpoint, settings
        self._worker: Worker | None = None
        self._session: HermesSession | None = None
        self._baseline: dict[str, Content] = {}
        self.confined = layout.confined
        self.baseline_sha256 = ""

    @classmethod
    async def open(
        cls, root: Path, environment: Path, endpoint: Endpoint, settings: AgentSettings, *, confined: bool
    ) -> Self:
        """Start Hermes in a folder and take the state that it begins with as the baseline."""
        interactive = bool(settings.options.get("interactive"))
        layout = Layout(root, environment, endpoint, settings.limits, confined=confined, interactive=interactive)
        layout.create()
        config = config_yaml(settings, model=endpoint.model, base_url=layout.base_url)
        layout.seed.renew({f"{STATE}/config.yaml": Content(config.encode())})
        slot = cls(layout, endpoint, settings)
        try:
            await slot._live_worker()
        except BaseException:
            await slot.close()
            raise
        slot._baseline = layout.seed.files(POLICY.keeps)  # Hermes seeds its default files; its caches are not state
        layout.cell.renew(slot._baseline)
        slot.baseline_sha256 = tree_sha256(slot.capture())
        return slot

    async def reset(self) -> None:
        """Restore the baseline in a new folder, and ask through the slot's own way out whether the model is there.

        Whatever a session left behind, process or file, is gone afterwards. Raises SlotUnhealthy.
        """
        with contextlib.suppress(AgentError):  # a session that ends badly is killed, and was an earlier episode's
            await self._end_session()
        self._layout.cell.renew(self._baseline)
        worker = await self._live_worker()
        answer = await worker.request({"op": "way out", **self._way_out()}, timeout_s=OPEN_TIMEOUT_S)
        if answer.get("status") != 200:
            await worker.kill()
            raise SlotUnhealthy(f"Hermes' slot does not reach its model: {worker.redact(str(answer))}.")

    async def open_session(self, stage: Stage, session_id: str) -> HermesSession:
        """Fork a fresh process for a conversation.

        Background reviews run in the persist stage only: they are the mechanism under test, and a review of the query
        stage would write to a state that has been captured already.
        """
        await self._end_session()
        worker = await self._live_worker()
        policy, persist = review_policy(self._settings.review), stage == "persist"
        options = self._settings.options
        answer = await worker.request(
            {
                "base_url": self._layout.base_url,
                "api_key": self._endpoint.secret,
                "model": self._endpoint.model,
                "max_tokens": int(options["max_tokens"]) if "max_tokens" in options else None,
                "max_model_calls": self._settings.max_model_calls_per_turn,
                "toolsets": toolsets(self._settings),
                "session_search": SEARCH in toolsets(self._settings),
                "session_id": session_id,
                "review": persist,
                "cwd": self._layout.workspace,
                "clock": declared_moment(start, stage, 1).isoformat() if (start := declared_start(options)) else "",
                "walls": self._layout.session_walls(),
            },
            timeout_s=OPEN_TIMEOUT_S,
        )
        if "opened" not in answer:
            await worker.kill()
            raise AgentCrashed(f"{worker.name}: a session could not be opened. Its last words:\n{worker.tail()}")
        self._session = HermesSession(
            worker,
            session_id,
            turn_timeout_s=self._settings.turn_timeout_s,
            review_timeout_s=float(options.get("review_timeout_s", self._settings.turn_timeout_s)),
            review=self._settings.review,
            final_review=policy.final and persist,
        )
        return self._session

    def capture(self) -> Tree:
        """Every file of the slot: home, state, workspace and temporary folders."""
        return read_tree(self._layout.slot, bounds=self._settings.limits.bounds)

    async def wipe(self) -> WipeReport:
        """Remove all that is not durable and read the tree again to see what is left."""
        await self._end_session()
        skipped = self._settings.options.get("skip_wipe", ())
        policy = PreservationPolicy(keep=(*POLICY.keep, *(f"{STATE}/{name}" for name in skipped)), drop=POLICY.drop)
        removed = self._layout.cell.cut(policy.keeps)
        left = sorted(map(printable, list_files(self._layout.slot)))
        return WipeReport(
            removed=removed,
            kept=tuple(path for path in left if POLICY.keeps(path)),
            survivors=tuple(path for path in left if not POLICY.keeps(path)),
        )

    def restore_durable(self, tree: Tree) -> None:
        """Make the slot hold exactly the durable files of a captured tree. Raises AgentError for bytes it cannot write.

        A captured tree holds text; a file that is not UTF-8 cannot be written back and is refused before anything
        is changed.
        """
        durable = {path: state for path, state in tree.items() if POLICY.keeps(path) and state.kind == "file"}
        data = {path: state.text.encode("utf-8", "replace") for path, state in durable.items()}
        if broken := [path for path, state in durable.items() if len(data[path]) != state.size]:
            raise AgentError(f"{broken[0]}: cannot be restored, because it is not UTF-8 text.")
        modes = {path: FILE_MODE if state.mode is None else state.mode for path, state in durable.items()}
        self._layout.cell.renew({path: Content(content, modes[path]) for path, content in data.items()})

    async def close(self) -> None:
        """Stop every process of the slot. Its folder stays, for whoever made it to keep or remove."""
        if self._worker is not None:
            await self._worker.stop()
            self._worker = None

    async def _live_worker(self) -> Worker:
        if self._worker is None or not self._worker.alive:
            self._worker = await Worker.start(
                self._layout.command(),
                name="Hermes",
                env=self._layout.environ(),
                cwd=self._layout.root,
                secrets=(self._endpoint.secret,),
                limits=self._settings.limits,
                folders=(self._layout.slot,),
            )
            await self._worker.receive(timeout_s=START_TIMEOUT_S)
        return self._worker

    def _way_out(self) -> dict[str, str]:
        if self._layout.confined:
            return {"socket": SOCKET_INSIDE, "secret": self._endpoint.secret}
        return {"url": self._endpoint.base_url, "secret": self._endpoint.secret}

    async def _end_session(self) -> None:
        if self._session is not None:
            session, self._session = self._session, None
            await session.close()
