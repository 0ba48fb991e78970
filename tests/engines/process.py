"""A browser's process with all its children: what it prints, and a sure end."""

import contextlib
import os
import re
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Sequence

LOG_LINES = 400
END_SECONDS = 10.0


class Process:
    """A command in a process group of its own; the last lines that it prints are kept."""

    def __init__(
        self, command: Sequence[str], *, env: dict[str, str] | None = None, pass_fds: Sequence[int] = ()
    ) -> None:
        self.name = os.path.basename(command[0])
        self._lines: deque[str] = deque(maxlen=LOG_LINES)
        self._printed = threading.Condition()
        self._ended = False
        self._popen = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(env or {})},
            pass_fds=pass_fds,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def log(self) -> str:
        """What it printed last."""
        with self._printed:
            return f"--- {self.name} ---\n" + "".join(self._lines)

    @property
    def running(self) -> bool:
        return self._popen.poll() is None

    def wait_for(self, pattern: str, seconds: float = 60) -> re.Match[str]:
        """Wait until it prints a line in which the pattern is found."""
        found: list[re.Match[str]] = []

        def looked() -> bool:
            found.extend(match for line in self._lines if (match := re.search(pattern, line)))
            return bool(found) or self._ended

        with self._printed:
            self._printed.wait_for(looked, seconds)
        if not found:
            raise RuntimeError(f"{self.name} did not start: no line with {pattern!r}\n{self.log}")
        return found[0]

    def stop(self) -> None:
        """End it and all that it started."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            self._signal(number)
            try:
                self._popen.wait(END_SECONDS)
                break
            except subprocess.TimeoutExpired:
                continue
        self._signal(signal.SIGKILL)  # Children that outlived their parent.
        self._reader.join(END_SECONDS)

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._popen.pid, number)

    def _read(self) -> None:
        assert self._popen.stdout
        with self._popen.stdout as output:
            for line in output:
                with self._printed:
                    self._lines.append(line.decode(errors="replace"))
                    self._printed.notify_all()
        with self._printed:
            self._ended = True
            self._printed.notify_all()
