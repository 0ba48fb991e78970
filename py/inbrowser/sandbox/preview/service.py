"""`sandbox.services.preview`: builds the project and keeps what a preview shows."""

import asyncio
import posixpath
from collections import OrderedDict
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Literal, Protocol

from pydantic import Field

from ...records import Duration, Record, duration_field
from ..errors import SandboxDestroyedError, SandboxError
from ..events import Diagnostic, PreviewCompileEvent, PreviewConsoleEvent, PreviewErrorEvent
from ..files import FileSystem
from ..stream import EventStream
from .diagnostics import CompilerMessage, to_diagnostic
from .entry import Project, find_project
from .page import InlineScript, Reference, at_reference, local_paths
from .positions import BuildPositions
from .source_map import SourceMap
from .tsconfig import TsConfig, TsConfigError, read_tsconfig

REMEMBERED_BUILDS = 4
"""Reports from pages of so many builds are told in the author's places; an old page may still be open."""

MAX_REPORT = 10_000
"""Characters of one console message or stack trace that are kept."""


class CompilerError(SandboxError):
    """The compiler itself could not start or stopped answering; the sources are not at fault."""


class CompileResult(Record):
    """How a build went."""

    ok: bool
    build_id: int = Field(description="Counts the sandbox's builds from 1.")
    entry: str
    diagnostics: list[Diagnostic]
    duration: Duration = duration_field()
    sources: int = Field(default=0, description="Source files that went into it.")
    size: int = Field(default=0, description="Bytes of what a preview loads, packages left out.")


@dataclass(frozen=True)
class PreviewOutput:
    """What a preview shows: a page and the files it loads, by the names it uses."""

    build_id: int
    html: str
    files: dict[str, bytes]


@dataclass(frozen=True)
class CompilerInput:
    """What the compiler gets; all paths are relative to the sandbox's root."""

    root: str
    """The folder whose files a URL such as `/logo.svg` means."""
    modules: list[dict[str, str]]
    """In the page's order: `{"path"}` or, written in the page, `{"page", "code"}`."""
    styles: list[dict[str, str]]
    """In the page's order: `{"path", "media"}`."""
    scripts: list[dict[str, str]]
    """Classic scripts, `{"file", "code"}`: only their syntax is checked."""
    tsconfig: TsConfig


@dataclass(frozen=True)
class CompilerOutput:
    """What the compiler made; without `files` when there were errors."""

    messages: list[CompilerMessage]
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    """By name in the build folder, packages included."""
    maps: dict[str, str] = field(default_factory=dict[str, str])
    """Source maps by the name of the file they belong to."""
    imports: dict[str, str] = field(default_factory=dict[str, str])
    """The file of each package that is imported."""
    sources: int = 0


class Compiler(Protocol):
    """Bundles modules and style sheets of one sandbox."""

    async def build(self, source: CompilerInput) -> CompilerOutput:
        """Build; mistakes in the sources are messages. Raises CompilerError when the compiler fails."""
        ...

    def close(self) -> None:
        """Free what belongs to the sandbox."""
        ...


class PreviewService:
    """Builds previews of a sandbox's files and takes the reports of the pages that show them."""

    def __init__(self, fs: FileSystem, compiler: Compiler) -> None:
        self._fs = fs
        self._compiler = compiler
        self._events: EventStream | None = None
        self._builds = 0
        self._turn = asyncio.Lock()
        self._waiting: dict[str | None, asyncio.Task[CompileResult]] = {}
        self._running: set[asyncio.Task[CompileResult]] = set()
        self._closed = False
        self._output: PreviewOutput | None = None
        self._positions: OrderedDict[int, BuildPositions] = OrderedDict()

    def connect(self, events: EventStream) -> None:
        """Emit events to `events` from now on."""
        self._events = events

    async def compile(self, entry: str | None = None) -> CompileResult:
        """Build `entry`, or the page or script that the project starts with, as the files are now.

        Builds take turns. Calls that wait for the same entry share one build, which sees the latest files.
        Mistakes in the sources are diagnostics of the result. Raises EntryNotFoundError when there is nothing
        to build, CompilerError when the compiler fails.
        """
        if self._closed:
            raise SandboxDestroyedError("the sandbox of this preview was destroyed; open another one")
        build = self._waiting.get(entry)
        if build is None:
            build = self._waiting[entry] = asyncio.ensure_future(self._build_in_turn(entry))
            self._running.add(build)
            build.add_done_callback(self._running.discard)
        try:
            # Shielded: others may wait for the same build.
            return await asyncio.shield(build)
        except asyncio.CancelledError:
            if self._closed:
                raise SandboxDestroyedError("the sandbox was destroyed while its preview was built") from None
            raise

    def output(self) -> PreviewOutput | None:
        """Return the last good build, or None before there is one."""
        return self._output

    def report_console(
        self,
        level: Literal["debug", "log", "info", "warn", "error"],
        text: str,
        build_id: int | None = None,
    ) -> None:
        """Take what a previewed page of that build wrote to its console."""
        text = self._positions_of(build_id).translate(text[:MAX_REPORT])
        self._emit(PreviewConsoleEvent, level=level, text=text)

    def report_error(
        self,
        message: str,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        stack: str | None = None,
        build_id: int | None = None,
    ) -> None:
        """Take an error of a previewed page; places in built files (from 1) become places in the author's."""
        positions = self._positions_of(build_id)
        place = positions.locate(file, line, column or 1) if file and line else None
        if place is None and stack:
            place = positions.first_in(stack[:MAX_REPORT])
        self._emit(
            PreviewErrorEvent,
            message=message[:MAX_REPORT],
            file=place.file if place else None,
            line=place.line if place else None,
            column=place.column if place else None,
            stack=positions.translate(stack[:MAX_REPORT]) if stack else None,
        )

    def close(self) -> None:
        """Stop builds and free the compiler; every later build raises SandboxDestroyedError."""
        self._closed = True
        for build in self._running:
            build.cancel()
        self._compiler.close()

    async def _build_in_turn(self, entry: str | None) -> CompileResult:
        try:
            async with self._turn:
                # From here on files are being read: who comes later needs another build.
                del self._waiting[entry]
                return await self._build(entry)
        finally:
            if self._waiting.get(entry) is asyncio.current_task():
                del self._waiting[entry]

    async def _build(self, entry: str | None) -> CompileResult:
        started = perf_counter()
        project = await find_project(self._fs, entry)
        collected = await _collect(self._fs, project)
        built = await self._compiler.build(collected.source)
        diagnostics = [*collected.diagnostics, *map(to_diagnostic, built.messages)]
        self._builds += 1
        result = CompileResult(
            ok=not any(diagnostic.severity == "error" for diagnostic in diagnostics),
            build_id=self._builds,
            entry=collected.entry,
            diagnostics=diagnostics,
            duration=perf_counter() - started,
            sources=built.sources + len(collected.files),
            size=sum(len(data) for name, data in built.files.items() if name not in built.imports.values())
            + sum(map(len, collected.files.values())),
        )
        if result.ok:
            self._keep(result.build_id, project, collected, built)
        self._emit(
            PreviewCompileEvent,
            build_id=result.build_id,
            entry=result.entry,
            ok=result.ok,
            diagnostics=diagnostics,
            duration=result.duration,
        )
        return result

    def _keep(self, build_id: int, project: Project, collected: "_Collected", built: CompilerOutput) -> None:
        html = project.page.render(built.files, collected.names, built.imports)
        self._output = PreviewOutput(build_id, html, collected.files | built.files)
        maps = {name: SourceMap(text) for name, text in built.maps.items()}
        self._positions[build_id] = BuildPositions(maps, collected.copies)
        while len(self._positions) > REMEMBERED_BUILDS:
            self._positions.popitem(last=False)

    def _positions_of(self, build_id: int | None) -> BuildPositions:
        if build_id is None and self._output:
            build_id = self._output.build_id
        return self._positions.get(build_id or 0, BuildPositions())

    def _emit(self, event: type[Any], **fields: Any) -> None:
        if self._events is not None:
            self._events.emit(event, **fields)


@dataclass(frozen=True)
class _Collected:
    entry: str
    """The page's one module, or else the page."""
    source: CompilerInput
    files: dict[str, bytes]
    """What the page loads as it is."""
    names: dict[str, str]
    """The file of each URL of the page."""
    copies: dict[str, str]
    diagnostics: list[Diagnostic]


async def _collect(fs: FileSystem, project: Project) -> _Collected:
    """Find the files that the page names; a missing script or style sheet is an error, an image a warning."""
    page = project.page
    folder = posixpath.dirname(page.path) if page.path.endswith((".html", ".htm")) else project.root
    roots = (project.root, posixpath.join(project.root, "public"), "")
    diagnostics = list(page.diagnostics)

    async def find(reference: Reference, severity: Literal["error", "warning"] = "error") -> str | None:
        for path in local_paths(reference.url, folder, roots):
            if path and await fs.exists(path) and (await fs.stat(path)).kind != "directory":
                return path
        diagnostics.append(at_reference(severity, f"{reference.url} does not exist", page.path, reference))
        return None

    try:
        tsconfig = await read_tsconfig(fs, project.root)
    except TsConfigError as error:
        tsconfig = TsConfig()
        diagnostics.append(Diagnostic(severity="error", message=str(error)))
    source = CompilerInput(project.root, [], [], [], tsconfig)
    files: dict[str, bytes] = {}
    names: dict[str, str] = {}
    copies: dict[str, str] = {}
    for module in page.modules:
        if isinstance(module, InlineScript):
            source.modules.append({"page": page.path, "code": module.code})
        elif path := await find(module):
            source.modules.append({"path": path})
    for style in page.styles:
        if path := await find(style.reference):
            source.styles.append({"path": path, "media": style.media})
    for script in page.scripts:
        if isinstance(script, InlineScript):
            name, code, origin = script.name, script.code.encode(), page.path
            names[name] = name
        elif path := await find(script):
            name, code, origin = path, await fs.read_bytes(path), path
            names[script.url] = path
        else:
            continue
        files[name] = code
        copies[name] = origin
        source.scripts.append({"file": origin, "code": code.decode(errors="replace")})
    for asset in page.assets:
        if path := await find(asset, "warning"):
            files[path] = await fs.read_bytes(path)
            names[asset.url] = path
    entry = source.modules[0].get("path") if len(page.modules) == len(source.modules) == 1 else None
    return _Collected(entry or page.path, source, files, names, copies, diagnostics)
