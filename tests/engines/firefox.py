"""Firefox by WebDriver BiDi: JSON over a WebSocket (https://w3c.github.io/webdriver-bidi/)."""

import base64
import itertools
import json
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from websockets.sync.client import connect

from tests.engines.driver import SECONDS, Engine, Page, PageError
from tests.engines.process import Process

PREFERENCES = {
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "dom.disable_open_during_load": False,
    # Else a visitor is asked whether what a page stores is to be kept.
    "dom.storageManager.prompt.testing": True,
    "dom.storageManager.prompt.testing.allow": True,
    # Tests watch for packets on this machine.
    "media.peerconnection.ice.loopback": True,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.settings.server": "data:,#no-remote-settings/v1",
    "toolkit.telemetry.reportingpolicy.firstRun": False,
}


class FirefoxPage(Page):
    def __init__(self, firefox: "Firefox", context: str) -> None:
        self._firefox = firefox
        self._context = context

    def _send(self, method: str, seconds: float = SECONDS, **params: Any) -> dict[str, Any]:
        return self._firefox.send(method, seconds, **params)

    def goto(self, url: str) -> None:
        self._send("browsingContext.navigate", context=self._context, url=url, wait="complete")

    def reload(self) -> None:
        self._send("browsingContext.reload", context=self._context, wait="complete")

    def screenshot(self) -> bytes:
        return base64.b64decode(
            self._send("browsingContext.captureScreenshot", context=self._context)["data"]
        )

    def close(self) -> None:
        self._send("browsingContext.close", context=self._context)

    def _call(self, function: str, text: str, seconds: float) -> str:
        result = self._send(
            "script.callFunction",
            seconds,
            functionDeclaration=function,
            arguments=[{"type": "string", "value": text}],
            target={"context": self._context},
            awaitPromise=True,
            userActivation=True,
        )
        if result["type"] == "exception":
            raise PageError(result["exceptionDetails"]["text"])
        return result["result"]["value"]


class Firefox(Engine):
    name = "Firefox"

    def __init__(self, binary: str) -> None:
        self._profile = tempfile.mkdtemp(prefix="inbrowser-firefox-")
        lines = [
            f"user_pref({json.dumps(key)}, {json.dumps(value)});\n" for key, value in PREFERENCES.items()
        ]
        (Path(self._profile) / "user.js").write_text("".join(lines))
        options = ["--headless", "--no-remote", "--profile", self._profile, "--remote-debugging-port", "0"]
        size = {"MOZ_HEADLESS_WIDTH": "1440", "MOZ_HEADLESS_HEIGHT": "900"}
        self._open = ExitStack()
        self._open.callback(shutil.rmtree, self._profile, ignore_errors=True)
        self._process = Process([binary, *options], env=size)
        self._open.callback(self._process.stop)
        self._numbers = itertools.count(1)
        self._printed: list[str] = []
        try:
            url = self._process.wait_for(r"WebDriver BiDi listening on (ws://\S+)")[1]
            socket = connect(f"{url}/session", max_size=None, ping_interval=None, compression=None)
            self._socket = self._open.enter_context(socket)
            started = self.send("session.new", capabilities={})
            self.version = started["capabilities"]["browserVersion"]
            self.send("session.subscribe", events=["log.entryAdded"])
        except BaseException:
            self._open.close()
            raise

    def send(self, method: str, seconds: float = SECONDS, **params: Any) -> dict[str, Any]:
        """Send a command and return its result."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv(seconds))
            if message.get("id") == number:
                break
            if message.get("method") == "log.entryAdded":
                entry = message["params"]
                self._printed.append(f"{entry['type']} {entry['level']}: {entry['text']}\n")
        if message["type"] == "error":
            raise PageError(f"{method}: {message['message']}")
        return message["result"]

    def open(self, url: str) -> Page:
        page = FirefoxPage(self, self.send("browsingContext.create", type="tab")["context"])
        page.goto(url)
        return page

    def close(self) -> None:
        self._open.close()

    @property
    def log(self) -> str:
        return self._process.log + "".join(self._printed[-400:])
