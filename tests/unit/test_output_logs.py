"""Long outputs that are kept in /tmp: how many, how large, and what becomes of the oldest."""

import asyncio
from pathlib import Path

import pytest
from inbrowser.sandbox.files import DirectoryFileSystem
from inbrowser.sandbox.tools import output_logs
from inbrowser.sandbox.tools.output_logs import keep_output


def keep(scratch: DirectoryFileSystem, *outputs: str) -> list[str | None]:
    """Keep outputs one after the other; returns their paths."""
    return [asyncio.run(keep_output(scratch, output)) for output in outputs]


@pytest.fixture
def scratch(tmp_path: Path) -> DirectoryFileSystem:
    return DirectoryFileSystem(str(tmp_path), "/tmp")


def test_each_gets_a_name_of_its_own_by_which_it_is_read(scratch: DirectoryFileSystem) -> None:
    assert keep(scratch, "one\n", "zwö\udc80") == ["/tmp/outputs/1.log", "/tmp/outputs/2.log"]
    assert asyncio.run(scratch.read_text("/tmp/outputs/1.log")) == "one\n"
    assert asyncio.run(scratch.read_text("/tmp/outputs/2.log")) == "zwö?"


def test_there_are_never_too_many(scratch: DirectoryFileSystem) -> None:
    paths = keep(scratch, *map(str, range(20)))
    left = [f"/tmp/{status.path}" for status in asyncio.run(scratch.list("outputs"))]
    assert sorted(left) == sorted(str(path) for path in paths[-output_logs.KEPT :])


def test_together_they_take_no_more_than_the_limit_and_the_last_is_always_there(
    scratch: DirectoryFileSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output_logs, "KEPT_BYTES", 100)
    keep(scratch, "a" * 40, "b" * 40, "c" * 40)
    assert [status.path for status in asyncio.run(scratch.list("outputs"))] == [
        "outputs/2.log",
        "outputs/3.log",
    ]
    keep(scratch, "d" * 400)
    assert [status.path for status in asyncio.run(scratch.list("outputs"))] == ["outputs/4.log"]


def test_what_others_put_there_stays(scratch: DirectoryFileSystem) -> None:
    asyncio.run(scratch.write("outputs/mine.log", "x"))
    keep(scratch, *map(str, range(20)))
    assert asyncio.run(scratch.read_text("outputs/mine.log")) == "x"


def test_where_there_is_no_place_none_is_kept(scratch: DirectoryFileSystem) -> None:
    asyncio.run(scratch.write("outputs", "a file"))
    assert keep(scratch, "long") == [None]
