"""The part of an installation that needs the network: inbrowser_installer, in a guest of its own."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol, cast

from pydantic import Field

from ...records import Record
from ...safejson import loads
from .records import Failure, Source

OnMessage = Callable[[str, bytes | None], None]


class Installer(Protocol):
    """Runs inbrowser_installer's `main` where it reaches the network and no code of the sandbox runs."""

    def __call__(self, request: str, files: dict[str, bytes], on_message: OnMessage) -> Awaitable[str]:
        """Return the reply; `files` are put at their absolute paths first, messages come while it runs.

        Raises PackageError when it cannot be started, or broke down.
        """
        ...


class Fetched(Record):
    """A package that an installer made a pack of."""

    name: str
    version: str
    filename: str
    url: str
    sha256: str
    source: Source
    summary: str
    requires: list[str]
    extras: list[str]
    imports: list[str]
    libraries: list[str]
    requested: bool
    size: int


class Reply(Record):
    """What an installer answers."""

    packages: list[Fetched] = Field(default_factory=list[Fetched])
    bundled: list[str] = Field(default_factory=list[str])
    satisfied: list[str] = Field(default_factory=list[str])
    builtin: list[str] = Field(default_factory=list[str])
    problems: list[Failure] = Field(default_factory=list[Failure])
    warnings: list[str] = Field(default_factory=list[str])


def read_message(text: str) -> dict[str, Any]:
    """Return a message of an installer."""
    message = loads(text, what="a message of the installer")
    return cast(dict[str, Any], message) if isinstance(message, dict) else {}
