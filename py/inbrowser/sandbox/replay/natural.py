"""What differs by itself from one run to the next, and so is no divergence."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, cast

from pydantic.alias_generators import to_camel

_NAMES = (
    "duration",
    "duration_ms",
    "timestamp",
    "time",
    "mtime",
    "build_id",
    "run_id",
    "call_id",
    "sandbox_id",
    "output_log",
)
KEYS = frozenset((*_NAMES, *map(to_camel, _NAMES)))
"""Fields of results that are never compared."""

_DAY = 86_400_000.0
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
_MONTH = "|".join(_MONTHS)
_TIME = re.compile(
    r"(?P<iso>\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?Z| ?[+-]\d\d:?\d\d)?)?\b)"
    rf"|(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\w*,? )?(?P<month>{_MONTH}) +(?P<day>\d{{1,2}})"
    r" +\d\d:\d\d(?::\d\d(?:\.\d+)?(?: [A-Z]{2,5})?(?: (?P<year>\d{4}))?)?"
    r"|(?<![\w.])(?P<epoch>\d{10}(?:\d{3})?)(?:\.\d+)?(?![\w.])"
)
_CLOCK = re.compile(r"\b\d\d:\d\d:\d\d(?:\.\d+)?\b")
_TEMPORARY = re.compile(r"\btmp\.[A-Za-z0-9]{6,}|\btmp[a-z0-9][a-z0-9_]{7}\b")
_DURATION = re.compile(
    r"\b\d+m\d+(?:\.\d+)?s\b|\b\d+(?:\.\d+)? ?(?:ms|us|µs|ns|s|secs?|seconds?|milliseconds?)\b"
)
_NUMBERED = re.compile(r"(\b(?:run|call|build)-|/tmp/outputs/)\d+\b")


class Blur:
    """Puts placeholders for what differs by itself into the texts of one call.

    Times count as such within a day of the call, then or now; any other date is content.
    """

    def __init__(self, times: Iterable[float], sandboxes: Iterable[str]) -> None:
        """Take the times of the call, in ms since the epoch, and the ids of the sandboxes, then and now."""
        self._times = tuple(times)
        names = "|".join(map(re.escape, sorted(set(sandboxes))))
        self._sandbox = re.compile(rf"(?<![\w-])(?:{names})(?![\w-])")

    def content(self, text: str) -> str:
        """Return a file's name or text: without times and temporary names."""
        return _TEMPORARY.sub("<temporary name>", _TIME.sub(self._if_near, text))

    def output(self, text: str) -> str:
        """Return a text of a result: without durations and the names of runs and sandboxes, too."""
        text = _DURATION.sub("<duration>", _CLOCK.sub("<time>", self.content(text)))
        return self._sandbox.sub("<sandbox>", _NUMBERED.sub(r"\1<number>", text))

    def value(self, value: Any) -> Any:
        """Return data of a result with all its texts blurred, and without the fields in `KEYS`."""
        if isinstance(value, str):
            return self.output(value)
        if isinstance(value, list):
            return [self.value(entry) for entry in cast("list[Any]", value)]
        if isinstance(value, dict):
            fields = cast("dict[str, Any]", value)
            return {key: self.value(entry) for key, entry in fields.items() if key not in KEYS}
        return value

    def _if_near(self, match: re.Match[str]) -> str:
        for time in self._times:
            moment = _moment(match, time)
            if moment is not None and abs(moment - time) < _DAY:
                return "<time>"
        return match[0]


def _moment(match: re.Match[str], near: float) -> float | None:
    """Return the time of a match in ms since the epoch; of parts it does not name, those of `near`."""
    try:
        if epoch := match["epoch"]:
            return float(epoch) * (1 if len(epoch) == 13 else 1000)
        if iso := match["iso"]:
            moment = datetime.fromisoformat(iso.replace(" Z", "Z").replace(" +", "+").replace(" -", "-"))
            return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() * 1000
        year = int(match["year"] or datetime.fromtimestamp(near / 1000, UTC).year)
        day = datetime(year, _MONTHS.index(match["month"]) + 1, int(match["day"]), 12, tzinfo=UTC)
        return day.timestamp() * 1000
    except (ValueError, OverflowError):
        return None
