"""What the package service tells."""

from typing import Literal

from ...records import Record
from ..errors import SandboxError

Source = Literal["bundled", "index", "distribution", "url", "file"]


class PackageError(SandboxError):
    """Packages cannot be installed, removed or found; the message says which and why."""


class PackageLockError(PackageError):
    """The list of what is installed cannot be read or written."""


class PackageInfo(Record):
    """One installed package."""

    name: str
    """As PEP 503 normalises it."""
    version: str
    summary: str
    requires: list[str]
    """Requirements as the package states them, markers included."""
    required_by: list[str]
    """Names of installed packages that need it."""
    imports: list[str]
    """Its top-level modules."""
    location: str
    source: Source
    """Where it came from: bundled with the page, an index, Pyodide's distribution, an address, a file."""
    requested: bool
    """Whether it was asked for, rather than needed by another."""


class Failure(Record):
    """Why one requirement cannot be met."""

    requirement: str
    kind: str
    """`missing`, `no-version`, `no-build`, `conflict`, `hash`, `offline`, `invalid` and the like."""
    message: str


class Installed(Record):
    """One package that was just installed."""

    name: str
    version: str
    source: Source
    size: int
    """Bytes of its wheel; 0 for what is bundled."""
    replaced: str | None = None
    """The version that was there before."""


class InstallReport(Record):
    """How an installation went: all of it, or nothing."""

    ok: bool
    installed: list[Installed]
    satisfied: list[str]
    """`name version` of what was there already and fits."""
    builtin: list[str]
    """Names that are part of Python itself."""
    failures: list[Failure]
    """One for each requirement that cannot be met; if there is any, nothing was installed."""
    warnings: list[str]
