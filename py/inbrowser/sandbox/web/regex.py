"""Regular expressions in linear time (RE2), behind the kernel's bridge."""
# pyright: basic

from typing import Any

from inbrowser_bridge import compilePattern  # pyright: ignore
from pyodide.ffi import JsException  # pyright: ignore

from ..patterns import Pattern, PatternError

_NOT_IN_RE2 = {
    "(?=": "lookahead",
    "(?!": "lookahead",
    "(?<=": "lookbehind",
    "(?<!": "lookbehind",
    "(?>": "atomic groups",
    "(?P=": "backreferences",
    "\\": "backreferences",
}


def compile_regex(pattern: str, ignore_case: bool) -> Pattern:
    """Compile in RE2's syntax: no lookaround, no backreferences. Raises PatternError."""
    try:
        return _Regex(compilePattern(pattern, ignore_case))
    except JsException as error:
        reason, _, part = str(error.message).partition("\t")
        position = max(pattern.find(part), 0)
        raise PatternError(_explained(reason, part, pattern[position:]), position) from None


class _Regex:
    def __init__(self, searcher: Any) -> None:
        self._now, self._before = _Text(searcher), _Text(searcher.twin())

    def search(self, data: bytes, start: int) -> tuple[int, int] | None:
        # Two texts are kept, as a line is looked at alone in the middle of a search of its file.
        if data is not self._now.data:
            self._now, self._before = self._before, self._now
            if data is not self._now.data:
                self._now.load(data)
        return self._now.search(start)


class _Text:
    def __init__(self, searcher: Any) -> None:
        self.data: bytes | None = None
        self._searcher = searcher
        self._search: Any = searcher.search

    def load(self, data: bytes) -> None:
        self.data = data
        self._searcher.load(len(data)).assign(data)

    def search(self, start: int) -> tuple[int, int] | None:
        found = self._search(start)
        return None if found < 0 else (found, self._searcher.end)


def _explained(reason: str, part: str, rest: str) -> str:
    for start, what in _NOT_IN_RE2.items():
        if rest.startswith(start) and (start != "\\" or part[1:].isdigit()):
            return f"{part}: the syntax is RE2's, which has no {what}"
    return f"{reason}: {part}" if part else reason
