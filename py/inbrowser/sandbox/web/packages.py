"""What the package service has in the browser: packs that come with the page, a cache, and an installer."""
# pyright: basic

import asyncio
import json
from typing import Any

from inbrowser_bridge import (  # pyright: ignore
    bundledIndex,
    bundledPack,
    installerPack,
    keepPack,
    keptPack,
)
from pyodide.ffi import JsException, create_proxy, to_js  # pyright: ignore

from ..packages.bundle import BundledPackage
from ..packages.installer import OnMessage
from ..packages.packs import MemoryPacks
from ..packages.records import PackageError
from ..packages.service import PackageService
from ..processes import PackageOptions

FORMAT = "1"
"""Counts the forms that packs had; what was kept in another one is made anew."""


class PageBundle:
    """The packages that come with the page."""

    def __init__(self) -> None:
        self._entries: dict[str, dict[str, Any]] | None = None
        self._packs: dict[str, bytes] = {}

    async def index(self) -> dict[str, BundledPackage]:
        """Return them by name; see Bundle."""
        entries = await self._read()
        return {
            name: BundledPackage(**{key: value for key, value in entry.items() if key != "pack"})
            for name, entry in entries.items()
        }

    async def pack(self, name: str) -> bytes:
        """Return the pack of one; see Bundle."""
        if name not in self._packs:
            path = (await self._read())[name]["pack"]["path"]
            self._packs[name] = (await _fetched(bundledPack(path))).to_bytes()
        return self._packs[name]

    async def _read(self) -> dict[str, dict[str, Any]]:
        if self._entries is None:
            self._entries = {entry["name"]: entry for entry in json.loads(await _fetched(bundledIndex()))}
        return self._entries


class KeptPacks(MemoryPacks):
    """Packs in memory, and in this browser for the next visit."""

    async def get(self, key: str) -> bytes | None:
        """Return a pack; see PackStore."""
        pack = await super().get(key)
        if pack is None and (kept := await keptPack(f"{FORMAT} {key}")):
            pack = kept.to_bytes()
            await super().put(key, pack)
        return pack

    async def put(self, key: str, data: bytes) -> None:
        """Keep a pack; see PackStore."""
        await super().put(key, data)
        await keepPack(f"{FORMAT} {key}", to_js(data))


# One copy serves all sandboxes of the page.
BUNDLE = PageBundle()
STORE = KeptPacks()


async def run_installer(shells: Any, request: str, files: dict[str, bytes], on_message: OnMessage) -> str:
    """Run the installer in a guest of its own; see Installer."""
    packs = [await _fetched(installerPack())]
    wheels = [(path, to_js(data)) for path, data in files.items()]
    ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def posted(message: str, data: Any = None) -> None:
        on_message(message, data.to_bytes() if data else None)

    def end(reply: str | None, failure: str | None = None) -> None:
        if ended.done():
            return
        if reply is None:
            ended.set_exception(PackageError(f"the installer broke down: {failure}"))
        else:
            ended.set_result(reply)

    callbacks = create_proxy(posted), create_proxy(end)
    stop = shells.install(request, to_js(packs), to_js(wheels), to_js(_network(request)), *callbacks)
    try:
        return await asyncio.shield(ended)
    except asyncio.CancelledError:
        stop()
        # Its end is still told.
        await asyncio.wait([ended])
        ended.exception()
        raise
    finally:
        for callback in callbacks:
            callback.destroy()


def web_packages(fs: Any, shells: Any, options: PackageOptions) -> PackageService:
    """Return the package service of a sandbox with these files and shells."""

    async def install(request: str, files: dict[str, bytes], on_message: OnMessage) -> str:
        return await run_installer(shells, request, files, on_message)

    return PackageService(fs, install, BUNDLE, STORE, options)


def _network(request: str) -> list[str]:
    """Return what an installer may reach: the indexes, and any https host, as files are often elsewhere."""
    asked = json.loads(request)
    urls = [*(asked.get("indexUrls") or []), asked.get("distributionUrl") or ""]
    return [
        "https:",
        *sorted({url.split("/")[0] + "//" + url.split("/")[2] for url in urls if url.count("/") > 1}),
    ]


async def _fetched(promise: Any) -> Any:
    try:
        return await promise
    except JsException as error:
        raise PackageError(str(error.message)) from None
