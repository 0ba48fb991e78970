"""Records the page's demo anew, with what `python build.py test` has set up: `python -m tests.record_demo`.

web/demo/demo.jsonl is the recording of a session. Its notes are the conversation: `prompt`, and a `turn`
before each turn's calls. To change the demo, change notes and calls there, and run this: it makes the calls
in the built page's kernel, as a session would, and writes the log with the results there are now.
"""

import functools

from playwright.sync_api import sync_playwright

import build
from tests.conftest import CHROMIUM_FLAGS, Server

DEMO = build.WEB / "demo" / "demo.jsonl"

RECORD = """
from inbrowser.agent.sandbox import create_sandbox_agent_tools
from inbrowser.agent.tools import ToolCall, ToolContext
from inbrowser.sandbox import open_sandbox
from inbrowser.sandbox.replay import record
from inbrowser.sandbox.replay.log import CallEntry, NoteEntry, read_log

sandbox = await open_sandbox("demo")
tools = create_sandbox_agent_tools(sandbox)
recording = record(sandbox)
for _, entry in await read_log(log):
    if isinstance(entry, NoteEntry):
        recording.note(entry.name, entry.data)
    elif isinstance(entry, CallEntry):
        call = ToolCall(id=f"call_{entry.call}", name=entry.name, arguments=entry.arguments)
        await tools.execute(call, ToolContext("demo"))
await recording.stop()
"""


def main() -> None:
    """Make the log's calls in a browser and write the log that comes of it."""
    server = Server(functools.partial(build.StaticFiles, directory=str(build.DIST)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=build.find_chromium(), args=CHROMIUM_FLAGS)
        page = browser.new_page()
        page.goto(f"{server.url}/")
        script = "([code, log]) => import('./inbrowser.js').then((api) => api.runPython(code, { log }))"
        log = page.evaluate(script, [RECORD, DEMO.read_text()])
        browser.close()
    server.close()
    DEMO.write_text(log)
    build.say(f"{DEMO.relative_to(build.ROOT)} has {len(log.splitlines())} lines")


if __name__ == "__main__":
    main()
