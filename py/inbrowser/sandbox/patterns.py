"""Search patterns over bytes: plain text by the fastest way there is, regular expressions by an engine."""

import re
import sys
from typing import Protocol

from .errors import SandboxError


class PatternError(SandboxError):
    """Not a valid regular expression."""

    def __init__(self, message: str, position: int | None = None) -> None:
        """Take what is wrong, and where: an index into the pattern."""
        super().__init__(message)
        self.position = position


class Pattern(Protocol):
    """Finds a text or a regular expression in the bytes of a file."""

    def search(self, data: bytes, start: int) -> tuple[int, int] | None:
        """Return where the first match from byte `start` on begins and ends.

        `data` is UTF-8; `^` and `$` match at the ends of lines.
        """
        ...


def compile_pattern(pattern: str, *, literal: bool = False, ignore_case: bool = False) -> Pattern:
    """Return a pattern; one without special characters is plain text. Raises PatternError."""
    if literal or not re.search(r"[\\^$.|?*+()\[\]{}]", pattern):
        text = pattern.encode(errors="surrogateescape")
        if not ignore_case:
            return PlainText(text)
        if text.isascii():
            return FoldedText(text.lower())
        pattern = re.escape(pattern)
    return _compile_regex(pattern, ignore_case)


def _compile_regex(pattern: str, ignore_case: bool) -> Pattern:
    if sys.platform == "emscripten":
        # Nothing can stop Python's engine, and there are short patterns that keep it busy for years.
        from .web.regex import compile_regex

        return compile_regex(pattern, ignore_case)
    return _PythonRegex(pattern, ignore_case)


class PlainText:
    """A text, byte for byte."""

    def __init__(self, text: bytes) -> None:
        self._text = text

    def search(self, data: bytes, start: int) -> tuple[int, int] | None:
        """Return where it is; see Pattern."""
        found = data.find(self._text, start)
        return None if found < 0 else (found, found + len(self._text))


class FoldedText(PlainText):
    """ASCII text in any case; give it in lower case."""

    def __init__(self, text: bytes) -> None:
        super().__init__(text)
        self._data = self._folded = b""

    def search(self, data: bytes, start: int) -> tuple[int, int] | None:
        """Return where it is; see Pattern."""
        if data is not self._data:
            self._data, self._folded = data, data.lower()
        found = self._folded.find(self._text, start)
        return None if found < 0 else (found, found + len(self._text))


class _PythonRegex:
    def __init__(self, pattern: str, ignore_case: bool) -> None:
        try:
            self._regex = re.compile(pattern, re.MULTILINE | (re.IGNORECASE if ignore_case else 0))
        except re.error as error:
            raise PatternError(error.msg, error.pos) from None
        self._data = b""
        self._text = ""

    def search(self, data: bytes, start: int) -> tuple[int, int] | None:
        if data is not self._data:
            # One character a byte where there is no UTF-8, so that what is no text is searched, too.
            self._data, self._text = data, data.decode(errors="surrogateescape")
        if len(self._text) == len(data):
            match = self._regex.search(self._text, start)
            return match and match.span()
        match = self._regex.search(self._text, len(data[:start].decode(errors="surrogateescape")))
        if not match:
            return None
        begin = len(self._text[: match.start()].encode(errors="surrogateescape"))
        return begin, begin + len(match[0].encode(errors="surrogateescape"))
