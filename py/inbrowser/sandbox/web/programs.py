"""What a sandbox's shells need of its packages: pip, and that processes find what is installed."""
# pyright: basic

from typing import TYPE_CHECKING, Any

from pyodide.ffi import to_js  # pyright: ignore

from ..runtime import OnOutput

if TYPE_CHECKING:
    from ..packages import PackageService
    from ..sandbox import Sandbox


class PackagePrograms:
    """See Programs of web/shell.py."""

    def __init__(self, sandbox: "Sandbox", packages: "PackageService", shells: Any) -> None:
        self._sandbox = sandbox
        self._packages = packages
        self._shells = shells
        self._generation = 0

    async def pip(self, words: list[str], cwd: str, write: OnOutput) -> int:
        """Do what `pip` does; see Programs."""
        from ..packages.command import pip

        return await pip(words, self._sandbox, cwd, write)

    async def prepare(self, words: list[str]) -> str:
        """Give processes what is installed; see Programs. pytest is installed when it is first asked for."""
        if words[1:3] == ["-m", "pytest"] and not any(
            each.name == "pytest" for each in await self._packages.list()
        ):
            await self._packages.install(["pytest"])
        if await self._packages.generation() == self._generation:
            return ""
        installed = await self._packages.packs()
        self._generation = installed.generation
        self._shells.setPacks(to_js([pack.data for pack in installed.packs]))
        return "".join(f"{line}\n" for line in installed.missing)
