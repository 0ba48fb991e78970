"""A coding agent's world inside one browser tab: `inbrowser.sandbox` and `inbrowser.agent`."""

from .errors import InBrowserError

__version__ = "0.1.0"

__all__ = ["InBrowserError", "__version__"]
