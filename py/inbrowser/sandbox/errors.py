"""What can go wrong in a sandbox, one class a cause."""

from ..errors import InBrowserError


class SandboxError(InBrowserError):
    """Base class of the sandbox's errors."""


class SandboxDestroyedError(SandboxError):
    """The sandbox was destroyed; open another one."""


class PathOutsideRootError(SandboxError):
    """A path, or a symbolic link on its way, leads out of the sandbox's root."""


class PathNotFoundError(SandboxError):
    """No file or directory has that path."""


class PathExistsError(SandboxError):
    """Something already has that path."""


class IsDirectoryError(SandboxError):
    """A file was wanted, the path is a directory."""


class NotDirectoryError(SandboxError):
    """A directory was wanted, the path (or one of its parents) is not one."""


class DirectoryNotEmptyError(SandboxError):
    """A directory that still has entries can only be removed with `recursive=True`."""


class InvalidPathError(SandboxError):
    """A path that no file can have: empty, with a NUL, or with a part longer than 255 bytes."""


class FileDecodeError(SandboxError):
    """The file's bytes are not UTF-8 text; read it as bytes."""


class FileChangedError(SandboxError):
    """A file is not what the caller saw of it; nothing was written, and the message shows what changed."""


class UnknownToolError(SandboxError):
    """No tool has that name; the message lists those that exist."""


class ToolExistsError(SandboxError):
    """A tool of that name is there already."""


class CapabilityError(SandboxError):
    """The sandbox has no such part, for instance no runtime to run commands with."""


class RunStoppedError(SandboxError):
    """A run was stopped before its end, by a stop request or because the sandbox was destroyed."""


class RunFailedError(SandboxError):
    """No shell could be had for a command: too many run already, or its worker failed."""


class PathLockedError(SandboxError):
    """A path is locked; the message says by whom, and why."""


class ReadOnlyError(SandboxError):
    """Nothing in this sandbox may be changed at present; the message says why."""


class CheckpointError(SandboxError):
    """A checkpoint cannot be made, restored or compared; no file was changed."""


class CheckpointNotFoundError(CheckpointError):
    """No checkpoint has that id: it was never made, or it was pruned."""


class StorageError(SandboxError):
    """A sandbox cannot be kept, opened or saved."""


class StorageUnavailableError(StorageError):
    """The browser has no storage for this page, or does not answer."""


class StorageFullError(StorageError):
    """There is no room; nothing in memory is lost, and saving goes on when there is room again."""


class StorageCorruptError(StorageError):
    """A saved record cannot be read; nothing was changed. `mode="read"` opens what can be read."""


class StorageVersionError(StorageError):
    """The sandbox was saved by a later version of inbrowser."""


class SandboxInUseError(StorageError):
    """Another page has the sandbox open for writing; `mode="read"` opens it to look at."""


class SandboxNotFoundError(StorageError):
    """No sandbox of that id is kept here."""


class ArchiveError(SandboxError):
    """Base class of what can go wrong with an archive; one that fails has changed no file."""


class ArchiveFormatError(ArchiveError):
    """The bytes are no archive that can be read: of an unknown format, cut short, corrupt, or encrypted."""


class ArchiveEntryError(ArchiveError):
    """An entry that no sandbox takes in: it leads out, is a device, or has a name that no file can have."""


class ArchiveLimitError(ArchiveError):
    """The archive holds more bytes or entries than the limit."""


class ArchiveConflictError(ArchiveError):
    """Something is already where the archive's entries would go; the message lists the first few."""
