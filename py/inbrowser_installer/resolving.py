"""Finds versions of packages that fit all requirements together.

Versions are chosen greedily, newest first, round by round until nothing changes. Where a package asks for
what cannot be had beside the rest, its version is ruled out and an older one tried, a few times.
"""
# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false

import asyncio
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

from micropip._vendored.packaging.src.packaging.markers import default_environment
from micropip._vendored.packaging.src.packaging.requirements import Requirement
from micropip._vendored.packaging.src.packaging.specifiers import SpecifierSet
from micropip._vendored.packaging.src.packaging.utils import canonicalize_name
from micropip._vendored.packaging.src.packaging.version import Version

from . import reasons
from .fetching import FetchError
from .index import File, Index
from .metadata import Metadata, holds
from .packing import BadWheelError
from .wheels import Wheels

ROUNDS = 60
RETRIES = 20
"""Versions that are ruled out before a conflict is given up."""


@dataclass(frozen=True)
class Root:
    """A requirement that was asked for."""

    text: str
    requirement: Requirement
    hashes: tuple[str, ...] = ()
    """SHA-256 in hex; if there are any the wheel must have one of them."""


@dataclass(frozen=True)
class Known:
    """A package that is here already: installed, or bundled with the page."""

    name: str
    version: Version
    metadata: Metadata
    sha256: str
    is_installed: bool


@dataclass(frozen=True)
class Wish:
    """A requirement, and who has it."""

    requirement: Requirement
    root: str
    """The text of the root it comes from."""
    parent: str | None = None
    """The package that has it; None for a root."""
    hashes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Problem:
    """Why a package cannot be had."""

    name: str
    kind: str
    message: str
    can_retry: bool = False
    """Whether another version of who wants it may help."""


Choice = Known | File | None
"""None is part of Python itself."""


@dataclass
class Plan:
    """What is to be installed."""

    choices: dict[str, Choice] = field(default_factory=dict)
    problems: list[tuple[str, Problem]] = field(default_factory=list)
    """Each with the text of the root it belongs to."""
    warnings: list[str] = field(default_factory=list)
    wishes: dict[str, list[Wish]] = field(default_factory=dict)


class Resolver:
    """One resolution."""

    def __init__(
        self,
        index: Index,
        wheels: Wheels,
        installed: Mapping[str, Known],
        bundled: Mapping[str, Known],
        *,
        upgrade: bool = False,
        with_dependencies: bool = True,
        prereleases: bool = False,
    ) -> None:
        self._index = index
        self._wheels = wheels
        self._installed = installed
        self._bundled = bundled
        self._upgrade = upgrade
        self._with_dependencies = with_dependencies
        self._prereleases = prereleases or None
        self._environment: dict[str, str] = {key: str(value) for key, value in default_environment().items()}
        self._ruled_out: set[tuple[str, Version]] = set()
        self._broken: dict[str, Problem] = {}
        """Packages whose chosen wheel cannot be read."""

    async def resolve(self, roots: list[Root]) -> Plan:
        """Return a plan, with problems if there are any."""
        first: Plan | None = None
        for _ in range(RETRIES):
            plan = await self._settle(roots)
            first = first or plan
            if not plan.problems:
                self._warn(plan)
                return plan
            if not await self._rule_out(plan):
                break
        return first or Plan()

    async def _settle(self, roots: list[Root]) -> Plan:
        choices: dict[str, Choice | Problem] = {}
        wishes: dict[str, list[Wish]] = {}
        for _ in range(ROUNDS):
            wishes = await self._wishes(roots, choices)
            names = list(wishes)
            found = await asyncio.gather(*(self._choose(name, wishes[name]) for name in names))
            chosen = dict(zip(names, found, strict=True))
            if chosen == choices:
                break
            choices = chosen
        plan = Plan(wishes=wishes)
        for name, choice in choices.items():
            if isinstance(choice, Problem):
                plan.problems += [
                    (root, choice) for root in dict.fromkeys(wish.root for wish in wishes[name])
                ]
            else:
                plan.choices[name] = choice
        return plan

    async def _wishes(
        self, roots: list[Root], choices: "dict[str, Choice | Problem]"
    ) -> dict[str, list[Wish]]:
        """Walk from the roots through what is chosen so far."""
        wishes: dict[str, list[Wish]] = {}
        waiting = [
            (root.requirement, Wish(root.requirement, root.text, hashes=root.hashes))
            for root in roots
            if holds(root.requirement, frozenset(), self._environment)
        ]
        seen: set[tuple[str, str, frozenset[str]]] = set()
        while waiting:
            requirement, wish = waiting.pop(0)
            name = str(canonicalize_name(requirement.name))
            if wish not in wishes.setdefault(name, []):
                wishes[name].append(wish)
            choice = choices.get(name)
            extras = frozenset(str(canonicalize_name(extra)) for extra in requirement.extras)
            key = (name, wish.root, extras)
            if choice is None or isinstance(choice, Problem) or key in seen or not self._with_dependencies:
                continue
            seen.add(key)
            try:
                metadata = (
                    choice.metadata if isinstance(choice, Known) else await self._wheels.metadata(choice)
                )
            except (FetchError, BadWheelError) as error:
                self._broken[name] = unusable(name, error)
                continue
            for wanted in metadata.wants(extras | frozenset(requirement.extras), self._environment):
                waiting.append((wanted, Wish(wanted, wish.root, name)))
        return wishes

    async def _choose(self, name: str, wishes: list[Wish]) -> "Choice | Problem":
        if name.replace("-", "_") in sys.stdlib_module_names:
            return None
        if name in self._broken:
            return self._broken[name]
        addresses = {wish.requirement.url for wish in wishes if wish.requirement.url}
        specifier = SpecifierSet()
        for wish in wishes:
            specifier &= wish.requirement.specifier
        hashes = {each for wish in wishes for each in wish.hashes}
        is_root = any(wish.parent is None for wish in wishes)
        if addresses:
            return await self._addressed(name, wishes, sorted(addresses), specifier)
        if not (self._upgrade and is_root) and (known := self._known(name, specifier, hashes)):
            return known
        return await self._from_index(name, wishes, specifier, hashes)

    def _known(self, name: str, specifier: SpecifierSet, hashes: set[str]) -> Known | None:
        installed, bundled = self._installed.get(name), self._bundled.get(name)
        if installed and specifier.contains(installed.version, prereleases=True):
            return installed
        if bundled and specifier.contains(bundled.version, prereleases=True) and hashes <= {bundled.sha256}:
            return bundled
        return None

    async def _addressed(
        self, name: str, wishes: list[Wish], addresses: list[str], specifier: SpecifierSet
    ) -> "Choice | Problem":
        if len(addresses) > 1:
            return Problem(name, "conflict", f"{name} is wanted from {' and from '.join(addresses)}")
        try:
            file = self._wheels.from_address(name, addresses[0])
        except BadWheelError as error:
            return unusable(name, error)
        if not self._index.allows(file.url) and file.source != "file":
            return Problem(name, "origin", f"{file.url} is not allowed: use an https address")
        if not specifier.contains(file.version, prereleases=True):
            return self._conflict(name, wishes)
        return file

    async def _from_index(
        self, name: str, wishes: list[Wish], specifier: SpecifierSet, hashes: set[str]
    ) -> "Choice | Problem":
        try:
            project = await self._index.project(name)
        except FetchError as error:
            return Problem(name, "offline" if error.offline else "index", str(error))
        bundled = self._bundled.get(name)
        if not project.found and not bundled:
            return Problem(name, "missing", reasons.missing(name, self._index.host))
        if not project.files and not bundled:
            return Problem(name, "no-build", reasons.no_build(name, project))
        files = [file for file in project.files if (name, file.version) not in self._ruled_out]
        pinned = any(each.operator in ("==", "===") for each in specifier)
        usable = [file for file in files if not file.yanked or pinned]
        wanted = set(specifier.filter({file.version for file in usable}, prereleases=self._prereleases))
        candidates = [file for file in usable if file.version in wanted]
        matching = [file for file in candidates if not hashes or file.sha256 in hashes]
        if matching:
            newest = matching[0]
            for known in (self._installed.get(name), bundled):
                # An upgrade that finds nothing newer leaves things as they are.
                if (
                    known
                    and known.version >= newest.version
                    and self._known(name, specifier, hashes) is known
                ):
                    return known
            return newest
        if candidates:
            return Problem(
                name,
                "hash",
                f"{candidates[0].filename} has sha256 {candidates[0].sha256}, which is none of the "
                "hashes that are required: the list is out of date, or the file is not the one it was",
            )
        if known := self._known(name, specifier, hashes):
            return known
        if _is_conflict(wishes):
            return self._conflict(name, wishes)
        message = reasons.unsatisfied(name, str(specifier), project)
        return Problem(name, "no-version", message, can_retry=True)

    def _conflict(self, name: str, wishes: list[Wish]) -> Problem:
        parts = [
            f"{wish.parent} needs {wish.requirement}" if wish.parent else f"{wish.requirement} is asked for"
            for wish in wishes
            if wish.requirement.specifier or wish.requirement.url
        ]
        message = f"no version of {name} fits all that need it: {'; '.join(dict.fromkeys(parts))}"
        return Problem(name, "conflict", message, can_retry=True)

    async def _rule_out(self, plan: Plan) -> bool:
        """Rule out a version whose requirement cannot be met; False when there is none to blame."""
        ruled_out = False
        for problem in {problem.name: problem for _, problem in plan.problems}.values():
            if not problem.can_retry:
                return False
            for wish in plan.wishes[problem.name]:
                parent = plan.choices.get(wish.parent or "")
                if not isinstance(parent, File) or parent.source != "index" or not wish.requirement.specifier:
                    continue
                self._ruled_out.add((parent.name, parent.version))
                if await self._has_other(parent.name, plan.wishes[parent.name]):
                    ruled_out = True
                    break
                self._ruled_out.discard((parent.name, parent.version))
        return ruled_out

    async def _has_other(self, name: str, wishes: list[Wish]) -> bool:
        """Tell whether a version that fits is left."""
        project = await self._index.project(name)
        return any(
            (name, file.version) not in self._ruled_out
            and all(wish.requirement.specifier.contains(file.version) for wish in wishes)
            for file in project.files
        )

    def _warn(self, plan: Plan) -> None:
        """Tell of installed packages that will not have what they need."""
        for name, known in self._installed.items():
            if plan.choices.get(name, known) is not known:
                continue
            for wanted in known.metadata.wants(frozenset(), self._environment):
                choice = plan.choices.get(str(canonicalize_name(wanted.name)))
                if choice and not wanted.specifier.contains(choice.version, prereleases=True):
                    plan.warnings.append(
                        f"{name} {known.version} requires {wanted}, "
                        f"but {choice.name} {choice.version} will be installed"
                    )


def unusable(name: str, error: FetchError | BadWheelError) -> Problem:
    """Return the problem that a wheel cannot be had or read."""
    if isinstance(error, BadWheelError):
        return Problem(name, "wheel", str(error))
    return Problem(name, "offline" if error.offline else "download", str(error))


def _is_conflict(wishes: list[Wish]) -> bool:
    return len({str(wish.requirement.specifier) for wish in wishes if str(wish.requirement.specifier)}) > 1
