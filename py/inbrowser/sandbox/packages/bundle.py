"""What can be installed without a network, because it comes with the page."""

import sys
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from packaging.markers import default_environment
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from .lock import LockedPackage


@dataclass(frozen=True)
class BundledPackage:
    """One package of the bundle."""

    name: str
    version: str
    filename: str
    sha256: str
    summary: str
    requires: list[str]
    extras: list[str]
    imports: list[str]


class Bundle(Protocol):
    """The packages that come with the page."""

    def index(self) -> Awaitable[dict[str, BundledPackage]]:
        """Return them by name."""
        ...

    def pack(self, name: str) -> Awaitable[bytes]:
        """Return the pack of one. Raises PackageError when it cannot be loaded."""
        ...


class EmptyBundle:
    """Nothing comes with it."""

    async def index(self) -> dict[str, BundledPackage]:
        """Return nothing."""
        return {}

    async def pack(self, name: str) -> bytes:
        """Know no name."""
        raise KeyError(name)


@dataclass
class Closure:
    """What requirements come to with what is here."""

    bundled: list[str] = field(default_factory=list[str])
    satisfied: list[str] = field(default_factory=list[str])
    builtin: list[str] = field(default_factory=list[str])
    is_complete: bool = True
    """Whether nothing else is needed."""


def close(
    roots: list[Requirement],
    installed: Mapping[str, LockedPackage],
    bundled: Mapping[str, BundledPackage],
    *,
    with_dependencies: bool = True,
) -> Closure:
    """Follow requirements through what is installed and bundled."""
    closure = Closure()
    waiting, seen = [(root, True) for root in roots if holds(root, ())], set[tuple[str, str]]()
    while waiting:
        wanted, is_root = waiting.pop()
        name = str(canonicalize_name(wanted.name))
        if is_builtin(name):
            if is_root:
                closure.builtin.append(name)
            continue
        found = installed.get(name)
        chosen = (
            found
            if found and wanted.specifier.contains(found.version, prereleases=True)
            else bundled.get(name)
        )
        fits = chosen and wanted.specifier.contains(chosen.version, prereleases=True)
        # One version of each: what was chosen for one requirement must do for all.
        if wanted.url or chosen is None or not fits or (name in closure.bundled and chosen is found):
            closure.is_complete = False
            return closure
        names = closure.satisfied if chosen is found else closure.bundled
        if name not in names:
            names.append(name)
        requires = chosen.ours.requires if isinstance(chosen, LockedPackage) else chosen.requires
        key = (name, ",".join(sorted(wanted.extras)))
        if key not in seen and with_dependencies:
            seen.add(key)
            waiting += [(each, False) for each in wanted_by(requires, wanted.extras)]
    if set(closure.bundled) & set(closure.satisfied):
        closure.is_complete = False
    return closure


def is_builtin(name: str) -> bool:
    """Tell whether a package's name is that of a module of the standard library."""
    return name.replace("-", "_") in sys.stdlib_module_names


def holds(requirement: Requirement, extras: "set[str] | tuple[str, ...]") -> bool:
    """Tell whether a requirement's marker is true in the sandbox's Python."""
    return requirement.marker is None or any(
        requirement.marker.evaluate(_environment(extra)) for extra in {*extras, ""}
    )


def wanted_by(requires: list[str], extras: "set[str] | tuple[str, ...]" = ()) -> list[Requirement]:
    """Return those of a package's requirements that hold with some extras; unreadable ones are left out."""
    found: list[Requirement] = []
    for text in requires:
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue
        if holds(requirement, extras):
            found.append(requirement)
    return found


def _environment(extra: str) -> dict[str, str]:
    own = {key: str(value) for key, value in default_environment().items()}
    return own | {
        "extra": extra,
        "sys_platform": "emscripten",
        "platform_system": "Emscripten",
        "platform_machine": "wasm32",
        "os_name": "posix",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "python_version": "3.14",
        "python_full_version": "3.14.2",
    }
