"""What holds for any line and any name, on CPython alone: hypothesis has a native part."""

import asyncio
import shlex
import tempfile
from pathlib import Path

import pytest
from inbrowser.sandbox.command_lines import needs_more
from inbrowser.sandbox.completion import complete
from inbrowser.sandbox.files import DirectoryFileSystem

pytest.importorskip("hypothesis")

from hypothesis import given, settings
from hypothesis import strategies as st

names = st.text(alphabet="ab. '\"\\$`#;&|<>(){}=~!*?[]\n\tß😀", min_size=1, max_size=8).filter(
    lambda name: name not in (".", "..") and not name.startswith((".", "~"))
)


async def commands() -> list[str]:
    return ["echo"]


@settings(deadline=None)
@given(line=st.text(alphabet="ace/. '\"\\$`#;&|<>(){}=~\n😀", max_size=30), cursor=st.integers(-3, 40))
def test_any_line_can_be_asked_about(line: str, cursor: int) -> None:
    with tempfile.TemporaryDirectory() as root:
        (Path(root) / "a").write_text("")
        trees = {"/project": DirectoryFileSystem(root)}
        found = asyncio.run(complete(line, cursor, cwd="/project", trees=trees, commands=commands))
    assert 0 <= found.start <= found.end <= len(line)
    assert found.candidates or not found.common
    needs_more(line)


@settings(deadline=None)
@given(name=names, quote=st.sampled_from(["", "'"]), folder=st.sampled_from(["", "b c/"]))
def test_a_shell_reads_what_is_put_in_as_the_name(name: str, quote: str, folder: str) -> None:
    line = f"cat {quote}{folder if quote else folder.replace(' ', chr(92) + ' ')}"
    with tempfile.TemporaryDirectory() as root:
        (Path(root) / "b c").mkdir()
        target = Path(root) / folder / name
        if target.exists():
            return
        target.write_text("")
        start = name[:1] if not folder and name[0].isalpha() else ""
        trees = {"/project": DirectoryFileSystem(root)}
        found = asyncio.run(complete(line + start, cwd="/project", trees=trees, commands=commands))
    if len(found.candidates) == 1:
        assert shlex.split(line[: found.start] + found.common) == ["cat", folder + name]
    assert name in found.candidates
