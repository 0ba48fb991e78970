"""Output that is too long for a model: what it is shown of it, and how it gets at the rest."""

import io
import re
import zipfile
from typing import Any

from playwright.sync_api import Page

CUT = re.compile(
    r"\[\.\.\. ([\d,]+) characters \([\d,]+ lines\) left out of ([\d,]+); all of it is in (\S+) \.\.\.\]"
)


def tool(page: Page, name: str, **arguments: object) -> dict[str, Any]:
    return page.evaluate("([name, given]) => sandbox.tools.run(name, given)", [name, arguments])


def test_the_end_the_errors_and_the_exit_code_of_a_flood_are_shown(embedded: Page) -> None:
    result = tool(embedded, "bash", command="seq 1 2000000; echo BOOM >&2; exit 3")
    text = result["data"]["text"]
    assert result["summary"] == "exit code 3"
    assert len(text) < 31_000
    assert text.startswith("stdout:\n1\n2\n")
    assert "\n1999999\n2000000\nstderr:\nBOOM\n" in text
    log = result["data"]["output_log"]
    assert f"what was kept of it is in {log} ...]" in text
    assert "there was too much output, and some was dropped" in text
    assert tool(embedded, "bash", command=f"tail -3 {log}")["data"]["text"] == "2000000\nstderr:\nBOOM\n"


def test_all_of_it_is_in_a_file_that_read_pages_and_commands_search(embedded: Page) -> None:
    result = tool(embedded, "bash", command="seq 1 100000; echo oops >&2; seq 5")
    cut = CUT.search(result["data"]["text"])
    assert cut
    assert result["data"]["output_log"] == cut[3]
    whole = "".join(f"{number}\n" for number in range(1, 100_001)) + "oops\n1\n2\n3\n4\n5\n"
    assert int(cut[2].replace(",", "")) == len(whole)

    read, offset = "", 1
    while offset:
        page = tool(embedded, "read", path=cut[3], offset=offset, limit=40_000)
        read += re.sub(r"\[lines [^\]]*\]\s*$", "", page["data"]["text"])
        offset = page["data"].get("next_offset")
    assert read == whole
    found = tool(embedded, "bash", command=f"grep -n oops {cut[3]}; wc -l < {cut[3]}")
    assert found["data"]["text"] == "100001:oops\n100006\n"
    counted = tool(embedded, "python", code=f"print(open('{cut[3]}').read().count('oops'))")
    assert counted["data"]["text"] == "1\n"


def test_it_is_no_part_of_the_project(embedded: Page) -> None:
    embedded.evaluate("() => { window.seen = []; sandbox.on((event) => seen.push(event)) }")
    result = tool(embedded, "python", code="for i in range(20_000): print('line', i)")
    assert result["data"]["changed"] == []
    assert result["data"]["output_log"]
    assert embedded.evaluate("() => sandbox.fs.list('.')") == []
    assert embedded.evaluate("() => seen.filter(({ type }) => type === 'file')") == []
    archive = embedded.evaluate(
        """async () => {
          const archive = await sandbox.exportArchive();
          return Array.from(new Uint8Array(await new Response(archive).arrayBuffer()));
        }"""
    )
    with zipfile.ZipFile(io.BytesIO(bytes(archive))) as opened:
        assert opened.namelist() == []
    other = embedded.evaluate(
        """async (path) => {
          const other = await inbrowser.openSandbox();
          const { ok } = await other.tools.run("read", { path });
          await other.destroy();
          return ok;
        }""",
        result["data"]["output_log"],
    )
    assert other is False


def test_short_output_leaves_no_file(embedded: Page) -> None:
    assert tool(embedded, "bash", command="seq 100")["data"]["output_log"] is None
    assert tool(embedded, "bash", command="ls /tmp")["data"]["text"] == "(no output)"


def test_many_long_outputs_take_a_bounded_place(embedded: Page) -> None:
    for _ in range(10):
        log = tool(embedded, "bash", command="seq 1 500000")["data"]["output_log"]
    size, count = tool(embedded, "bash", command="cat /tmp/outputs/* | wc -c; ls /tmp/outputs | wc -l")[
        "data"
    ]["text"].split()
    assert int(size) <= 16 << 20
    assert int(count) <= 8
    assert tool(embedded, "read", path=log)["ok"]


def test_a_model_reads_clean_text_and_the_terminal_gets_the_colours(embedded: Page) -> None:
    embedded.evaluate(
        "() => { window.raw = ''; sandbox.on(({ type, text }) => { if (type === 'run:output') raw += text }) }"
    )
    progress = r"printf '10%%\r 50%%\r100%%\n'; printf '\e[1;31mred\e[0m \e]0;title\aplain\n'"
    assert tool(embedded, "bash", command=progress)["data"]["text"] == "100%\nred plain\n"
    assert embedded.evaluate("() => raw") == "10%\r 50%\r100%\n\x1b[1;31mred\x1b[0m \x1b]0;title\x07plain\n"
    bar = (
        "import sys, time\n"
        "for done in range(0, 101, 20):\n"
        "    print(f'\\r\\x1b[K\\x1b[32m{done:3}%\\x1b[0m', end='', flush=True)\nprint()"
    )
    assert tool(embedded, "python", code=bar)["data"]["text"] == "100%\n"
