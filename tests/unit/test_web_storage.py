"""A sandbox that is kept in IndexedDB: opened again it is what it was."""

import asyncio
import json
import os
from collections.abc import Callable, Coroutine
from itertools import count
from typing import Any

import pytest
from inbrowser.sandbox import Sandbox, delete_sandbox, list_sandboxes, open_sandbox
from inbrowser.sandbox.errors import (
    CheckpointError,
    PathLockedError,
    ReadOnlyError,
    SandboxError,
    SandboxInUseError,
    SandboxNotFoundError,
    StorageCorruptError,
    StorageVersionError,
)
from test_checkpoints import make_one_of_each, root_of, tree_of

pytest.importorskip("inbrowser_bridge", reason="there is no IndexedDB outside the browser")
_numbers = count(1)

MEBIBYTE = 1 << 20

COUNT_PIECES = """
const database = await open();
const request = database.transaction("pieces").objectStore("pieces").count();
const found = await new Promise((resolve) => { request.onsuccess = () => resolve(request.result); });
database.close();
return found;
"""


def kept(*steps: Callable[[Sandbox], Coroutine[Any, Any, None]], **options: Any) -> None:
    """Open one sandbox again for each step."""

    async def run() -> None:
        id = f"kept-{next(_numbers)}"
        try:
            for step in steps:
                sandbox = await open_sandbox(id, storage="indexeddb", **options)
                try:
                    await step(sandbox)
                finally:
                    await sandbox.destroy()
        finally:
            await delete_sandbox(id)

    asyncio.run(run())


async def script(code: str, **names: Any) -> Any:
    """Run JavaScript on the database of a sandbox."""
    from pyodide.code import run_js  # pyright: ignore

    function = run_js(f"async (names) => {{ const {{{', '.join(names)}}} = JSON.parse(names); {code} }}")
    return await function(json.dumps(names))


OPEN = """
const open = (version) => new Promise((resolve, reject) => {
  const request = indexedDB.open("inbrowser sandbox " + id, version);
  request.onupgradeneeded = () => upgrade(request.result);
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});
const ended = (transaction) => new Promise((resolve, reject) => {
  transaction.oncomplete = resolve;
  transaction.onabort = () => reject(transaction.error);
});
const upgrade = (database) => {
  database.createObjectStore("entries", { keyPath: "path" });
  database.createObjectStore("pieces");
  database.createObjectStore("summary");
};
"""


def test_everything_is_there_again() -> None:
    trees: list[Any] = []

    async def make(sandbox: Sandbox) -> None:
        assert sandbox.storage
        assert sandbox.storage.is_new
        root = root_of(sandbox)
        make_one_of_each(root)
        with open(f"{root}/large.bin", "wb") as file:
            file.write(os.urandom(3 * MEBIBYTE + 17))
        os.utime(f"{root}/run.sh", (1e9, 1_234_567_890.125))
        os.utime(f"{root}/empty", (1e9, 1_000_000_000.5))
        os.chmod(f"{root}/empty", 0o700)
        trees.append(tree_of(sandbox))

    async def look(sandbox: Sandbox) -> None:
        assert sandbox.storage
        assert not sandbox.storage.is_new
        root = root_of(sandbox)
        assert tree_of(sandbox) == trees[0]
        assert os.stat(f"{root}/run.sh").st_mtime == 1_234_567_890.125
        assert os.stat(f"{root}/empty").st_mtime == 1_000_000_000.5

    kept(make, look, look)


def change_much(root: str) -> None:
    os.rename(f"{root}/nested", f"{root}/renamed")
    os.unlink(f"{root}/link")
    os.symlink("run.sh", f"{root}/link")
    os.rmdir(f"{root}/empty/deeper")
    os.rename(f"{root}/data.bin", f"{root}/empty/data.bin")
    os.unlink(f"{root}/nothing")
    os.makedirs(f"{root}/nothing/is/a/directory")
    os.rename(f"{root}/large.bin", f"{root}/renamed/large.bin")
    with open(f"{root}/renamed/large.bin", "ab") as file:
        file.write(b"appended")
    with open(f"{root}/second.bin", "r+b") as file:
        file.seek(MEBIBYTE)
        file.write(b"in the middle")
        file.truncate(2 * MEBIBYTE)
    os.truncate(f"{root}/third.bin", 100)
    os.replace(f"{root}/fourth.bin", f"{root}/run.sh")


def test_what_changes_later_is_saved_as_well() -> None:
    trees: list[Any] = []

    async def make(sandbox: Sandbox) -> None:
        make_one_of_each(root_of(sandbox))
        for name in ("large", "second", "third", "fourth"):
            with open(f"{root_of(sandbox)}/{name}.bin", "wb") as file:
                file.write(os.urandom(3 * MEBIBYTE))
        await sandbox.flush()
        change_much(root_of(sandbox))
        trees.append(tree_of(sandbox))

    async def look(sandbox: Sandbox) -> None:
        assert tree_of(sandbox) == trees[-1]

    async def change_more(sandbox: Sandbox) -> None:
        root = root_of(sandbox)
        os.rename(f"{root}/renamed", f"{root}/once more")
        with open(f"{root}/once more/large.bin", "ab") as file:
            file.write(b"again")
        os.unlink(f"{root}/second.bin")
        trees.append(tree_of(sandbox))

    kept(make, look, change_more, look)


def test_pieces_of_files_that_are_gone_are_deleted() -> None:
    async def pieces(sandbox: Sandbox) -> int:
        await sandbox.flush()
        return await script(
            OPEN + COUNT_PIECES,
            id=sandbox.id,
        )

    async def work(sandbox: Sandbox) -> None:
        root = root_of(sandbox)
        for name in "abc":
            await sandbox.fs.write(f"{name}.bin", bytes(MEBIBYTE))
        assert await pieces(sandbox) == 12
        os.rename(f"{root}/a.bin", f"{root}/d.bin")
        os.truncate(f"{root}/b.bin", 10)
        os.truncate(f"{root}/c.bin", MEBIBYTE // 2)
        assert await pieces(sandbox) == 6
        os.unlink(f"{root}/d.bin")
        await sandbox.fs.write("c.bin", "small")
        assert await pieces(sandbox) == 0

    kept(work)


def test_checkpoints_are_kept_with_the_sandbox() -> None:
    trees: dict[str, Any] = {}

    async def make(sandbox: Sandbox) -> None:
        make_one_of_each(root_of(sandbox))
        first = await sandbox.checkpoints.create("first", metadata={"n": 1})
        trees[first.id] = tree_of(sandbox)
        await sandbox.fs.write("data.bin", "changed")
        await sandbox.fs.remove("nested", recursive=True)
        second = await sandbox.checkpoints.create("second")
        trees[second.id] = tree_of(sandbox)
        await sandbox.fs.write("later.txt", "not in any checkpoint")

    async def go_back(sandbox: Sandbox) -> None:
        first, second = await sandbox.checkpoints.list()
        assert (first.label, second.label, first.metadata) == ("first", "second", {"n": 1})
        files = (await sandbox.checkpoints.diff(second.id)).files
        assert [(each.path, each.change) for each in files] == [("later.txt", "created")]
        await sandbox.checkpoints.restore(first.id)
        assert tree_of(sandbox) == trees[first.id]

    async def redo(sandbox: Sandbox) -> None:
        assert tree_of(sandbox) == trees[(await sandbox.checkpoints.list())[0].id]
        await sandbox.checkpoints.redo()
        assert await sandbox.fs.read_text("later.txt") == "not in any checkpoint"
        await sandbox.checkpoints.prune(keep_latest=1)
        assert len(await sandbox.checkpoints.list()) == 1

    kept(make, go_back, redo)


def test_nothing_is_a_change_after_the_sandbox_was_opened_again() -> None:
    async def make(sandbox: Sandbox) -> None:
        make_one_of_each(root_of(sandbox))
        os.utime(f"{root_of(sandbox)}/data.bin", (1e9, 1e9))
        await sandbox.checkpoints.create()

    async def look(sandbox: Sandbox) -> None:
        assert (await sandbox.checkpoints.create()).changed == 0

    kept(make, look)


def test_locks_are_kept_with_the_sandbox() -> None:
    async def lock(sandbox: Sandbox) -> None:
        await sandbox.fs.write("a.txt", "x")
        sandbox.locks.add("a.txt", by="Ada")

    async def try_it(sandbox: Sandbox) -> None:
        with pytest.raises(PathLockedError, match="Ada"):
            await sandbox.fs.write("a.txt", "y")
        with pytest.raises(PermissionError):
            os.truncate(f"{root_of(sandbox)}/a.txt", 0)

    kept(lock, try_it)


def test_a_second_writer_is_refused_and_a_reader_follows() -> None:
    async def work(sandbox: Sandbox) -> None:
        await sandbox.fs.write("a.txt", "one")
        await sandbox.fs.write("dir/b.txt", "b")
        await sandbox.flush()
        with pytest.raises(SandboxInUseError, match='mode="read"'):
            await open_sandbox(sandbox.id, storage="indexeddb")
        with pytest.raises(SandboxInUseError):
            await delete_sandbox(sandbox.id)
        reader = await open_sandbox(sandbox.id, storage="indexeddb", mode="read")
        try:
            assert tree_of(reader) == tree_of(sandbox)
            with pytest.raises(ReadOnlyError):
                await reader.fs.write("a.txt", "no")
            with pytest.raises(OSError, match="Read-only"):
                os.mkdir(f"{root_of(reader)}/new")
            with pytest.raises(ReadOnlyError):
                await reader.checkpoints.create()
            events: asyncio.Queue[Any] = asyncio.Queue()
            reader.on(lambda event: events.put_nowait(event) if event.type == "file" else None)
            await sandbox.fs.write("a.txt", "two")
            os.rename(f"{root_of(sandbox)}/dir", f"{root_of(sandbox)}/moved")
            await sandbox.flush()
            seen: set[str] = set()
            while not {"a.txt", "dir", "moved", "moved/b.txt"} <= seen:
                seen.add((await events.get()).path)
            assert tree_of(reader) == tree_of(sandbox)
        finally:
            await reader.destroy()

    kept(work)


def test_sandboxes_are_listed_and_deleted() -> None:
    async def work() -> None:
        id = "listed"
        sandbox = await open_sandbox(id, storage="indexeddb")
        await sandbox.fs.write("a.txt", "12345")
        await sandbox.fs.write("b/c.bin", bytes(MEBIBYTE))
        await sandbox.flush()
        (found,) = [each for each in await list_sandboxes() if each.id == id]
        assert (found.files, found.bytes, found.open) == (2, MEBIBYTE + 5, True)
        await sandbox.destroy()
        (found,) = [each for each in await list_sandboxes() if each.id == id]
        assert not found.open
        await delete_sandbox(id)
        assert id not in [each.id for each in await list_sandboxes()]
        with pytest.raises(SandboxNotFoundError, match=id):
            await open_sandbox(id, storage="indexeddb", create=False)
        with pytest.raises(SandboxNotFoundError, match=id):
            await delete_sandbox(id)
        assert id not in [each.id for each in await list_sandboxes()]

    asyncio.run(work())


def test_a_fork_can_be_kept() -> None:
    async def work(sandbox: Sandbox) -> None:
        make_one_of_each(root_of(sandbox))
        tree, checkpoint = tree_of(sandbox), await sandbox.checkpoints.create()
        await sandbox.fs.remove("nested", recursive=True)
        fork = await sandbox.fork(checkpoint.id, id="the-fork", storage="indexeddb")
        await fork.destroy()
        with pytest.raises(SandboxError, match="the-fork"):
            await sandbox.fork(checkpoint.id, id="the-fork", storage="indexeddb")
        again = await open_sandbox("the-fork", storage="indexeddb")
        try:
            assert tree_of(again) == tree
        finally:
            await again.destroy()
            await delete_sandbox("the-fork")

    kept(work)


def test_a_sandbox_of_the_first_schema_is_brought_up_to_date() -> None:
    async def work() -> None:
        id = "of-the-first-schema"
        await script(
            OPEN
            + """
            const database = await open(1);
            const transaction = database.transaction(["entries", "pieces", "summary"], "readwrite");
            const entries = transaction.objectStore("entries");
            const bytes = new TextEncoder().encode("old but good");
            entries.put({ path: "dir", kind: "directory", mode: 0o755, mtime: 1e12 });
            entries.put({ path: "dir/a.txt", kind: "file", mode: 0o600, mtime: 1e12, size: 12, data: bytes });
            entries.put({ path: "link", kind: "link", mtime: 1e12, target: "dir/a.txt" });
            entries.put({ path: "large", kind: "file", mode: 0o644, mtime: 1e12, size: 300000, data: 7 });
            transaction.objectStore("pieces").put(new Uint8Array(262144).fill(1), [7, 0]);
            transaction.objectStore("pieces").put(new Uint8Array(37856).fill(2), [7, 1]);
            const summary = { created: 1, modified: 2, files: 3, bytes: 300012, next: 8 };
            transaction.objectStore("summary").put(summary, "summary");
            await ended(transaction);
            database.close();
            """,
            id=id,
        )
        sandbox = await open_sandbox(id, storage="indexeddb", create=False)
        try:
            assert await sandbox.fs.read_text("link") == "old but good"
            assert await sandbox.fs.read_bytes("large") == b"\1" * 262144 + b"\2" * 37856
            first = await sandbox.checkpoints.create()
            await sandbox.fs.write("large", "small")
            await sandbox.checkpoints.restore(first.id)
            assert (await sandbox.fs.stat("large")).size == 300000
        finally:
            await sandbox.destroy()
            await delete_sandbox(id)

    asyncio.run(work())


def test_a_later_schema_is_left_alone() -> None:
    async def work() -> None:
        id = "of-a-later-schema"
        await script(OPEN + "(await open(99)).close();", id=id)
        with pytest.raises(StorageVersionError, match="later version"):
            await open_sandbox(id, storage="indexeddb")
        assert await script(OPEN + "const db = await open(99); db.close(); return db.version", id=id) == 99
        await script("indexedDB.deleteDatabase('inbrowser sandbox ' + id);", id=id)

    asyncio.run(work())


@pytest.mark.parametrize(
    "damage",
    [
        "entries.put({ path: 'b.txt', kind: 'file', mode: 420, mtime: 1, size: 5, data: 'text' })",
        "entries.put({ path: 'b.txt', kind: 'file', mode: 420, mtime: 1, size: 9, data: new Uint8Array(5) })",
        "entries.put({ path: 'b.txt', kind: 'pipe' })",
        "entries.put({ path: '../b.txt', kind: 'link', mtime: 1, target: 'x' })",
        "entries.put({ path: 'missing/b.txt', kind: 'link', mtime: 1, target: 'x' })",
        "pieces.delete([1, 1])",
        "pieces.put(new Uint8Array(3), [1, 0])",
    ],
)
def test_a_damaged_record_is_named_and_the_rest_can_be_read(damage: str) -> None:
    async def work() -> None:
        id = "damaged"
        sandbox = await open_sandbox(id, storage="indexeddb")
        await sandbox.fs.write("a.txt", "whole")
        await sandbox.fs.write("large.bin", bytes(MEBIBYTE))
        await sandbox.destroy()
        await script(
            OPEN
            + f"""
            const database = await open();
            const transaction = database.transaction(["entries", "pieces"], "readwrite");
            const [entries, pieces] = [transaction.objectStore("entries"), transaction.objectStore("pieces")];
            {damage};
            await ended(transaction);
            database.close();
            """,
            id=id,
        )
        try:
            for _ in range(2):
                with pytest.raises(StorageCorruptError, match=r"b\.txt|large\.bin"):
                    await open_sandbox(id, storage="indexeddb")
            reader = await open_sandbox(id, storage="indexeddb", mode="read")
            assert reader.storage
            left_out = "missing" in damage or reader.storage.damaged
            assert left_out
            assert await reader.fs.read_text("a.txt") == "whole"
            await reader.destroy()
        finally:
            await delete_sandbox(id)

    asyncio.run(work())


def test_a_checkpoint_whose_record_is_damaged_costs_no_file() -> None:
    damage = (
        OPEN
        + """
    const database = await open();
    const transaction = database.transaction(["records", "blobs"], "readwrite");
    if (record) transaction.objectStore("records").put("{not json", "delta/checkpoint-1");
    else transaction.objectStore("blobs").clear();
    await ended(transaction);
    database.close();
    """
    )

    async def make(sandbox: Sandbox) -> None:
        await sandbox.fs.write("a.txt", "one")
        await sandbox.checkpoints.create()
        await sandbox.fs.write("a.txt", "two")
        await sandbox.checkpoints.create()
        await sandbox.flush()
        await script(damage, id=sandbox.id, record=False)

    async def without_contents(sandbox: Sandbox) -> None:
        with pytest.raises(CheckpointError, match=r"the contents of a\.txt are missing"):
            await sandbox.checkpoints.restore("checkpoint-1")
        assert await sandbox.fs.read_text("a.txt") == "two"
        await script(damage, id=sandbox.id, record=True)

    async def without_record(sandbox: Sandbox) -> None:
        for _ in range(2):
            with pytest.raises(StorageCorruptError, match="delta/checkpoint-1"):
                await sandbox.checkpoints.list()
        await sandbox.fs.write("a.txt", "three")
        assert await sandbox.fs.read_text("a.txt") == "three"

    kept(make, without_contents, without_record)


def test_checkpoints_of_files_that_a_command_writes_meanwhile() -> None:
    async def work(sandbox: Sandbox) -> None:
        await sandbox.fs.write("0.txt", "0\n")
        first = await sandbox.checkpoints.create()
        writes = "for i in $(seq 1 300); do echo $i > $i.txt; sleep 0.001; done"
        running = asyncio.ensure_future(sandbox.runtime.run(writes))
        for _ in range(5):
            await asyncio.sleep(0.02)
            made = await sandbox.checkpoints.create()
            for entry in (await sandbox.checkpoints.diff(first.id, made.id)).files:
                assert entry.text == f"--- /dev/null\n+++ b/{entry.path}\n@@ -0,0 +1 @@\n+{entry.path[:-4]}\n"
        assert (await running).exit_code == 0
        await sandbox.checkpoints.restore(first.id)
        assert [each.path for each in await sandbox.fs.list()] == ["0.txt"]
        await sandbox.checkpoints.redo()
        assert len(await sandbox.fs.list()) == 301

    kept(work)


def test_a_sandbox_that_is_kept_needs_an_id() -> None:
    with pytest.raises(SandboxError, match="needs an id"):
        asyncio.run(open_sandbox(storage="indexeddb"))
