"""The three engines, one after another; each starts once."""

import os
import shutil
from collections.abc import Iterator

import pytest

import build
from tests.engines.driver import Engine, Page
from tests.engines.ground import PROBES, Ground

untested = pytest.StashKey[set[str]]()


def start(name: str, request: pytest.FixtureRequest) -> Engine:
    if name == "Chromium":
        from tests.engines.chromium import Chromium

        return Chromium(request.getfixturevalue("browser"))
    path = build.find_engine(name)
    if path is None:
        request.config.stash.setdefault(untested, set()).add(name)
        if os.environ.get("INBROWSER_REQUIRE_ENGINES"):
            pytest.fail(f"{name} is not installed, and INBROWSER_REQUIRE_ENGINES is set")
        pytest.skip(f"{name} is not installed")
    if name == "Firefox":
        from tests.engines.firefox import Firefox

        return Firefox(path)
    from tests.engines.webkit import WebKit

    return WebKit(path)


@pytest.fixture(scope="session", params=list(build.ENGINES))
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    engine = start(request.param, request)
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def host(engine: Engine, site: str) -> Iterator[Page]:
    """A host's page with the embedding API on `window.inbrowser`; where there is one tab, it is that tab."""
    page = engine.open(f"{site}/pages/embed.html")
    page.until("() => Boolean(window.inbrowser)")
    yield page
    page.close()


@pytest.fixture(scope="module")
def ground(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    folder = tmp_path_factory.mktemp("ground") / "dist"
    shutil.copytree(build.DIST, folder)
    (folder / "probes.js").write_text(PROBES)
    (folder / "bare.html").write_text("<!doctype html><link rel=icon href='data:,'><body>")
    ground = Ground(engine, folder)
    yield ground
    ground.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Show what a browser printed beside a test that failed in it."""
    report = yield
    engine = getattr(item, "funcargs", {}).get("engine")
    if report.failed and engine:
        report.sections.append((f"{engine.name} {engine.version}", engine.log[-6000:]))
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for name in sorted(config.stash.get(untested, set())):
        terminalreporter.write_line(f"NOT TESTED: {name}, which is not installed", red=True, bold=True)
