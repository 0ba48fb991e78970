"""Packages of a sandbox: what is listed, pip, and lists that nobody can trust."""

import asyncio
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inbrowser.sandbox import PackageOptions, Sandbox, create_sandbox
from inbrowser.sandbox.files import DirectoryFileSystem
from inbrowser.sandbox.packages import PackageError, PackageService
from inbrowser.sandbox.packages.bundle import BundledPackage
from inbrowser.sandbox.packages.command import pip
from inbrowser.sandbox.packages.lock import PATH, BadLockError, read_lock
from inbrowser.sandbox.sandbox import Services


def bundled(name: str, *requires: str, version: str = "1.0") -> BundledPackage:
    digest = hashlib.sha256(name.encode()).hexdigest()
    return BundledPackage(name, version, f"{name}.whl", digest, f"The {name}", list(requires), [], [name])


class Bundle:
    """What comes with the page."""

    packages = (
        bundled("pytest", "pluggy>=1", "iniconfig", "colorama; sys_platform == 'win32'", version="9.2.0"),
        bundled("pluggy", version="1.5"),
        bundled("iniconfig"),
    )

    async def index(self) -> dict[str, BundledPackage]:
        return {package.name: package for package in self.packages}

    async def pack(self, name: str) -> bytes:
        return f"pack of {name}".encode()


class World:
    """A sandbox with packages, behind plain functions."""

    def __init__(self, root: Path, installer: Any = None, options: PackageOptions | None = None) -> None:
        fs = DirectoryFileSystem(str(root))
        self.packages = PackageService(fs, installer, Bundle(), options=options)
        self.sandbox: Sandbox = create_sandbox(fs=fs, services=Services(packages=self.packages))
        self.events: list[Any] = []
        self.sandbox.on(self.events.append)

    def do(self, method: str, *arguments: Any, **options: Any) -> Any:
        return asyncio.run(getattr(self.packages, method)(*arguments, **options))

    def pip(self, line: str, cwd: str = ".") -> tuple[int, str, str]:
        written = {"stdout": "", "stderr": ""}

        def write(stream: str, text: str) -> None:
            written[stream] += text

        code = asyncio.run(pip(line.split(), self.sandbox, cwd, write))
        return code, written["stdout"], written["stderr"]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_what_is_bundled_is_installed_without_an_installer(world: World) -> None:
    report = world.do("install", ["pytest>=9"])
    assert [(each.name, each.source) for each in report.installed] == [
        ("iniconfig", "bundled"),
        ("pluggy", "bundled"),
        ("pytest", "bundled"),
    ]
    packs = world.do("packs")
    assert {pack.name: pack.data for pack in packs.packs}["pytest"] == b"pack of pytest"
    assert packs.missing == []
    assert [each.phase for each in world.events if each.type == "package:progress"] == ["done"] * 3
    assert world.do("show", "Pluggy").required_by == ["pytest"]
    assert world.do("install", ["pytest", "json"]).builtin == ["json"]


def test_the_list_is_in_the_tree_and_left_out_of_searches(world: World) -> None:
    before = world.do("generation")
    world.do("install", ["iniconfig"])
    assert world.do("generation") != before
    for tool, arguments in (
        ("ls", {}),
        ("find", {"pattern": "**/*.json"}),
        ("grep", {"pattern": "iniconfig"}),
    ):
        result = asyncio.run(world.sandbox.tools.run(tool, arguments))
        assert "pyodide-lock" not in result.summary + str(result.data.get("text", ""))
    asyncio.run(world.sandbox.fs.remove(PATH))
    assert world.do("list") == []


def test_without_an_installer_other_packages_are_refused(world: World) -> None:
    result = asyncio.run(world.sandbox.tools.run("package_install", {"packages": ["rich"]}))
    assert not result.ok
    assert "only what comes with the page" in result.summary


def test_uninstall_and_what_breaks(world: World) -> None:
    world.do("install", ["pytest"])
    assert world.do("uninstall", ["pluggy"]) == ["pluggy 1.5"]
    assert world.do("conflicts") == ["pytest 9.2.0 requires pluggy, which is not installed."]
    with pytest.raises(PackageError, match="pluggy is not installed"):
        world.do("uninstall", ["pluggy"])


def package(**changes: Any) -> dict[str, Any]:
    entry = {
        "name": "a",
        "version": "1",
        "file_name": "https://evil.example/a.whl",
        "sha256": "0" * 64,
        **changes,
    }
    return {"packages": {"a": entry}}


@pytest.mark.parametrize(
    "content",
    [
        "[" * 5000,
        "{}",
        "\x00",
        json.dumps(package(name="../../etc")),
        json.dumps(package(version="a; b")),
        json.dumps(package(sha256="short")),
        json.dumps({"packages": {f"p{n}": {} for n in range(3000)}}),
    ],
)
def test_a_list_that_is_none_counts_as_empty_and_is_told_once(world: World, content: str) -> None:
    asyncio.run(world.sandbox.fs.write(PATH, content))
    with pytest.raises(BadLockError):
        read_lock(content.encode())
    assert (world.do("list"), world.do("freeze")) == ([], "")
    assert [each.name for each in world.events if each.type == "error"] == ["PackageLockError"]


def test_an_address_in_the_list_is_never_asked(tmp_path: Path) -> None:
    requests: list[dict[str, Any]] = []

    async def offline(request: str, files: dict[str, bytes], on_message: Callable[..., None]) -> str:
        requests.append(json.loads(request))
        return json.dumps(
            {"problems": [{"requirement": "a==1", "kind": "offline", "message": "no connection"}]}
        )

    world = World(tmp_path, offline, PackageOptions(index_urls=["https://index.example"]))
    asyncio.run(world.sandbox.fs.write(PATH, json.dumps(package())))
    packs = world.do("packs")
    assert (packs.packs, packs.missing) == ([], ["a cannot be fetched again: no connection"])
    assert requests[0]["requirements"] == [{"text": "a==1", "hashes": ["0" * 64]}]
    assert requests[0]["indexUrls"] == ["https://index.example"]
    assert "evil.example" not in json.dumps(requests)


def test_pip_speaks_as_pip(world: World) -> None:
    code, out, _ = world.pip("install pytest")
    assert (code, out.splitlines()[-1]) == (0, "Successfully installed iniconfig-1.0 pluggy-1.5 pytest-9.2.0")
    assert "Requirement already satisfied: pytest in " in world.pip("install pytest")[1]
    assert world.pip("freeze")[1] == "iniconfig==1.0\npluggy==1.5\npytest==9.2.0\n"
    assert json.loads(world.pip("list --format=json")[1])[0] == {"name": "iniconfig", "version": "1.0"}
    assert world.pip("list")[1].splitlines()[:2] == ["Package   Version", "--------- -------"]
    assert "Required-by: pytest" in world.pip("show pluggy")[1]
    assert world.pip("check")[:2] == (0, "No broken requirements found.\n")
    assert "Successfully uninstalled pytest-9.2.0" in world.pip("uninstall -y pytest")[1]


def test_pip_reads_requirements_files(world: World) -> None:
    write = world.sandbox.fs.write
    asyncio.run(write("sub/more.txt", "iniconfig  # why\n"))
    asyncio.run(write("sub/requirements.txt", "-r more.txt\npluggy \\\n  >=1\n"))
    code, out, _ = world.pip("install -r requirements.txt -q", "sub")
    assert (code, out) == (0, "")
    assert world.pip("freeze")[1] == "iniconfig==1.0\npluggy==1.5\n"


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("install -e .", 2, "-e is not possible here"),
        ("install .", 1, "a directory cannot be built here"),
        ("install git+https://example.com/x", 1, "build from a repository"),
        ("install", 2, "at least one requirement"),
        ("install --bogus x", 2, "no such option: --bogus"),
        ("download x", 2, "no place for wheels"),
        ("wheel x", 2, "cannot be built"),
        ("install -r none.txt", 1, "none.txt"),
        ("install a==", 1, "it cannot be read"),
        ("install --require-hashes pytest", 1, "hashes are required"),
        ("show none", 1, "not found: none"),
    ],
)
def test_pip_refuses_plainly(world: World, line: str, code: int, message: str) -> None:
    found, _, err = world.pip(line)
    assert (found, message in err, "Traceback" in err) == (code, True, False), err
