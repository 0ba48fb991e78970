"""`sandbox.services.preview`: builds the project and keeps what a preview shows."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal

from pydantic import Field

from ...records import Duration, Record, duration_field
from ..errors import SandboxDestroyedError
from ..events import Diagnostic, PreviewCompileEvent, PreviewConsoleEvent, PreviewErrorEvent
from ..files import FileSystem
from ..stream import EventStream
from .compiler import Compiler, CompilerOutput
from .diagnostics import to_diagnostic
from .entry import Project, find_project
from .positions import BuildPositions
from .project_files import ProjectFiles, collect
from .source_map import SourceMap

REMEMBERED_BUILDS = 4
"""Reports from pages of so many builds are told in the author's places; an old page may still be open."""

MAX_REPORT = 10_000
"""Characters of one console message or stack trace that are kept."""


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
        collected = await collect(self._fs, project)
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

    def _keep(self, build_id: int, project: Project, collected: ProjectFiles, built: CompilerOutput) -> None:
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
