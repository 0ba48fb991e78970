"""`subprocess`, `os.system` and friends: commands go to the sandbox's shell, outside of this process."""
# pyright: basic, reportAttributeAccessIssue=false, reportMissingImports=false, reportArgumentType=false

import io
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from .missing import NO_STACK_SWITCHING, host

PIPE, STDOUT, DEVNULL = subprocess.PIPE, subprocess.STDOUT, subprocess.DEVNULL


def connect() -> None:
    """Have commands run in the sandbox's shell."""
    subprocess.Popen = Popen
    os.system = system
    os.popen = popen


class Popen:
    """A command in the sandbox's shell; see `subprocess.Popen`.

    It starts when its input is complete: at once, or with `stdin=PIPE` when that is closed or waited for. Its
    output comes when it ends.
    """

    _next_pid = 1000

    def __init__(
        self,
        args: str | bytes | os.PathLike[str] | Sequence[Any],
        bufsize: int = -1,
        executable: Any = None,
        stdin: Any = None,
        stdout: Any = None,
        stderr: Any = None,
        preexec_fn: Any = None,
        close_fds: bool = True,
        shell: bool = False,
        cwd: Any = None,
        env: Any = None,
        universal_newlines: bool | None = None,
        startupinfo: Any = None,
        creationflags: int = 0,
        restore_signals: bool = True,
        start_new_session: bool = False,
        pass_fds: Any = (),
        *,
        user: Any = None,
        group: Any = None,
        extra_groups: Any = None,
        encoding: str | None = None,
        errors: str | None = None,
        text: bool | None = None,
        umask: int = -1,
        pipesize: int = -1,
        process_group: Any = None,
    ) -> None:
        if not host().stackSwitching:
            raise OSError(
                NO_STACK_SWITCHING.format(what="another process; run the command from the shell instead")
            )
        Popen._next_pid += 1
        self.args = args
        self.pid = Popen._next_pid
        self.returncode: int | None = None
        self._cwd = os.path.abspath(os.fspath(cwd)) if cwd is not None else os.getcwd()
        if not os.path.isdir(self._cwd):
            raise FileNotFoundError(2, os.strerror(2), self._cwd)
        self._env = {os.fsdecode(k): os.fsdecode(v) for k, v in (os.environ if env is None else env).items()}
        self._command = _command(args, shell)
        self._text = bool(encoding or errors or text or universal_newlines)
        self._encoding, self._errors = encoding or "utf-8", errors or "strict"
        self._targets = stdout, stderr
        self._child: Any = None
        self._killed: int | None = None
        self.stdin: Any = None
        self.stdout: Any = None
        self.stderr: Any = None
        if stdin == PIPE:
            self.stdin = self._stream(_Input(self._start), "w")
        if stdout == PIPE:
            self.stdout = self._stream(_Output(self), "r")
        if stderr == PIPE:
            self.stderr = self._stream(_Output(self), "r")
        if stdin != PIPE:
            self._start(_given(stdin))

    def __enter__(self) -> "Popen":
        return self

    def __exit__(self, *_exc: object) -> None:
        if self.stdin:
            self.stdin.close()
        self.wait()

    def __class_getitem__(cls, _item: object) -> type["Popen"]:
        return cls

    def poll(self) -> int | None:
        """Return the exit code of a command that has ended, or None."""
        if self.returncode is None and self._child is not None and self._done():
            self._collect()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end; returns the exit code. Raises TimeoutExpired."""
        if self.returncode is None:
            if self._child is None and self.stdin is not None:
                self.stdin.close()
            self._collect(timeout)
        assert self.returncode is not None
        return self.returncode

    def communicate(self, input: Any = None, timeout: float | None = None) -> tuple[Any, Any]:
        """Give all input, wait, and return all of standard output and of errors."""
        if self.stdin is not None and not self.stdin.closed:
            if input:
                self.stdin.write(input)
            self.stdin.close()
        self.wait(timeout)
        return self.stdout and self.stdout.read(), self.stderr and self.stderr.read()

    def send_signal(self, signal: int) -> None:
        """End the command; whatever the signal, it has no say in it."""
        if self.returncode is None and self._child is not None:
            self._killed = int(signal)
            host().kill(self._child.id)

    def terminate(self) -> None:
        """End the command."""
        self.send_signal(15)

    def kill(self) -> None:
        """End the command."""
        self.send_signal(9)

    def _stream(self, raw: io.RawIOBase, mode: str) -> Any:
        buffered: Any = io.BufferedWriter(raw) if mode == "w" else io.BufferedReader(raw)
        if not self._text:
            return buffered
        return io.TextIOWrapper(buffered, self._encoding, self._errors, write_through=True)

    def _start(self, input: bytes) -> None:
        from pyodide.ffi import to_js

        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        text = json.dumps({"command": self._command, "cwd": self._cwd, "env": self._env})
        self._child = host().spawn(text, to_js(input))

    def _done(self) -> bool:
        from pyodide.ffi import run_sync

        return bool(run_sync(host().settled(self._child.outcome)))

    def _collect(self, timeout: float | None = None) -> None:
        import asyncio

        from pyodide.ffi import run_sync

        async def outcome() -> Any:
            return await self._child.outcome

        try:
            ended = run_sync(asyncio.wait_for(outcome(), timeout))
        except TimeoutError:
            raise subprocess.TimeoutExpired(self.args, timeout or 0) from None
        out, err = bytes(ended.stdout.to_py()), bytes(ended.stderr.to_py())
        self.returncode = ended.exitCode if self._killed is None else -self._killed
        if self._targets[1] == STDOUT:
            out, err = out + err, b""
        for data, target, stream, default in (
            (out, self._targets[0], self.stdout, sys.stdout),
            (err, self._targets[1], self.stderr, sys.stderr),
        ):
            if stream is not None:
                raw = stream.buffer.raw if self._text else stream.raw
                raw.fill(data)
            elif data and target not in (DEVNULL, STDOUT):
                _put(data, default if target is None else target)


def system(command: str | bytes | os.PathLike[str]) -> int:
    """Run a command line; returns its wait status, as on Linux. See `os.system`."""
    code = Popen(command, shell=True).wait()
    return code << 8 if code >= 0 else -code


def popen(cmd: str, mode: str = "r", buffering: int = -1) -> Any:
    """Return a stream from or to a command line; see `os.popen`."""
    if mode not in ("r", "w"):
        raise ValueError(f"invalid mode {mode!r}")
    pipe = {"stdout": PIPE} if mode == "r" else {"stdin": PIPE}
    process = Popen(cmd, shell=True, text=True, **pipe)
    return os._wrap_close(process.stdout or process.stdin, process)


class _Input(io.RawIOBase):
    """Collects what a command is given, and starts it when that is complete."""

    def __init__(self, start: Any) -> None:
        self._start = start
        self._given = io.BytesIO()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return self._given.write(data)

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._start(self._given.getvalue())


class _Output(io.RawIOBase):
    """What a command put out; to read it is to wait for its end."""

    def __init__(self, process: Popen) -> None:
        self._process = process
        self._data: io.BytesIO | None = None

    def fill(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._data is None:
            self._process.wait()
        assert self._data is not None
        return self._data.readinto(buffer)


def _command(args: Any, shell: bool) -> str | list[str]:
    if isinstance(args, str | bytes | os.PathLike):
        line = os.fsdecode(args)
        return line if shell else [line]
    words = [os.fsdecode(each) for each in args]
    if not words:
        raise IndexError("list index out of range")
    # `sh -c line name args...`
    return shlex.join(["bash", "-c", *words]) if shell else words


def _given(stdin: Any) -> bytes:
    if stdin is None or stdin == DEVNULL:
        return b""
    if isinstance(stdin, int):
        pieces: list[bytes] = []
        while piece := os.read(stdin, 65536):
            pieces.append(piece)
        return b"".join(pieces)
    data = stdin.read()
    return data.encode() if isinstance(data, str) else data


def _put(data: bytes, target: Any) -> None:
    if isinstance(target, int):
        os.write(target, data)
        return
    if hasattr(target, "buffer"):
        target.flush()
        target = target.buffer
    try:
        target.write(data)
    except TypeError:
        target.write(data.decode(errors="replace"))
    target.flush()
