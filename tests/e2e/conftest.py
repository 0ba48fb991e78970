from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.conftest import watched
from tests.package_index import PackageIndex


@pytest.fixture(scope="module")
def kernel_page(visitor: BrowserContext, site: str) -> Iterator[Page]:
    """One kernel and its frames for all tests of a module; each opens a sandbox of its own."""
    page = visitor.new_page()
    page.goto(f"{site}/pages/embed.html")
    yield from watched(page)
    page.close()


@pytest.fixture
def index() -> Iterator[PackageIndex]:
    index = PackageIndex()
    yield index
    index.close()
