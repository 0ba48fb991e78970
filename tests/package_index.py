"""Small wheels, and an index that has them."""

import base64
import hashlib
import http.server
import io
import json
import threading
import zipfile
from collections.abc import Sequence
from pathlib import Path

PAUSE = 0.4
"""Seconds."""


def wheel(
    name: str,
    version: str = "1.0",
    requires: Sequence[str] = (),
    files: dict[str, str] | None = None,
    extras: Sequence[str] = (),
) -> bytes:
    """Return a wheel whose module says which version it is."""
    module = name.replace("-", "_")
    info = f"{module}-{version}.dist-info"
    metadata = [f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: The {name} of tests"]
    metadata += [f"Requires-Dist: {each}" for each in requires] + [
        f"Provides-Extra: {each}" for each in extras
    ]
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for path, text in (files or {f"{module}/__init__.py": f"VERSION = {version!r}\n"}).items():
            archive.writestr(path, text)
        archive.writestr(f"{info}/METADATA", "\n".join(metadata) + "\n\nLong description.\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return target.getvalue()


class PackageIndex(http.server.ThreadingHTTPServer):
    """An index on the loopback address: JSON below /simple/, HTML below /html/, other sites let in (CORS)."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files: dict[str, dict[str, bytes]] = {}
        self.wrong_hashes: set[str] = set()
        self.requires_python: dict[str, str] = {}
        self.asked: list[str] = []
        self.pieces: dict[str, int] = {}
        """In how many pieces a file comes, one each `PAUSE`."""
        self.stalled: set[str] = set()
        """Files that never come to their end."""
        self._closing = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def simple(self) -> str:
        return f"{self.url}/simple"

    def add(
        self, name: str, version: str = "1.0", *requires: str, tag: str = "py3-none-any", **options: object
    ) -> str:
        """Add a wheel; returns its address."""
        filename = f"{name.replace('-', '_')}-{version}-{tag}.whl"
        self.files.setdefault(name, {})[filename] = wheel(name, version, requires, **options)  # type: ignore[arg-type]
        return f"{self.url}/files/{filename}"

    def add_file(self, name: str, path: Path) -> None:
        """Add a real wheel."""
        self.files.setdefault(name, {})[path.name] = path.read_bytes()

    def add_source(self, name: str, version: str = "1.0") -> None:
        self.files.setdefault(name, {})[f"{name}-{version}.tar.gz"] = b"source"

    def sha256(self, filename: str) -> str:
        data = next(files[filename] for files in self.files.values() if filename in files)
        return hashlib.sha256(data).hexdigest()

    def pause(self, seconds: float | None) -> None:
        """Wait, but not longer than the index is open."""
        self._closing.wait(seconds)

    def handle_error(self, request: object, client_address: object) -> None:
        """Whoever gives up a download leaves; that is no error here."""

    def close(self) -> None:
        self._closing.set()
        self.shutdown()
        self.server_close()


class _Handler(http.server.BaseHTTPRequestHandler):
    server: PackageIndex

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        kind, _, name = self.path.strip("/").partition("/")
        files = self.server.files
        if kind == "files":
            for each in files.values():
                if name in each:
                    return self._send_file(name, each[name])
        elif kind == "simple" and name in files:
            return self._answer(
                "application/vnd.pypi.simple.v1+json",
                json.dumps(self._project(name, self.server.url)).encode(),
            )
        elif kind == "html" and name in files:
            links = [
                f'<a href="{each["url"]}#sha256={each["hashes"]["sha256"]}">{each["filename"]}</a>'
                for each in self._project(name, "")["files"]  # type: ignore[attr-defined]
            ]
            return self._answer("text/html", f"<html><body>{''.join(links)}</body></html>".encode())
        self._answer("text/plain", b"no such thing", 404)

    def _project(self, name: str, base: str) -> dict[str, object]:
        entries = [
            {
                "filename": filename,
                "url": f"{base}/files/{filename}",
                "hashes": {
                    "sha256": "0" * 64
                    if filename in self.server.wrong_hashes
                    else hashlib.sha256(data).hexdigest()
                },
                "requires-python": self.server.requires_python.get(filename),
            }
            for filename, data in self.server.files[name].items()
        ]
        return {"name": name, "files": entries}

    def _answer(self, kind: str, data: bytes, status: int = 200) -> None:
        self._begin(kind, len(data), status)
        self.wfile.write(data)

    def _begin(self, kind: str, length: int, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length))
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()

    def _send_file(self, name: str, data: bytes) -> None:
        server = self.server
        self._begin("application/octet-stream", len(data), 200)
        size = -(-len(data) // server.pieces.get(name, 1))
        for start in range(0, len(data), size):
            if start:
                server.pause(PAUSE)
            self.wfile.write(data[start : start + size])
            if name in server.stalled:
                server.pause(None)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()
