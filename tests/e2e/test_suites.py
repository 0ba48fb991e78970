"""Packages' own tests come to the same in a sandbox as on CPython."""

import base64
import tarfile
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from playwright.sync_api import Page

import build
from tests.e2e.commands import open_sandbox, read, run
from tests.e2e.cpython import pytest_on_cpython

FOLDER = build.CACHE / "suites"
STACK = "it compares lists that hold themselves, and the browser's stack ends before Python's does"
SUITES = {
    "inflection-0.5.1": {},
    "toolz-1.2.0": {
        "toolz.sandbox.tests.test_parallel.test_fold": "it starts processes of the operating system",
        "toolz.tests.test_functoolz.test_compose_annotations_formats": "Python before 3.14 leaves it out",
    },
    "boltons-26.2.0": {
        "tests.test_funcutils.test_once_thread_safety": "it starts threads, and WebAssembly has none",
        "tests.test_socketutils.": "it opens sockets, and a browser has none",
    },
}
"""By name and version, the tests (or how their names begin) whose outcome cannot be the same, and why."""
CRASHES = {
    "boltons-26.2.0": {
        "tests/test_iterutils.py::TestRemap::test_root_selfref": STACK,
        "tests/test_iterutils.py::TestRemap::test_sub_selfref": STACK,
    }
}
"""Tests that would end the process, and why."""


@pytest.fixture(scope="module", autouse=True)
def fetch() -> None:
    pins = [suite.replace("-", "==") for suite in SUITES]
    names = ",".join(suite.partition("-")[0] for suite in SUITES)

    def download() -> None:
        build.pip("download", "--no-deps", f"--no-binary={names}", "-d", FOLDER, *pins)

    build.step("packages with their tests", pins, [FOLDER], download)


@pytest.mark.parametrize("suite", SUITES)
def test_a_packages_own_tests(kernel_page: Page, tmp_path: Path, suite: str) -> None:
    archive = FOLDER / f"{suite}.tar.gz"
    leave_out = " ".join(f"--deselect={test}" for test in CRASHES.get(suite, ()))
    arguments = f"-q --junitxml=junit.xml {leave_out}"
    with tarfile.open(archive) as sources:
        sources.extractall(tmp_path, filter="data")
    pytest_on_cpython(tmp_path / suite, arguments)
    expected = outcomes((tmp_path / suite / "junit.xml").read_text())

    open_sandbox(kernel_page)
    kernel_page.evaluate(
        "(data) => sandbox.importArchive(Uint8Array.from(atob(data), (c) => c.charCodeAt()))",
        base64.b64encode(archive.read_bytes()).decode(),
    )
    command = f"cd {suite} && PYTHONPATH=. python -m pytest -p no:cacheprovider {arguments}"
    result = run(kernel_page, command, timeoutMs=120_000)
    assert result["exitCode"] in (0, 1), result["stderr"]
    found = outcomes(read(kernel_page, f"{suite}/junit.xml"))

    different = {test for test in expected | found if expected.get(test) != found.get(test)}
    unforeseen = {test for test in different if not test.startswith(tuple(SUITES[suite]))}
    assert not unforeseen, result["stdout"][-5000:]
    assert list(found.values()).count("passed") > 150


def outcomes(junit: str) -> dict[str, str]:
    """Return what each test came to."""
    return {
        f"{case.get('classname')}.{case.get('name')}": next(
            (each.tag for each in case if each.tag in ("failure", "error", "skipped")), "passed"
        )
        for case in ET.fromstring(junit).iter("testcase")
    }
