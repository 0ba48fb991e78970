"""A page with something to find, and servers that note who came."""

import time
from pathlib import Path
from typing import Any

from tests.engines.counters import Counter, Signals
from tests.engines.driver import Engine, Page

PROBES = (Path(__file__).parent / "probes.js").read_text()
NOTHING = {"requests": [], "packets": 0, "connections": 0}
LATE_SECONDS = 1.0
"""What is under way when a probe has answered arrives within that."""

PLANT = """async () => { window.probes = await import("./probes.js"); await probes.plant(); }"""


class Ground:
    """A page with something to find, and servers that count."""

    def __init__(self, engine: Engine, folder: Path) -> None:
        self.engine = engine
        self.home = Counter(folder)
        self.other = Counter()
        self.signals = Signals()

    @property
    def to(self) -> dict[str, str]:
        return {
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
        """Begin to count anew; signals on other ports, as those of pages that are gone come for a while."""
        for server in (self.home, self.other):
            server.seen.clear()
            server.cookies.clear()
        self.signals.close()
        self.signals = Signals()

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
