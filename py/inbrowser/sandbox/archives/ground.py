"""What archives need of a sandbox."""

from collections.abc import Callable
from dataclasses import dataclass

from ..errors import CapabilityError
from ..files import DirectoryFileSystem, FileSystem
from ..stream import EventStream


@dataclass(frozen=True, slots=True)
class Ground:
    """Where an archive is made of, or goes to."""

    files: FileSystem
    events: EventStream
    check: Callable[[], None]
    """Called again and again; raises when the work must not go on."""
    changeable: Callable[[str], None]
    """Raises for a path, relative to the root, that may not change."""

    @property
    def directory(self) -> DirectoryFileSystem:
        """The files, with modes and links. Raises CapabilityError where they are in no directory."""
        if isinstance(self.files, DirectoryFileSystem):
            return self.files
        raise CapabilityError("these files are in no directory, which archives need for modes and links")
