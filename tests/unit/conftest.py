"""A live sandbox to play with, one call at a time."""

import asyncio
import functools
from collections.abc import Iterator
from typing import Any

import pytest
from inbrowser.sandbox import Sandbox, ToolResult, open_sandbox
from inbrowser.sandbox.files import DirectoryFileSystem


class Box:
    """A sandbox behind plain functions."""

    def __init__(self) -> None:
        self.sandbox: Sandbox = asyncio.run(open_sandbox())
        self.events: list[Any] = []
        self.sandbox.on(self.events.append)

    @property
    def root(self) -> str:
        """The real directory of the files."""
        fs = self.sandbox._parts.fs
        assert isinstance(fs, DirectoryFileSystem)
        return fs.root

    def call(self, tool: str, /, **arguments: Any) -> ToolResult:
        return asyncio.run(self.sandbox.tools.run(tool, arguments))

    def ok(self, tool: str, /, **arguments: Any) -> str:
        """Run a tool that must succeed; returns its text."""
        result = self.call(tool, **arguments)
        assert result.ok, result
        return str(result.data.get("text", ""))

    def refused(self, tool: str, /, **arguments: Any) -> str:
        """Run a tool that must fail; returns all that it says."""
        result = self.call(tool, **arguments)
        assert not result.ok, result
        assert "Traceback" not in result.summary
        assert "\n" not in result.summary
        return f"{result.summary}\n{result.data.get('text', '')}".rstrip()

    def write(self, path: str, data: str | bytes) -> None:
        asyncio.run(self.sandbox.fs.write(path, data))

    def bytes(self, path: str) -> bytes:
        return asyncio.run(self.sandbox.fs.read_bytes(path))

    def fs(self, method: str, *arguments: Any, **options: Any) -> Any:
        """Call a method of the file system."""
        return asyncio.run(functools.partial(getattr(self.sandbox.fs, method), *arguments, **options)())

    def told(self, *types: str) -> list[Any]:
        """The events of some types so far."""
        return [event for event in self.events if event.type in types]


@pytest.fixture
def box() -> Iterator[Box]:
    box = Box()
    yield box
    asyncio.run(box.sandbox.destroy())
