"""Packages in the browser: what comes with the page, and packs that are kept."""

import asyncio
import json

import pytest
from inbrowser.sandbox import open_sandbox

pytest.importorskip("inbrowser_bridge", reason="no packages come with anything outside the browser")


def index_of(pack: bytes) -> list[str]:
    length = int.from_bytes(pack[:4], "little")
    return [file["path"] for file in json.loads(pack[4 : 4 + length])["files"]]


def test_pytest_comes_with_the_page() -> None:
    async def run() -> None:
        sandbox = await open_sandbox()
        packages = sandbox.services.packages
        assert packages
        result = await sandbox.tools.run("package_install", {"packages": ["pytest", "requests"]})
        assert result.ok, result
        packs = await packages.packs()
        assert packs.missing == []
        files = {pack.name: index_of(pack.data) for pack in packs.packs}
        assert {"pytest", "pluggy", "iniconfig", "pygments", "requests", "urllib3", "certifi"} <= set(files)
        assert {"pytest/__init__.py", "pytest/__pycache__/__init__.cpython-314.pyc"} <= set(files["pytest"])
        await sandbox.destroy()

    asyncio.run(run())


def test_packs_are_kept_in_the_browser() -> None:
    from inbrowser.sandbox.web.packages import KeptPacks

    async def run() -> None:
        await KeptPacks().put("f" * 64, b"a pack")
        assert await KeptPacks().get("f" * 64) == b"a pack"
        assert await KeptPacks().get("e" * 64) is None

    asyncio.run(run())


def test_the_list_goes_where_the_tree_goes() -> None:
    async def run() -> None:
        sandbox = await open_sandbox()
        packages = sandbox.services.packages
        assert packages
        before = await sandbox.checkpoints.create()
        await packages.install(["iniconfig"])
        after = await sandbox.checkpoints.create()
        fork = await sandbox.fork(after.id)
        assert fork.services.packages
        assert await fork.services.packages.freeze() == "iniconfig==2.3.1\n"
        generation = await packages.generation()
        await sandbox.checkpoints.restore(before.id)
        assert (await packages.list(), await packages.generation() != generation) == ([], True)
        await fork.destroy()
        await sandbox.destroy()

    asyncio.run(run())
