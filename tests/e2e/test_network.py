"""Requests of programs to hosts that the network policy allows, and to others."""

import http.server
import json
import threading
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.conftest import Server
from tests.e2e.commands import errors, open_sandbox, output, write

CLOSED = "http://127.0.0.1:47"
"""Nobody listens there."""
OTHER = "https://other.example"


class Api(http.server.BaseHTTPRequestHandler):
    """Answers from another origin, and lets any origin read but below /closed."""

    read_on = threading.Event()

    def do_GET(self) -> None:
        sent = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
        if self.path == "/read-on":
            self.read_on.set()
        elif self.path == "/stream":
            self._begin(200, 8)
            self.wfile.write(b"one\n")
            self.read_on.wait(20)
            self.wfile.write(b"two\n")
            return
        echo = {"method": self.command, "body": sent, "header": self.headers["X-Mine"]}
        body = b"nothing" if self.path == "/none" else json.dumps(echo).encode()
        self._begin(404 if self.path == "/none" else 200, len(body))
        self.wfile.write(body)

    do_POST = do_PUT = do_GET

    def do_OPTIONS(self) -> None:
        self._begin(204, 0)

    def _begin(self, status: int, length: int) -> None:
        self.send_response(status)
        if not self.path.startswith("/closed"):
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Access-Control-Allow-Headers", "X-Mine, Content-Type")
            self.send_header("Access-Control-Allow-Methods", "GET, POST, PUT")
            self.send_header("Access-Control-Expose-Headers", "X-Answer")
        self.send_header("X-Answer", "yes")
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def api() -> Iterator[str]:
    server = Server(Api)
    yield server.url
    server.close()


@pytest.fixture(scope="module")
def page(kernel_page: Page, api: str) -> Iterator[Page]:
    """One sandbox for all tests, with requests installed."""
    open_sandbox(kernel_page, network={"allow": [api, CLOSED]})
    output(kernel_page, "pip install requests")
    yield kernel_page
    kernel_page.evaluate("() => sandbox.destroy()")


def script(page: Page, code: str) -> list[str]:
    """The lines that a script prints which has `requests`, `urllib3` and `urllib`."""
    write(page, "script.py", f"import json, requests, urllib3, urllib.error, urllib.request\n{code}")
    return output(page, "python script.py").splitlines()


class TestAllowed:
    def test_requests(self, page: Page, api: str) -> None:
        lines = script(
            page,
            f"""
answer = requests.post("{api}/x", json={{"a": 1}}, headers={{"X-Mine": "me"}})
print(answer.status_code, answer.json(), answer.headers["X-Answer"])
missing = requests.get("{api}/none")
print(missing.status_code, missing.text)
try:
    missing.raise_for_status()
except requests.HTTPError as error:
    print(error)
""",
        )
        assert lines == [
            "200 {'method': 'POST', 'body': '{\"a\": 1}', 'header': 'me'} yes",
            "404 nothing",
            f"404 Client Error:  for url: {api}/none",  # A browser tells no reason.
        ]

    def test_a_body_is_read_as_it_comes(self, page: Page, api: str) -> None:
        # The server sends the second line when the first was read.
        lines = script(
            page,
            f"""
for line in requests.get("{api}/stream", stream=True).iter_lines(chunk_size=1):
    print(line.decode(), requests.get("{api}/read-on").status_code)
""",
        )
        assert lines == ["one 200", "two 200"]

    def test_urllib3_and_urllib(self, page: Page, api: str) -> None:
        lines = script(
            page,
            f"""
print(urllib3.request("PUT", "{api}/x", body=b"abc", headers={{"X-Mine": "me"}}).json())
request = urllib.request.Request("{api}/x", data=b"zz", headers={{"X-Mine": "me"}})
with urllib.request.urlopen(request) as answer:
    print(answer.status, json.load(answer), answer.headers["X-Answer"])
try:
    urllib.request.urlopen("{api}/none")
except urllib.error.HTTPError as error:
    print(error.code, error.reason, error.read())
""",
        )
        assert lines == [
            "{'method': 'PUT', 'body': 'abc', 'header': 'me'}",
            "200 {'method': 'POST', 'body': 'zz', 'header': 'me'} yes",
            "404 Not Found b'nothing'",
        ]

    def test_curl(self, page: Page, api: str) -> None:
        sent = json.loads(output(page, f"curl -s -d hello -H 'X-Mine: me' {api}/x"))
        assert sent == {"method": "POST", "body": "hello", "header": "me"}
        assert output(page, f"curl -sf {api}/none; echo $?") == "22\n"


REQUESTS = {
    "requests": "requests.get('{url}')",
    "urllib3": "urllib3.request('GET', '{url}')",
    "urllib": "urllib.request.urlopen('{url}')",
}


def failures(page: Page, url: str) -> dict[str, str]:
    """What each way to make a request says of its failure, as one line."""
    calls = "\n".join(
        f"try:\n    {call.format(url=url)}\nexcept Exception as error:\n    print('{name}', str(error))"
        for name, call in REQUESTS.items()
    )
    lines = dict(line.split(" ", 1) for line in script(page, calls))
    assert lines.keys() == REQUESTS.keys()
    return {**lines, "curl": errors(page, f"curl -sS {url}")}


class TestRefused:
    def test_a_host_that_the_policy_does_not_allow(self, page: Page, api: str) -> None:
        for how, said in failures(page, f"{OTHER}/x").items():
            assert f"the network policy of this sandbox refuses {OTHER}: it allows {api}" in said, how

    def test_a_server_that_does_not_let_browsers_read(self, page: Page, api: str) -> None:
        for how, said in failures(page, f"{api}/closed").items():
            assert f"{api}/closed could not be fetched" in said, how
            assert "it does not let browsers read its answers (CORS:" in said, how

    def test_a_host_that_cannot_be_reached(self, page: Page) -> None:
        for how, said in failures(page, f"{CLOSED}/x").items():
            assert f"{CLOSED}/x could not be fetched: either the server cannot be reached" in said, how

    def test_a_browser_that_is_offline(self, page: Page, api: str) -> None:
        page.context.set_offline(True)
        try:
            for how, said in failures(page, f"{api}/x").items():
                assert f"{api}/x could not be fetched: the browser is offline" in said, how
        finally:
            page.context.set_offline(False)

    def test_a_policy_that_makes_no_sense(self, page: Page) -> None:
        message = page.evaluate(
            '() => inbrowser.openSandbox({ network: { allow: ["x\'; script-src *"] } }).catch((e) => e.message)'
        )
        assert "is no origin" in message
