"""The installer in a Pyodide of its own (under Node), against an index of our own."""

import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.cpython
pytest.importorskip("http.server")
build = pytest.importorskip("build", reason="runs in the repository only")

from tests.package_index import PackageIndex, encoded, wheel  # noqa: E402


class Runner:
    """Sends requests to one installer."""

    def __init__(self) -> None:
        node, _ = build.node()
        script = Path(__file__).parents[1] / "installer" / "run.mjs"
        module = (build.WEB / "node_modules" / "pyodide" / "pyodide.mjs").as_uri()
        pack = build.CACHE / "bundled" / "installer.pack"
        self._process = subprocess.Popen(
            [node, script, module, pack], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, requirements: list[Any], index: str, **options: Any) -> dict[str, Any]:
        files, check = options.pop("files", {}), options.pop("check", None)
        roots = [each if isinstance(each, dict) else {"text": each} for each in requirements]
        request = {
            "requirements": roots,
            "installed": [],
            "bundled": [],
            "indexUrls": [index] if index else None,
            **options,
        }
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps({"request": request, "files": files, "check": check}) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    runner = Runner()
    yield runner
    runner.close()


@pytest.fixture
def index() -> Iterator[PackageIndex]:
    index = PackageIndex()
    yield index
    index.close()


def versions(result: dict[str, Any]) -> dict[str, str]:
    assert not result["reply"].get("problems"), result["reply"]
    return {each["name"]: each["version"] for each in result["reply"]["packages"]}


def problems(result: dict[str, Any]) -> dict[str, str]:
    assert "pack" not in {message["type"] for message in result["messages"]}
    return {each["requirement"]: each["message"] for each in result["reply"]["problems"]}


@pytest.mark.parametrize("form", ["simple", "html"])
def test_newest_versions_with_what_they_need_come_as_packs(
    runner: Runner, index: PackageIndex, form: str
) -> None:
    index.add(f"top-{form}", "1.0")
    index.add(f"top-{form}", "2.0", f"low-{form}>=1", "absent; sys_platform == 'win32'")
    index.add(f"low-{form}", "1.5")
    module = f"top_{form}"
    check = f"from importlib import metadata as m; import {module} as t\n"
    check += f"(m.version('{module}'), t.VERSION, t.__cached__[-8:])"
    result = runner.run([f"top-{form}"], f"{index.url}/{form}", check=check)
    assert versions(result) == {f"top-{form}": "2.0", f"low-{form}": "1.5"}
    assert result["checked"] == "('2.0', '2.0', '-314.pyc')"


def test_specifiers_extras_and_upgrades(runner: Runner, index: PackageIndex) -> None:
    index.add("a", "1.0", "more; extra == 'big'", extras=["big"])
    index.add("a", "2.0")
    index.add("more")
    assert versions(runner.run(["a[big]<2"], index.simple)) == {"a": "1.0", "more": "1.0"}
    known = [{"name": "a", "version": "1.0", "sha256": "0" * 64, "requires": []}]
    kept = runner.run(["a"], index.simple, installed=known)["reply"]
    assert (kept["packages"], kept["satisfied"]) == ([], ["a"])
    assert versions(runner.run(["a"], index.simple, installed=known, upgrade=True)) == {"a": "2.0"}
    assert versions(runner.run(["a"], index.simple, bundled=known, dependencies=False)) == {}


def test_an_older_version_is_taken_where_the_newest_does_not_fit(runner: Runner, index: PackageIndex) -> None:
    index.add("left", "1.0", "shared<2")
    index.add("right", "1.0", "shared")
    index.add("right", "2.0", "shared>=2")
    index.add("shared", "1.0")
    index.add("shared", "2.0")
    assert versions(runner.run(["left", "right"], index.simple)) == {
        "left": "1.0",
        "right": "1.0",
        "shared": "1.0",
    }


def test_all_that_cannot_be_met_is_named_and_nothing_comes(runner: Runner, index: PackageIndex) -> None:
    index.add("good")
    index.add("old", "1.0")
    index.add("native", "2.0", tag="cp314-cp314-manylinux_2_17_x86_64")
    index.add("half", "1.0")
    index.add("half", "2.0", tag="cp314-cp314-win_amd64")
    index.add_source("lxml-like", "3.0")
    index.add("needs-native", "1.0", "native")
    wanted = ["good", "old>=2", "native", "half>=2", "no-such", "needs-native"]
    found = problems(runner.run(wanted, index.simple))
    assert set(found) == set(wanted) - {"good"}
    assert "no version of old satisfies >=2; the newest that runs here is 1.0" in found["old>=2"]
    assert "has no build for WebAssembly" in found["native"]
    assert "the newest that runs here is 1.0" in found["half>=2"]
    assert "there is no package 'no-such' on 127.0.0.1" in found["no-such"]
    assert found["needs-native"].startswith("it needs native: native needs a C extension")


def test_a_conflict_says_who_needs_what(runner: Runner, index: PackageIndex) -> None:
    index.add("x", "1.0", "shared<2")
    index.add("y", "1.0", "shared>=2")
    index.add("shared", "1.0")
    index.add("shared", "2.0")
    found = problems(runner.run(["x", "y"], index.simple))
    assert set(found) == {"x", "y"}
    assert "x needs shared<2; y needs shared>=2" in found["x"]


def test_hashes_hold(runner: Runner, index: PackageIndex) -> None:
    index.add("h", "1.0")
    name = "h-1.0-py3-none-any.whl"
    good = {"text": "h", "hashes": [index.sha256(name)]}
    assert versions(runner.run([good], index.simple)) == {"h": "1.0"}
    found = problems(runner.run([{"text": "h", "hashes": ["1" * 64]}], index.simple))
    assert "none of the hashes that are required" in found["h"]
    index.wrong_hashes.add(name)
    assert "0000 was expected" in problems(runner.run(["h"], index.simple))["h"]


def test_addresses_and_files(runner: Runner, index: PackageIndex) -> None:
    url = index.add("direct")
    assert versions(runner.run([url], index.simple)) == {"direct": "1.0"}
    path = "/wheels/local-3.0-py3-none-any.whl"
    files = {path: encoded(wheel("local", "3.0"))}
    result = runner.run([f"local @ file://{path}"], index.simple, files=files)
    assert versions(result) == {"local": "3.0"}
    elsewhere = url.replace("127.0.0.1", "localhost")
    assert "use an https address" in problems(runner.run([elsewhere], index.simple))[elsewhere]


def test_an_index_that_does_not_answer_is_named(runner: Runner) -> None:
    reply = runner.run(["any"], "http://127.0.0.1:9/simple")["reply"]
    assert reply["problems"][0]["kind"] == "offline"
    assert "127.0.0.1:9 cannot be reached" in reply["problems"][0]["message"]


def test_a_python_that_is_too_new_and_what_is_built_in(runner: Runner, index: PackageIndex) -> None:
    index.add("past", "1.0")
    index.requires_python["past-1.0-py3-none-any.whl"] = "<3.9"
    assert "asks for Python <3.9" in problems(runner.run(["past"], index.simple))["past"]
    assert runner.run(["json"], index.simple)["reply"]["builtin"] == ["json"]


def test_a_wheel_that_leads_out_is_refused(runner: Runner, index: PackageIndex) -> None:
    index.add("evil", "1.0", files={"../../evil.py": "x = 1\n"})
    assert "leads out of its place" in problems(runner.run(["evil"], index.simple))["evil"]


def test_progress_has_bytes(runner: Runner, index: PackageIndex) -> None:
    index.add("seen")
    started = time.perf_counter()
    result = runner.run(["seen"], index.simple)
    size = len(index.files["seen"]["seen-1.0-py3-none-any.whl"])
    downloads = [each for each in result["messages"] if each.get("phase") == "download"]
    assert (downloads[-1]["loaded"], downloads[-1]["total"]) == (size, size)
    assert result["ms"] / 1000 < time.perf_counter() - started
