"""The scripts of tests/shell in the real shell: they do what bash did when it was recorded."""

import json
from typing import Any

from playwright.sync_api import Page

from tests.shell.record import HERE, content, scripts

KNOWN_MISSES = {
    "array-mapfile": "mapfile -d is not known",
    "array-slices": "${list[@]^} changes the first element alone",
    "awk-printf": "awk shows large whole numbers as they are, as GNU's does, and not as 1e+11",
    "coproc": "there is no coproc",
    "fold-fmt-expand": "fmt breaks lines at other places",
    "redirect-both": "where both streams go to one place, a command's errors come after its output",
}
"""Scripts that come out otherwise, and why. Once one comes out right it has to leave this list."""

RUN = """
import os
from inbrowser.sandbox import open_sandbox

sandbox = await open_sandbox()
results = []
for script in scripts:
    for status in await sandbox.fs.list():
        await sandbox.fs.remove(status.path, recursive=True)
    for path, data in files.items():
        await sandbox.fs.write(path, data)
    before = await tree(sandbox)
    result = await sandbox.runtime.run(script, timeout=20)
    results.append([result.stdout, result.exit_code, before, await tree(sandbox)])
await sandbox.destroy()
results
"""

TREE = """
async def tree(sandbox, folder="."):
    found = {}
    for status in await sandbox.fs.list(folder):
        if status.kind == "directory":
            found[status.path + "/"] = ""
            found.update(await tree(sandbox, status.path))
        elif status.kind == "symlink":
            found[status.path] = "link"
        else:
            found[status.path] = (await sandbox.fs.read_bytes(status.path)).hex()
    return found
"""


def test_scripts_do_what_bash_does(embedded: Page) -> None:
    recorded = [json.loads(line) for line in (HERE / "expected.jsonl").read_text().splitlines()]
    fixture = json.loads((HERE / "fixture.json").read_text())
    written = scripts()
    assert [each["name"] for each in recorded] == list(written), (
        "record the scripts anew: tests/shell/record.py"
    )
    given = {
        "scripts": list(written.values()),
        "files": {path: content(text).hex() for path, text in fixture.items()},
    }
    decode = "files = {path: bytes.fromhex(data) for path, data in files.items()}\n"
    results = embedded.evaluate(
        "([code, given]) => inbrowser.runPython(code, given)", [TREE + decode + RUN, given]
    )
    misses = {
        expected["name"]: difference
        for expected, result in zip(recorded, results, strict=True)
        if (difference := _difference(expected, *result))
    }
    assert {name: text for name, text in misses.items() if name not in KNOWN_MISSES} == {}
    assert set(KNOWN_MISSES) - set(misses) == set(), "these come out right now"


def _difference(
    expected: dict[str, Any], stdout: str, exit_code: int, before: dict[str, str], after: dict[str, str]
) -> str:
    """Tell in what a script came out otherwise than recorded."""
    if stdout != expected["stdout"]:
        return f"put out {stdout!r} and not {expected['stdout']!r}"
    if exit_code != expected["exit_code"]:
        return f"ended with {exit_code} and not {expected['exit_code']}"
    for path in {*before, *after, *expected["changed"]}:
        changed = before.get(path) != after.get(path)
        wanted = expected["changed"].get(path)
        if path not in expected["changed"]:
            if changed and not path.endswith((".tgz", ".tar", ".zip", ".gz")):
                return f"changed {path}"
        elif after.get(path) != _recorded(wanted):
            return f"left {path} as {after.get(path)}"
    return ""


def _recorded(text: str | None) -> str | None:
    """A recorded file as it is compared."""
    if text is None or text == "":
        return text
    return "link" if text.startswith("link:") else content(text).hex()
