"""What a replay tells: how far it came, what it did, and where it differed."""

from collections import Counter
from typing import Literal

from pydantic import Field, JsonValue

from ...records import Record

MAX_DIVERGENCES = 200
"""More are not told: a replay ends with so many."""

Status = Literal["same", "diverged", "skipped", "planned", "unknown"]


class Divergence(Record):
    """One thing that is not as it was recorded."""

    call: int | None
    """The number of the call; None for files that no call changed."""
    line: int
    """Of the log."""
    name: str
    """The tool's, or `run`; of files that no call changed `start`, `outside` or `resume`."""
    field: str
    """The field of the result, such as `ok`, `data.text` or `exit_code`, or `file`."""
    path: str | None
    """The file."""
    expected: str
    """What the log says, in a sentence."""
    got: str
    """What there is, in a sentence."""
    expected_value: JsonValue
    """What the log says, as data; long texts are clipped."""
    got_value: JsonValue
    diff: str | None
    """From the log's text to the one there is, as a short unified diff."""

    @property
    def summary(self) -> str:
        """Both sentences and their place in one line."""
        where = f"call {self.call} ({self.name})" if self.call is not None else self.name
        return f"{where}, {self.path or self.field}: {self.expected}; {self.got}"


class Step(Record):
    """What became of one call of the log."""

    call: int
    line: int
    kind: Literal["tool", "run"]
    name: str
    what: str
    """The call in one line."""
    status: Status
    """`planned` in a dry run; `unknown` when a stop came while it ran, so that it may have run or not."""
    reason: str | None = None
    """Why it was skipped or is unknown."""


class ReplayProgress(Record):
    """How far a replay is: plain JSON that `resume` takes.

    It is told before each call, with `running` set, and after it. Keep each before you ask for the next one.
    """

    log: str
    """Names the log it belongs to."""
    done: int = 0
    """How many calls of the log are behind it, in the order in which they had ended."""
    total: int
    running: int | None = None
    """The number of the call that is about to run, or was when there is no later progress."""
    divergences: list[Divergence] = Field(default_factory=list[Divergence])
    """Those so far."""
    unknown: list[int] = Field(default_factory=list[int])
    """The calls of which it is not known whether they ran."""
    step: Step | None = None
    """The last call that is done."""


class ReplayReport(Record):
    """How a replay went."""

    ok: bool
    """Whether it came to the end and all was as recorded. Of a dry run: whether it could be done."""
    dry_run: bool
    summary: str
    """One line."""
    steps: list[Step]
    """The calls that this replay came to, skipped ones included."""
    divergences: list[Divergence]
    """In the order in which they were met, those before a resume included."""
    unknown: list[int]
    progress: ReplayProgress


def report_of(progress: ReplayProgress, steps: list[Step], dry_run: bool) -> ReplayReport:
    """Return the report of a replay that came as far as `progress`."""
    done = progress.done == progress.total
    counts = Counter(step.status for step in steps)
    if progress.divergences:
        more = len(progress.divergences) - 1
        summary = progress.divergences[0].summary + (f" (and {more} more)" if more else "")
    elif dry_run:
        summary = f"{counts['planned']} calls would run, {counts['skipped']} would not"
    elif progress.unknown:
        numbers = ", ".join(map(str, progress.unknown))
        summary = f"as recorded, but it is unknown whether call {numbers} ran"
    else:
        left_out = f", {counts['skipped']} left out" if counts["skipped"] else ""
        summary = f"as recorded: {counts['same']} calls{left_out}"
    if not done and not dry_run:
        summary += f"; stopped after {progress.done} of {progress.total} calls"
    return ReplayReport(
        ok=(done or dry_run) and not progress.divergences and not progress.unknown,
        dry_run=dry_run,
        summary=summary,
        steps=steps,
        divergences=progress.divergences,
        unknown=progress.unknown,
        progress=progress,
    )
