"""Records what real bash and GNU tools make of the scripts: python3 tests/shell/record.py, on Debian 12.

Each script of scripts.sh runs in a fresh copy of fixture.json's files. expected.jsonl gets its standard
output, its exit code and the files that came out changed: text, `base64:` and bytes, `link:` and a target, or
null for what is gone; a name that ends in `/` is a folder.
"""

import base64
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
NOT_COMPARED = re.compile(r"\.(tgz|tar|zip|gz)$")


def scripts() -> dict[str, str]:
    """Return the scripts by their names."""
    parts = re.split(r"^#: (\S+)\n", (HERE / "scripts.sh").read_text(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def content(text: str) -> bytes:
    """Return the bytes of a file of the fixture."""
    return base64.b64decode(text[7:]) if text.startswith("base64:") else text.encode()


def shown(data: bytes) -> str:
    """Return bytes as text, or where they are no UTF-8 in base64."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return f"base64:{base64.b64encode(data).decode()}"


def listing(root: Path) -> dict[str, str]:
    """Return all that is below a folder."""
    found: dict[str, str] = {}
    for folder, names, files in os.walk(root):
        for name in [*names, *files]:
            path = Path(folder, name)
            relative = str(path.relative_to(root))
            if path.is_symlink():
                found[relative] = f"link:{path.readlink()}"
            elif path.is_dir():
                found[f"{relative}/"] = ""
            elif not NOT_COMPARED.search(relative):
                found[relative] = shown(path.read_bytes())
    return found


def record(name: str, script: str, fixture: dict[str, str]) -> dict[str, object]:
    """Run a script in a copy of the fixture."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, text in fixture.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(content(text))
        before = listing(root)
        environment = {
            "PATH": "/usr/bin:/bin",
            "HOME": folder,
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "TERM": "dumb",
        }
        ended = subprocess.run(
            ["bash", "-c", script], cwd=root, env=environment, input=b"", capture_output=True, timeout=20
        )
        after = listing(root)
    changed = {
        path: after.get(path) for path in sorted({*before, *after}) if before.get(path) != after.get(path)
    }
    return {"name": name, "stdout": shown(ended.stdout), "exit_code": ended.returncode, "changed": changed}


def main() -> None:
    """Write expected.jsonl."""
    fixture = json.loads((HERE / "fixture.json").read_text())
    lines = [json.dumps(record(name, script, fixture)) for name, script in scripts().items()]
    (HERE / "expected.jsonl").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
