"""What the three engines have in common for tests."""

import json
from abc import ABC, abstractmethod
from typing import Any

SECONDS = 120.0
"""The longest that one call in a page may take."""

TAKE_JSON = """async (text) => {
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error("no answer for %(ms)d ms")), %(ms)d));
  const work = (async () => (%(function)s)(...JSON.parse(text)))();
  return JSON.stringify((await Promise.race([work, late])) ?? null);
}"""

UNTIL = """async (argument) => {
  for (;;) {
    const value = await (%s)(argument);
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}"""


class PageError(AssertionError):
    """A function failed in a page; the message is that of its error."""


class Page(ABC):
    """A tab."""

    @abstractmethod
    def goto(self, url: str) -> None:
        """Go to an address and wait until it has loaded."""

    @abstractmethod
    def reload(self) -> None:
        """Load the page anew."""

    @abstractmethod
    def screenshot(self) -> bytes:
        """Return a picture as PNG."""

    @abstractmethod
    def close(self) -> None:
        """Close the tab."""

    @abstractmethod
    def _call(self, function: str, text: str, seconds: float) -> str:
        """Call an async JavaScript function of one string; returns the string that it resolves to."""

    def evaluate(self, function: str, *arguments: Any, seconds: float = SECONDS) -> Any:
        """Call a JavaScript function with JSON values and return what it returns or resolves to."""
        wrapped = TAKE_JSON % {"function": function, "ms": seconds * 1000}
        return json.loads(self._call(wrapped, json.dumps(arguments), seconds + 10))

    def until(self, function: str, argument: Any = None, seconds: float = 60) -> Any:
        """Call a JavaScript function until it returns something true, and return that."""
        return self.evaluate(UNTIL % function, argument, seconds=seconds)


class Engine(ABC):
    """A running browser with a profile of its own."""

    name: str
    version: str

    @abstractmethod
    def open(self, url: str) -> Page:
        """Open a tab."""

    @abstractmethod
    def close(self) -> None:
        """End the browser and all its processes."""

    @property
    def log(self) -> str:
        """What the browser and the pages in it printed last."""
        return ""
