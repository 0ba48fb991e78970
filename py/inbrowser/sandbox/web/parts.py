"""What a sandbox is made of in the browser."""
# pyright: basic

import json
from itertools import count

from inbrowser_bridge import createSnapshots, mountTree, setRules  # pyright: ignore

from ..locks import Locks
from ..preview import PreviewService
from ..processes import Settings
from ..runtime import SCRATCH_ROOT
from ..sandbox import Parts, Sandbox, Services
from ..storage import StorageMode
from .compiler import EsbuildCompiler
from .packages import web_packages
from .programs import PackagePrograms
from .shell import ShellRuntime
from .snapshots import TreeSnapshots
from .storage import IndexedDBStorage
from .tree import TreeChanges, TreeFiles

_numbers = count(1)


async def open_parts(
    id: str,
    storage: StorageMode,
    mode: str,
    create: bool,
    settings: Settings,
) -> Parts:
    """Mount a tree, fill it with what is kept, and make the parts that work on it. Raises StorageErrors."""
    root = f"/sandboxes/{next(_numbers)}"
    tree = mountTree(root)
    changes = TreeChanges(tree)
    kept = None
    if storage == "indexeddb":
        kept = IndexedDBStorage(mode == "read")
        try:
            await kept.open(tree, id, create)
        except BaseException:
            changes.close()
            tree.unmount()
            raise
        # What was there before is no news.
        changes.drain()
    snapshots = TreeSnapshots(createSnapshots(tree, kept and kept.kept))
    fs = TreeFiles(tree)
    scratch = mountTree(f"{root}-tmp")
    runtime = ShellRuntime([tree, scratch], settings.processes, settings.network)
    packages = web_packages(fs, runtime.shells, settings.packages)

    def join(sandbox: Sandbox) -> None:
        runtime.programs = PackagePrograms(sandbox, packages, runtime.shells)

    def apply_locks(locks: Locks) -> None:
        rules = [{"pattern": pattern, "message": message} for pattern, message in locks.rules()]
        setRules(tree, json.dumps({"readOnly": locks.read_only, "locks": rules}))

    async def close() -> None:
        runtime.close()
        changes.close()
        try:
            if kept:
                await kept.close()
        finally:
            tree.unmount()
            scratch.unmount()

    return Parts(
        fs=fs,
        changes=changes,
        runtime=runtime,
        scratch=TreeFiles(scratch, SCRATCH_ROOT),
        services=Services(preview=PreviewService(fs, EsbuildCompiler(tree)), packages=packages),
        snapshots=snapshots,
        storage=kept,
        settings=settings,
        apply_locks=apply_locks,
        join=join,
        close=close,
    )
