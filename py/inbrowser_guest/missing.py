"""Says plainly what no process in a browser can do, where Python by itself puzzles, or keeps silent."""
# pyright: basic, reportAttributeAccessIssue=false, reportMissingImports=false, reportArgumentType=false

import _thread
import asyncio
import errno
import socket
from typing import Any, NoReturn

NO_STACK_SWITCHING = (
    "this browser has no WebAssembly stack switching (JSPI), without which Python cannot wait for {what}"
)
NO_THREADS = (
    "can't start new thread: there are no threads in WebAssembly; use asyncio, or run the work in turn"
)
NO_SOCKETS = "there are no sockets in a browser; use requests, urllib or httpx, which go through its fetch"


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
    for name in ("connect", "connect_ex", "bind", "listen"):
        setattr(socket.socket, name, _no_sockets)
    socket.getaddrinfo = _no_sockets
    if not host().stackSwitching:
        asyncio.run = _no_run


def _no_threads(*_args: object, **_options: object) -> NoReturn:
    raise RuntimeError(NO_THREADS)


def _no_sockets(*_args: object, **_options: object) -> NoReturn:
    raise OSError(errno.ENETUNREACH, NO_SOCKETS)


def _no_run(main: Any, **_options: object) -> NoReturn:
    main.close()
    raise RuntimeError(
        NO_STACK_SWITCHING.format(what="coroutines: await them at the top of a module run by the app")
    )
