"""A browser that is killed loses nothing that was acknowledged, and leaves no file half written."""

import functools
import os
import random
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserType, Page

import build
from tests.conftest import CHROMIUM_FLAGS, TESTS, Server

KILLS = int(os.environ.get("INBROWSER_CRASHES", "6"))
"""More of them take about four seconds each."""

# Runs here and in the kernel: one step changes files in several ways, without giving way to anything else.
STEP = """
import hashlib, os, random, shutil

def step(root, number):
    chance = random.Random(number)
    folder = f"{root}/d{number % 4}"
    os.makedirs(folder, exist_ok=True)
    for name in range(chance.randrange(1, 4)):
        with open(f"{folder}/{name}.txt", "w") as file:
            file.write(f"step {number}\\n" * chance.randrange(2000))
    with open(f"{root}/log.bin", "ab") as file:
        file.write(chance.randbytes(chance.randrange(60_000)))
    if number % 5 == 1 and os.path.isdir(f"{root}/d0"):
        shutil.rmtree(f"{root}/moved", ignore_errors=True)
        os.rename(f"{root}/d0", f"{root}/moved")
    if number % 11 == 10:
        os.truncate(f"{root}/log.bin", 300_000)
    with open(f"{root}/new", "w") as file:
        file.write(str(number))
    os.replace(f"{root}/new", f"{root}/number.txt")

def tree(root):
    found = {}
    for folder, folders, files in os.walk(root):
        for name in [*folders, *files]:
            place = os.path.join(folder, name)
            found[os.path.relpath(place, root)] = "directory"
            if os.path.isfile(place):
                with open(place, "rb") as file:
                    content = file.read()
                found[os.path.relpath(place, root)] = f"{len(content)} {hashlib.sha256(content).hexdigest()}"
    return found
"""

OPEN = (
    STEP
    + """
from inbrowser.sandbox import open_sandbox
sandbox = await open_sandbox("crash", storage="indexeddb")
root = sandbox._parts.fs.root
[tree(root), int(await sandbox.fs.read_text("number.txt")) if await sandbox.fs.exists("number.txt") else 0]
"""
)

# Posted as steps are acknowledged, so that it is known here whatever happens to the browser.
WORK = """
from itertools import count
from js import fetch
for number in count(first):
    step(root, number)
    if number % 3 == 0:
        await sandbox.flush()
        await fetch(f"{url}/saved/{number}")
    else:
        await fetch(f"{url}/done/{number}")
"""


class Reports(build.StaticFiles):
    """Serves the page and notes what it reports."""

    saved = done = 0
    arrived = threading.Condition()

    @classmethod
    def wait_for(cls, number: int) -> None:
        with cls.arrived:
            assert cls.arrived.wait_for(lambda: cls.done >= number, timeout=60)

    def do_GET(self) -> None:
        kind, _, number = self.path.strip("/").partition("/")
        if kind not in ("saved", "done"):
            super().do_GET()
            return
        with Reports.arrived:
            Reports.done = int(number)
            if kind == "saved":
                Reports.saved = int(number)
            Reports.arrived.notify_all()
        self.send_response(204)
        self.end_headers()


@pytest.fixture
def reporting_site(tmp_path: Path) -> Iterator[str]:
    shutil.copytree(build.DIST, tmp_path / "host")
    shutil.copytree(TESTS / "e2e" / "pages", tmp_path / "host" / "pages")
    server = Server(functools.partial(Reports, directory=str(tmp_path / "host")))
    yield server.url
    server.close()


class Chromium:
    """A browser of our own that can be killed with all its processes."""

    def __init__(self, chromium: BrowserType, profile: str) -> None:
        self._process = subprocess.Popen(
            [
                build.find_chromium(),
                *CHROMIUM_FLAGS,
                "--headless",
                "--remote-debugging-port=0",
                f"--user-data-dir={profile}",
                "about:blank",
            ],
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self._process.stderr
        line = next(line for line in self._process.stderr if "DevTools listening on" in line)
        self._reader = threading.Thread(target=self._process.stderr.read, daemon=True)
        self._reader.start()
        self.browser = chromium.connect_over_cdp(line.split()[-1])
        self.page: Page = self.browser.contexts[0].new_page()

    def kill(self) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._reader.join()
        assert self._process.stderr
        self._process.stderr.close()


def test_a_killed_browser_leaves_a_whole_state_that_is_no_older_than_the_last_flush(
    browser: Any, reporting_site: str, tmp_path: Path
) -> None:
    twin = Twin(tmp_path / "twin")
    profile = tempfile.mkdtemp(dir=tmp_path)
    chance = random.Random(20261202)
    for _ in range(KILLS + 1):
        chromium = Chromium(browser.browser_type, profile)
        try:
            chromium.page.goto(f"{reporting_site}/pages/embed.html")
            found, number = chromium.page.evaluate("(code) => inbrowser.runPython(code)", OPEN)
            assert number >= Reports.saved, f"step {Reports.saved} was acknowledged, {number} is there"
            assert found == twin.after(number), f"not the state after step {number}"
            work = f"first, url = {number + 1}, {reporting_site!r}\n{WORK}"
            chromium.page.evaluate("(code) => void inbrowser.runPython(code)", work)
            Reports.wait_for(number + chance.randrange(1, 40))
        finally:
            chromium.kill()


class Twin:
    """What the tree must be after each step, found on a directory here."""

    def __init__(self, root: Path) -> None:
        root.mkdir()
        self._root = str(root)
        self._names: dict[str, Any] = {}
        exec(STEP, self._names)
        self._trees: list[dict[str, str]] = [{}]

    def after(self, number: int) -> dict[str, str]:
        while len(self._trees) <= number:
            self._names["step"](self._root, len(self._trees))
            self._trees.append(self._names["tree"](self._root))
        return self._trees[number]
