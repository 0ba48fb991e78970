"""The sandbox's parts in the browser; the only modules of the package that touch JavaScript."""

from .parts import open_parts

__all__ = ["open_parts"]
