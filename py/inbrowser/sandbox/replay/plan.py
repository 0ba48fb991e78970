"""A log as a replay goes through it: its calls in the order in which they ended, each with what it gave."""

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

from ..errors import SandboxError
from ..paths import normalize
from ..tools.glob import compile_glob
from ..tools.limits import clip
from ..tools.wording import show
from .compare import Place
from .errors import ReplayError
from .log import CallEntry, Header, OutsideEntry, ResultEntry, TreeEntry, read_log
from .report import Status, Step
from .states import FileState


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """One call of a log."""

    line: int
    entry: CallEntry
    result: ResultEntry | None
    """None of a call that had not ended when the recording did."""
    outside: list[tuple[int, OutsideEntry]]
    """What a host changed before it."""

    @property
    def place(self) -> Place:
        """What divergences of this call are about."""
        return Place(self.entry.call, self.line, self.entry.name)

    @property
    def what(self) -> str:
        """The call in one line."""
        arguments = self._arguments
        if self.entry.kind == "run":
            return f"run {show(clip(str(arguments.get('command', '')), 100))}"
        main = next((arguments[key] for key in ("path", "command", "pattern") if key in arguments), None)
        return f"{self.entry.name} {show(clip(str(main), 100))}" if main is not None else self.entry.name

    @property
    def why_not(self) -> str | None:
        """Why this call cannot be made once more, if so."""
        if self.result is None:
            return "it had not ended when the recording did"
        if "cancelled" in self.result.outcome:
            return "it was stopped from outside while it was recorded"
        return None

    def step(self, status: Status, reason: str | None = None) -> Step:
        """Return what became of this call, for a report."""
        return Step(
            call=self.entry.call,
            line=self.line,
            kind=self.entry.kind,
            name=self.entry.name,
            what=self.what,
            status=status,
            reason=reason,
        )

    def paths(self) -> set[str]:
        """Return the paths that it changed or names."""
        found = {state.path for state in (self.result and self.result.files) or []}
        for key in ("path", "cwd", "entry"):
            if isinstance(value := self._arguments.get(key), str):
                with suppress(SandboxError):
                    found.add(normalize(value))
        return found

    @property
    def _arguments(self) -> dict[str, Any]:
        arguments = self.entry.arguments
        return cast("dict[str, Any]", arguments) if isinstance(arguments, dict) else {}


@dataclass(frozen=True, slots=True)
class Plan:
    """A log, read."""

    id: str
    """Names the log."""
    header: Header
    tree: tuple[int, TreeEntry] | None
    calls: list[PlannedCall]
    outside: list[tuple[int, OutsideEntry]]
    """What a host changed after the last call."""


async def plan_of(log: str) -> Plan:
    """Read a log. Raises ReplayError."""
    entries = await read_log(log)
    header = cast("Header", entries[0][1])
    begun: dict[int, tuple[int, CallEntry]] = {}
    calls: list[PlannedCall] = []
    tree: tuple[int, TreeEntry] | None = None
    outside: list[tuple[int, OutsideEntry]] = []
    for line, entry in entries:
        if isinstance(entry, TreeEntry):
            tree = (line, entry)
        elif isinstance(entry, OutsideEntry):
            outside.append((line, entry))
        elif isinstance(entry, CallEntry):
            begun[entry.call] = (line, entry)
        elif isinstance(entry, ResultEntry):
            calls.append(PlannedCall(*begun.pop(entry.call), entry, outside))
            outside = []
    calls.extend(PlannedCall(*call, None, []) for call in begun.values())
    digest = hashlib.sha256(log.encode(errors="surrogatepass")).hexdigest()
    return Plan(f"sha256:{digest}", header, tree, calls, outside)


class Filter:
    """Which calls are made and which paths are compared."""

    def __init__(self, tools: Sequence[str] | None, paths: Sequence[str] | None) -> None:
        for name, given in {"tools": tools, "paths": paths}.items():
            if given is not None and not _are_texts(given):
                raise ReplayError(f"{name} must be a list of texts, or left out")
        self._tools = None if tools is None else set(tools)
        self._paths: list[Callable[[str], bool]] | None = None
        if paths is not None:
            self._paths = [compile_glob(pattern) for pattern in paths]

    def why_not(self, call: PlannedCall) -> str | None:
        """Return why a call is left out, or None for one that is made."""
        if self._tools is not None and call.entry.name not in self._tools:
            return f"{call.entry.name} is not among the tools asked for"
        if self._paths is not None and not any(map(self.has, call.paths())):
            return "it concerns none of the paths asked for"
        return None

    def has(self, path: str) -> bool:
        """Tell whether a path is compared."""
        return self._paths is None or any(matches(path) for matches in self._paths)


def _are_texts(value: object) -> bool:
    return isinstance(value, list | tuple | set) and all(
        isinstance(entry, str) for entry in cast("list[object]", value)
    )


class Known:
    """What the log says the files are, as far as it is followed."""

    def __init__(self, tree: TreeEntry | None) -> None:
        self._states = {state.path: state for state in tree.files} if tree else {}
        self._complete = tree is not None
        self._lost: set[str] = set()

    def state(self, path: str) -> FileState | None:
        """Return what a path is, or None where the log does not say."""
        if path in self._states:
            return self._states[path]
        if path in self._lost or not self._complete:
            return None
        return FileState(path=path, kind="gone")

    def states(self) -> list[FileState]:
        """Return all that is known."""
        return list(self._states.values())

    def learn(self, files: list[FileState]) -> None:
        """Take in what a call changed."""
        for state in files:
            if state.kind == "gone":
                for path in [path for path in self._states if path.startswith(f"{state.path}/")]:
                    self._states[path] = FileState(path=path, kind="gone")
            self._states[state.path] = state
            self._lost.discard(state.path)

    def forget(self, files: list[FileState]) -> None:
        """Take it that these may be anything: the call that changed them was not made."""
        for state in files:
            self._states.pop(state.path, None)
            self._lost.add(state.path)
