"""How much of anything a tool shows, in one place so that no two layers cut the same text twice."""

READ_LINES = 2_000
READ_BYTES = 50 * 1024

OUTPUT_HEAD = 10_000
OUTPUT_TAIL = 20_000
"""Characters of a command's output that are kept at each end."""

MATCHES = 200
FOUND = 1_000
LISTED = 1_000
LINE = 400
"""Characters of one line in search results, diffs and hints."""

SEARCHED_FILE = 20 * 1024 * 1024
"""Bytes; larger files are not searched."""

SEARCH_SECONDS = 10.0

DIFF_LINES = 200

RESULT = 100_000
"""Characters of any tool's text. Our own tools stay below it; it is for those that hosts add."""

SHORT = 200
"""Characters of a text that is its own summary."""

TOOL_SECONDS = 600.0
"""After so long a tool that sets no limit of its own is stopped."""

PAUSE_AFTER = 0.02
"""Seconds after which a long search lets others have their turn."""


def clip(text: str, limit: int = LINE, around: int = 0) -> str:
    """Return at most `limit` characters of one line, those about position `around`, with the cuts marked."""
    if len(text) <= limit:
        return text
    start = max(0, min(around - limit // 4, len(text) - limit))
    end = start + limit
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"


def fitting(lines: list[str], size: int = READ_BYTES) -> int:
    """Return how many of the first lines fit into `size` characters."""
    for count, line in enumerate(lines):
        size -= len(line) + 1
        if size < 0:
            return count
    return len(lines)


def clip_middle(text: str, head: int, tail: int, kept: str = "") -> str:
    """Return the head and tail of a text, cut at line ends where there are any, and say what was left out.

    `kept` says where all of it is.
    """
    if len(text) <= head + tail:
        return text
    first = text.rfind("\n", head // 2, head) + 1 or head
    last = text.find("\n", len(text) - tail, len(text) - tail // 2) + 1 or len(text) - tail
    lines = text.count("\n", first, last)
    size = f"{last - first:,} characters" + (f" ({lines:,} lines)" if lines else "")
    before = text[:first] if text[first - 1] == "\n" else text[:first] + "\n"
    return f"{before}[... {size} left out{kept} ...]\n{text[last:]}"
