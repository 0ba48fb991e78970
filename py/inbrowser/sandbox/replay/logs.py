"""Two recordings of what should be the same: where the second one differs from the first."""

from itertools import zip_longest
from typing import Any

from .compare import Place, compare_outcomes, compare_state
from .natural import Blur
from .pace import Pace
from .plan import Known, Plan, PlannedCall, plan_of
from .report import MAX_DIVERGENCES, Divergence, ReplayProgress, ReplayReport, Step, report_of
from .states import FileState, is_compared


async def compare_recordings(log: str, other: str) -> ReplayReport:
    """Compare `other`, a log of the same calls made elsewhere or later, with `log`; nothing is run.

    All divergences are listed, up to 200. Raises ReplayError for either log.
    """
    comparison = _Comparison(await plan_of(log), await plan_of(other))
    await comparison.compare_starts()
    for old, new in zip_longest(comparison.old.calls, comparison.new.calls):
        await comparison.compare(old, new)
    return comparison.report()


class _Comparison:
    def __init__(self, old: Plan, new: Plan) -> None:
        self.old = old
        self.new = new
        trees = old.tree and old.tree[1], new.tree and new.tree[1]
        self._known = Known(trees[0]), Known(trees[1])
        self._steps: list[Step] = []
        self._found: list[Divergence] = []
        self._pace = Pace()

    async def compare_starts(self) -> None:
        """Compare the files before the first call, where both logs have them."""
        if self.old.tree and self.new.tree:
            (line, old), (_, new) = self.old.tree, self.new.tree
            blur = self._blur(self.old.header.time, self.new.header.time)
            self._found += await self._files(Place(None, line, "start"), old.files, new.files, blur)

    async def compare(self, old: PlannedCall | None, new: PlannedCall | None) -> None:
        """Compare one call of each; None stands for the end of a log."""
        if old is None or new is None:
            if call := old or new:
                self._found.append(_lonely(call, is_missing=new is None))
            return
        blur = self._blur(old.entry.time, new.entry.time)
        found = [
            *await compare_outcomes(old.place, _call(old), _call(new), blur),
            *await compare_outcomes(old.place, _outcome(old), _outcome(new), blur),
            *await self._files(old.place, _changes(old), _changes(new), blur),
        ]
        self._steps.append(old.step("diverged" if found else "same"))
        self._found += found

    def report(self) -> ReplayReport:
        """Tell what was found."""
        progress = ReplayProgress(
            log=self.old.id,
            done=len(self.old.calls),
            total=len(self.old.calls),
            divergences=self._found[:MAX_DIVERGENCES],
        )
        return report_of(progress, self._steps, dry_run=False)

    async def _files(
        self, place: Place, old: list[FileState], new: list[FileState], blur: Blur
    ) -> list[Divergence]:
        before = {blur.content(state.path): state for state in old}
        after = {blur.content(state.path): state for state in new}
        found: list[Divergence] = []
        for known, states in zip(self._known, (old, new), strict=True):
            known.learn(states)
        for name in dict.fromkeys([*before, *after]):
            got = after.get(name) or self._known[1].state(before[name].path)
            path = (before.get(name) or after[name]).path
            expected = before.get(name) or self._known[0].state(path)
            got = got or FileState(path=path, kind="gone")
            if is_compared(path) and (divergence := compare_state(place, path, expected, got, blur)):
                found.append(divergence)
            await self._pace.pause()
        return found

    def _blur(self, *times: float) -> Blur:
        return Blur(times, (self.old.header.sandbox, self.new.header.sandbox))


def _call(call: PlannedCall) -> dict[str, Any]:
    return {"kind": call.entry.kind, "name": call.entry.name, "arguments": call.entry.arguments}


def _outcome(call: PlannedCall) -> dict[str, Any]:
    return call.result.outcome if call.result else {"unfinished": True}


def _changes(call: PlannedCall) -> list[FileState]:
    outside = [state for _, entry in call.outside for state in entry.files]
    return [*outside, *((call.result and call.result.files) or [])]


def _lonely(call: PlannedCall, *, is_missing: bool) -> Divergence:
    made, none = f"a call, {call.what}", "no more calls"
    return Divergence(
        call=call.entry.call,
        line=call.line,
        name=call.entry.name,
        field="call",
        path=None,
        expected=f"the log has {made if is_missing else none}",
        got=f"here there {'are ' + none if is_missing else 'is ' + made}",
        expected_value=call.what if is_missing else None,
        got_value=None if is_missing else call.what,
        diff=None,
    )
