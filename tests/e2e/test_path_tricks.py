"""Paths that try to lead out of the project: by tools, by commands and by Python, whoever made the link."""

import unicodedata
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.e2e.commands import output, run
from tests.e2e.test_processes import embedded

__all__ = ["embedded"]

# Where links lead: to what is there in the kernel or in a process, to what is not there yet, and up from below.
TARGETS = {
    "a file": "/lib/python314.zip",
    "a folder": "/lib",
    "nothing": "/lib/python3.14/planted.py",
    "up to a folder": "../../../../../../lib",
    "up to nothing": "../../planted.txt",
    "another sandbox": "/sandboxes",
}
MAKE = {
    "the shell": "ln -s '{}' link",
    "a process": 'python -c \'import os; os.symlink("{}", "link")\'',
}
# In the kernel, what nobody may have made or changed.
UNTOUCHED = """
import os, sys
found = [os.path.join(top, name) for root in ("/lib", "/sandboxes", "/home", "/etc") if os.path.isdir(root)
         for top, _, names in os.walk(root) for name in names if "planted" in name]
found += [name for name in os.listdir("/") if "planted" in name]
with open("/lib/python314.zip", "rb") as file:
    whole = file.read(2) == b"PK"
[found, whole]
"""


def tool(page: Page, name: str, **arguments: object) -> dict[str, Any]:
    return page.evaluate("([name, given]) => sandbox.tools.run(name, given)", [name, arguments])


def assert_untouched(page: Page) -> None:
    assert page.evaluate("(code) => inbrowser.runPython(code)", UNTOUCHED) == [[], True]


@pytest.mark.parametrize("maker", MAKE.values(), ids=MAKE.keys())
@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS.keys())
def test_no_link_leads_out(embedded: Page, target: str, maker: str) -> None:
    output(embedded, maker.format(target))
    for path in ("link", "link/planted.txt", "link/python3.14/planted.py"):
        for name, more in (
            ("read", {}),
            ("write", {"content": "evil"}),
            ("edit", {"edits": [{"old": "a", "new": "evil"}]}),
        ):
            result = tool(embedded, name, path=path, **more)
            assert not result["ok"], (name, path, result)
            assert "Traceback" not in result["summary"]
    assert "leads out of the sandbox's root" in tool(embedded, "read", path="link")["summary"]
    assert "/project/" in tool(embedded, "write", path="link", content="evil")["summary"]
    for name, more in (("grep", {"pattern": "def"}), ("find", {"pattern": "*.py"}), ("ls", {})):
        assert not tool(embedded, name, path="link", **more)["ok"]

    # The shell has no such places. A process has its own, and they end with it.
    run(embedded, "echo evil > link; echo evil > link/planted.txt; cp link copy; cat link/* > all")
    code = (
        "for p in ('link', 'link/planted.py', 'link/python3.14/planted.py'):\n"
        "  try: open(p, 'w').write('evil')\n  except OSError: pass\n"
    )
    embedded.evaluate("(code) => sandbox.fs.write('evil.py', code)", code)
    output(embedded, "python evil.py")
    assert_untouched(embedded)
    assert output(embedded, "python -c 'import importlib.util as u; print(u.find_spec(\"planted\"))'") == (
        "None\n"
    )
    # The link itself is a file like any other, and the project is as whole as before.
    assert output(embedded, "rm link; ls -d link 2>/dev/null || echo gone") == "gone\n"


@pytest.mark.parametrize(
    "path",
    ["../../etc/planted", "/lib/python3.14/os.py", "/etc/passwd", "a/../../planted"],
)
def test_no_path_leads_out(embedded: Page, path: str) -> None:
    written = tool(embedded, "write", path=path, content="evil")
    read = tool(embedded, "read", path=path)
    assert "leads out of the sandbox's root" in written["summary"]
    assert "leads out of the sandbox's root" in read["summary"]
    run(embedded, f"mkdir -p $(dirname {path}); echo evil > {path}")
    assert_untouched(embedded)
    # An interpreter that was broken in one process is whole in the next.
    run(embedded, f'python -c \'open({path!r}, "w").write("raise SystemExit(9)")\'')
    assert output(embedded, "python -c 'import os, json; print(json.dumps(1))'") == "1\n"


def test_what_python_breaks_of_itself_is_whole_in_the_next_process_and_in_the_kernel(embedded: Page) -> None:
    embedded.evaluate(
        "(code) => sandbox.fs.write('poison.py', code)",
        "import json, sys, os\njson.loads = None\n"
        "os.makedirs('/lib/python3.14', exist_ok=True)\n"
        "open('/lib/python3.14/planted.py', 'w').write('x = 1')\n"
        "for path in list(sys.path):\n"
        "  try: open(os.path.join(path, 'json.py'), 'w').write('raise SystemExit(9)')\n"
        "  except OSError: pass\n",
    )
    run(embedded, "cd /tmp && python /project/poison.py; rm -f /project/json.py /tmp/json.py")
    assert output(embedded, "python -c 'import json; print(json.loads(\"[1]\"))'") == "[1]\n"
    assert_untouched(embedded)
    assert embedded.evaluate("() => inbrowser.runPython('import json; json.loads(\"[2]\")')") == [2]


def test_names_that_no_file_can_have_are_named(embedded: Page) -> None:
    long, nul = "n" * 300, "a\0b"
    for path, says in ((long, "is longer than 255 bytes"), (nul, "holds a NUL character"), ("", "empty")):
        for name, more in (("write", {"content": "x"}), ("read", {})):
            result = tool(embedded, name, path=path, **more)
            assert not result["ok"]
            assert says in result["summary"]
    shell = run(embedded, f"echo x > {long}; echo $?; mkdir {long}; touch {long}")
    assert shell["stdout"] == "1\n"
    assert shell["stderr"].count("File name too long") == 3
    python = run(embedded, f'python -c \'open("{long}", "w")\'')
    assert "Filename too long" in python["stderr"]
    assert "embedded null" in run(embedded, 'python -c \'open("a\\0b", "w")\'')["stderr"]
    assert output(embedded, "ls -A") == ""


def test_two_unicode_forms_of_a_name_are_two_names_for_everybody(embedded: Page) -> None:
    composed, decomposed = (unicodedata.normalize(form, "café.txt") for form in ("NFC", "NFD"))
    assert tool(embedded, "write", path=composed, content="composed")["ok"]
    output(embedded, f"printf decomposed > {decomposed}")
    assert tool(embedded, "read", path=decomposed)["data"]["text"] == "decomposed"
    assert tool(embedded, "read", path=composed)["data"]["text"] == "composed"
    assert output(embedded, f"cat {composed}; ls | wc -l") == "composed2\n"
    assert output(embedded, "python -c 'import os; print(len(os.listdir()), len(set(os.listdir())))'") == (
        "2 2\n"
    )
