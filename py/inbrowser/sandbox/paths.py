"""Paths inside a sandbox, and the jail that keeps every one of them below its root."""

import errno
import os
import stat
from dataclasses import dataclass

from .errors import (
    DirectoryNotEmptyError,
    InvalidPathError,
    IsDirectoryError,
    NotDirectoryError,
    PathExistsError,
    PathLockedError,
    PathNotFoundError,
    PathOutsideRootError,
    ReadOnlyError,
    SandboxError,
)

VIRTUAL_ROOT = "/project"
"""The absolute name of a sandbox's root, wherever its files really are."""

MAX_NAME_BYTES = 255
MAX_PATH_BYTES = 4096
MAX_LEVELS = 500
"""Directories in each other; whoever walks through more of them by recursion ends."""
MAX_LINKS = 40


def normalize(path: str) -> str:
    """Return `path` relative to the root, without `.` and `..`, going by its text alone; the root is `.`.

    Raises InvalidPathError and PathOutsideRootError.
    """
    parts: list[str] = []
    for part in split(path):
        if part != "..":
            parts.append(part)
        elif not parts:
            raise _outside(path)
        else:
            parts.pop()
    return "/".join(parts) or "."


def split(path: str, root: str = VIRTUAL_ROOT) -> list[str]:
    """Return the parts of a path below the root, `..` included.

    A path is relative to the root, or absolute below `root`. Names are kept byte for byte: two Unicode
    forms of one word are two names. Raises InvalidPathError for a path that no file can have, and
    PathOutsideRootError for any other absolute path.
    """
    if not path:
        raise InvalidPathError("the path is empty; '.' is the sandbox's root")
    if "\0" in path:
        raise InvalidPathError(f"{path!r} holds a NUL character, which no path can")
    if path.startswith("/"):
        if path != root and not path.startswith(root + "/"):
            raise _outside(path, root)
        path = path[len(root) :]
    parts = [part for part in path.split("/") if part and part != "."]
    for part in parts:
        if len(part) * 4 > MAX_NAME_BYTES and len(encode_name(part)) > MAX_NAME_BYTES:
            raise InvalidPathError(f"the name {part[:40]!r}... is longer than {MAX_NAME_BYTES} bytes")
    if len(parts) > MAX_LEVELS:
        raise InvalidPathError(f"the path {path[:40]!r}... goes through more than {MAX_LEVELS} directories")
    if len(path) * 4 > MAX_PATH_BYTES and len(encode_name(path)) > MAX_PATH_BYTES:
        raise InvalidPathError(f"the path {path[:40]!r}... is longer than {MAX_PATH_BYTES:,} bytes")
    return parts


def encode_name(name: str) -> bytes:
    """Return a name as bytes. Raises InvalidPathError for half of a surrogate pair."""
    try:
        return os.fsencode(name)
    except UnicodeEncodeError:
        raise InvalidPathError(f"{name!r} holds half of a surrogate pair, which no path can") from None


def typed_error(error: OSError, path: str) -> SandboxError:
    """Return the sandbox's own error for what the operating system said about `path`."""
    if error.errno in _ERRORS:
        kind, text = _ERRORS[error.errno]
        return kind(f"{path}: {text}")
    return SandboxError(f"{path}: {error.strerror or error}")


_ERRORS: dict[int | None, tuple[type[SandboxError], str]] = {
    errno.ENOENT: (PathNotFoundError, "no such file or directory"),
    errno.EEXIST: (PathExistsError, "already exists"),
    errno.EISDIR: (IsDirectoryError, "is a directory"),
    errno.ENOTDIR: (NotDirectoryError, "a part of this path is not a directory"),
    errno.ENOTEMPTY: (DirectoryNotEmptyError, "the directory is not empty; remove it with recursive=True"),
    errno.ENAMETOOLONG: (InvalidPathError, "the path is too long"),
    errno.ELOOP: (InvalidPathError, "too many symbolic links"),
    errno.EINVAL: (InvalidPathError, "not possible, for instance moving a directory into itself"),
    errno.EACCES: (PathLockedError, "is locked, or no permission is left to change it"),
    errno.EROFS: (ReadOnlyError, "nothing here may be changed at present"),
    errno.ENOSPC: (SandboxError, "no space is left"),
}


@dataclass(slots=True)
class Place:
    """Where a path leads: the operating system's path, free of links, and what is there."""

    os_path: str
    status: os.stat_result | None
    """None when nothing is there."""


class Jail:
    """Resolves paths below one real directory, following symbolic links by hand so that none leads out."""

    def __init__(self, root: str, name: str = VIRTUAL_ROOT) -> None:
        """`name` is what users of the sandbox call the directory `root`."""
        self.root = os.path.realpath(root)
        self._name = name

    def resolve(self, path: str, *, follow: bool = True) -> Place:
        """Return the place of `path`; with `follow=False` a link at its end is itself the place.

        Raises InvalidPathError, PathOutsideRootError, or NotDirectoryError when a file stands on the way.
        """
        pending = split(path, self._name)[::-1]
        current = self.root
        status: os.stat_result | None = None
        links = 0
        try:
            while pending:
                part = pending.pop()
                if part == "..":
                    if current == self.root:
                        raise _outside(path, self._name)
                    current, status = current[: current.rindex("/")], None
                    continue
                if status is not None and not stat.S_ISDIR(status.st_mode):
                    raise NotDirectoryError(f"{path}: {self.relative(current)} is a file, not a directory")
                candidate = f"{current}/{part}"
                status = _status(candidate)
                if status and stat.S_ISLNK(status.st_mode) and (pending or follow):
                    links += 1
                    if links > MAX_LINKS:
                        raise InvalidPathError(f"{path}: too many symbolic links")
                    target = os.readlink(candidate)
                    if target.startswith("/"):
                        target, current = self._inside(target, path), self.root
                    pending.extend(part for part in target.split("/")[::-1] if part and part != ".")
                    status = None
                    continue
                current = candidate
            return Place(current, status or _status(current))
        except OSError as error:
            raise typed_error(error, path) from None
        except UnicodeEncodeError:
            raise InvalidPathError(f"{path!r} holds half of a surrogate pair, which no path can") from None

    def relative(self, os_path: str) -> str:
        """Return a resolved path as the sandbox's users write it; the root is `.`."""
        return os_path[len(self.root) + 1 :] or "."

    def _inside(self, target: str, path: str) -> str:
        """Return an absolute link target relative to the root."""
        for root in (self._name, self.root):
            if target == root or target.startswith(root + "/"):
                return target[len(root) :]
        raise _outside(path, self._name, link_target=target)


def _status(os_path: str) -> os.stat_result | None:
    try:
        return os.lstat(os_path)
    except FileNotFoundError:
        return None


def _outside(path: str, root: str = VIRTUAL_ROOT, link_target: str | None = None) -> PathOutsideRootError:
    through = f" through a symbolic link to {link_target}" if link_target else ""
    return PathOutsideRootError(
        f"{path!r} leads out of the sandbox's root{through}; "
        f"paths are relative to the root or start with {root}/"
    )
