"""Locks in the browser: the mount and the shells refuse, whoever tries."""

import os

import pytest
from conftest import Box

pytest.importorskip("inbrowser_bridge", reason="there is no mount outside the browser")


@pytest.fixture
def locked(box: Box) -> Box:
    box.write("src/app.py", "print(1)\n")
    box.write("src/free.py", "free\n")
    box.sandbox.locks.add("src/app.py", by="Ada", reason="under review")
    return box


def append_to(path: str) -> None:
    file = os.open(path, os.O_WRONLY | os.O_APPEND)
    try:
        os.write(file, b"more")
    finally:
        os.close(file)


@pytest.mark.parametrize(
    "change",
    [
        lambda path: os.truncate(path, 0),
        lambda path: os.unlink(path),
        lambda path: os.rename(path, path + "2"),
        lambda path: os.rename(os.path.dirname(path), os.path.dirname(path) + "2"),
        lambda path: os.replace(os.path.dirname(path) + "/free.py", path),
        lambda path: os.chmod(path, 0o600),
        lambda path: os.utime(path, (1, 1)),
        lambda path: os.open(path, os.O_WRONLY | os.O_TRUNC),
        append_to,
    ],
)
def test_python_itself_is_refused(locked: Box, change: object) -> None:
    before = locked.bytes("src/app.py")
    with pytest.raises(PermissionError):
        change(f"{locked.root}/src/app.py")  # type: ignore[operator]
    assert locked.bytes("src/app.py") == before
    assert locked.bytes("src/free.py") == b"free\n"
    locked.sandbox.settle()
    (error,) = locked.told("error")
    assert "src/app.py is locked by Ada (under review)" in error.message


@pytest.mark.parametrize(
    "command",
    [
        "echo x > src/app.py",
        "echo x >> src/app.py",
        "rm src/app.py",
        "rm -rf src",
        "mv src/app.py other.py",
        "mv src lib",
        "cp src/free.py src/app.py",
        "sed -i s/1/2/ src/app.py",
        "echo x | tee src/app.py",
        "touch src/app.py",
        "chmod +x src/app.py",
        "ln -sf src/free.py src/app.py",
    ],
)
def test_a_command_is_refused_and_says_by_whom(locked: Box, command: str) -> None:
    result = locked.call("bash", command=command)
    text = f"{result.summary}\n{result.data.get('text', '')}"
    assert "locked by Ada" in text
    assert result.data["exit_code"] != 0
    assert locked.bytes("src/app.py") == b"print(1)\n"
    assert locked.bytes("src/free.py") == b"free\n"


def test_a_shell_that_ran_before_learns_of_a_lock_and_of_its_end(box: Box) -> None:
    box.ok("bash", command="echo one > a.txt")
    lock = box.sandbox.locks.add("a.txt", by="Ada")
    assert "Ada" in box.call("bash", command="echo two > a.txt").model_dump_json()
    assert box.bytes("a.txt") == b"one\n"
    box.sandbox.locks.remove(lock.id)
    box.ok("bash", command="echo three > a.txt")
    assert box.bytes("a.txt") == b"three\n"


def test_commands_may_look_at_a_read_only_sandbox(box: Box) -> None:
    box.write("a.txt", "text")
    box.sandbox.locks.set_read_only("this is a plan")
    assert "text" in box.ok("bash", command="cat a.txt; echo x > /tmp/elsewhere")
    result = box.call("bash", command="echo x > new.txt")
    assert "this is a plan" in result.model_dump_json()
    assert not box.fs("exists", "new.txt")
