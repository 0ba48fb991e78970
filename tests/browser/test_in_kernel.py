"""The unit tests once more, inside the kernel of a real browser: what ships is what is tested."""

import re
import sysconfig
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page

# Milliseconds: a test that waits for what never comes is named, and does not hold the others for ever.
LONGEST_TEST = 120_000
UNIT = Path(__file__).parents[1] / "unit"
PURE_PYTHON = re.compile(
    r"(pytest|_pytest|py|pluggy|iniconfig|packaging|pygments)(\.py|-.*\.dist-info)?",
    re.I,
)

RUN = """
import contextlib, io, js, os, sys
from pyodide.http import pyfetch
await (await pyfetch(url)).unpack_archive(extract_dir="/tests", format="zip")
sys.path.insert(0, "/tests/site-packages")
os.chdir("/tests")
import pytest

class Report:
    def __init__(self):
        self.outcomes, self.failures = {}, []
    def pytest_runtest_logstart(self, nodeid, location):
        js.console.log(nodeid)
    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            self.outcomes[report.nodeid] = report.outcome
        if report.failed:
            self.failures.append(f"{report.nodeid}\\n{report.longreprtext[-3000:]}")
    def pytest_collectreport(self, report):
        if report.failed:
            self.failures.append(str(report.longrepr))

report = Report()
printed = io.StringIO()
with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
    code = int(pytest.main(["-q", "-p", "no:cacheprovider", "-m", "not cpython", "unit"], plugins=[report]))
{"code": code, "passed": list(report.outcomes.values()).count("passed"), "failures": report.failures, "printed": printed.getvalue()[-5000:]}
"""


@pytest.fixture
def bundle(tmp_path: Path, site: str, request: pytest.FixtureRequest) -> Path:
    """The unit tests and pytest itself, as one archive."""
    archive = tmp_path / "unit.zip"
    site_packages = Path(sysconfig.get_path("purelib"))
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        for path in sorted([*UNIT.rglob("*.py"), *UNIT.rglob("*.sse")]):
            target.write(path, Path("unit") / path.relative_to(UNIT))
        target.writestr(
            "pytest.ini", "[pytest]\nmarkers = cpython: not in the browser\nfilterwarnings = error\n"
        )
        for path in sorted(site_packages.rglob("*")):
            inside = path.relative_to(site_packages)
            if PURE_PYTHON.fullmatch(inside.parts[0]) and path.is_file() and path.suffix != ".pyc":
                target.write(path, Path("site-packages") / inside)
    return archive


def test_unit_tests_pass_inside_the_kernel(embedded: Page, bundle: Path, site: str) -> None:
    embedded.route("**/unit.zip", lambda route: route.fulfill(body=bundle.read_bytes()))
    begun: list[str] = []
    seen = 0
    embedded.on("console", lambda message: begun.append(message.text))
    embedded.evaluate(
        "([code, url]) => { window.outcome = inbrowser.runPython(code, { url }) }", [RUN, f"{site}/unit.zip"]
    )
    while not embedded.evaluate(
        "(ms) => Promise.race([outcome.then(() => true), new Promise((late) => setTimeout(late, ms, false))])",
        LONGEST_TEST,
    ):
        assert len(begun) > seen, f"no test ended for {LONGEST_TEST / 1000:.0f} s; the last is {begun[-1:]}"
        seen = len(begun)
    result = embedded.evaluate("outcome")
    assert not result["failures"], "\n\n".join(result["failures"])
    assert result["code"] == 0, result["printed"]
    assert result["passed"] > 100
