"""The composition root: what JavaScript calls. It imports the sandbox and the agent; nothing imports it."""

from .calls import Kernel
from .pages import PageEndpoint

__all__ = ["start"]


def start() -> Kernel:
    """Return the kernel, with the object that the page's first calls go to."""
    kernel = Kernel()
    kernel.add(PageEndpoint(kernel))
    return kernel
