"""pytest on CPython, to compare with."""

import os
import subprocess
import sys
from pathlib import Path


def pytest_on_cpython(folder: Path, arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in a folder as it is where nothing is installed but itself."""
    environment = {
        **os.environ,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": ".",
    }
    for name in ("COLUMNS", "PYTEST_ADDOPTS", "PYTEST_CURRENT_TEST", "FORCE_COLOR"):
        environment.pop(name, None)
    command = f"{sys.executable} -m pytest -p no:cacheprovider {arguments}"
    return subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
