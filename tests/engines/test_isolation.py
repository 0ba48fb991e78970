"""Nothing gets out of a preview, in any engine; from the page itself the same attempts do, which proves them."""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import build
from tests.engines.counters import Counter, Signals
from tests.engines.driver import Engine, Page

HERE = Path(__file__).parent
PROBES = (HERE / "probes.js").read_text()
LEAVING = ["formSubmit", "topNavigation", "refresh", "selfNavigation"]
LATE_SECONDS = 1.0
"""What is under way when a probe has answered arrives within that."""

PLANT = """async () => { window.probes = await import("./probes.js"); await probes.plant(); }"""
RUN = """([group, to]) => probes.run(probes[group], to)"""
LEAVE = """([name, to]) => { setTimeout(() => void probes.leaving[name](to)); }"""

MAIN = """
import { data, dataWithDom, network, networkWithDom, run, signals } from "./probes.js";
const results = {};
for (const [name, group] of Object.entries({ data, dataWithDom, network, networkWithDom, signals }))
  results[name] = await run(group, to);
console.log("probed " + JSON.stringify(results));
"""
LEAVE_MAIN = """
import { leaving } from "./probes.js";
console.log("leaves");
setTimeout(() => void leaving[name](to), 100);
"""

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


class Ground:
    """A page with something to find, and servers that count."""

    def __init__(self, engine: Engine, folder: Path) -> None:
        self.engine = engine
        self.home = Counter(folder)
        self.other = Counter()
        self.signals = Signals()
        self.to = {
            "page": self.home.prefix,
            "other": self.other.prefix,
            "stun": self.signals.stun,
            "wire": self.signals.wire,
        }

    def open(self) -> Page:
        page = self.engine.open(f"{self.home.url}/bare.html")
        page.evaluate(PLANT)
        return page

    def forget(self) -> None:
        """Begin to count anew."""
        time.sleep(LATE_SECONDS)
        self.home.seen.clear()
        self.other.seen.clear()
        self.signals.reset()

    def arrived(self) -> dict[str, Any]:
        time.sleep(LATE_SECONDS)
        return {
            "requests": sorted(self.home.seen | self.other.seen),
            "packets": self.signals.packets,
            "connections": self.signals.connections,
        }

    def close(self) -> None:
        self.home.close()
        self.other.close()
        self.signals.close()


@pytest.fixture(scope="module")
def ground(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    folder = tmp_path_factory.mktemp("ground") / "dist"
    shutil.copytree(build.DIST, folder)
    (folder / "probes.js").write_text(PROBES)
    (folder / "bare.html").write_text("<!doctype html><link rel=icon href='data:,'><body>")
    ground = Ground(engine, folder)
    yield ground
    ground.close()


NOTHING = {"requests": [], "packets": 0, "connections": 0}


def test_from_the_page_itself_everything_is_reached(ground: Ground) -> None:
    page = ground.open()
    ground.forget()
    results = {group: page.evaluate(RUN, [group, ground.to]) for group in ("data", "dataWithDom")}
    network = {group: page.evaluate(RUN, [group, ground.to]) for group in ("network", "networkWithDom", "signals")}
    arrived = ground.arrived()
    print(results, network, arrived)
    page.close()
    for name in LEAVING:
        page = ground.open()
        page.evaluate(LEAVE, [name, ground.to])
        time.sleep(0.5)
        print(name, name in ground.other.seen)
    assert 0


def test_from_a_preview_nothing_is_reached(ground: Ground) -> None:
    page = ground.open()
    page.evaluate(OPEN)
    ground.forget()
    import json
    assert page.evaluate(BUILD, [f"const to = {json.dumps(ground.to)};\n{MAIN}", PROBES])["ok"]
    text = page.until(TOLD, "probed ")
    print(json.loads(text.removeprefix("probed ")))
    print(ground.arrived())
    for name in LEAVING:
        ground.forget()
        head = f"const to = {json.dumps(ground.to)}, name = '{name}';\n"
        page.evaluate(BUILD, [head + LEAVE_MAIN, PROBES])
        page.until(TOLD, "leaves")
        print(name, ground.arrived(), page.evaluate("() => location.href"))
    assert 0
