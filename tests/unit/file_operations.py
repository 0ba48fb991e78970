"""Changes of files as values, made in a sandbox and in a plain dictionary, to compare what comes of them.

Tests run this file as it stands inside the kernel, too.
"""

import os
import shutil
from typing import Any

from inbrowser.sandbox import open_sandbox


def tree_of(root: str) -> dict[str, str]:
    """Return by path what is there."""
    found = {}
    for folder, folders, files in os.walk(root):
        for name in [*folders, *files]:
            place = os.path.join(folder, name)
            path = os.path.relpath(place, root)
            if os.path.islink(place):
                found[path] = "link " + os.readlink(place)
            elif os.path.isdir(place):
                found[path] = "directory"
            else:
                with open(place, "rb") as file:
                    found[path] = f"file {os.stat(place).st_mode & 0o777:o} {file.read().decode()}"
    return found


def is_linked(root: str, path: str) -> bool:
    names = path.split("/")
    return any(os.path.islink(os.path.join(root, *names[:end])) for end in range(1, len(names) + 1))


def change(root: str, kind: str, path: str, value: Any = None) -> None:
    place = f"{root}/{path}"
    if kind in ("write", "append", "truncate", "chmod", "mkdir") and is_linked(root, path):
        raise OSError("through a link")
    if kind in ("write", "append"):
        is_new = not os.path.lexists(place)
        with open(place, "w" if kind == "write" else "a") as file:
            file.write(value)
        if is_new:
            os.chmod(place, 0o644)
    elif kind == "truncate":
        os.truncate(place, value)
    elif kind == "chmod":
        if os.path.isdir(place):
            raise OSError("only files here")
        os.chmod(place, value)
    elif kind == "mkdir":
        os.mkdir(place)
    elif kind == "link":
        os.symlink(value, place)
    elif kind == "rename":
        os.rename(place, f"{root}/{value}")
    elif os.path.isdir(place) and not os.path.islink(place):
        shutil.rmtree(place)
    else:
        os.unlink(place)


def hear(paths: set[str], event: Any) -> None:
    if event.change == "created":
        paths.add(event.path)
    elif event.change == "deleted":
        paths.discard(event.path)
    elif event.change == "renamed":
        old = event.old_path
        moved = {path for path in paths if path == old or path.startswith(old + "/")}
        gone = {path for path in paths if path == event.path or path.startswith(event.path + "/")}
        paths -= moved | gone
        paths |= {event.path + path[len(old) :] for path in moved} | {event.path}


async def play(operations: list[Any], **options: Any) -> dict[str, Any]:
    sandbox = await open_sandbox(**options)
    root, outcomes, checkpoints, paths = sandbox._parts.fs.root, [], [], set()
    sandbox.on(lambda event: event.type == "file" and hear(paths, event))
    for kind, *values in operations:
        try:
            if kind == "checkpoint":
                checkpoints.append((await sandbox.checkpoints.create()).id)
            elif kind == "restore":
                if checkpoints:
                    await sandbox.checkpoints.restore(checkpoints[values[0] % len(checkpoints)])
            elif kind == "look":
                sandbox.settle()
            else:
                change(root, kind, *values)
            outcomes.append(True)
        except OSError:
            outcomes.append(False)
    sandbox.settle()
    tree = tree_of(root)
    await sandbox.destroy()
    return {"outcomes": outcomes, "tree": tree, "told": sorted(paths)}


class Model:
    """A tree as a dictionary from paths to what `tree_of` says of them."""

    def __init__(self) -> None:
        self.tree: dict[str, str] = {}
        self._checkpoints: list[dict[str, str]] = []

    def play(self, kind: str, *values: Any) -> bool:
        """Do one operation; returns whether it can be done."""
        if kind == "checkpoint":
            self._checkpoints.append(dict(self.tree))
        elif kind == "restore" and self._checkpoints:
            self.tree = dict(self._checkpoints[values[0] % len(self._checkpoints)])
        if kind in ("checkpoint", "restore", "look"):
            return True
        path, *rest = values
        return bool(getattr(self, f"_{kind}")(path, *rest))

    def _parent_is_there(self, path: str) -> bool:
        parent, _, name = path.rpartition("/")
        return not name or not parent or self.tree.get(parent) == "directory"

    def _put(self, path: str, text: str, mode: str) -> bool:
        if not self._parent_is_there(path) or self.tree.get(path, "file")[:4] != "file":
            return False
        self.tree[path] = f"file {mode} {text}"
        return True

    def _file(self, path: str) -> tuple[str, str]:
        _, mode, text = self.tree.get(path, "file 644 ").split(" ", 2)
        return mode, text

    def _is_file(self, path: str) -> bool:
        return self.tree.get(path, "").startswith("file ")

    def _write(self, path: str, text: str) -> bool:
        return self._put(path, text, self._file(path)[0] if self._is_file(path) else "644")

    def _append(self, path: str, text: str) -> bool:
        mode, old = self._file(path) if self._is_file(path) else ("644", "")
        return self._put(path, old + text, mode)

    def _truncate(self, path: str, size: int) -> bool:
        if not self._is_file(path):
            return False
        mode, text = self._file(path)
        return self._put(path, text[:size].ljust(size, "\0"), mode)

    def _chmod(self, path: str, mode: int) -> bool:
        return self._is_file(path) and self._put(path, self._file(path)[1], f"{mode:o}")

    def _mkdir(self, path: str) -> bool:
        if path in self.tree or not self._parent_is_there(path):
            return False
        self.tree[path] = "directory"
        return True

    def _link(self, path: str, target: str) -> bool:
        if path in self.tree or not self._parent_is_there(path):
            return False
        self.tree[path] = f"link {target}"
        return True

    def _below(self, path: str) -> list[str]:
        return [each for each in self.tree if each.startswith(path + "/")]

    def _rename(self, source: str, target: str) -> bool:
        old, new = self.tree.get(source), self.tree.get(target)
        if old is None or not self._parent_is_there(target) or target.startswith(source + "/"):
            return False
        if source == target:
            return True
        if new is not None and ((old == "directory") != (new == "directory") or self._below(target)):
            return False
        moved = {target + each[len(source) :]: self.tree.pop(each) for each in [source, *self._below(source)]}
        self.tree |= moved
        return True

    def _remove(self, path: str) -> bool:
        if path not in self.tree:
            return False
        for each in [path, *self._below(path)]:
            del self.tree[each]
        return True
