"""Two contents of a file, compared line by line."""

import difflib

COMPARED = 200_000
"""Bytes up to which a content is compared."""


def text_diff(path: str, old: bytes | None, new: bytes | None) -> str | None:
    """Return a unified diff; None stands for a file that is not there, and for what cannot be compared.

    That is what is no UTF-8 text, or larger than COMPARED.
    """
    old_lines, new_lines = _lines(old), _lines(new)
    if old_lines is None or new_lines is None:
        return None
    names = ("/dev/null" if old is None else f"a/{path}", "/dev/null" if new is None else f"b/{path}")
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in difflib.unified_diff(old_lines, new_lines, *names)
    )


def _lines(content: bytes | None) -> list[str] | None:
    if content is None:
        return []
    if len(content) > COMPARED or b"\0" in content:
        return None
    try:
        return content.decode().splitlines(keepends=True)
    except UnicodeDecodeError:
        return None
