"""WebKitGTK's MiniBrowser on a display of its own, by plain WebDriver (https://w3c.github.io/webdriver/)."""

import base64
import http.client
import json
import os
import select
import socket
import time
from typing import Any

from tests.engines.driver import SECONDS, Engine, Page, PageError
from tests.engines.process import Process

ASYNC = """const [text, done] = arguments;
(%s)(text).then((value) => done({ value }), (error) => done({ error: `${error?.name}: ${error?.message ?? error}` }));"""
OPTIONS = [
    "--automation",
    "--enable-write-console-messages-to-stdout=true",
]
START_SECONDS = 30


class WebKitPage(Page):
    def __init__(self, webkit: "WebKit") -> None:
        self._send = webkit.send

    def goto(self, url: str) -> None:
        self._send("POST", "/url", {"url": url})

    def reload(self) -> None:
        self._send("POST", "/refresh", {})

    def screenshot(self) -> bytes:
        return base64.b64decode(self._send("GET", "/screenshot"))

    def close(self) -> None:
        self.goto("about:blank")

    def _call(self, function: str, text: str, seconds: float) -> str:
        body = {"script": ASYNC % function, "args": [text]}
        answer = self._send("POST", "/execute/async", body, seconds)
        if "error" in answer:
            raise PageError(answer["error"])
        return answer["value"]


class WebKit(Engine):
    name = "WebKit"

    def __init__(self, driver: str) -> None:
        self._processes: list[Process] = []
        self._session = ""
        try:
            display = self._start_display()
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                self._port = free.getsockname()[1]
            command = [driver, "--host=127.0.0.1", f"--port={self._port}"]
            env = {
                "DISPLAY": display,
                "GDK_BACKEND": "x11",
                "LIBGL_ALWAYS_SOFTWARE": "1",
                "NO_AT_BRIDGE": "1",
            }
            self._processes.append(Process(command, env=env))
            self._wait_for_driver()
            timeouts = {"script": 600_000, "pageLoad": 60_000}
            capabilities = {"webkitgtk:browserOptions": {"args": OPTIONS}, "timeouts": timeouts}
            started = self.send("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
            self._session = f"/session/{started['sessionId']}"
            self.version = started["capabilities"]["browserVersion"]
        except BaseException as error:
            log = self.log
            self._end()
            raise RuntimeError(f"WebKit did not start: {error}\n{log}") from error

    def send(self, method: str, path: str, body: object = None, seconds: float = SECONDS) -> Any:
        """Send a command and return its value."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=seconds)
        try:
            connection.request(method, self._session + path, None if body is None else json.dumps(body))
            value = json.loads(connection.getresponse().read())["value"]
        finally:
            connection.close()
        if isinstance(value, dict) and "stacktrace" in value:
            raise PageError(f"{method} {path}: {value['error']}: {value['message']}")
        return value

    def open(self, url: str) -> Page:
        """Go there in the one tab there is: those that automation adds stay hidden, and are never painted."""
        page = WebKitPage(self)
        page.goto(url)
        return page

    def close(self) -> None:
        try:
            self.send("DELETE", "")
        finally:
            self._end()

    def _start_display(self) -> str:
        """Start Xvfb on a number that it finds free itself."""
        reading, writing = os.pipe()
        screen = ["-screen", "0", "1440x900x24", "-nolisten", "tcp"]
        xvfb = Process(["Xvfb", "-displayfd", str(writing), *screen], pass_fds=[writing])
        self._processes.append(xvfb)
        os.close(writing)
        with os.fdopen(reading) as told:
            ready, _, _ = select.select([told], [], [], START_SECONDS)
            number = told.readline().strip() if ready else ""
        if not number:
            raise RuntimeError("Xvfb did not start")
        return f":{number}"

    def _wait_for_driver(self) -> None:
        end = time.monotonic() + START_SECONDS
        while True:
            try:
                return self.send("GET", "/status")
            except OSError:
                if time.monotonic() > end or not self._processes[-1].running:
                    raise
                time.sleep(0.05)

    def _end(self) -> None:
        for process in reversed(self._processes):
            process.stop()

    @property
    def log(self) -> str:
        return "".join(process.log for process in self._processes)
