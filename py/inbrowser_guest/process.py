"""One process of Python: its arguments, environment and streams, its code, and what becomes of its end."""
# pyright: basic, reportAttributeAccessIssue=false, reportMissingImports=false, reportArgumentType=false, reportCallIssue=false

import builtins
import gc
import importlib
import io
import json
import linecache
import os
import random
import runpy
import sys
import traceback
import types
import warnings
import zipfile
from collections.abc import Callable
from typing import Any

from . import addresses, children, event_loop, missing, network, packages
from .command_line import CommandLine, UsageError, parse

EXECUTABLE = "/usr/bin/python3"
COMMAND_NAME = "<string>"
STDIN_NAME = "<stdin>"
DEEPEST_TRACEBACK = 1000
"""Calls that a traceback shows at the most: to format each of a million takes longer than anybody waits."""


def prepare() -> None:
    """Do what can be done before it is known what to run."""
    # What is there now has never to be looked at again by the collector.
    gc.freeze()
    missing.explain()
    children.connect()
    network.connect()
    event_loop.connect()
    addresses.connect()
    # Pyodide has one of its own.
    sys.excepthook = sys.__excepthook__
    sys.executable = sys._base_executable = EXECUTABLE
    sys.dont_write_bytecode = True
    _open_streams()
    # The engine compiles much of the interpreter when it first runs.
    exec(compile("pass", COMMAND_NAME, "exec"), {})
    _finish()
    gc.freeze()


def main(text: str) -> int:
    """Run the process that `text` (JSON: argv, cwd, env) describes; returns its exit code."""
    process = json.loads(text)
    _enter(process["env"], process["cwd"])
    try:
        command = parse(process["argv"][1:])
    except UsageError as error:
        print(f"{error}\nusage: python [option] ... [-c cmd | -m mod | file | -] [arg] ...", file=sys.stderr)
        return 2
    try:
        code = _exit_code(lambda: _run(command))
        return _finish() or code
    finally:
        _flush(sys.stdout, sys.stderr)


def _enter(env: dict[str, str], cwd: str) -> None:
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    # Those of the snapshot are the same in every process.
    random.seed()
    importlib.invalidate_caches()
    if path := env.get("PYTHONPATH"):
        sys.path[:0] = [os.path.abspath(each) for each in path.split(":") if each]


def _open_streams() -> None:
    for name, descriptor, errors in (
        ("stdin", 0, "strict"),
        ("stdout", 1, "strict"),
        ("stderr", 2, "backslashreplace"),
    ):
        mode = "r" if descriptor == 0 else "w"
        stream = open(descriptor, mode, encoding="utf-8", errors=errors, closefd=False)  # noqa: SIM115
        if mode == "w":
            stream.reconfigure(line_buffering=True, write_through=True)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _run(command: CommandLine) -> None:
    if command.warnings or (given := os.environ.get("PYTHONWARNINGS")):
        sys.warnoptions[:] = [*(given.split(",") if not command.warnings else []), *command.warnings]
        warnings._processoptions(sys.warnoptions)
    match command.kind:
        case "version":
            print(f"Python {sys.version.split()[0]}")
        case "module":
            _run_module(command)
        case "script":
            _run_script(command)
        case "code":
            _run_source(command.target, COMMAND_NAME, ["-c", *command.args])
        case _:
            source = sys.stdin.buffer.read()
            # What it reads is what is left: nothing.
            _run_source(source, STDIN_NAME, ["-", *command.args])


def _run_module(command: CommandLine) -> None:
    sys.argv = ["-m", *command.args]
    sys.path.insert(0, os.getcwd())
    _run_as_main(command.target, alter_argv=True)


def _run_as_main(name: str, *, alter_argv: bool) -> None:
    """Do what runpy does for `-m`, and name modules of the library by the sources that they once had."""
    run: Any = runpy
    try:
        get = run._get_module_details if alter_argv else run._get_main_module_details
        _, spec, code = get(name, run._Error) if alter_argv else get(run._Error)
    except run._Error as error:
        print(f"{EXECUTABLE}: {error}", file=sys.stderr)
        raise SystemExit(1) from None
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    if alter_argv:
        sys.argv[0] = spec.origin.removesuffix("c")
    run._run_code(code, module.__dict__, None, "__main__", spec)


def _run_script(command: CommandLine) -> None:
    path = command.target
    if os.path.isdir(path) or zipfile.is_zipfile(path):
        sys.argv = [path, *command.args]
        sys.path.insert(0, path)
        _run_as_main("__main__", alter_argv=False)
        return
    try:
        with io.open_code(os.path.abspath(path)) as file:
            source = file.read()
    except OSError as error:
        reason = f"[Errno {error.errno}] {os.strerror(error.errno or 0)}"
        print(f"{EXECUTABLE}: can't open file '{os.path.abspath(path)}': {reason}", file=sys.stderr)
        raise SystemExit(2) from None
    sys.path.insert(0, os.path.dirname(os.path.realpath(path)))
    _run_source(source, os.path.abspath(path), [path, *command.args])


def _run_source(source: str | bytes, name: str, argv: list[str]) -> None:
    sys.argv = argv
    module = types.ModuleType("__main__")
    module.__dict__.update(__builtins__=builtins, __annotations__={})
    sys.modules["__main__"] = module
    if name in (COMMAND_NAME, STDIN_NAME):
        sys.path.insert(0, "")
        text = source if isinstance(source, str) else source.decode("utf-8", "replace")
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    else:
        module.__file__ = name
        module.__dict__["__cached__"] = None
    code = compile(source, name, "exec", dont_inherit=True)
    exec(code, module.__dict__)


def _exit_code(run: Callable[[], Any]) -> int:
    """Call `run` and return what such a process exits with; what goes wrong is told as Python tells it."""
    try:
        run()
    except SystemExit as error:
        return _status(error.code)
    except KeyboardInterrupt:
        _show_traceback()
        return 130
    except BaseException:
        _show_traceback()
        return 1
    return 0


def _status(code: object) -> int:
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 255
    _flush(sys.stdout)
    print(code, file=sys.stderr)
    return 1


def _show_traceback() -> None:
    kind, error, trace = sys.exc_info()
    assert kind
    assert error
    _flush(sys.stdout)
    # The first frames are ours and runpy's.
    while trace and _is_ours(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    error.__traceback__ = trace = _end_of(trace)
    if isinstance(error, ModuleNotFoundError) and (hint := packages.hint(error.name or "")):
        error.add_note(hint)
    if sys.excepthook is not sys.__excepthook__:
        sys.excepthook(kind, error, trace)
    else:
        traceback._print_exception_bltin(error)


def _end_of(trace: types.TracebackType | None) -> types.TracebackType | None:
    depth, each = 0, trace
    while each:
        depth, each = depth + 1, each.tb_next
    while trace and depth > DEEPEST_TRACEBACK:
        depth, trace = depth - 1, trace.tb_next
    return trace


def _is_ours(filename: str) -> bool:
    return "/inbrowser_guest/" in filename or filename == "<frozen runpy>" or filename.endswith("/runpy.py")


def _finish() -> int:
    """End as an interpreter ends: exit functions, then whatever is still open is written out."""
    import atexit

    code = _exit_code(atexit._run_exitfuncs)
    if main := sys.modules.get("__main__"):
        main.__dict__.clear()
    gc.collect()
    for each in gc.get_objects():
        if isinstance(each, io.TextIOWrapper | io.BufferedWriter | io.BufferedRandom):
            _flush(each)
    return code


def _flush(*streams: Any) -> None:
    for stream in streams:
        try:
            if not stream.closed and stream.writable():
                stream.flush()
        except (OSError, ValueError):
            # A full disk or a closed descriptor: the process has ended, and nobody is left to tell.
            continue
