"""The compiler's messages as people read them: plain file names, lines and columns from 1, a code frame."""

import re
from dataclasses import dataclass, field
from typing import Literal

from ..events import Diagnostic

MAX_LISTED = 60
"""So many names of a module's exports are listed."""

_FRAME_WIDTH = 120
_NAMESPACE = re.compile(r"inbrowser-(?:inline|package):")
_COPY_NUMBER = re.compile(r"(?<=\.html)\?\d+")


@dataclass(frozen=True)
class CompilerMessage:
    """One message as the compiler gives it."""

    severity: Literal["error", "warning"]
    text: str
    file: str | None = None
    line: int = 0
    """Counted from 1."""
    column: int = 0
    """Counted from 0, in bytes of UTF-8."""
    length: int = 0
    """Bytes at fault."""
    line_text: str = ""
    notes: list[str] = field(default_factory=list[str])
    exports: list[str] | None = None
    """What the module exports, when a name was asked of it that it does not."""


def to_diagnostic(message: CompilerMessage) -> Diagnostic:
    """Translate one message."""
    sentences = [message.text, *message.notes]
    if message.exports is not None:
        listed = ", ".join(message.exports[:MAX_LISTED]) or "nothing"
        more = len(message.exports) - MAX_LISTED
        sentences.append(f"It exports {listed}{f' and {more} more' if more > 0 else ''}")
    ended = (each if each.endswith((".", "?", "!")) else f"{each}." for each in sentences)
    text = plain_name(" ".join(ended).removesuffix("."))
    if message.file is None:
        return Diagnostic(severity=message.severity, message=text)
    line, end = message.line_text.encode(), message.column + message.length
    before = line[: message.column].decode(errors="ignore")
    marked = line[message.column : end].decode(errors="ignore")
    return Diagnostic(
        severity=message.severity,
        message=text,
        file=plain_name(message.file),
        line=message.line,
        column=len(before) + 1,
        frame=code_frame(message.line, message.line_text, len(before), len(marked)),
    )


def plain_name(text: str) -> str:
    """Remove the compiler's own prefixes and suffixes from the file names in `text`."""
    return _COPY_NUMBER.sub("", _NAMESPACE.sub("", text))


def code_frame(line: int, text: str, start: int, length: int) -> str:
    """Return a source line and, under it, a marker of `length` characters from `start` (counted from 0)."""
    cut = max(0, start - _FRAME_WIDTH // 2) if len(text) > _FRAME_WIDTH else 0
    shown = text[cut : cut + _FRAME_WIDTH]
    # Tabs stay tabs under tabs, so that the marker stands right at any tab width.
    indent = "".join("\t" if character == "\t" else " " for character in text[cut:start])
    marker = "^" * max(1, min(length, len(shown) - len(indent)))
    number = str(line)
    return f"{number} | {shown}\n{' ' * len(number)} | {indent}{marker}"


def describe(diagnostic: Diagnostic) -> str:
    """Return a diagnostic as text: place, severity and message, then the code frame."""
    place = "" if diagnostic.file is None else diagnostic.file
    if diagnostic.line is not None:
        place += f":{diagnostic.line}:{diagnostic.column}"
    text = f"{place}: " if place else ""
    text += f"{diagnostic.severity}: {diagnostic.message}"
    return f"{text}\n{diagnostic.frame}" if diagnostic.frame else text
