"""Any tree comes back from an archive as it was, on CPython alone: hypothesis has a native part."""

import asyncio
import os

import pytest
from archive_makers import export, import_, tree, zip_of
from conftest import Box
from inbrowser.sandbox.errors import ArchiveError

pytest.importorskip("hypothesis")

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

names = st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=12).filter(
    lambda name: name not in (".", "..")
)
contents = st.one_of(
    st.binary(max_size=40),
    st.builds(lambda piece, times: piece * times, st.binary(min_size=1, max_size=9), st.integers(0, 60_000)),
)
attributes = st.tuples(st.integers(0, 0o777), st.integers(0, 2**32 * 10**9))
leaves = st.one_of(st.tuples(contents, attributes), st.lists(names, min_size=1, max_size=3).map("/".join))
trees = st.recursive(
    st.dictionaries(names, leaves, max_size=4),
    lambda inner: st.dictionaries(names, st.one_of(leaves, inner), max_size=4),
    max_leaves=12,
)


def build(folder: str, content: dict) -> None:
    for name, value in content.items():
        path = f"{folder}/{name}"
        if isinstance(value, dict):
            os.mkdir(path)
            build(path, value)
        elif isinstance(value, str):
            os.symlink(value, path)
        else:
            data, (mode, time) = value
            with open(path, "wb") as file:
                file.write(data)
            os.chmod(path, mode | 0o400)
            os.utime(path, ns=(time, time))


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(content=trees, format=st.sampled_from(["zip", "tar.gz"]))
def test_any_tree_comes_back(content: dict, format: str) -> None:
    box, other = Box(), Box()
    try:
        build(box.root, content)
        report = import_(other, export(box, format))
        step = 100 if format == "zip" else 1
        assert tree(other, step) == tree(box, step)
        kinds = [seen[0] for seen in tree(box).values()]
        assert (report.files, report.directories, report.links) == tuple(
            map(kinds.count, ("file", "directory", "link"))
        )
    finally:
        asyncio.run(box.sandbox.destroy())
        asyncio.run(other.sandbox.destroy())


changes = st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=3)


@settings(deadline=None, max_examples=300)
@given(changes=changes, format=st.sampled_from(["zip", "tar.gz"]))
def test_damaged_archives_are_refused_or_harmless(changes: list[tuple[float, int]], format: str) -> None:
    """Whatever bytes change, an import ends with a typed error or a whole tree."""
    box = Box()
    try:
        inside = {"l": "../a", "b": (bytes(range(99)), (0o755, 1))}
        build(box.root, {"a": (b"text " * 30, (0o644, 0)), "d": inside})
        packed = bytearray(export(box, format))
        for place, value in changes:
            packed[int(place * len(packed))] = value
        before = tree(box)
        error = report = None
        try:
            report = import_(box, bytes(packed), "new")
        except ArchiveError as caught:
            error = caught
        after = tree(box)
        assert {path: seen for path, seen in after.items() if path.partition("/")[0] != "new"} == before
        if report is None:
            assert "new" not in after
            assert "\n" not in str(error)
        else:
            made = sum(path.startswith("new/") for path in after)
            assert made == report.files + report.links + report.directories
    finally:
        asyncio.run(box.sandbox.destroy())


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["a", "b", "..", ".", "", "c d"]), min_size=1, max_size=6)
    .map("/".join)
    .filter(bool)
)
def test_no_name_leads_out(name: str) -> None:
    box = Box()
    try:
        import_(box, zip_of((name, b"x")), "sub")
        assert all(path == "sub" or path.startswith("sub/") for path in tree(box))
    except ArchiveError:
        assert tree(box) == {}
    finally:
        asyncio.run(box.sandbox.destroy())
