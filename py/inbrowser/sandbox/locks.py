"""`sandbox.locks`: what may not be changed, whoever tries."""

import re
import secrets
from collections.abc import Callable, Iterable

from pydantic_core import to_json

from ..records import Record
from ..safejson import loads
from .errors import PathLockedError, ReadOnlyError, SandboxError
from .paths import normalize


class Lock(Record):
    """Files that stay as they are until somebody unlocks them."""

    id: str
    pattern: str
    """A path, with all that is below it, or, with `*`, `?` or `[`, a pattern as in .gitignore."""
    by: str
    """Who locked it, for the message that others get."""
    reason: str | None = None

    @property
    def message(self) -> str:
        """What is said of a path that is locked."""
        why = f" ({self.reason})" if self.reason else ""
        return f"is locked by {self.by}{why}; it stays as it is until the lock on {self.pattern!r} is removed"


class Locks:
    """Made once a sandbox."""

    def __init__(self, apply: Callable[["Locks"], None] | None, store: Callable[[str], None]) -> None:
        """After each change call `apply`, and `store` with all locks as a text that `load` takes."""
        self._apply = apply
        self._store = store
        self._locks: dict[str, tuple[Lock, re.Pattern[str]]] = {}
        self.read_only: str | None = None
        """Why nothing may be changed at present; None where it may."""

    def add(self, pattern: str, *, by: str = "the user", reason: str | None = None) -> Lock:
        """Lock a path or a pattern of paths; returns the lock, whose id removes it.

        A file need not exist to be locked. Raises SandboxError for a pattern that cannot be.
        """
        lock = Lock(id=f"lock-{secrets.token_hex(4)}", pattern=pattern, by=by, reason=reason)
        self._put(lock)
        self._turn()
        return lock

    def remove(self, id: str) -> None:
        """Unlock. Raises SandboxError for an id that no lock has."""
        if self._locks.pop(id, None) is None:
            raise SandboxError(f"there is no lock {id!r}; locks.list() has those that there are")
        self._turn()

    def list(self) -> "list[Lock]":
        """Return the locks, oldest first."""
        return [lock for lock, _ in self._locks.values()]

    def set_read_only(self, reason: str | None) -> None:
        """Have every change refused for a reason, or with None allow changes again."""
        self.read_only = reason
        if self._apply:
            self._apply(self)

    def rules(self) -> "list[tuple[str, str]]":
        """Return the expressions that begin locked paths, each with what is said of those."""
        return [(matcher.pattern, lock.message) for lock, matcher in self._locks.values()]

    def load(self, text: str) -> None:
        """Put locks back that were stored."""
        for each in loads(text, what="the saved locks"):
            self._put(Lock.model_validate(each))
        if self._apply:
            self._apply(self)

    @property
    def any(self) -> bool:
        """Whether anything is locked."""
        return bool(self._locks) or self.read_only is not None

    def check(self, path: str) -> None:
        """Raise ReadOnlyError or PathLockedError if a path, relative to the root, may not be changed."""
        if self.read_only:
            raise ReadOnlyError(self.read_only)
        for lock, matcher in self._locks.values():
            if matcher.match(path):
                raise PathLockedError(f"{path} {lock.message}")

    def check_all(self, paths: Iterable[str]) -> None:
        """Check several paths."""
        for path in paths:
            self.check(path)

    def _put(self, lock: Lock) -> None:
        self._locks[lock.id] = (lock, re.compile(expression(lock.pattern), re.DOTALL))

    def _turn(self) -> None:
        if self._apply:
            self._apply(self)
        self._store(to_json(self.list()).decode())


def expression(pattern: str) -> str:
    """Return a regular expression for Python and JavaScript that begins every path a pattern locks."""
    # Locks are rare: who has none need not wait for this import.
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    if not re.search(r"[*?\[]", pattern) and normalize(pattern) == ".":
        return "^"
    anchored = pattern if re.search(r"[*?\[]", pattern) else "/" + normalize(pattern)
    try:
        regex, _ = GitIgnoreSpecPattern.pattern_to_regex(anchored)
        re.compile(regex or "")
    except (ValueError, re.error) as error:
        raise SandboxError(f"{pattern!r} is not a pattern that can be locked: {error}") from None
    if not regex or pattern.startswith("!"):
        raise SandboxError(f"{pattern!r} locks nothing; name a path, or a pattern as in .gitignore")
    # JavaScript wants groups without Python's names, and no escapes but those that mean something.
    return re.sub(r"\\([^\w.*+?^$()\[\]{}|/\\])", r"\1", re.sub(r"\(\?P<\w+>", "(?:", regex))
