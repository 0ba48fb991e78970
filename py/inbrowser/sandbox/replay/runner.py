"""Replaying: a log's calls on another sandbox, one by one, each compared with what it gave before."""

import inspect
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Any

from ..observers import Call
from ..runtime import Shell
from ..sandbox import Sandbox
from .checks import check_calls, check_resume
from .compare import Place, compare_outcomes
from .files import FileComparison
from .natural import Blur
from .plan import Filter, Known, Plan, PlannedCall, plan_of
from .recorder import outcome_of
from .report import (
    MAX_DIVERGENCES,
    Divergence,
    ReplayProgress,
    ReplayReport,
    Status,
    Step,
    report_of,
)
from .states import FileState, Touched

OnProgress = Callable[[ReplayProgress], Awaitable[object] | object]


async def replay(
    log: str,
    sandbox: Sandbox,
    *,
    tools: Sequence[str] | None = None,
    paths: Sequence[str] | None = None,
    dry_run: bool = False,
    stop_at_first: bool = True,
    resume: ReplayProgress | dict[str, Any] | None = None,
    on_progress: OnProgress | None = None,
) -> ReplayReport:
    """Make the calls of a log on `sandbox`, in the order in which they had ended, and tell what differs.

    `tools` leaves out calls of other names (`run` is a command that no tool ran); `paths`, glob patterns as
    of `find`, leaves out calls that neither name nor changed a matching path, and compares those paths
    alone. With `dry_run` nothing is done: the report's steps say what would be. It ends at the first
    divergence unless `stop_at_first` is False.

    `on_progress` is called, and awaited, before and after each call. Its latest value, or the report's,
    passed as `resume` goes on from there and makes no call twice; one of which it is unknown whether it ran
    is named in the report, compared by its files, and not made.

    What differs by itself is no divergence: durations, times near the call's, ids of runs and sandboxes,
    temporary names. Raises ReplayError for a log, or progress, that cannot be replayed here.
    """
    under_way = await prepare_replay(
        log,
        sandbox,
        tools=tools,
        paths=paths,
        dry_run=dry_run,
        stop_at_first=stop_at_first,
        resume=resume,
    )
    async with aclosing(under_way.run()) as steps:
        async for progress in steps:
            if on_progress and inspect.isawaitable(told := on_progress(progress)):
                await told
    return under_way.report


async def prepare_replay(
    log: str,
    sandbox: Sandbox,
    *,
    tools: Sequence[str] | None = None,
    paths: Sequence[str] | None = None,
    dry_run: bool = False,
    stop_at_first: bool = True,
    resume: ReplayProgress | dict[str, Any] | None = None,
) -> "Replay":
    """Read a log and check that its calls can be made; see `replay`. Nothing is done yet."""
    sandbox.check("read")
    return Replay(await plan_of(log), sandbox, Filter(tools, paths), dry_run, stop_at_first, resume)


class Replay:
    """A replay that its user drives, of `prepare_replay`: each next call waits until it is asked for."""

    def __init__(
        self,
        plan: Plan,
        sandbox: Sandbox,
        filter: Filter,
        dry_run: bool,
        stop_at_first: bool,
        resume: ReplayProgress | dict[str, Any] | None,
    ) -> None:
        self._sandbox = sandbox
        self._dry_run = dry_run
        self._stop_at_first = stop_at_first
        self._plan = plan
        self._filter = filter
        self._known = Known(plan.tree[1] if plan.tree else None)
        self._shells: dict[str, Shell] = {}
        self._steps: list[Step] = []
        self._is_fresh = resume is None
        self.progress = check_resume(resume, plan)
        """How far it is."""
        self._before = len(self.progress.divergences)
        upcoming = self._plan.calls[self.progress.done :]
        check_calls((call for call in upcoming if self._why_not(call) is None), sandbox)

    @property
    def report(self) -> ReplayReport:
        """What is known so far."""
        return report_of(self.progress, self._steps, self._dry_run)

    async def run(self) -> AsyncGenerator[ReplayProgress]:
        """Go on, yielding the progress before and after each call.

        To close the iterator is to stop; `progress` then says for certain whether the next call was made.
        """
        calls, start = self._plan.calls, self.progress
        for call in calls[: start.done]:
            self._follow(call, made=self._why_not(call) is None)
        touched = Touched(self._sandbox)
        try:
            if self._is_fresh:
                await self._compare_start()
            else:
                await self._compare_resumed()
            touched.take()
            for call in calls[start.done :]:
                if self._is_over():
                    return
                if call.entry.call == start.running:
                    yield await self._pass_over_unknown(call)
                    continue
                for line, entry in call.outside:
                    await self._compare_outside(line, entry.files)
                if self._is_over():
                    return
                if why_not := self._why_not(call):
                    self._follow(call, made=False)
                    self._done(call, "skipped", why_not)
                elif self._dry_run:
                    self._done(call, "planned")
                else:
                    try:
                        yield self._set(running=call.entry.call)
                    except GeneratorExit:
                        self._set(running=None)
                        raise
                    yield await self._make(call, touched)
            for line, entry in [] if self._is_over() else self._plan.outside:
                await self._compare_outside(line, entry.files)
        finally:
            touched.close()

    async def _make(self, call: PlannedCall, touched: Touched) -> ReplayProgress:
        began = _now()
        outcome = await self._outcome(call)
        result = call.result
        assert result is not None
        blur = self._blur(call.entry.time, began)
        found = await compare_outcomes(call.place, result.outcome, outcome, blur)
        # With what others have changed here since the last call.
        if result.files is not None:
            found += await self._compare_files(call.place, result.files, touched.take(), blur)
        self._follow(call, made=True)
        return self._done(call, "diverged" if found else "same", found=found)

    async def _outcome(self, call: PlannedCall) -> dict[str, Any]:
        entry = call.entry
        shell = self._shell(call)
        made = Call(entry.kind, entry.name, entry.arguments, entry.origin, shell)
        if entry.kind == "tool":
            made.outcome = await self._sandbox.tools.run(
                entry.name, entry.arguments, origin=entry.origin, shell=shell
            )
        else:
            try:
                made.outcome = await self._sandbox.runtime.run(
                    **entry.arguments, origin=entry.origin, shell=shell
                )
            except Exception as error:
                self._sandbox.check()
                made.outcome = error
        return outcome_of(made)

    async def _pass_over_unknown(self, call: PlannedCall) -> ReplayProgress:
        """Compare the files of a call that may have run."""
        found: list[Divergence] = []
        if call.result and call.result.files:
            blur = self._blur(call.entry.time, _now())
            found = await self._compare_files(call.place, call.result.files, [], blur)
        self._follow(call, made=True)
        self.progress = self.progress.model_copy(
            update={"unknown": [*self.progress.unknown, call.entry.call]}
        )
        reason = "a stop came while it ran, or just before: it was not made again"
        return self._done(call, "unknown", reason, found)

    async def _compare_start(self) -> None:
        if self._dry_run or self._plan.tree is None:
            return
        line, tree = self._plan.tree
        expected = {state.path: state for state in tree.files}
        top = [entry.path for entry in await self._sandbox.fs.list(".")]
        blur = self._blur(self._plan.header.time, _now())
        place = Place(None, line, "start")
        self._add(await self._compare_files(place, list(expected.values()), top, blur))

    async def _compare_resumed(self) -> None:
        """Compare what the log says of all files so far, but for those that are told already."""
        told = {divergence.path for divergence in self.progress.divergences}
        done = self._plan.calls[: self.progress.done]
        if self._dry_run or not done:
            return
        blur = self._blur(done[-1].entry.time, _now())
        known = [
            state
            for state in self._known.states()
            if state.path not in told and blur.content(state.path) == state.path
        ]
        self._add(await self._compare_files(Place(None, done[-1].line, "resume"), known, [], blur))

    async def _compare_outside(self, line: int, files: list[FileState]) -> None:
        self._known.learn(files)
        # What a replay stopped at is told already when it is resumed.
        is_told = any(divergence.line == line for divergence in self.progress.divergences)
        if not self._dry_run and not is_told:
            blur = self._blur(self._plan.header.time, _now())
            self._add(await self._compare_files(Place(None, line, "outside"), files, [], blur))

    async def _compare_files(
        self, place: Place, expected: list[FileState], touched: list[str], blur: Blur
    ) -> list[Divergence]:
        comparison = FileComparison(self._sandbox.fs, self._known, self._filter)
        return await comparison.compare(place, expected, touched, blur)

    def _shell(self, call: PlannedCall) -> Shell | None:
        entry = call.entry
        if entry.shell is None:
            return None
        shell = self._shells.setdefault(entry.shell, Shell())
        shell.cwd, shell.env = entry.cwd, dict(entry.env)
        return shell

    def _why_not(self, call: PlannedCall) -> str | None:
        return call.why_not or self._filter.why_not(call)

    def _follow(self, call: PlannedCall, *, made: bool) -> None:
        """Take in what the log says a call changed."""
        for _, entry in call.outside:
            self._known.learn(entry.files)
        files = (call.result and call.result.files) or []
        (self._known.learn if made else self._known.forget)(files)

    def _blur(self, *times: float) -> Blur:
        return Blur(times, (self._plan.header.sandbox, self._sandbox.id))

    def _is_over(self) -> bool:
        count = len(self.progress.divergences)
        return count >= MAX_DIVERGENCES or (self._stop_at_first and count > self._before)

    def _add(self, found: Sequence[Divergence]) -> None:
        self._set(divergences=[*self.progress.divergences, *found][:MAX_DIVERGENCES])

    def _done(
        self, call: PlannedCall, status: Status, reason: str | None = None, found: Sequence[Divergence] = ()
    ) -> ReplayProgress:
        step = call.step(status, reason)
        self._steps.append(step)
        if self._dry_run:
            return self.progress
        self._add(found)
        return self._set(done=self.progress.done + 1, running=None, step=step)

    def _set(self, **fields: Any) -> ReplayProgress:
        self.progress = self.progress.model_copy(update=fields)
        return self.progress


def _now() -> float:
    return time.time() * 1000
