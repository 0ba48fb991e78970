"""The settings as a visitor fills them in."""

from playwright.sync_api import Locator, Page, expect


class SettingsDialog:
    """Opens the dialog of a page, and knows its fields by their labels."""

    def __init__(self, page: Page) -> None:
        self.page = page
        page.get_by_role("button", name="Settings").click()
        self.dialog = page.get_by_role("dialog", name="Settings")
        expect(self.provider.locator("option[value=custom]")).to_be_attached()

    def field(self, label: str) -> Locator:
        return self.dialog.get_by_label(label, exact=True)

    @property
    def provider(self) -> Locator:
        return self.field("Who answers")

    @property
    def key(self) -> Locator:
        return self.dialog.get_by_label("API key")

    @property
    def models(self) -> Locator:
        return self.dialog.get_by_role("listbox", name="Models").get_by_role("option")

    @property
    def outcome(self) -> Locator:
        return self.dialog.get_by_role("status")

    def press(self, name: str) -> None:
        self.dialog.get_by_role("button", name=name).click()

    def choose(self, provider: str, base_url: str, *, api: str = "", model: str = "", key: str = "") -> None:
        """Choose a provider and fill in what is given."""
        self.provider.select_option(provider)
        expect(self.field("Base URL")).to_be_visible()
        if api:
            self.field("API").select_option(api)
        self.field("Base URL").fill(base_url)
        self.field("Model").fill(model)
        if key:
            self.key.fill(key)

    def save(self) -> None:
        self.press("Save")
        expect(self.dialog).to_be_hidden()


def open_workbench(page: Page, site: str) -> None:
    page.goto(f"{site}/")
    expect(page.get_by_role("status").get_by_text("Ready")).to_be_visible(timeout=30_000)


def send(page: Page, message: str) -> None:
    """Send a message and wait for the end of the reply."""
    page.get_by_role("textbox", name="Message").fill(message)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("article", name="Assistant").last).to_have_attribute(
        "aria-busy", "false", timeout=90_000
    )
