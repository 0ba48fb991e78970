"""`sandbox.services.packages`: installs packages into a sandbox, and knows what is installed."""

import asyncio
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from packaging.utils import canonicalize_name

from ..errors import PathNotFoundError, SandboxDestroyedError, SandboxError
from ..events import ErrorEvent, PackageProgressEvent
from ..files import FileSystem
from ..processes import PackageOptions
from ..stream import EventStream
from .bundle import Bundle, BundledPackage, EmptyBundle, close, wanted_by
from .installer import Fetched, Installer, Reply, read_message
from .lock import IGNORE, PATH, BadLockError, LockedPackage, Ours, Tool, read_lock, write_lock
from .packs import MemoryPacks, Pack, PackSet, PackStore
from .records import Failure, Installed, InstallReport, PackageError, PackageInfo, PackageLockError
from .requirements import Wanted, parse_requirement

SITE_PACKAGES = "/lib/python3.14/site-packages"


class PackageService:
    """The packages of one sandbox. What is installed is listed in its tree, and goes where the tree goes."""

    def __init__(
        self,
        fs: FileSystem,
        installer: Installer | None = None,
        bundle: Bundle | None = None,
        store: PackStore | None = None,
        options: PackageOptions | None = None,
    ) -> None:
        self._fs = fs
        self._installer = installer
        self._bundle = bundle or EmptyBundle()
        self._store = store or MemoryPacks()
        self._options = options or PackageOptions()
        self._events: EventStream | None = None
        self._turn = asyncio.Lock()
        self._generation = 0
        self._seen: bytes | None = b""
        self._told: bytes | None = None
        self._closed = False
        self.on_change: Callable[[], None] | None = None
        """Called when packages were installed or removed here; other changes show in `generation`."""

    def connect(self, events: EventStream) -> None:
        """Emit events to `events` from now on."""
        self._events = events

    def close(self) -> None:
        """Refuse whatever comes later."""
        self._closed = True

    async def install(
        self,
        requirements: Iterable[str],
        *,
        index_urls: Sequence[str] | None = None,
        upgrade: bool = False,
        dependencies: bool = True,
        prereleases: bool = False,
        require_hashes: bool = False,
        cwd: str = ".",
        on_progress: Callable[[str, str, int, int | None], None] | None = None,
    ) -> InstallReport:
        """Install requirements and what they need: all or nothing.

        They are PEP 508's, or addresses or paths of wheels, and may end in `--hash=sha256:...`. What comes
        with the page is taken from there, without a network, where its version fits. `upgrade` takes the
        newest version of what is asked for. `on_progress` is told of a package, a phase, bytes, and all bytes
        if that is known. What cannot be installed is in the report.

        Raises PathLockedError, ReadOnlyError, PackageError when the installer broke down.
        """
        self._check()
        wanted, failures = self._parse(requirements, require_hashes)
        if failures:
            return _failed(failures)
        async with self._turn:
            installed = await self._installed()
            bundled = await self._bundle.index()
            plain = [each.requirement for each in wanted]
            if not upgrade and not index_urls and not any(each.hashes for each in wanted):
                closure = close(plain, installed, bundled, with_dependencies=dependencies)
                if closure.is_complete:
                    reply = Reply(
                        bundled=closure.bundled,
                        satisfied=closure.satisfied,
                        builtin=list(dict.fromkeys(closure.builtin)),
                    )
                    return await self._apply(reply, installed, bundled, wanted)
            try:
                reply = await self._ask(
                    wanted,
                    installed,
                    bundled,
                    index_urls=index_urls or self._options.index_urls,
                    upgrade=upgrade,
                    dependencies=dependencies,
                    prereleases=prereleases,
                    cwd=cwd,
                    on_progress=on_progress,
                )
            except PathNotFoundError as error:
                return _failed(
                    [Failure(requirement=str(error).partition(":")[0], kind="missing", message=str(error))]
                )
            return await self._apply(reply, installed, bundled, wanted, index_urls)

    async def uninstall(self, names: Iterable[str]) -> list[str]:
        """Remove packages, not what they needed; returns `name version` of each.

        Raises PackageError for what is not installed.
        """
        self._check()
        async with self._turn:
            installed = await self._installed()
            wanted = list(dict.fromkeys(str(canonicalize_name(name)) for name in names))
            if missing := [name for name in wanted if name not in installed]:
                raise PackageError(
                    f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed"
                )
            removed = [installed.pop(name) for name in wanted]
            await self._write(installed)
            return [f"{each.name} {each.version}" for each in removed]

    async def list(self) -> "list[PackageInfo]":
        """Describe what is installed, by name."""
        installed = await self._installed()
        needed = {name: _needs(package) for name, package in installed.items()}
        return [
            PackageInfo(
                name=name,
                version=package.version,
                summary=package.ours.summary,
                requires=package.ours.requires,
                required_by=sorted(other for other, names in needed.items() if name in names),
                imports=package.imports,
                location=SITE_PACKAGES,
                source=package.ours.source,
                requested=package.ours.requested,
            )
            for name, package in sorted(installed.items())
        ]

    async def show(self, name: str) -> PackageInfo:
        """Describe one package. Raises PackageError when it is not installed."""
        wanted = str(canonicalize_name(name))
        for package in await self.list():
            if package.name == wanted:
                return package
        raise PackageError(f"{name} is not installed")

    async def freeze(self) -> str:
        """Return what is installed as the text of a requirements file."""
        installed = await self._installed()
        lines = [
            f"{name} @ {package.file_name}" if package.ours.source == "url" else f"{name}=={package.version}"
            for name, package in sorted(installed.items())
        ]
        return "".join(f"{line}\n" for line in lines)

    async def conflicts(self) -> "list[str]":
        """Return a line for each requirement of an installed package that is not met."""
        installed = await self._installed()
        lines: list[str] = []
        for name, package in sorted(installed.items()):
            for wanted in wanted_by(package.ours.requires):
                found = installed.get(str(canonicalize_name(wanted.name)))
                if found is None:
                    lines.append(f"{name} {package.version} requires {wanted.name}, which is not installed.")
                elif not wanted.specifier.contains(found.version, prereleases=True):
                    lines.append(
                        f"{name} {package.version} has requirement {wanted}, "
                        f"but you have {found.name} {found.version}."
                    )
        return lines

    async def generation(self) -> int:
        """Return a number that is another one whenever what is installed is, whoever changed it."""
        await self._read()
        return self._generation

    async def packs(self) -> PackSet:
        """Return the packs of what is installed; those not kept here are fetched again by name and hash."""
        self._check()
        async with self._turn:
            installed = await self._installed()
            generation = self._generation
            found, absent = await self._present(installed)
            missing: list[str] = []
            if absent:
                missing = await self._fetch_again(absent)
                more, absent = await self._present({each.name: each for each in absent})
                found += more
                missing += [
                    f"{each.name} {each.version} is installed, but its files are not here: install it again"
                    for each in absent
                    if not any(line.startswith(f"{each.name} ") for line in missing)
                ]
            return PackSet(generation, found, missing)

    def _parse(self, texts: Iterable[str], require_hashes: bool) -> "tuple[list[Wanted], list[Failure]]":
        wanted: list[Wanted] = []
        failures: list[Failure] = []
        for text in texts:
            parsed = parse_requirement(text)
            if isinstance(parsed, Failure):
                failures.append(parsed)
            elif require_hashes and not parsed.hashes:
                message = "hashes are required, and it has none: add --hash=sha256:..."
                failures.append(Failure(requirement=parsed.text, kind="hash", message=message))
            else:
                wanted.append(parsed)
        return wanted, failures

    async def _ask(
        self,
        wanted: "list[Wanted]",
        installed: dict[str, LockedPackage],
        bundled: dict[str, BundledPackage],
        *,
        cwd: str = ".",
        on_progress: Callable[[str, str, int, int | None], None] | None = None,
        index_urls: Sequence[str] | None = None,
        **options: Any,
    ) -> Reply:
        if self._installer is None:
            raise PackageError("only what comes with the page can be installed here: there is no installer")
        files: dict[str, bytes] = {}
        for each in wanted:
            if each.path:
                path = each.path if each.path.startswith("/") or cwd in (".", "") else f"{cwd}/{each.path}"
                files[f"/wheels/{each.path.rpartition('/')[2]}"] = await self._fs.read_bytes(path)
        request = {
            "requirements": [{"text": str(each.requirement), "hashes": each.hashes} for each in wanted],
            "installed": [
                _known(each.name, each.version, each.sha256, each.ours.requires, each.ours.extras)
                for each in installed.values()
            ],
            "bundled": [
                _known(each.name, each.version, each.sha256, each.requires, each.extras)
                for each in bundled.values()
            ],
            "indexUrls": list(index_urls) if index_urls else None,
            "distributionUrl": self._options.distribution_url,
            "patience": self._options.patience,
            **options,
        }
        packs: dict[str, bytes] = {}

        def on_message(text: str, data: bytes | None) -> None:
            message = read_message(text)
            match message.get("type"):
                case "pack" if data is not None:
                    packs[str(message["sha256"])] = data
                case "progress":
                    self._progress(message["package"], message["phase"], message["loaded"], message["total"])
                    if on_progress:
                        on_progress(message["package"], message["phase"], message["loaded"], message["total"])
                case _:
                    pass

        self._progress(", ".join(each.text for each in wanted)[:200], "resolve", 0, None)
        try:
            reply = Reply.model_validate_json(await self._installer(json.dumps(request), files, on_message))
        except ValueError as error:
            raise PackageError(f"the installer gave an answer that cannot be read: {error}") from None
        for package in reply.packages:
            await self._store.put(package.sha256, packs[package.sha256])
        return reply

    async def _apply(
        self,
        reply: Reply,
        installed: dict[str, LockedPackage],
        bundled: dict[str, BundledPackage],
        wanted: "list[Wanted]",
        index_urls: Sequence[str] | None = None,
    ) -> InstallReport:
        if reply.problems:
            for problem in reply.problems:
                self._progress(problem.requirement, "failed", 0, None)
            return _failed(reply.problems)
        roots = {str(canonicalize_name(each.requirement.name)) for each in wanted}
        before = dict(installed)
        new: list[Installed] = []
        for name in reply.bundled:
            # What is listed can be had: a bundled pack that cannot be loaded is told now.
            await self._bundle.pack(name)
            installed[name] = _locked_bundled(bundled[name], name in roots)
            new.append(_installed(installed[name], 0, before))
        for package in reply.packages:
            installed[package.name] = _locked(package, index_urls)
            new.append(_installed(installed[package.name], package.size, before))
        for name in reply.satisfied:
            if name in roots and not installed[name].ours.requested:
                ours = installed[name].ours.model_copy(update={"requested": True})
                installed[name] = installed[name].model_copy(update={"tool": Tool(inbrowser=ours)})
        if installed != before:
            await self._write(installed)
        for each in new:
            self._progress(each.name, "done", each.size, each.size)
        return InstallReport(
            ok=True,
            installed=sorted(new, key=lambda each: each.name),
            satisfied=[f"{name} {installed[name].version}" for name in reply.satisfied],
            builtin=reply.builtin,
            failures=[],
            warnings=reply.warnings,
        )

    async def _present(self, packages: dict[str, LockedPackage]) -> "tuple[list[Pack], list[LockedPackage]]":
        bundled = await self._bundle.index()
        found: list[Pack] = []
        absent: list[LockedPackage] = []
        for package in packages.values():
            own = bundled.get(package.name)
            if own and own.sha256 == package.sha256:
                data = await self._bundle.pack(package.name)
            else:
                data = await self._store.get(package.sha256)
            if data is None:
                absent.append(package)
            else:
                found.append(Pack(package.name, package.version, package.sha256, data))
        return found, absent

    async def _fetch_again(self, absent: "list[LockedPackage]") -> "list[str]":
        """Fetch by name, version and hash from the indexes: an address in the list may be anybody's."""
        from packaging.requirements import Requirement

        lines: list[str] = []
        wanted: list[Wanted] = []
        for each in absent:
            if each.ours.source in ("url", "file") or each.install_dir != "site":
                lines.append(
                    f"{each.name} {each.version} is not here any more: install it again from {each.file_name}"
                )
            else:
                text = f"{each.name}=={each.version}"
                wanted.append(Wanted(text, Requirement(text), (each.sha256,)))
        if not wanted:
            return lines
        try:
            reply = await self._ask(wanted, {}, {}, index_urls=self._options.index_urls, dependencies=False)
        except PackageError as error:
            return lines + [f"{each.requirement.name} cannot be fetched again: {error}" for each in wanted]
        return lines + [
            f"{problem.requirement.partition('==')[0]} cannot be fetched again: {problem.message}"
            for problem in reply.problems
        ]

    async def _read(self) -> bytes:
        try:
            data = await self._fs.read_bytes(PATH, size=5 << 20)
        except SandboxError:
            data = b""
        if data != self._seen:
            self._seen = data
            self._generation += 1
        return data

    async def _installed(self) -> dict[str, LockedPackage]:
        self._check()
        data = await self._read()
        if not data:
            return {}
        try:
            return read_lock(data)
        except BadLockError as error:
            if self._events and data != self._told:
                self._told = data
                message = f"{PATH} is no list of packages, so nothing counts as installed: {error}"
                self._events.emit(ErrorEvent, name=PackageLockError.__name__, message=message)
            return {}

    async def _write(self, packages: dict[str, LockedPackage]) -> None:
        if not await self._fs.exists(IGNORE):
            await self._fs.write(IGNORE, "*\n")
        await self._fs.write(PATH, write_lock(packages))
        await self._read()
        if self.on_change:
            self.on_change()

    def _progress(self, package: str, phase: str, loaded: int, total: int | None) -> None:
        if self._events:
            self._events.emit(
                PackageProgressEvent, package=package, phase=phase, loaded_bytes=loaded, total_bytes=total
            )

    def _check(self) -> None:
        if self._closed:
            raise SandboxDestroyedError("the sandbox of these packages was destroyed; open another one")


def _failed(failures: "list[Failure]") -> InstallReport:
    return InstallReport(ok=False, installed=[], satisfied=[], builtin=[], failures=failures, warnings=[])


def _installed(package: LockedPackage, size: int, before: dict[str, LockedPackage]) -> Installed:
    old = before.get(package.name)
    return Installed(
        name=package.name,
        version=package.version,
        source=package.ours.source,
        size=size,
        replaced=old.version if old else None,
    )


def _known(
    name: str, version: str, sha256: str, requires: "list[str]", extras: "list[str]"
) -> dict[str, Any]:
    return {"name": name, "version": version, "sha256": sha256, "requires": requires, "extras": extras}


def _needs(package: LockedPackage) -> set[str]:
    return {str(canonicalize_name(each.name)) for each in wanted_by(package.ours.requires)}


def _locked_bundled(package: BundledPackage, requested: bool) -> LockedPackage:
    ours = Ours(
        summary=package.summary[:2000],
        requires=package.requires,
        extras=package.extras,
        source="bundled",
        requested=requested,
    )
    return LockedPackage(
        name=package.name,
        version=package.version,
        file_name=package.filename,
        sha256=package.sha256,
        imports=package.imports,
        depends=sorted({str(canonicalize_name(each.name)) for each in wanted_by(package.requires)}),
        tool=Tool(inbrowser=ours),
    )


def _locked(package: Fetched, index_urls: Sequence[str] | None) -> LockedPackage:
    ours = Ours(
        summary=package.summary[:2000],
        requires=package.requires,
        extras=package.extras,
        source=package.source,
        requested=package.requested,
        index_urls=list(index_urls or ()),
    )
    depends = {str(canonicalize_name(each.name)) for each in wanted_by(package.requires)}
    return LockedPackage(
        name=package.name,
        version=package.version,
        file_name=package.url,
        sha256=package.sha256,
        imports=package.imports,
        depends=sorted(depends | set(package.libraries)),
        tool=Tool(inbrowser=ours),
    )
