"""pytest in a sandbox reports what pytest on CPython reports."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.conftest import TESTS
from tests.e2e.commands import open_sandbox, read, run, write
from tests.e2e.cpython import pytest_on_cpython

PROJECT = TESTS / "projects" / "hundred"


@pytest.fixture(scope="module")
def page(kernel_page: Page) -> Page:
    open_sandbox(kernel_page)
    for path in PROJECT.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            write(kernel_page, path.relative_to(PROJECT).as_posix(), path.read_text())
    return kernel_page


@pytest.mark.parametrize(
    "arguments",
    [
        "--continue-on-collection-errors --junitxml=junit.xml -rA",
        "-v --tb=short --ignore=deep -k 'colour or xfail or Class or Unittest'",
        "-q -x --deselect test_values.py",
        "--collect-only -q",
    ],
)
def test_the_report_is_the_same(page: Page, tmp_path: Path, arguments: str) -> None:
    project = copy(tmp_path)
    expected = pytest_on_cpython(project, arguments)
    found = run(page, f"python -m pytest -p no:cacheprovider {arguments}")
    assert normal(found["stdout"]) == normal(expected.stdout)
    assert (found["exitCode"], found["stderr"]) == (expected.returncode, expected.stderr)
    if "junit" in arguments:
        cases = outcomes(read(page, "junit.xml"))
        assert cases == outcomes((project / "junit.xml").read_text())
        assert len(cases) >= 100


def copy(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    for path in PROJECT.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            target = project / path.relative_to(PROJECT)
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(path.read_bytes())
    return project


def normal(report: str) -> str:
    """A report without times, machines and their folders."""
    report = re.sub(r"^platform .*", "platform", report, flags=re.M)
    report = re.sub(r"(^rootdir: ).*", r"\1", report, flags=re.M)
    report = re.sub(r"^(=.*) in \d+\.\d+s.*=$", r"\1", report, flags=re.M)
    report = re.sub(r"^([=-])+ (.*?)[ =-]*$", r"\1\1 \2", report, flags=re.M)
    report = re.sub(r" in \d+\.\d+s", "", report)
    report = re.sub(r"\S*/project/", "", report)
    # Versions of Python differ in their library, and no page has its sources.
    report = re.sub(
        r"^\S*/(importlib|asyncio|pyodide)/\w+\.py:\d+: in \w+\n(    .*\n)+", "", report, flags=re.M
    )
    report = re.sub(r"^ *[~^]+\n", "", report, flags=re.M)
    return re.sub(r"0x[0-9a-f]+", "0x", report)


def outcomes(junit: str) -> dict[tuple[str, ...], list[tuple[str | None, ...]]]:
    """What each test came to, and the first line of its message: how much of it there is depends on paths."""
    found: dict[tuple[str, ...], list[tuple[str | None, ...]]] = {}
    for case in ET.fromstring(junit).iter("testcase"):
        told = [each for each in case if each.tag != "properties"]
        said = [(each.tag, normal(each.get("message") or "").partition("\n")[0]) for each in told]
        found.setdefault((case.get("classname", ""), case.get("name", "")), []).extend(said)
    return found
