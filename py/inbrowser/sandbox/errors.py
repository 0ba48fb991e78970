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


class UnknownToolError(SandboxError):
    """No tool has that name; the message lists those that exist."""


class CapabilityError(SandboxError):
    """The sandbox has no such part, for instance no runtime to run commands with."""


class RunStoppedError(SandboxError):
    """A run was stopped before its end, by a stop request or because the sandbox was destroyed."""


class RunFailedError(SandboxError):
    """No shell could be had for a command: too many run already, or its worker failed."""
