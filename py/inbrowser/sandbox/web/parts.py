"""What a sandbox is made of in the browser."""
# pyright: basic

from itertools import count

from inbrowser_bridge import mountTree  # pyright: ignore

from ..files import DirectoryFileSystem
from ..preview import PreviewService
from ..sandbox import Parts, Services
from .compiler import EsbuildCompiler
from .shell import ShellRuntime
from .tree import TreeChanges

_numbers = count(1)


async def open_parts(id: str) -> Parts:
    """Mount an empty tree and make the parts that work on it; `id` only names the sandbox."""
    root = f"/sandboxes/{next(_numbers)}"
    tree = mountTree(root)
    fs = DirectoryFileSystem(root)
    changes = TreeChanges(tree)
    runtime = ShellRuntime(tree)

    async def close() -> None:
        runtime.close()
        changes.close()
        tree.unmount()

    preview = PreviewService(fs, EsbuildCompiler(tree))
    return Parts(fs=fs, changes=changes, runtime=runtime, services=Services(preview=preview), close=close)
