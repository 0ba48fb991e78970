"""The tools that every sandbox has, in the order in which models see them."""

from typing import Any

from .registry import Tool

BUILTIN_TOOLS: tuple[Tool[Any], ...] = ()
