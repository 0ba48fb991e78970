"""What a preview needs of a compiler."""

from dataclasses import dataclass, field
from typing import Protocol

from ..errors import SandboxError
from .diagnostics import CompilerMessage
from .tsconfig import TsConfig


class CompilerError(SandboxError):
    """The compiler itself could not start or stopped answering; the sources are not at fault."""


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
