"""Ways to get a sandbox, and what is kept of sandboxes in this browser."""

import re
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterable
from typing import Any, Literal

from .changes import ChangeFeed
from .checkpoints.service import AutoCheckpoints
from .errors import SandboxError, StorageUnavailableError
from .files import DirectoryFileSystem, FileSystem
from .processes import NetworkPolicy, PackageOptions, ProcessLimits, Settings
from .runtime import Runtime
from .sandbox import LOCKS, Parts, Sandbox, Services
from .storage import KeptSandbox, KeptSandboxes, StorageEstimate, StorageMode
from .tools.registry import Tool


def create_sandbox(
    *,
    fs: FileSystem,
    runtime: Runtime | None = None,
    services: Services | None = None,
    tools: Iterable[Tool[Any]] | None = None,
    capabilities: Iterable[str] | None = None,
    id: str | None = None,
    changes: ChangeFeed | None = None,
) -> Sandbox:
    """Make a sandbox of a host's own parts.

    `tools` are added to ours. `capabilities` narrows what can be done to some of `read`, `write`, `run`,
    `preview` and `packages`; whatever needs another one is refused. Without `changes`, a directory is scanned
    for them; of any other file system those made through the sandbox are told.
    """
    parts = Parts(fs=fs, changes=changes, runtime=runtime, services=services)
    return Sandbox(_checked_id(id), parts, tools or (), capabilities)


async def open_sandbox(
    id: str | None = None,
    *,
    storage: StorageMode = "memory",
    mode: Literal["write", "read"] = "write",
    create: bool = True,
    auto_checkpoints: AutoCheckpoints | None = None,
    processes: ProcessLimits | None = None,
    network: NetworkPolicy | None = None,
    packages: PackageOptions | None = None,
) -> Sandbox:
    """Open a sandbox with everything this platform has.

    In the browser that is a tree, a shell and a preview compiler; on CPython a temporary directory without a
    runtime. With `storage="memory"` it is gone when it is destroyed or the page is closed. With `indexeddb`,
    in the browser only, the one of this `id` is opened as it was, or made unless `create` is false;
    `mode="read"` looks at one, live, while another page may write. `auto_checkpoints` has checkpoints made by
    themselves. `processes` limits what its processes of Python may take; `network` says which hosts they and
    the shell's curl may reach: none by default; `packages` says where packages come from.

    Raises SandboxInUseError, SandboxNotFoundError, StorageUnavailableError, StorageVersionError and
    StorageCorruptError, all of them StorageErrors.
    """
    if storage not in ("memory", "indexeddb"):
        raise SandboxError(f"there is no storage {storage!r}; use 'memory' or 'indexeddb'")
    if mode not in ("write", "read"):
        raise SandboxError(f"a sandbox cannot be opened in the mode {mode!r}; use 'write' or 'read'")
    if storage == "memory" and (mode == "read" or not create):
        raise SandboxError("a sandbox in memory is always a new one; use storage='indexeddb'")
    if storage == "indexeddb" and id is None:
        raise SandboxError("a sandbox that is kept needs an id, under which it is found again")
    id = _checked_id(id)
    if sys.platform == "emscripten":
        from .web import open_parts

        settings = Settings(
            processes or ProcessLimits(), network or NetworkPolicy(), packages or PackageOptions()
        )
        parts = await open_parts(id, storage, mode, create, settings)
    elif storage == "indexeddb":
        raise StorageUnavailableError("there is no IndexedDB outside of a browser; use storage='memory'")
    else:
        parts = _temporary_parts()
    sandbox = Sandbox(id, parts, (), None, auto_checkpoints)
    if parts.storage and (text := (await parts.storage.texts(LOCKS)).get(LOCKS)):
        sandbox.locks.load(text)
    if mode == "read":
        sandbox.locks.set_read_only(
            f"the sandbox {id!r} is open to look at, and another page may write to it"
        )
    return sandbox


async def list_sandboxes() -> list[KeptSandbox]:
    """Describe the sandboxes that are kept in this browser, by id. Raises StorageUnavailableError."""
    return await _kept_sandboxes().list()


async def delete_sandbox(id: str) -> None:
    """Delete a sandbox that is kept, for good. Raises SandboxInUseError and SandboxNotFoundError."""
    await _kept_sandboxes().delete(_checked_id(id))


async def estimate_storage() -> StorageEstimate:
    """Tell how much room there is for all that this page keeps."""
    return await _kept_sandboxes().estimate()


def _kept_sandboxes() -> KeptSandboxes:
    if sys.platform != "emscripten":
        raise StorageUnavailableError("there is no IndexedDB outside of a browser")
    from .web.storage import IndexedDBSandboxes

    return IndexedDBSandboxes()


def _temporary_parts() -> Parts:
    directory = tempfile.mkdtemp(prefix="inbrowser-")

    async def close() -> None:
        shutil.rmtree(directory, ignore_errors=True)

    return Parts(fs=DirectoryFileSystem(directory), close=close)


def _checked_id(id: str | None) -> str:
    id = id or f"sandbox-{secrets.token_hex(4)}"
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", id):
        raise SandboxError(f"{id!r} cannot name a sandbox; use up to 100 letters, digits, '.', '_' and '-'")
    return id
