"""Checkpoints: what they hold, and that a restore brings back exactly that."""

import asyncio
import os
import stat
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import pytest
from inbrowser.sandbox import AutoCheckpoints, Sandbox, SandboxError, open_sandbox
from inbrowser.sandbox.errors import CheckpointError, CheckpointNotFoundError, PathLockedError
from inbrowser.sandbox.files import DirectoryFileSystem

Tree = dict[str, tuple[int, str, bytes]]


def root_of(sandbox: Sandbox) -> str:
    fs = sandbox._parts.fs
    assert isinstance(fs, DirectoryFileSystem)
    return fs.root


def tree_of(sandbox: Sandbox) -> Tree:
    """All that is in the sandbox: mode, where a link leads, contents."""
    root = root_of(sandbox)
    found: Tree = {}
    for folder, folders, files in os.walk(root):
        for name in [*folders, *files]:
            place = os.path.join(folder, name)
            mode = os.lstat(place).st_mode
            target = os.readlink(place) if stat.S_ISLNK(mode) else ""
            content = b""
            if stat.S_ISREG(mode):
                with open(place, "rb") as file:
                    content = file.read()
            found[os.path.relpath(place, root)] = (mode, target, content)
    return found


def with_sandbox(work: Callable[[Sandbox], Coroutine[Any, Any, None]], **options: Any) -> None:
    async def run() -> None:
        sandbox = await open_sandbox(**options)
        try:
            await work(sandbox)
        finally:
            await sandbox.destroy()

    asyncio.run(run())


async def raised(error: type[Exception], work: Awaitable[object]) -> str:
    with pytest.raises(error) as caught:
        await work
    return str(caught.value)


def make_one_of_each(root: str) -> None:
    os.makedirs(f"{root}/nested/.git/objects")
    os.makedirs(f"{root}/empty/deeper")
    with open(f"{root}/nested/.git/HEAD", "w") as file:
        file.write("ref: refs/heads/main\n")
    with open(f"{root}/data.bin", "wb") as file:
        file.write(bytes(range(256)) * 40 + b"\r\n\0\xff")
    with open(f"{root}/run.sh", "w") as file:
        file.write("#!/bin/sh\n")
    os.chmod(f"{root}/run.sh", 0o755)
    os.symlink("data.bin", f"{root}/link")
    os.symlink("nowhere", f"{root}/dangling")
    open(f"{root}/nothing", "w").close()
    for name in (
        " spaces ",
        'it\'s "quoted"',
        "line\nbreak",
        "😀.txt",
        "é",
        "é",
        "-rf",
        "Case",
        "case",
        "n" * 255,
    ):
        with open(f"{root}/{name}", "w") as file:
            file.write(name)


def test_a_restore_brings_back_every_kind_of_thing() -> None:
    async def work(sandbox: Sandbox) -> None:
        root = root_of(sandbox)
        make_one_of_each(root)
        before, mtime = tree_of(sandbox), os.stat(f"{root}/data.bin").st_mtime
        checkpoint = await sandbox.checkpoints.create("all of it")
        for name in ("data.bin", "link", "dangling", "nothing", "line\nbreak"):
            os.unlink(f"{root}/{name}")
        os.rmdir(f"{root}/empty/deeper")
        os.chmod(f"{root}/run.sh", 0o644)
        os.rename(f"{root}/nested", f"{root}/moved")
        os.mkdir(f"{root}/nothing")
        with open(f"{root}/nothing/in-the-way", "w") as file:
            file.write("x")
        restored = await sandbox.checkpoints.restore(checkpoint.id)
        assert tree_of(sandbox) == before
        assert os.stat(f"{root}/data.bin").st_mtime == pytest.approx(mtime, abs=0.002)
        assert {"data.bin", "moved", "nested", "nothing/in-the-way"} <= set(restored.changed)
        assert "é" not in restored.changed

    with_sandbox(work)


def test_older_and_newer_states_can_be_reached_from_each_other() -> None:
    async def work(sandbox: Sandbox) -> None:
        states: list[tuple[str, Tree]] = []
        for number in range(4):
            await sandbox.fs.write("count.txt", f"{number}\n")
            await sandbox.fs.write(f"dir/{number}.txt", "x" * number)
            if number:
                await sandbox.fs.remove(f"dir/{number - 1}.txt")
            checkpoint = await sandbox.checkpoints.create(f"state {number}")
            states.append((checkpoint.id, tree_of(sandbox)))
        for index in (0, 3, 1, 2, 0):
            id, tree = states[index]
            await sandbox.checkpoints.restore(id)
            assert tree_of(sandbox) == tree
        assert [each.label for each in await sandbox.checkpoints.list()] == [f"state {n}" for n in range(4)]

    with_sandbox(work)


def test_a_restore_tells_of_exactly_the_paths_that_change() -> None:
    async def work(sandbox: Sandbox) -> None:
        await sandbox.fs.write("same.txt", "same")
        await sandbox.fs.write("changed.txt", "old")
        await sandbox.fs.write("gone.txt", "gone")
        checkpoint = await sandbox.checkpoints.create()
        await sandbox.fs.write("changed.txt", "new")
        await sandbox.fs.remove("gone.txt")
        await sandbox.fs.write("new/file.txt", "new")
        events: list[Any] = []
        sandbox.on(events.append)
        restored = await sandbox.checkpoints.restore(checkpoint.id)
        told = {(event.change, event.path) for event in events if event.type == "file"}
        assert told == {
            ("modified", "changed.txt"),
            ("created", "gone.txt"),
            ("deleted", "new"),
            ("deleted", "new/file.txt"),
        }
        assert restored.changed == ["changed.txt", "gone.txt", "new", "new/file.txt"]
        last = events[-1]
        assert (last.type, last.checkpoint_id, last.changed) == ("checkpoint:restore", checkpoint.id, 4)
        before = len(events)
        await sandbox.checkpoints.restore(checkpoint.id, record_event=False)
        assert len(events) == before

    with_sandbox(work)


def test_undo_and_redo_walk_the_states() -> None:
    async def work(sandbox: Sandbox) -> None:
        for number in range(3):
            await sandbox.fs.write("count.txt", str(number))
            await sandbox.checkpoints.create()
        await sandbox.fs.write("count.txt", "not kept yet")

        async def content() -> str:
            return await sandbox.fs.read_text("count.txt")

        for expected in ("2", "1", "0"):
            await sandbox.checkpoints.undo()
            assert await content() == expected
        assert "nothing to undo" in await raised(CheckpointError, sandbox.checkpoints.undo())
        for expected in ("1", "2", "not kept yet"):
            await sandbox.checkpoints.redo()
            assert await content() == expected
        assert "nothing to redo" in await raised(CheckpointError, sandbox.checkpoints.redo())
        await sandbox.checkpoints.undo()
        await sandbox.fs.write("count.txt", "another way")
        assert "nothing to redo" in await raised(CheckpointError, sandbox.checkpoints.redo())
        assert await content() == "another way"

    with_sandbox(work)


def test_a_restore_can_be_redone() -> None:
    async def work(sandbox: Sandbox) -> None:
        await sandbox.fs.write("a.txt", "one")
        first = await sandbox.checkpoints.create()
        await sandbox.fs.write("a.txt", "two")
        restored = await sandbox.checkpoints.restore(first.id)
        assert restored.kept
        assert restored.kept.reason == "restore"
        await sandbox.checkpoints.redo()
        assert await sandbox.fs.read_text("a.txt") == "two"

    with_sandbox(work)


def test_checkpoints_are_found_by_what_they_are_about() -> None:
    async def work(sandbox: Sandbox) -> None:
        checkpoints = sandbox.checkpoints
        first = await checkpoints.create("a", reason="before-turn", turn_id="t1", message_id="m1")
        second = await checkpoints.create(
            reason="before-tool", turn_id="t1", tool_call_id="c1", summary="write", metadata={"n": [1, "é"]}
        )
        third = await checkpoints.create(reason="before-tool", turn_id="t2", tool_call_id="c2")
        assert await checkpoints.list(turn_id="t1") == [first, second]
        assert await checkpoints.list(reason="before-tool", turn_id="t1") == [second]
        assert await checkpoints.latest(reason="before-tool") == third
        assert await checkpoints.latest(tool_call_id="nobody") is None
        assert await checkpoints.list(parent=first.id) == [second]
        assert (await checkpoints.get(second.id)).metadata == {"n": [1, "é"]}
        assert [each.id for each in await checkpoints.history()] == [third.id, second.id, first.id]
        assert "colour" in await raised(CheckpointError, checkpoints.list(colour="red"))

    with_sandbox(work)


def test_pruning_leaves_the_other_states_whole() -> None:
    async def work(sandbox: Sandbox) -> None:
        trees: dict[str, Tree] = {}
        for number in range(6):
            await sandbox.fs.write("a.txt", "a" * number)
            await sandbox.fs.write(f"{number}.txt", "x")
            reason = "before-tool" if number % 2 else "manual"
            checkpoint = await sandbox.checkpoints.create(reason=reason)
            trees[checkpoint.id] = tree_of(sandbox)
        ids = list(trees)
        assert await sandbox.checkpoints.prune(reason="before-tool", keep_latest=1) == [ids[1], ids[3]]
        message = await raised(CheckpointNotFoundError, sandbox.checkpoints.restore(ids[1]))
        assert ids[1] in message
        assert "pruned" in message
        for id in (ids[0], ids[5], ids[2], ids[4]):
            await sandbox.checkpoints.restore(id)
            assert tree_of(sandbox) == trees[id]
        now = tree_of(sandbox)
        assert set(await sandbox.checkpoints.prune()) >= {ids[0], ids[5]}
        assert await sandbox.checkpoints.list() == []
        assert tree_of(sandbox) == now
        await sandbox.fs.write("later.txt", "x")
        again = await sandbox.checkpoints.create()
        assert again.changed == len(now) + 1

    with_sandbox(work)


def test_a_diff_says_what_changed_in_lines() -> None:
    async def work(sandbox: Sandbox) -> None:
        await sandbox.fs.write("a.txt", "one\ntwo\nthree\n")
        await sandbox.fs.write("b.bin", b"\0\1")
        first = await sandbox.checkpoints.create()
        await sandbox.fs.write("a.txt", "one\n2\nthree")
        await sandbox.fs.write("b.bin", b"\0\1\2")
        await sandbox.fs.mkdir("c")
        now = await sandbox.checkpoints.diff(first.id)
        second = await sandbox.checkpoints.create()
        between = await sandbox.checkpoints.diff(first.id, second.id)
        assert between.files == now.files
        text, binary, folder = now.files
        assert text.text == (
            "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n-three\n+2\n+three\n"
            "\\ No newline at end of file\n"
        )
        assert (binary.path, binary.change, binary.old_size, binary.new_size) == ("b.bin", "modified", 2, 3)
        assert binary.text is None
        assert (folder.path, folder.change, folder.kind) == ("c", "created", "directory")
        back = await sandbox.checkpoints.diff(second.id, first.id)
        assert [each.change for each in back.files] == ["modified", "modified", "deleted"]
        assert second.changed == 3

    with_sandbox(work)


def test_nothing_changes_when_a_restore_is_refused() -> None:
    async def work(sandbox: Sandbox) -> None:
        await sandbox.fs.write("a.txt", "one")
        await sandbox.fs.write("b.txt", "one")
        checkpoint = await sandbox.checkpoints.create()
        await sandbox.fs.write("a.txt", "two")
        await sandbox.fs.write("b.txt", "two")
        lock = sandbox.locks.add("b.txt", by="Ada")
        before = tree_of(sandbox)
        assert "Ada" in await raised(PathLockedError, sandbox.checkpoints.restore(checkpoint.id))
        await raised(CheckpointNotFoundError, sandbox.checkpoints.restore("checkpoint-99"))
        assert tree_of(sandbox) == before
        sandbox.locks.remove(lock.id)
        await sandbox.checkpoints.restore(checkpoint.id)
        assert await sandbox.fs.read_text("b.txt") == "one"

    with_sandbox(work)


def test_a_fork_starts_as_the_checkpoint_and_goes_its_own_way() -> None:
    async def work(sandbox: Sandbox) -> None:
        make_one_of_each(root_of(sandbox))
        checkpoint = await sandbox.checkpoints.create()
        tree = tree_of(sandbox)
        await sandbox.fs.write("data.bin", "later")
        fork = await sandbox.fork(checkpoint.id)
        try:
            assert tree_of(fork) == tree
            for number in range(3):
                with open(f"{root_of(fork)}/data.bin", "r+b" if number else "ab") as file:
                    file.write(b"fork")
            await fork.fs.write("only-here.txt", "x")
            assert await sandbox.fs.read_text("data.bin") == "later"
            assert not await sandbox.fs.exists("only-here.txt")
            await sandbox.checkpoints.restore(checkpoint.id)
            assert tree_of(sandbox) == tree
            first = await fork.checkpoints.create()
            assert first.changed == len(tree) + 1
        finally:
            await fork.destroy()

    with_sandbox(work)


def test_what_a_checkpoint_holds_outlives_writes_in_place() -> None:
    async def work(sandbox: Sandbox) -> None:
        place = f"{root_of(sandbox)}/log.txt"
        trees: list[tuple[str, Tree]] = []
        with open(place, "wb") as file:
            file.write(b"0123456789" * 10)
        for mode, position, data in [
            ("ab", 0, b"more"),
            ("r+b", 3, b"XYZ"),
            ("r+b", 98, b"over the end"),
            ("ab", 0, b"!"),
        ]:
            trees.append(((await sandbox.checkpoints.create()).id, tree_of(sandbox)))
            with open(place, mode) as file:
                if mode == "r+b":
                    file.seek(position)
                file.write(data)
        trees.append(((await sandbox.checkpoints.create()).id, tree_of(sandbox)))
        os.truncate(place, 50)
        os.truncate(place, 60)
        for id, tree in [*trees, *reversed(trees)]:
            await sandbox.checkpoints.restore(id)
            assert tree_of(sandbox) == tree

    with_sandbox(work)


def test_tools_are_preceded_by_checkpoints_where_that_is_wanted() -> None:
    async def work(sandbox: Sandbox) -> None:
        for number in range(4):
            await sandbox.tools.run(
                "write", {"path": "a.txt", "content": str(number)}, call_id=f"call-{number}"
            )
        await sandbox.tools.run("read", {"path": "a.txt"})
        made = await sandbox.checkpoints.list(reason="before-tool")
        assert [each.tool_call_id for each in made] == ["call-2", "call-3"]
        await sandbox.checkpoints.restore(made[0].id)
        assert await sandbox.fs.read_text("a.txt") == "1"

    with_sandbox(work, auto_checkpoints=AutoCheckpoints(keep=2))


def test_asking_for_a_checkpoint_changes_no_file() -> None:
    async def work(sandbox: Sandbox) -> None:
        make_one_of_each(root_of(sandbox))
        before = tree_of(sandbox)
        events: list[Any] = []
        sandbox.settle()
        sandbox.on(events.append)
        await sandbox.checkpoints.create("here")
        sandbox.settle()
        assert tree_of(sandbox) == before
        assert [event.type for event in events] == ["checkpoint:create"]

    with_sandbox(work)


def test_checkpoints_made_at_the_same_time_keep_their_order() -> None:
    async def work(sandbox: Sandbox) -> None:
        await sandbox.fs.write("a.txt", "first")
        one = asyncio.ensure_future(sandbox.checkpoints.create("one"))
        await asyncio.sleep(0)
        await sandbox.fs.write("a.txt", "second")
        two = asyncio.ensure_future(sandbox.checkpoints.create("two"))
        first, second = await asyncio.gather(one, two)
        await sandbox.checkpoints.restore(first.id)
        assert await sandbox.fs.read_text("a.txt") == "first"
        await sandbox.checkpoints.restore(second.id)
        assert await sandbox.fs.read_text("a.txt") == "second"

    with_sandbox(work)


def test_files_of_a_host_without_a_directory_have_no_checkpoints() -> None:
    from inbrowser.sandbox import create_sandbox
    from inbrowser.sandbox.files import FileSystem

    class Nothing(FileSystem):
        """A file system with no file."""

    sandbox = create_sandbox(fs=Nothing())
    with pytest.raises(SandboxError, match="without checkpoints"):
        _ = sandbox.checkpoints
