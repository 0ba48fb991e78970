"""Where an error of a running preview was written."""

import re
from dataclasses import dataclass, field
from functools import cached_property

from .diagnostics import plain_name
from .source_map import SourceMap, SourcePosition


@dataclass(frozen=True)
class BuildPositions:
    """Translates places in the files of one build into places in the author's."""

    maps: dict[str, SourceMap] = field(default_factory=dict[str, SourceMap])
    """By the name of the built file."""
    copies: dict[str, str] = field(default_factory=dict[str, str])
    """Files that were loaded as they are, line for line: the author's file by the name of the copy."""

    def locate(self, file: str, line: int, column: int) -> SourcePosition | None:
        """Return the author's place, or None for code of a package or of the browser."""
        if file in self.copies:
            return SourcePosition(self.copies[file], line, column)
        found = self.maps[file].locate(line, column) if file in self.maps else None
        if found is None or found.file.startswith(("inbrowser-package:", "inbrowser-page:")):
            return None
        return SourcePosition(plain_name(found.file), found.line, found.column)

    def first_in(self, stack: str) -> SourcePosition | None:
        """Return the innermost of the author's places in a stack trace."""
        for place in self._place.finditer(stack):
            if found := self.locate(place["file"], int(place["line"]), int(place["column"])):
                return found
        return None

    def translate(self, text: str) -> str:
        """Return `text`, a stack trace for instance, with the author's places in it."""

        def replace(place: re.Match[str]) -> str:
            found = self.locate(place["file"], int(place["line"]), int(place["column"]))
            return f"{found.file}:{found.line}:{found.column}" if found else place[0]

        return self._place.sub(replace, text)

    @cached_property
    def _place(self) -> re.Pattern[str]:
        # Of known names only, and short numbers: the text is a stranger's, and may be made to take long.
        names = "|".join(re.escape(name) for name in (*self.maps, *self.copies)) or "(?!)"
        return re.compile(rf"(?<![\w./-])(?P<file>{names}):(?P<line>\d{{1,9}}):(?P<column>\d{{1,9}})")
