"""The log of a recording: lines of JSON, each an entry, first a header. `values` has what JSON lacks."""

import json
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from ...records import Record
from ...safejson import JsonError, loads
from .errors import ReplayError
from .pace import Pace
from .states import FileState
from .values import decode, encode

VERSION = 1

BATCH = 200
"""Files in one line: no line takes long to write or to read."""


class Header(Record):
    """The first line."""

    entry: Literal["header"] = "header"
    format: Literal["inbrowser-recording"] = "inbrowser-recording"
    version: int = VERSION
    sandbox: str
    """The id of the sandbox."""
    time: float
    """When the recording began, in ms since the epoch."""
    inbrowser: str
    """The version of inbrowser."""


class TreeEntry(Record):
    """All files before the first call."""

    entry: Literal["tree"] = "tree"
    files: list[FileState]


class CallEntry(Record):
    """A call begins."""

    entry: Literal["call"] = "call"
    call: int
    """Its number; they count from 1 in the order in which calls begin."""
    kind: Literal["tool", "run"]
    name: str
    """The tool's; `run` of a command that no tool ran."""
    arguments: Any
    """In full: of a run those of `sandbox.runtime.run`."""
    origin: str
    shell: str | None
    """A name for the caller's shell: `host`, or `shell-1` and so on; None of a run without one."""
    cwd: str
    """Where the shell is before the call."""
    env: dict[str, str] = Field(default_factory=dict)
    """The shell's own."""
    time: float
    """In ms since the epoch."""


class ResultEntry(Record):
    """A call has ended; entries stand in the order in which calls end."""

    entry: Literal["result"] = "result"
    call: int
    outcome: dict[str, Any]
    """`ok`, `summary`, `data` of a tool; `stdout`, `stderr`, `exit_code`, `truncated`, `stopped` of a run;
    both with the `cwd` afterwards. `error` and `message` where the caller got an exception, and `cancelled`
    where the call was stopped from outside."""
    files: list[FileState] | None
    """What changed, as it was after the call. None while another call that may write was under way: the
    changes of all are told by the last of them to end."""


class FilesEntry(Record):
    """The first of many files of a tree, a result or an outside entry to come."""

    entry: Literal["files"] = "files"
    call: int | None
    """The call whose result they belong to; None of a tree and of changes from outside."""
    files: list[FileState]


class OutsideEntry(Record):
    """Files changed while no call was under way that could have done it: a host wrote them."""

    entry: Literal["outside"] = "outside"
    files: list[FileState]


class NoteEntry(Record):
    """Something a host wanted kept; a replay passes over it."""

    entry: Literal["note"] = "note"
    name: str
    data: Any


Entry = Annotated[
    Header | TreeEntry | CallEntry | ResultEntry | FilesEntry | OutsideEntry | NoteEntry,
    Field(discriminator="entry"),
]


def line_of(entry: Entry) -> str:
    """Return an entry as a line of a log, with its end."""
    fields = {name: getattr(entry, name) for name in type(entry).model_fields}
    if isinstance(entry, TreeEntry | OutsideEntry | ResultEntry | FilesEntry) and entry.files is not None:
        fields["files"] = [state.model_dump(exclude_none=True) for state in entry.files]
    if isinstance(entry, CallEntry) and not entry.env:
        del fields["env"]
    # Text is ASCII, so that no half of a surrogate pair and no odd line end gets in the way.
    return json.dumps(encode(fields), separators=(",", ":")) + "\n"


async def read_log(text: str) -> list[tuple[int, Entry]]:
    """Return the entries of a log with their line numbers, the header first. Raises ReplayError.

    What FilesEntry lines hold is in the entries that they belong to.
    """
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance] - it comes from anywhere
        raise ReplayError(f"a log is text, its first line a header; this is a {type(text).__name__}")
    entries: list[tuple[int, Entry]] = []
    begun: set[int] = set()
    ended: set[int] = set()
    batches: dict[int | None, list[FileState]] = {}
    pace = Pace()
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        entry = _entry(line, number, is_cut=number == len(lines))
        await pace.pause()
        if isinstance(entry, CallEntry):
            if entry.call in begun:
                raise ReplayError(f"line {number} of the log begins call {entry.call} a second time")
            begun.add(entry.call)
        elif isinstance(entry, ResultEntry):
            if entry.call not in begun or entry.call in ended:
                why = "which has ended before" if entry.call in ended else "which no line before it began"
                raise ReplayError(f"line {number} of the log ends call {entry.call}, {why}")
            ended.add(entry.call)
        elif isinstance(entry, FilesEntry):
            batches.setdefault(entry.call, []).extend(entry.files)
            continue
        entries.append((number, _whole(entry, batches)))
    if not entries:
        raise ReplayError("the log is empty: line 1 should be its header")
    return entries


def _whole(entry: Entry, batches: dict[int | None, list[FileState]]) -> Entry:
    if isinstance(entry, TreeEntry | OutsideEntry) and None in batches:
        return entry.model_copy(update={"files": [*batches.pop(None), *entry.files]})
    if isinstance(entry, ResultEntry) and entry.call in batches:
        return entry.model_copy(update={"files": [*batches.pop(entry.call), *(entry.files or [])]})
    return entry


def _entry(line: str, number: int, is_cut: bool) -> Entry:
    try:
        fields = loads(line, what=f"line {number} of the log")
    except JsonError as error:
        if is_cut and number > 1 and "nested" not in str(error):
            raise ReplayError(
                f"line {number} of the log is cut off: the recording ended while it was written; "
                f"remove that line to replay the {number - 1} before it"
            ) from None
        raise ReplayError(" ".join(str(error).split())) from None
    if number == 1:
        _check_header(fields)
    try:
        entry = _adapter().validate_python(decode(fields))
    except ValidationError as error:
        problem = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(map(str, problem["loc"]))
        raise ReplayError(f"line {number} of the log is no entry: {place}: {problem['msg']}"[:300]) from None
    except ValueError as error:
        raise ReplayError(f"line {number} of the log: {error}"[:300]) from None
    if isinstance(entry, Header) != (number == 1):
        what = "a second header" if number > 1 else f"of kind {entry.entry!r}, not the header"
        raise ReplayError(f"line {number} of the log is {what}; a log begins with its only header")
    return entry


def _check_header(fields: Any) -> None:
    if not isinstance(fields, dict) or fields.get("format") != "inbrowser-recording":  # pyright: ignore
        raise ReplayError("line 1 of the log is no header of a recording: its format is inbrowser-recording")
    if fields.get("version") != VERSION:  # pyright: ignore
        version = str(fields.get("version"))[:20]  # pyright: ignore
        raise ReplayError(f"line 1 of the log has version {version}; this inbrowser reads version {VERSION}")


_made: list[TypeAdapter[Entry]] = []


def _adapter() -> TypeAdapter[Entry]:
    if not _made:
        _made.append(TypeAdapter(Entry))
    return _made[0]
