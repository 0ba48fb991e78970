"""The licences of what others have written, beside it."""

import json
import re
import urllib.request

import build


def test_each_package_in_the_page_is_there_with_its_licence(site: str) -> None:
    with urllib.request.urlopen(f"{site}/licenses.txt") as response:
        text = response.read().decode()
    sections = dict(re.findall(r"^(\S+) \S+ \(.+\)\n\n-{3,}\n\n((?:.+\n)+)", text, re.MULTILINE))
    npm = json.loads((build.WEB / "package.json").read_text())["dependencies"]
    locks = [build.ROOT / "py" / f"{name}.lock" for name in ("wheels", "bundled", "guest")]
    wheels = re.findall(r"^([\w.-]+)==", "".join(lock.read_text() for lock in locks), re.MULTILINE)
    assert wheels
    assert {name.replace("-", "_").lower() for name in [*npm, *wheels]} <= {
        name.replace("-", "_").lower() for name in sections
    }
    assert "llama.cpp" in sections["@wllama/wllama"]
