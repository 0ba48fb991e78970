"""Names the packages that modules come with, where that is well known: nothing is guessed."""

PACKAGES = {
    "Crypto": "pycryptodome", "OpenSSL": "pyopenssl", "PIL": "pillow", "attr": "attrs",
    "bs4": "beautifulsoup4", "cv2": "opencv-python", "dateutil": "python-dateutil", "docx": "python-docx",
    "dotenv": "python-dotenv", "fitz": "pymupdf", "git": "gitpython", "jose": "python-jose", "jwt": "pyjwt",
    "magic": "python-magic", "nacl": "pynacl", "pkg_resources": "setuptools",
    "pptx": "python-pptx", "skimage": "scikit-image", "sklearn": "scikit-learn",
    "slugify": "python-slugify", "yaml": "pyyaml",
}  # fmt: skip
"""By module, of another name than their own."""
SAME = """
    aiohttp altair astropy attrs bokeh click coverage cryptography cycler flask geopandas httpx hypothesis
    jinja2 joblib jsonschema lxml markupsafe matplotlib micropip more_itertools mpmath msgpack networkx nltk
    numpy packaging pandas pluggy polars pyarrow pydantic pygments pytest requests rich scipy seaborn
    setuptools shapely six sortedcontainers sqlalchemy statsmodels sympy tabulate tomli tomlkit toolz tqdm
    typer typing_extensions urllib3 wcwidth werkzeug xarray
"""
"""Modules of packages that have their name."""


def hint(module: str) -> str | None:
    """Return how to get a module that is not there, if that is known."""
    name = module.partition(".")[0]
    package = PACKAGES.get(name) or (name.replace("_", "-") if name in SAME.split() else None)
    return package and f"{name} is not part of Python: it comes with a package, `pip install {package}`"
