"""What the processes of a sandbox may take, whom they may reach, and where their packages come from."""

import re
from dataclasses import dataclass, field
from typing import Literal

from pydantic import Field, field_validator

from ..records import Record

_ADDRESS = re.compile(r"https?://[^\s/?#]+(/[^\s?#]*)?")
_ORIGIN = re.compile(r"https?://(\*\.)?[A-Za-z0-9.-]+(:\d{1,5})?(/[A-Za-z0-9._~/%-]*)?")


class ProcessLimits(Record):
    """Limits of the processes of Python; each message that one of them ends names the limit."""

    processes: int = Field(default=8, ge=1)
    """That run at the same time."""
    memory: int = Field(default=1 << 30, ge=64 << 20, le=4 << 30)
    """Bytes of WebAssembly memory of one process."""
    files: int = Field(default=512 << 20, ge=1 << 20)
    """Bytes of all files that one process holds, those of the sandbox among them."""
    output: int = Field(default=64 << 20, ge=1 << 10)
    """Bytes that one process may put out."""
    isolation: Literal["frame", "worker"] = "frame"
    """Where they run: in a frame of an opaque origin, or, for apps without a page, in a plain worker.

    A worker has the app's origin, storage and network: only for code that is trusted like the app itself.
    """


class NetworkPolicy(Record):
    """Which hosts the processes of a sandbox and the shell's curl may reach.

    The browser enforces it: it is the Content-Security-Policy of their frame, `connect-src` of CSP 3
    (https://www.w3.org/TR/CSP3/#match-url-to-source-expression).
    """

    allow: tuple[str, ...] = ()
    """Origins such as `https://api.example.com`, `https://*.example.com`, or with a path; `*` allows all.

    What is allowed must also let any origin read its answers (CORS). None by default.
    """

    @field_validator("allow")
    @classmethod
    def _check(cls, allow: tuple[str, ...]) -> tuple[str, ...]:
        for each in allow:
            if each != "*" and not _ORIGIN.fullmatch(each):
                raise ValueError(f"{each!r} is no origin; give one such as https://api.example.com, or *")
        return allow


class PackageOptions(Record):
    """Where packages come from."""

    index_urls: tuple[str, ...] | None = Field(default=None, min_length=1, max_length=20)
    """Package indexes (PEP 503 or 691), which must let any origin read (CORS); PyPI by default."""
    distribution_url: str | None = None
    """The folder with the files of Pyodide's distribution; by default Pyodide's own."""
    patience: float = Field(default=60, gt=0, le=3600)
    """Seconds without a byte after which a download is given up."""

    @field_validator("index_urls", "distribution_url")
    @classmethod
    def _check(cls, given: tuple[str, ...] | str | None) -> tuple[str, ...] | str | None:
        for each in (given,) if isinstance(given, str) else given or ():
            if not _ADDRESS.fullmatch(each):
                raise ValueError(
                    f"{each!r} is no address; give one such as https://packages.example.com/simple"
                )
        return given


@dataclass(frozen=True, slots=True)
class Settings:
    """All that is set for the programs of a sandbox; a fork has the same."""

    processes: ProcessLimits = field(default_factory=ProcessLimits)
    network: NetworkPolicy = field(default_factory=NetworkPolicy)
    packages: PackageOptions = field(default_factory=PackageOptions)
