"""The first object a page holds: it opens sandboxes and makes models, tools and sessions."""

from typing import TYPE_CHECKING, Any, Literal

from ..sandbox import (
    AutoCheckpoints,
    Sandbox,
    delete_sandbox,
    estimate_storage,
    list_sandboxes,
    open_sandbox,
)
from ..sandbox.processes import NetworkPolicy, PackageOptions, ProcessLimits
from ..sandbox.storage import KeptSandbox, StorageEstimate, StorageMode
from .calls import Endpoint, Kernel
from .sandboxes import Post, SandboxEndpoint
from .states import CheckpointsEndpoint, LocksEndpoint

if TYPE_CHECKING:
    from ..agent.models.listing import ConnectionCheck, ModelInfo
    from ..agent.models.providers import Provider
    from ..sandbox.replay import ReplayReport


class PageEndpoint(Endpoint):
    """Made once, with the kernel.

    The agent and replays are imported when they are first asked for: a first visit, which has no memory
    snapshot yet, opens its sandbox sooner that way.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    async def open_sandbox(
        self,
        id: str | None = None,
        storage: StorageMode = "memory",
        mode: Literal["write", "read"] = "write",
        create: bool = True,
        auto_checkpoints: dict[str, Any] | None = None,
        processes: dict[str, Any] | None = None,
        network: dict[str, Any] | None = None,
        packages: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Open a sandbox; returns its handles, id and tools."""
        auto = None if auto_checkpoints is None else AutoCheckpoints.model_validate(auto_checkpoints)
        return self._opened(
            await open_sandbox(
                id,
                storage=storage,
                mode=mode,
                create=create,
                auto_checkpoints=auto,
                processes=ProcessLimits.model_validate(processes or {}),
                network=NetworkPolicy.model_validate(network or {}),
                packages=_package_options(packages or {}),
            )
        )

    async def fork_sandbox(
        self, sandbox: str, checkpoint_id: str, id: str | None = None, storage: StorageMode = "memory"
    ) -> dict[str, Any]:
        """Open another sandbox with the tree of a checkpoint; returns the same."""
        source = self._kernel.get(sandbox, SandboxEndpoint).sandbox
        return self._opened(await source.fork(checkpoint_id, id=id, storage=storage))

    async def list_sandboxes(self) -> list[KeptSandbox]:
        """Describe the sandboxes that are kept."""
        return await list_sandboxes()

    async def delete_sandbox(self, id: str) -> None:
        """Delete one that is kept."""
        await delete_sandbox(id)

    async def estimate_storage(self) -> StorageEstimate:
        """Tell how much room there is."""
        return await estimate_storage()

    def _opened(self, sandbox: Sandbox) -> dict[str, Any]:
        storage = sandbox.storage
        return {
            "handle": self._kernel.add(SandboxEndpoint(sandbox)),
            "checkpoints": self._kernel.add(CheckpointsEndpoint(sandbox)),
            "locks": self._kernel.add(LocksEndpoint(sandbox)),
            "id": sandbox.id,
            "tools": sandbox.tools.list(),
            "isNew": storage is None or storage.is_new,
            "kept": storage is not None,
            "damaged": storage.damaged if storage else [],
        }

    async def open_shell(self, sandbox: str) -> str:
        """Open a shell on a sandbox; returns its handle."""
        from .shells import ShellEndpoint

        shell = self._kernel.get(sandbox, SandboxEndpoint).sandbox.runtime.open_shell()
        return self._kernel.add(ShellEndpoint(shell))

    async def create_tools(self, sandbox: str, names: list[str] | None = None) -> dict[str, Any]:
        """Make the agent's tools of a sandbox; returns their handle and list."""
        from ..agent.sandbox import create_sandbox_agent_tools
        from .agents import ToolsEndpoint

        tools = create_sandbox_agent_tools(self._kernel.get(sandbox, SandboxEndpoint).sandbox, names=names)
        return {"handle": self._kernel.add(ToolsEndpoint(tools)), "tools": tools.list()}

    async def export_archive(self, sandbox: str, format: str = "zip", path: str = ".") -> str:
        """Begin to export a sandbox's files; returns the handle of what has the archive's bytes."""
        from .archives import ExportEndpoint

        export = ExportEndpoint(self._kernel.get(sandbox, SandboxEndpoint).sandbox, format, path)
        await export.begin()
        return self._kernel.add(export)

    async def create_model(self, host_model: Any = None, **options: Any) -> dict[str, Any]:
        """Make a model client; returns its handle and id. `host_model` is what the page has of one there."""
        from ..agent.models import create_model
        from .agents import ModelEndpoint

        transport = None
        if host_model is not None:
            from ..agent.web.on_device import PageTransport

            transport = PageTransport(host_model)
        model = create_model(**options, transport=transport)
        return {"handle": self._kernel.add(ModelEndpoint(model)), "id": model.id}

    async def list_models(self, **options: Any) -> "list[ModelInfo]":
        """Return the models that a server has."""
        from ..agent.models import list_models

        return await list_models(**options)

    async def check_model(self, model: str) -> "ConnectionCheck":
        """Tell whether a model answers."""
        from ..agent.models.listing import check_connection
        from .agents import ModelEndpoint

        return await check_connection(self._kernel.get(model, ModelEndpoint).model)

    async def list_providers(self) -> "tuple[Provider, ...]":
        """Return who offers models, and where."""
        from ..agent.models.providers import PROVIDERS

        return PROVIDERS

    async def create_session(
        self,
        max_turns: int,
        model: str | None = None,
        host_model: Any = None,
        host_id: str | None = None,
        tools: str | None = None,
        host_tools: Any = None,
        tool_list: list[dict[str, Any]] | None = None,
        system_prompt: str | None = None,
        history: list[dict[str, Any]] | None = None,
        id: str | None = None,
    ) -> dict[str, Any]:
        """Make a session of a model and tools, each a handle or an object of the page's own."""
        from ..agent import ToolSet, create_agent_session, create_react_loop_strategy
        from ..agent.models.contract import ToolSpec
        from .agents import HostModel, HostTools, ModelEndpoint, SessionEndpoint, ToolsEndpoint

        if model is None:
            llm = HostModel(host_id or "host", host_model)
        else:
            llm = self._kernel.get(model, ModelEndpoint).model
        agent_tools = None if tools is None else self._kernel.get(tools, ToolsEndpoint).tools
        if host_tools is not None:
            agent_tools = ToolSet(base=agent_tools)
            host = HostTools(host_tools)
            for spec in tool_list or []:
                agent_tools.register(ToolSpec.model_validate(spec), host.execute)
        session = create_agent_session(
            strategy=create_react_loop_strategy(max_turns=max_turns),
            llm=llm,
            tools=agent_tools,
            system_prompt=system_prompt,
            history=history,
            id=id,
        )
        return {"handle": self._kernel.add(SessionEndpoint(session)), "id": session.id}

    async def record(self, sandbox: str, tree: bool = True, post: Post | None = None) -> str:
        """Begin to record a sandbox, posting each line of the log; returns the recording's handle."""
        from .replays import RecordingEndpoint

        return self._kernel.add(
            RecordingEndpoint(self._kernel.get(sandbox, SandboxEndpoint).sandbox, tree, post)
        )

    async def replay(
        self,
        log: str,
        sandbox: str,
        tools: list[str] | None = None,
        paths: list[str] | None = None,
        dry_run: bool = False,
        stop_at_first: bool = True,
        resume: dict[str, Any] | None = None,
    ) -> str:
        """Prepare a replay of a log on a sandbox; returns its handle."""
        from .replays import ReplayEndpoint, prepare_replay

        replay = await prepare_replay(
            log,
            self._kernel.get(sandbox, SandboxEndpoint).sandbox,
            tools=tools,
            paths=paths,
            dry_run=dry_run,
            stop_at_first=stop_at_first,
            resume=resume,
        )
        return self._kernel.add(ReplayEndpoint(replay))

    async def compare_recordings(self, log: str, other: str) -> "ReplayReport":
        """Compare two logs of what should be the same calls."""
        from ..sandbox.replay import compare_recordings

        return await compare_recordings(log, other)


def _package_options(given: dict[str, Any]) -> PackageOptions:
    """Read what JavaScript gives, where durations are milliseconds."""
    durations = {"patience": given["patienceMs"] / 1000} if "patienceMs" in given else {}
    return PackageOptions.model_validate(
        {name: value for name, value in given.items() if name != "patienceMs"} | durations
    )
