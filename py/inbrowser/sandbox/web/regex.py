"""Regular expressions in linear time (RE2), behind the kernel's bridge."""
# pyright: basic

from typing import Any

from inbrowser_bridge import compilePattern  # pyright: ignore
from pyodide.ffi import JsException  # pyright: ignore

from ..patterns import Pattern, PatternError


def compile_regex(pattern: str, ignore_case: bool) -> Pattern:
    """Compile in RE2's syntax: no lookaround, no backreferences. Raises PatternError."""
    try:
        return _Regex(compilePattern(pattern, ignore_case))
    except JsException as error:
        reason, _, part = str(error.message).partition("\t")
        position = pattern.find(part)
        raise PatternError(f"{reason}: {part}" if part else reason, max(position, 0)) from None


class _Regex:
    def __init__(self, searcher: Any) -> None:
        self._searcher = searcher
        self._data: bytes | None = None

    def search(self, data: bytes, start: int) -> tuple[int, int] | None:
        if data is not self._data:
            self._data = data
            self._searcher.load(data)
        found = self._searcher.search(start)
        return None if found < 0 else (found, self._searcher.end)
