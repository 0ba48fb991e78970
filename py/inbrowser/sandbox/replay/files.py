"""Comparing the files of a sandbox with what a log says of them."""

from ..files import FileSystem
from .compare import Place, compare_state
from .natural import Blur
from .pace import Pace
from .plan import Filter, Known
from .report import Divergence
from .states import FileState, is_compared, states_of


class FileComparison:
    """Compares files with what is known of them, those that a filter lets through."""

    def __init__(self, fs: FileSystem, known: Known, filter: Filter) -> None:
        self._fs = fs
        self._known = known
        self._filter = filter

    async def compare(
        self, place: Place, expected: list[FileState], touched: list[str], blur: Blur
    ) -> list[Divergence]:
        """Return how files differ: those that changed in the log, and those that were touched here."""
        there = {blur.content(state.path): state for state in expected if is_compared(state.path)}
        names = {state.path for state in there.values()}
        here = await states_of(self._fs, [*touched, *names])
        # Of two files with temporary names, one is gone here and the other was never there.
        renamed = {blur.content(state.path) for state in here if state.path not in names}
        found: list[Divergence] = []
        pace = Pace()
        for state in here:
            name = blur.content(state.path)
            is_renamed = state.path in names and state.kind == "gone" and name != state.path
            if not self._filter.has(state.path) or (is_renamed and name in renamed):
                continue
            recorded = there.get(name) or self._known.state(state.path)
            if divergence := compare_state(place, state.path, recorded, state, blur):
                found.append(divergence)
            await pace.pause()
        return found
