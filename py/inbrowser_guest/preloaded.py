"""What many programs import: the memory snapshot of a guest holds it, ready."""

from importlib import import_module

MODULES = """
    argparse ast asyncio base64 bisect collections.abc contextlib copy csv dataclasses datetime
    decimal difflib email.message enum fnmatch fractions functools glob hashlib heapq html
    importlib.metadata importlib.util inspect io itertools json linecache locale logging math
    numbers operator os.path pathlib pickle platform pprint random re runpy secrets shlex shutil
    signal socket sqlite3 statistics string struct subprocess tempfile textwrap threading time
    tokenize traceback types typing unicodedata unittest.mock urllib.parse urllib.request uuid
    warnings weakref xml.etree.ElementTree zipfile zlib
"""

for name in MODULES.split():
    import_module(name)
