"""grep: lines that match a pattern, in files below a path."""

from time import perf_counter

from pydantic import Field, JsonValue

from ...arguments import ToolArguments
from ..errors import SandboxError
from ..files import FileSystem
from ..patterns import Pattern, PatternError, PlainText, compile_pattern
from .binary import BOM, binary_kind
from .glob import compile_glob
from .limits import LINE, MATCHES, READ_BYTES, SEARCH_SECONDS, SEARCHED_FILE, clip
from .lines import Line, matching_lines, with_context
from .missing import explained
from .registry import Tool, ToolContext, ToolResult
from .walk import Pace, TreeWalk
from .wording import on_own_line, plural, show

UNPAUSED = 1 << 20
"""Bytes searched between two looks at the clock."""

NARROW = "narrow the pattern, path or glob to see the rest"


class GrepArguments(ToolArguments):
    """Arguments of `grep`."""

    pattern: str = Field(min_length=1, description="Regular expression, matched against each line.")
    path: str = Field(default=".", description="File or directory; the project's root by default.")
    glob: str | None = Field(
        default=None, description="Only files that match, such as *.py or src/**/*.ts; relative to path."
    )
    literal: bool = Field(default=False, description="Take pattern as plain text.")
    ignore_case: bool = Field(default=False, description="Take upper and lower case as the same.")
    context: int = Field(default=0, ge=0, le=50, description="Lines to show before and after each match.")
    all: bool = Field(default=False, description="Search what is left out otherwise, too.")
    limit: int = Field(
        default=MATCHES, ge=1, le=2000, description="How many matching lines to return at most."
    )


async def _grep(arguments: GrepArguments, context: ToolContext) -> ToolResult:
    search = _Search(arguments)
    fs = context.sandbox.fs
    async with explained(fs, arguments.path):
        status = await fs.stat(arguments.path)
        if status.kind == "directory":
            await search.directory(fs, status.path)
        else:
            await search.file(fs, status.path)
    return search.result()


GREP = Tool(
    name="grep",
    description=(
        "Search file contents line by line with a regular expression or plain text. node_modules and what "
        ".gitignore leaves out are skipped, unless path names them. Returns path:line:text."
    ),
    arguments=GrepArguments,
    execute=_grep,
    pure=True,
    capability="read",
)


class _Search:
    """One search: what to look for, and what has been found so far."""

    def __init__(self, arguments: GrepArguments) -> None:
        self._arguments = arguments
        self._pattern = _compile(arguments)
        self._deadline = perf_counter() + SEARCH_SECONDS
        self._output: list[str] = []
        self._output_size = 0
        self._matches: list[JsonValue] = []
        self._files = 0
        self._ignored = 0
        self._too_large: list[str] = []
        self._clipped = False
        self._stopped: str | None = None

    async def file(self, fs: FileSystem, path: str) -> None:
        """Search one file that was named."""
        data = await fs.read_bytes(path, size=SEARCHED_FILE + 1)
        if kind := binary_kind(data):
            raise SandboxError(f"{show(path)} is not text ({kind}), so it cannot be searched")
        self._search(path, data)

    async def directory(self, fs: FileSystem, path: str) -> None:
        """Search the files below a directory."""
        walk = TreeWalk(fs, path, everything=self._arguments.all)
        skip = 0 if path == "." else len(path) + 1
        wanted = compile_glob(self._arguments.glob) if self._arguments.glob else None
        pace = Pace()
        unpaused = 0
        search, plain = self._pattern.search, isinstance(self._pattern, PlainText)
        async for folder in walk.folders():
            names = folder.files
            if wanted:
                names = [name for name in names if wanted((folder.prefix + name)[skip:])]
            async for name, data in fs.read_files(folder.path, names, limit=SEARCHED_FILE + 1):
                size = len(data)
                if size > SEARCHED_FILE or search(data, 0) or not (plain or self._is_clean(data)):
                    self._search(folder.prefix + name, data)
                unpaused += size
                if unpaused > UNPAUSED:
                    unpaused = 0
                    await pace.pause()
                if self._stopped:
                    break
            if self._stopped:
                break
        self._ignored = walk.ignored

    def result(self) -> ToolResult:
        """Return what was found."""
        notes: list[str] = []
        if self._stopped:
            notes.append(self._stopped)
        if self._too_large:
            names = ", ".join(map(show, self._too_large[:5]))
            size = f"{SEARCHED_FILE // 2**20} MB"
            notes.append(f"{plural(len(self._too_large), 'file')} larger than {size} not searched: {names}")
        if self._clipped:
            notes.append(f"lines longer than {LINE} characters are cut around the match")
        if self._ignored:
            notes.append(f"{plural(self._ignored, 'ignored entry')} not searched; all=true includes them")
        text = "\n".join(self._output)
        for note in notes:
            text = on_own_line(text, note)
        summary = f"no match for {clip(self._arguments.pattern, 100)!r}"
        if self._matches:
            summary = f"{plural(len(self._matches), 'match')} in {plural(self._files, 'file')}"
        return ToolResult(
            ok=True,
            summary=summary,
            data={
                "matches": self._matches,
                "complete": self._stopped is None and not self._too_large,
                "clipped": self._clipped,
                "ignored": self._ignored,
                "text": text,
            },
        )

    @staticmethod
    def _is_clean(data: bytes) -> bool:
        """Tell whether a search of the raw bytes says as much as one of the lines, `^` and `$` included."""
        return b"\r" not in data and not data.startswith(BOM)

    def _search(self, path: str, data: bytes) -> None:
        if len(data) > SEARCHED_FILE:
            self._too_large.append(path)
            return
        if perf_counter() > self._deadline:
            self._stop_late()
            return
        if binary_kind(data):
            return
        data = data.removeprefix(BOM)
        if b"\r\n" in data:
            data = data.replace(b"\r\n", b"\n")
        lines: list[Line] = []
        room = self._arguments.limit - len(self._matches)
        for line in matching_lines(data, self._pattern):
            if len(lines) == room:
                self._stopped = f"only the first {self._arguments.limit:,} matching lines are shown; {NARROW}"
                break
            lines.append(line)
            if perf_counter() > self._deadline:
                self._stop_late()
                break
        if lines:
            self._files += 1
            self._tell(path, data, lines)

    def _tell(self, path: str, data: bytes, lines: list[Line]) -> None:
        name = show(path)
        previous = 0
        for line in with_context(data, lines, self._arguments.context):
            text = self._text(data, line)
            mark = "-" if line.match is None else ":"
            shown = f"{name}{mark}{line.number}{mark}{text}"
            if self._arguments.context and self._output and line.number != previous + 1:
                self._output.append("--")
            previous = line.number
            self._output_size += len(shown.encode(errors="replace")) + 1
            if self._output_size > READ_BYTES:
                self._stopped = f"stopped after {READ_BYTES // 1024} KB of matches; {NARROW}"
                return
            self._output.append(shown)
            if line.match is not None:
                self._matches.append({"path": path, "line": line.number, "text": text})

    def _text(self, data: bytes, line: Line) -> str:
        start, end = line.start, line.end
        if end - start <= LINE:
            text = data[start:end].decode(errors="replace")
        else:
            # Decode a window only: a minified file may be one line of megabytes.
            around = start if line.match is None else line.match
            begin, stop = max(start, around - 4 * LINE), min(end, around + 4 * LINE)
            before = len(data[begin:around].decode(errors="ignore"))
            text = clip(data[begin:stop].decode(errors="ignore"), LINE, before)
            text = f"{'…' if begin > start and text[0] != '…' else ''}{text}"
            text = f"{text}{'…' if stop < end and text[-1] != '…' else ''}"
            self._clipped = True
        return text

    def _stop_late(self) -> None:
        self._stopped = f"stopped after {SEARCH_SECONDS:g} s; narrow path or glob, or use a simpler pattern"


def _compile(arguments: GrepArguments) -> Pattern:
    if "\n" in arguments.pattern:
        raise SandboxError(
            "the pattern has a line break, but lines are searched one by one; search for a part of it"
        )
    try:
        return compile_pattern(
            arguments.pattern, literal=arguments.literal, ignore_case=arguments.ignore_case
        )
    except PatternError as error:
        place = "" if error.position is None else f" at position {error.position}"
        raise SandboxError(
            f"{arguments.pattern!r} is not a valid regular expression: {error}{place}; "
            "for plain text set literal=true"
        ) from None
