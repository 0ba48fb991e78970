"""Installs packages, without touching the interpreter it runs in: wheels come in, packs go out.

Runs in a Pyodide of its own that has micropip and reaches the network; see `main`.
"""
# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false

from .main import main as main
