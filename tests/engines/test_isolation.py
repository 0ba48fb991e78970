"""Nothing gets out of a preview, in any engine; from the page itself the same attempts do, which proves them."""

import json
import time
from collections.abc import Iterator

import pytest

from tests.engines.driver import Engine, Page
from tests.engines.ground import NOTHING, PROBES, Ground

RUN = """([group, to]) => probes.run(probes[group], to)"""
LEAVE = """([group, name, to]) => { setTimeout(() => void probes[group][name](to)); }"""

MAIN = """
import * as probes from "./probes.js";
const to = %s;
const results = {};
for (const name of %s)
  Object.assign(results, await probes.run(probes[name] ?? { [name]: probes.signals[name] }, to));
console.log("probed " + JSON.stringify(results));
"""
LEAVE_MAIN = """
import * as probes from "./probes.js";
console.log("leaves");
const { group, name, to } = %s;
setTimeout(() => void probes[group][name](to));
"""

GROUPS = ["data", "dataWithDom", "network", "networkWithDom", "signals"]
REWRITING = ["write", "writePieces", "writeScripts", "scriptAddress"]
LEAVING = ["formSubmit", "topNavigation", "refresh", "selfNavigation"]
# What an engine cannot do at all, or as it is started here.
LACKING: dict[str, set[str]] = {
    "Chromium": {"preconnect"},
    "Firefox": set(),
    "WebKit": {"originPrivateFiles", "webRtc", "prefetch", "windowOpen"},
}
# Ways to a frame that an engine does not have.
NO_WAY: dict[str, set[str]] = {"Chromium": set(), "Firefox": set(), "WebKit": set()}
PRECONNECT = "no policy governs preconnect: a connection is made, and nothing sent"
OPEN_ENDS = {
    ("Firefox", "preconnect"): PRECONNECT,
    ("WebKit", "preconnect"): PRECONNECT,
}

OPEN = """async () => {
  window.inbrowser = await import("./inbrowser.js");
  window.sandbox = await inbrowser.openSandbox();
  window.told = [];
  sandbox.on((event) => event.type.startsWith("preview:") && told.push(event));
  const place = document.body.appendChild(document.createElement("div"));
  place.style = "width: 400px; height: 300px";
  sandbox.services.preview.mount(place);
}"""
BUILD = """async ([main, probes]) => {
  told.length = 0;
  await sandbox.fs.write("main.js", main);
  await sandbox.fs.write("probes.js", probes);
  return sandbox.services.preview.compile();
}"""
TOLD = "(text) => told.find((event) => event.type === 'preview:console' && event.text.startsWith(text))?.text"


@pytest.fixture(scope="module")
def preview(ground: Ground) -> Iterator[Page]:
    """A page with something to find, and a preview in it that shows what BUILD builds."""
    page = ground.open()
    page.evaluate(OPEN)
    yield page
    page.close()


def attempt(ground: Ground, preview: Page, groups: list[str]) -> dict[str, str]:
    """Run groups of probes in the preview; returns the results of all."""
    ground.forget()
    assert preview.evaluate(BUILD, [MAIN % (json.dumps(ground.to), json.dumps(groups)), PROBES])["ok"]
    return json.loads(preview.until(TOLD, "probed ").removeprefix("probed "))


def leave(ground: Ground, preview: Page, group: str, name: str) -> None:
    """Have the preview run a probe after which it cannot answer."""
    ground.forget()
    what = json.dumps({"group": group, "name": name, "to": ground.to})
    assert preview.evaluate(BUILD, [LEAVE_MAIN % what, PROBES])["ok"]
    preview.until(TOLD, "leaves")


def test_from_the_page_itself_everything_is_reached(engine: Engine, ground: Ground) -> None:
    page = ground.open()
    ground.forget()
    results = {group: page.evaluate(RUN, [group, ground.to]) for group in GROUPS}
    lacking = LACKING[engine.name]
    found = results["data"] | results["dataWithDom"]
    assert {
        name for name, result in found.items() if not result.startswith("reached")
    } == lacking & found.keys()
    arrived = ground.arrived()
    expected = results["network"] | results["networkWithDom"]
    assert expected.keys() - arrived["requests"] == lacking & expected.keys()
    assert (arrived["packets"] > 0) == ("webRtc" not in lacking)
    assert (arrived["connections"] > 0) == ("preconnect" not in lacking)
    page.close()


@pytest.mark.parametrize("name", LEAVING)
def test_the_page_itself_can_be_left(ground: Ground, name: str) -> None:
    page = ground.open()
    page.evaluate(LEAVE, ["leaving", name, ground.to])
    end = time.monotonic() + 10
    while name not in ground.other.seen and time.monotonic() < end:
        time.sleep(0.05)
    assert name in ground.other.seen


def test_in_the_page_itself_each_way_leads_to_a_frame_that_runs(engine: Engine, ground: Ground) -> None:
    page = ground.open()
    ground.forget()
    results = page.evaluate(RUN, ["frames", ground.to])
    assert {name for name, result in results.items() if result != "reached"} == NO_WAY[engine.name]
    assert (ground.arrived()["packets"] > 0) == ("webRtc" not in LACKING[engine.name])
    page.close()


@pytest.mark.parametrize("name", REWRITING)
def test_a_page_that_writes_itself_anew_sends_signals(engine: Engine, ground: Ground, name: str) -> None:
    page = ground.open()
    ground.forget()
    page.evaluate(LEAVE, ["rewriting", name, ground.to])
    assert (ground.arrived()["packets"] > 0) == ("webRtc" not in LACKING[engine.name])
    page.close()


def test_from_a_preview_nothing_is_reached(ground: Ground, preview: Page) -> None:
    results = attempt(ground, preview, ["data", "dataWithDom", "network", "networkWithDom"])
    assert {name: result for name, result in results.items() if not result.startswith("denied")} == {}
    assert ground.arrived() == NOTHING


@pytest.mark.parametrize("name", LEAVING)
def test_a_preview_is_not_left(ground: Ground, preview: Page, name: str) -> None:
    leave(ground, preview, "leaving", name)
    assert ground.arrived() == NOTHING
    assert preview.evaluate("() => location.pathname") == "/bare.html"


def test_no_way_leads_to_a_frame_that_runs_in_a_preview(ground: Ground, preview: Page) -> None:
    results = attempt(ground, preview, ["frames"])
    assert {name: result for name, result in results.items() if not result.startswith("denied")} == {}
    assert ground.arrived() == NOTHING


@pytest.mark.parametrize("name", REWRITING)
def test_a_preview_that_writes_itself_anew_sends_none(ground: Ground, preview: Page, name: str) -> None:
    leave(ground, preview, "rewriting", name)
    assert ground.arrived() == NOTHING


@pytest.mark.parametrize("name", ["webRtc", "webTransport", "preconnect"])
def test_no_signal_leaves_a_preview(
    request: pytest.FixtureRequest, engine: Engine, ground: Ground, preview: Page, name: str
) -> None:
    if reason := OPEN_ENDS.get((engine.name, name)):
        request.applymarker(pytest.mark.xfail(reason=reason, raises=AssertionError, strict=True))
    attempt(ground, preview, [name])
    assert ground.arrived() == NOTHING
