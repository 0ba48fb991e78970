"""Servers that note who came."""

import functools
import socket
import threading
from pathlib import Path

import build
from tests.conftest import Server

PROBE = "/probe-"


class Counter:
    """An HTTP server that serves a folder too.

    `seen` has the names of the probes whose requests arrived, `cookies` what came with them.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.seen: set[str] = set()
        self.cookies: list[str] = []
        seen, cookies = self.seen, self.cookies

        class Handler(build.StaticFiles):
            def parse_request(self) -> bool:
                """Note whatever comes, before anything may refuse it."""
                parsed = super().parse_request()
                if parsed and self.path.startswith(PROBE):
                    seen.add(self.path.removeprefix(PROBE))
                    cookies.extend(self.headers.get_all("Cookie", []))
                    self._answer()
                    return False
                return parsed

            def _answer(self) -> None:
                self.close_connection = True
                name = self.path.removeprefix(PROBE)
                kind = "text/event-stream" if name == "eventSource" else "text/javascript"
                self.send_response(200)
                self.send_header("Access-Control-Allow-Origin", "*")
                self.send_header("Content-Type", kind)
                self.send_header("Cache-Control", "no-store")
                self.end_headers()

        self._server = Server(functools.partial(Handler, directory=str(folder or Path(__file__).parent)))
        self.url = self._server.url
        self.prefix = self._server.url + PROBE

    def close(self) -> None:
        self._server.close()


class Signals:
    """Counts UDP packets and TCP connections, each on a port of its own."""

    def __init__(self) -> None:
        self.packets = 0
        self.connections = 0
        address = own_address()
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind((address, 0))
        self._tcp = socket.create_server((address, 0))
        self.stun = f"stun:{address}:{self._udp.getsockname()[1]}"
        self.wire = f"http://{address}:{self._tcp.getsockname()[1]}"
        self._threads = [threading.Thread(target=count) for count in (self._packets, self._connections)]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        for each in (self._udp, self._tcp):
            each.shutdown(socket.SHUT_RDWR) if each is self._tcp else each.sendto(b"", each.getsockname())
        for thread in self._threads:
            thread.join(5)
        self._udp.close()
        self._tcp.close()

    def _packets(self) -> None:
        while self._udp.recv(2000):
            self.packets += 1

    def _connections(self) -> None:
        while True:
            try:
                self._tcp.accept()[0].close()
            except OSError:
                return
            self.connections += 1


def own_address() -> str:
    """Return an address of this machine that is not loopback, which WebRTC may leave out, where there is one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return probe.getsockname()[0]
        except OSError:
            return "127.0.0.1"
