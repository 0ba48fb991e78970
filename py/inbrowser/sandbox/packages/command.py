"""The command line `pip`, as far as there is a meaning to it here."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..errors import CapabilityError, SandboxError
from ..runtime import OnOutput
from .records import InstallReport, PackageInfo
from .requirements import RequirementsFile, read_requirements_file
from .service import PackageService

if TYPE_CHECKING:
    from ..sandbox import Sandbox


VERSION = "26.0"
USAGE = """Usage: pip <command> [options]

Commands:
  install      Install packages: names, wheels, -r FILE; -U, -q, --no-deps, --pre, --require-hashes,
               --index-url URL, --extra-index-url URL
  uninstall    Remove packages: -y, -r FILE
  list         List installed packages: --format columns|freeze|json
  freeze       Print installed packages as requirements
  show         Describe installed packages
  check        Tell which requirements of installed packages are not met
"""
REFUSED = {
    "download": "there is no place for wheels here: `pip install` fetches what is needed",
    "wheel": "wheels cannot be built here",
    "build": "wheels cannot be built here",
    "search": "package indexes have no search",
    "config": "there is no configuration here: give --index-url",
    "cache": "the browser keeps what was fetched",
    "index": "package indexes cannot be looked through here",
    "lock": "use `pip freeze`",
    "hash": "use sha256sum",
    "debug": "use python -c 'import sysconfig'",
}
FLAGS = {
    "-U": "upgrade", "--upgrade": "upgrade", "-q": "quiet", "--quiet": "quiet", "-qq": "quiet",
    "--no-deps": "no_deps", "--pre": "pre", "--require-hashes": "require_hashes", "-y": "yes", "--yes": "yes",
}  # fmt: skip
IGNORED = {
    "--user", "--no-cache-dir", "--disable-pip-version-check", "--no-input", "--break-system-packages", "-v",
    "--verbose", "--no-color", "--prefer-binary", "--no-build-isolation", "--no-warn-script-location",
    "--isolated", "--no-python-version-warning", "--local", "--all", "-l", "--force-reinstall",
    "--root-user-action=ignore",
}  # fmt: skip
VALUES = {
    "-r": "files", "--requirement": "files", "-i": "index_url", "--index-url": "index_url",
    "--extra-index-url": "extra_index_urls", "--format": "format",
}  # fmt: skip
IGNORED_VALUES = {
    "--trusted-host", "--timeout", "--retries", "--progress-bar", "--upgrade-strategy", "--cache-dir",
    "--root-user-action", "--only-binary", "--no-binary", "--cert", "--log", "--proxy",
}  # fmt: skip


class UsageError(Exception):
    """The command line cannot be read; the message says why."""


@dataclass
class Options:
    """A command line that was read."""

    names: list[str] = field(default_factory=list[str])
    flags: set[str] = field(default_factory=set[str])
    files: list[str] = field(default_factory=list[str])
    index_url: str | None = None
    extra_index_urls: list[str] = field(default_factory=list[str])
    format: str = "columns"


async def pip(argv: Sequence[str], sandbox: "Sandbox", cwd: str, on_output: OnOutput) -> int:
    """Run `pip` with `argv` (without `pip` itself) in a directory; returns the exit code."""
    packages = sandbox.services.packages
    try:
        if packages is None:
            raise CapabilityError("this sandbox has no packages")
        sandbox.check("packages")
        return await _Command(packages, sandbox, cwd, on_output).run(list(argv))
    except (UsageError, SandboxError, ValueError) as error:
        on_output("stderr", f"ERROR: {error}\n")
        return 2 if isinstance(error, UsageError) else 1


def parse(words: Sequence[str]) -> Options:
    """Read what follows the name of a command. Raises UsageError."""
    options = Options()
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        name, has_value, value = word.partition("=") if word.startswith("--") else (word, "", "")
        if word[:2] in ("-r", "-i") and len(word) > 2 and not word.startswith("--"):
            name, has_value, value = word[:2], "=", word[2:]
        if word in FLAGS:
            options.flags.add(FLAGS[word])
        elif word in IGNORED:
            pass
        elif name in VALUES or name in IGNORED_VALUES:
            if not has_value:
                if not waiting:
                    raise UsageError(f"{name} needs a value")
                value = waiting.pop(0)
            _set(options, name, value)
        elif name in ("-e", "--editable"):
            raise UsageError(
                "-e is not possible here: modules are imported from the project's root as they are"
            )
        elif name in ("-t", "--target", "--prefix", "--root", "-c", "--constraint"):
            raise UsageError(f"{name} is not supported here")
        elif word.startswith("-") and word != "-":
            raise UsageError(f"no such option: {word}")
        else:
            options.names.append(word)
    return options


def _set(options: Options, name: str, value: str) -> None:
    match VALUES.get(name):
        case "files":
            options.files.append(value)
        case "index_url":
            options.index_url = value
        case "extra_index_urls":
            options.extra_index_urls.append(value)
        case "format":
            if value not in ("columns", "freeze", "json"):
                raise UsageError(f"--format is columns, freeze or json, not {value!r}")
            options.format = value
        case _:
            pass


class _Command:
    def __init__(self, packages: PackageService, sandbox: "Sandbox", cwd: str, on_output: OnOutput) -> None:
        self._packages = packages
        self._sandbox = sandbox
        self._cwd = cwd
        self._on_output = on_output

    async def run(self, argv: list[str]) -> int:
        while argv and argv[0] in IGNORED | {"-q", "--quiet"}:
            argv.pop(0)
        command, *words = argv or ["help"]
        if command in ("--version", "-V"):
            self._say(f"pip {VERSION} from /lib/python3.14/site-packages/pip (python 3.14)")
            return 0
        if command in ("help", "--help", "-h") or "--help" in words or "-h" in words:
            self._on_output("stdout", USAGE)
            return 0
        if command in REFUSED:
            raise UsageError(f"pip {command}: {REFUSED[command]}")
        options = parse(words)
        match command:
            case "install":
                return await self._install(options)
            case "uninstall":
                return await self._uninstall(options)
            case "list" | "freeze":
                return await self._list(options, "freeze" if command == "freeze" else options.format)
            case "show":
                return await self._show(options.names)
            case "check":
                lines = await self._packages.conflicts()
                self._say("\n".join(lines) or "No broken requirements found.")
                return 1 if lines else 0
            case _:
                raise UsageError(
                    f'unknown command "{command}"; there are install, uninstall, list, freeze, show, check'
                )

    async def _install(self, options: Options) -> int:
        asked = await self._asked(options)
        if not asked.requirements:
            raise UsageError("You must give at least one requirement to install (see `pip help`)")
        urls = [url for url in (options.index_url or asked.index_url,) if url]
        extra = [*options.extra_index_urls, *asked.extra_index_urls]
        if extra and not urls:
            raise UsageError(
                "give --index-url together with --extra-index-url: there is no name for the default one"
            )
        quiet = "quiet" in options.flags
        told: set[tuple[str, str]] = set()

        def on_progress(package: str, phase: str, loaded: int, total: int | None) -> None:
            if phase == "download" and (package, phase) not in told and not quiet:
                told.add((package, phase))
                self._say(f"Collecting {package}\n  Downloading {package}")

        report = await self._packages.install(
            asked.requirements,
            index_urls=[*urls, *extra] or None,
            upgrade="upgrade" in options.flags,
            dependencies="no_deps" not in options.flags,
            prereleases="pre" in options.flags or asked.prereleases,
            require_hashes="require_hashes" in options.flags or asked.require_hashes,
            cwd=self._cwd,
            on_progress=on_progress,
        )
        return self._tell(report, quiet)

    def _tell(self, report: InstallReport, quiet: bool) -> int:
        for warning in report.warnings:
            self._on_output("stderr", f"WARNING: {warning}\n")
        for failure in report.failures:
            self._on_output("stderr", f"ERROR: {failure.requirement}: {failure.message}\n")
        if not report.ok:
            self._on_output("stderr", "ERROR: nothing was installed\n")
            return 1
        if quiet:
            return 0
        for name in report.satisfied:
            self._say(
                f"Requirement already satisfied: {name.replace(' ', ' in /lib/python3.14/site-packages (')})"
            )
        for name in report.builtin:
            self._say(f"Requirement already satisfied: {name} is part of Python's standard library")
        for each in report.installed:
            if each.source == "bundled":
                self._say(f"Collecting {each.name}\n  Using bundled {each.name}-{each.version}")
        if report.installed:
            names = " ".join(f"{each.name}-{each.version}" for each in report.installed)
            self._say(f"Installing collected packages: {', '.join(each.name for each in report.installed)}")
            self._say(f"Successfully installed {names}")
        return 0

    async def _uninstall(self, options: Options) -> int:
        names = (await self._asked(options)).requirements
        if not names:
            raise UsageError("You must give at least one requirement to uninstall")
        there = {each.name: each for each in await self._packages.list()}
        known = [name for name in names if name.lower().replace("_", "-").replace(".", "-") in there]
        for name in names:
            if name not in known:
                self._on_output("stderr", f"WARNING: Skipping {name} as it is not installed.\n")
        for removed in await self._packages.uninstall(known) if known else []:
            name, _, version = removed.partition(" ")
            self._say(f"Found existing installation: {removed}\nUninstalling {name}-{version}:")
            self._say(f"  Successfully uninstalled {name}-{version}")
        return 0

    async def _list(self, options: Options, format: str) -> int:
        packages = await self._packages.list()
        if format == "freeze":
            self._on_output("stdout", await self._packages.freeze())
        elif format == "json":
            self._say(json.dumps([{"name": each.name, "version": each.version} for each in packages]))
        elif packages:
            rows = [("Package", "Version"), *((each.name, each.version) for each in packages)]
            width, other = (max(len(row[column]) for row in rows) for column in (0, 1))
            rows.insert(1, ("-" * width, "-" * other))
            self._say("\n".join(f"{name:<{width}} {version}".rstrip() for name, version in rows))
        return 0

    async def _show(self, names: list[str]) -> int:
        if not names:
            raise UsageError("Please provide a package name or names.")
        there = {each.name: each for each in await self._packages.list()}
        found = [
            there[key] for name in names if (key := name.lower().replace("_", "-").replace(".", "-")) in there
        ]
        missing = [name for name in names if name.lower().replace("_", "-").replace(".", "-") not in there]
        if missing:
            self._on_output("stderr", f"WARNING: Package(s) not found: {', '.join(missing)}\n")
        self._say("\n---\n".join(map(_shown, found))) if found else None
        return 0 if found else 1

    async def _asked(self, options: Options) -> RequirementsFile:
        asked = RequirementsFile(requirements=list(options.names))
        for path in options.files:
            await read_requirements_file(self._placed(path), self._sandbox.fs.read_text, asked)
        return asked

    def _placed(self, path: str) -> str:
        return path if path.startswith("/") or self._cwd in (".", "") else f"{self._cwd.rstrip('/')}/{path}"

    def _say(self, text: str) -> None:
        self._on_output("stdout", text + "\n")


def _shown(package: PackageInfo) -> str:
    from .bundle import wanted_by

    requires = sorted({each.name for each in wanted_by(package.requires)})
    return "\n".join(
        [
            f"Name: {package.name}",
            f"Version: {package.version}",
            f"Summary: {package.summary}",
            f"Location: {package.location}",
            f"Requires: {', '.join(requires)}",
            f"Required-by: {', '.join(package.required_by)}",
        ]
    )
