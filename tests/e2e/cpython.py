"""pytest on CPython, to compare with."""

import os
import subprocess
import sys
from pathlib import Path


def pytest_on_cpython(folder: Path, arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in a folder where nothing is installed but itself and no variable sets it up, as `CI` does."""
    environment = {
        **{name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ},
        "LANG": "C.UTF-8",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": ".",
    }
    command = f"{sys.executable} -m pytest -p no:cacheprovider {arguments}"
    return subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
