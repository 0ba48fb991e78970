"""Says plainly what no process in a browser can do, where Python by itself puzzles, or keeps silent."""
# pyright: basic, reportAttributeAccessIssue=false, reportMissingImports=false, reportArgumentType=false

import _thread
import errno
import os
import socket
import sys
from typing import Any, NoReturn

NO_STACK_SWITCHING = (
    "this browser has no WebAssembly stack switching (JSPI), without which Python cannot wait for {what}"
)
NO_THREADS = (
    "can't start new thread: there are no threads in WebAssembly; use asyncio, or run the work in turn"
)
NO_SOCKETS = "there are no sockets in a browser; use requests, urllib or httpx, which go through its fetch"
NO_SERVERS = (
    "there are no sockets in a browser, so nothing can serve here; web pages are shown by the preview, which "
    "the tool preview_compile builds"
)
NO_PROCESSES = "there is no multiprocessing in a browser; use subprocess, or run the work in turn"
NO_FORKS = "a process in a browser cannot fork or become another; use subprocess"


def host() -> Any:
    """Return the worker's side; not at import, as a memory snapshot can hold no JavaScript object."""
    import _inbrowser_guest

    return _inbrowser_guest


def explain() -> None:
    """Have what cannot work say so."""
    _thread.start_new_thread = _thread.start_new = _no_threads
    _thread.start_joinable_thread = _no_threads
    import threading

    threading._start_joinable_thread = _no_threads
    for name in ("connect", "connect_ex"):
        setattr(socket.socket, name, _no_sockets)
    for name in ("bind", "listen"):
        setattr(socket.socket, name, _no_servers)
    socket.getaddrinfo = _no_address
    for name in ("fork", "forkpty", "execv", "execve", "posix_spawn", "posix_spawnp"):
        setattr(os, name, _no_forks)
    sys.meta_path.append(_NoProcesses)


def _no_threads(*_args: object, **_options: object) -> NoReturn:
    raise RuntimeError(NO_THREADS)


def _no_sockets(*_args: object, **_options: object) -> NoReturn:
    raise OSError(errno.ENETUNREACH, NO_SOCKETS)


def _no_servers(*_args: object, **_options: object) -> NoReturn:
    raise OSError(errno.ENETUNREACH, NO_SERVERS)


def _no_address(
    host: object, port: object, family: int = 0, type: int = 0, proto: int = 0, flags: int = 0
) -> NoReturn:
    raise OSError(errno.ENETUNREACH, NO_SERVERS if flags & socket.AI_PASSIVE else NO_SOCKETS)


def _no_forks(*_args: object, **_options: object) -> NoReturn:
    raise OSError(errno.ENOSYS, NO_FORKS)


class _NoProcesses:
    """Finds no module, and says of multiprocessing's native part why it is not there."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if name == "_multiprocessing":
            raise ModuleNotFoundError(NO_PROCESSES, name=name)
