"""Chromium by way of Playwright."""

from playwright.sync_api import Browser, Error
from playwright.sync_api import Page as PlaywrightPage

from tests.engines.driver import Engine, Page, PageError


class ChromiumPage(Page):
    def __init__(self, page: PlaywrightPage) -> None:
        self._page = page

    def goto(self, url: str) -> None:
        self._page.goto(url)

    def reload(self) -> None:
        self._page.reload()

    def screenshot(self) -> bytes:
        return self._page.screenshot()

    def close(self) -> None:
        self._page.close()

    def _call(self, function: str, text: str, seconds: float) -> str:
        try:
            return self._page.evaluate(function, text)
        except Error as error:
            raise PageError(error.message) from None


class Chromium(Engine):
    """A context of the browser that the other tests use too."""

    name = "Chromium"

    def __init__(self, browser: Browser) -> None:
        self.version = browser.version
        self._context = browser.new_context(viewport={"width": 1440, "height": 900})
        self._printed: list[str] = []
        self._context.on("console", lambda message: self._printed.append(f"{message.type}: {message.text}\n"))
        self._context.on("weberror", lambda error: self._printed.append(f"uncaught: {error.error}\n"))

    def open(self, url: str) -> Page:
        page = ChromiumPage(self._context.new_page())
        page.goto(url)
        return page

    def close(self) -> None:
        self._context.close()

    @property
    def log(self) -> str:
        return "".join(self._printed[-400:])
