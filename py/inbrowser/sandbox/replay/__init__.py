"""Record what is done to a sandbox, and replay it on another one; see `record` and `replay`."""

from .errors import ReplayError
from .logs import compare_recordings
from .recorder import Recording, record
from .report import Divergence, ReplayProgress, ReplayReport, Step
from .runner import Replay, prepare_replay, replay

__all__ = [
    "Divergence",
    "Recording",
    "Replay",
    "ReplayError",
    "ReplayProgress",
    "ReplayReport",
    "Step",
    "compare_recordings",
    "prepare_replay",
    "record",
    "replay",
]
