"""What can be wrong with a log."""

from ..errors import SandboxError


class ReplayError(SandboxError):
    """A log that cannot be replayed, or progress that does not belong to it; names the line at fault."""
