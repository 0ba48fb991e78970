"""JSON objects, one a line, out of bytes that may be cut anywhere (https://github.com/ndjson/ndjson-spec)."""

from .sse import SseEvent


class LineDecoder:
    """Turns pieces of a body into events without names, one for each line that is not blank."""

    def __init__(self) -> None:
        self._waiting: list[bytes] = []

    def feed(self, piece: bytes) -> list[SseEvent]:
        """Return the events that `piece` completes."""
        end = piece.rfind(b"\n") + 1
        if not end:
            self._waiting.append(piece)
            return []
        whole = b"".join((*self._waiting, piece[:end]))
        self._waiting = [piece[end:]]
        return _events(whole)

    def close(self) -> list[SseEvent]:
        """Return what the body's end completes."""
        rest, self._waiting = b"".join(self._waiting), []
        return _events(rest)


def _events(lines: bytes) -> list[SseEvent]:
    text = lines.decode("utf-8", "replace").removeprefix("\ufeff")
    return [("", line) for line in text.split("\n") if line.strip()]
