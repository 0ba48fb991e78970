"""What one user of a sandbox knows of its files, so that nobody's change is written over unseen."""

import zlib
from typing import NamedTuple

from .errors import FileChangedError
from .paths import normalize
from .text_diff import COMPARED, text_diff

REMEMBERED = 100
"""Files whose contents are remembered, the latest."""


class Version(NamedTuple):
    """Tells two contents of a file apart."""

    size: int
    checksum: int


def version_of(data: bytes) -> Version:
    """Return the version of a file whose whole content is `data`."""
    return Version(len(data), zlib.crc32(data))


class SeenFiles:
    """By path, the version that this user has read or written last."""

    def __init__(self) -> None:
        self._versions: dict[str, Version] = {}
        self._contents: dict[str, bytes] = {}

    def note(self, path: str, version: Version, content: bytes | None = None) -> None:
        """Remember what was seen; a `content` that is not too large lets changes be shown later."""
        name = normalize(path)
        self._versions[name] = version
        self._contents.pop(name, None)
        if content is not None and len(content) <= COMPARED:
            self._contents[name] = content
            if len(self._contents) > REMEMBERED:
                del self._contents[next(iter(self._contents))]

    def has_changed(self, path: str, data: bytes) -> bool:
        """Tell whether a file, whose content is `data`, is not as it was seen; one never seen is."""
        known = self._versions.get(normalize(path))
        return known is not None and known != version_of(data)

    def changed_error(self, path: str, data: bytes, advice: str) -> FileChangedError:
        """Return the error for a file that has changed: one line with `advice`, then what changed."""
        name = normalize(path)
        message = f"{name} has changed since you last read or wrote it; {advice}"
        diff = text_diff(name, self._contents.get(name, data), data)
        return FileChangedError(f"{message}\n{diff}" if diff else message)
