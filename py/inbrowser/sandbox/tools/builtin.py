"""The tools that every sandbox has, in the order in which models see them."""

from typing import Any

from .bash import BASH
from .edit import EDIT
from .find import FIND
from .grep import GREP
from .ls import LS
from .package_install import PACKAGE_INSTALL
from .preview_compile import PREVIEW_COMPILE
from .python import PYTHON
from .read import READ
from .registry import Tool
from .write import WRITE

BUILTIN_TOOLS: tuple[Tool[Any], ...] = (
    READ,
    WRITE,
    EDIT,
    LS,
    FIND,
    GREP,
    BASH,
    PYTHON,
    PACKAGE_INSTALL,
    PREVIEW_COMPILE,
)
