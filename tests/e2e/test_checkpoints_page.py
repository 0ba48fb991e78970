"""A sandbox that is kept, as the visitor of the workbench meets it: saved state, checkpoints, locks, drafts."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, expect

BROKEN = "indexedDB.open = () => { throw new DOMException('switched off', 'SecurityError') };\n"
SILENT = "indexedDB.open = () => Object.assign(new EventTarget(), { readyState: 'pending' });\n"
FULL = """
const { put } = IDBObjectStore.prototype;
IDBObjectStore.prototype.put = function (...args) {
  if (this.name === "entries") throw new DOMException("no room", "QuotaExceededError");
  return put.apply(this, args);
};
"""


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """Without the service worker, behind which Playwright could not answer requests itself."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, service_workers="block")
    context.set_default_timeout(30_000)
    yield context
    context.close()


@pytest.fixture
def workbench(page: Page, site: str) -> Page:
    return opened(page, site)


def opened(page: Page, site: str) -> Page:
    page.goto(f"{site}/")
    expect(page.get_by_role("status").get_by_text("Ready")).to_be_visible(timeout=40_000)
    return page


def state(page: Page, text: str) -> Locator:
    return page.get_by_role("status").get_by_text(text)


def run(page: Page, command: str) -> None:
    page.get_by_role("region", name="Terminal").click()
    page.keyboard.type(f"{command}\n")


def checkpoints(page: Page) -> Locator:
    region = page.get_by_role("region", name="Checkpoints")
    if not region.is_visible():
        page.get_by_role("button", name="Checkpoints").first.click()
    return region


def create(page: Page, label: str) -> Locator:
    region = checkpoints(page)
    region.get_by_role("textbox", name="Label").fill(label)
    region.get_by_role("button", name="Create checkpoint").click()
    entry = region.get_by_role("listitem").filter(has_text=label)
    expect(entry).to_be_visible()
    return entry


def file(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name="Files").get_by_role("treeitem", name=re.compile(re.escape(name)))


def edit(page: Page, name: str, text: str) -> Locator:
    """Open a file and type at its start."""
    file(page, name).click()
    content = page.get_by_role("textbox", name=f"Content of {name}")
    content.click()
    page.keyboard.press("Control+Home")
    page.keyboard.type(text)
    return page.get_by_role("region", name="Editor")


def test_a_state_is_kept_compared_restored_undone_and_redone(workbench: Page) -> None:
    run(workbench, "echo one > a.txt")
    file(workbench, "a.txt").click()
    editor = workbench.get_by_role("region", name="Editor")
    entry = create(workbench, "first")
    expect(entry.get_by_text("Current")).to_be_visible()
    run(workbench, "echo two > a.txt; echo new > b.txt")
    expect(editor.get_by_text("two")).to_be_visible()

    region = checkpoints(workbench)
    entry.get_by_role("button", name="Compare").click()
    expect(region.locator(".diff-removed").get_by_text("-one")).to_be_visible()
    expect(region.locator(".diff-added").get_by_text("+two")).to_be_visible()
    expect(region.get_by_text("2 paths changed")).to_be_visible()
    region.get_by_role("button", name="Back").click()

    entry.get_by_role("button", name="Restore").click()
    expect(editor.get_by_text("one", exact=True)).to_be_visible()
    expect(file(workbench, "b.txt")).to_have_count(0)
    region.get_by_role("button", name="Redo").click()
    expect(editor.get_by_text("two", exact=True)).to_be_visible()
    expect(file(workbench, "b.txt")).to_be_visible()
    region.get_by_role("button", name="Undo").click()
    expect(editor.get_by_text("one", exact=True)).to_be_visible()


def test_what_cannot_be_undone_is_said_in_words(workbench: Page) -> None:
    region = checkpoints(workbench)
    region.get_by_role("button", name="Undo").click()
    expect(region.get_by_role("alert")).to_contain_text("nothing to undo")
    region.get_by_role("button", name="Redo").click()
    expect(region.get_by_role("alert")).to_contain_text("nothing to redo")


def test_a_deleted_checkpoint_leaves_the_list(workbench: Page) -> None:
    entry = create(workbench, "unwanted")
    entry.get_by_role("button", name="Delete").click()
    expect(entry).to_have_count(0)


def test_files_checkpoints_and_locks_outlive_a_reload(workbench: Page, site: str) -> None:
    run(workbench, "echo kept > a.txt")
    file(workbench, "a.txt").hover()
    file(workbench, "a.txt").get_by_role("button", name="Lock").click()
    create(workbench, "before the reload")
    expect(state(workbench, "Saved")).to_be_visible()
    workbench.reload()
    expect(state(workbench, "Ready")).to_be_visible(timeout=40_000)
    expect(file(workbench, "a.txt").get_by_role("button", name="Unlock")).to_be_visible()
    region = checkpoints(workbench)
    expect(region.get_by_role("listitem").filter(has_text="before the reload")).to_be_visible()


def test_a_second_tab_is_told_looks_on_and_takes_over(
    context: BrowserContext, workbench: Page, site: str
) -> None:
    run(workbench, "echo one > a.txt")
    expect(file(workbench, "a.txt")).to_be_visible()
    second = context.new_page()
    second.goto(f"{site}/")
    card = second.get_by_role("alert")
    expect(card).to_contain_text("open in another tab", timeout=40_000)
    card.get_by_role("button", name="Look on").click()
    expect(state(second, "Looking on")).to_be_visible()
    file(second, "a.txt").click()
    editor = second.get_by_role("region", name="Editor")
    expect(editor.get_by_text("one", exact=True)).to_be_visible()
    expect(editor.get_by_text("You are looking on")).to_be_visible()
    run(workbench, "echo two > a.txt")
    expect(editor.get_by_text("two", exact=True)).to_be_visible()
    workbench.close()
    second.get_by_role("button", name="Try again").click()
    expect(state(second, "Saved")).to_be_visible(timeout=40_000)


@pytest.mark.parametrize("name", ["a.txt", "[id] *.txt"])
def test_a_locked_file_refuses_the_shell_and_tells_who(workbench: Page, name: str) -> None:
    run(workbench, f"echo one > '{name}'; echo free > i.txt")
    file(workbench, name).click()
    editor = workbench.get_by_role("region", name="Editor")
    expect(editor.get_by_role("textbox")).to_have_attribute("aria-readonly", "false")
    editor.get_by_role("button", name="Lock", exact=True).click()
    expect(editor.get_by_text("Locked by you")).to_be_visible()
    expect(editor.locator("[aria-readonly]")).to_have_attribute("aria-readonly", "true")
    run(workbench, f"echo two > '{name}'")
    terminal = workbench.get_by_role("region", name="Terminal")
    expect(terminal.get_by_text(re.compile("locked by you")).first).to_be_attached()
    run(workbench, "echo more > i.txt; cat i.txt")
    expect(terminal.get_by_text("more", exact=True).first).to_be_attached()
    expect(editor.get_by_text("one", exact=True)).to_be_visible()
    editor.get_by_role("button", name="Unlock").click()
    run(workbench, f"echo three > '{name}'")
    expect(editor.get_by_text("three", exact=True)).to_be_visible()


def test_the_switch_refuses_every_change(workbench: Page) -> None:
    switch = workbench.get_by_role("switch", name="Read-only")
    switch.click()
    expect(switch).to_be_checked()
    run(workbench, "echo one > a.txt")
    terminal = workbench.get_by_role("region", name="Terminal")
    expect(terminal.get_by_text(re.compile("read-only")).first).to_be_attached()
    expect(file(workbench, "a.txt")).to_have_count(0)
    switch.click()
    run(workbench, "echo one > a.txt")
    expect(file(workbench, "a.txt")).to_be_visible()


def test_an_edit_is_saved(workbench: Page) -> None:
    run(workbench, "printf 'one\\r\\ntwo\\r\\n' > a.txt")
    editor = edit(workbench, "a.txt", "my ")
    editor.get_by_role("button", name="Save").click()
    expect(editor.get_by_role("button", name="Save")).to_have_count(0)
    run(workbench, "cat -A a.txt")
    terminal = workbench.get_by_role("region", name="Terminal")
    expect(terminal.get_by_text("my one^M$", exact=True).first).to_be_attached()
    expect(terminal.get_by_text("two^M$", exact=True).first).to_be_attached()


@pytest.mark.parametrize(("choice", "text"), [("Keep mine", "my one"), ("Take theirs", "theirs")])
def test_edits_meet_a_change_by_somebody_else(workbench: Page, choice: str, text: str) -> None:
    run(workbench, "echo one > a.txt")
    editor = edit(workbench, "a.txt", "my ")
    run(workbench, "echo theirs > a.txt")
    expect(editor.get_by_role("alert")).to_contain_text("changed by somebody else")
    expect(editor.get_by_text("my one")).to_be_visible()
    editor.get_by_role("button", name=choice).click()
    expect(editor.get_by_text(text, exact=True)).to_be_visible()
    if choice == "Keep mine":
        editor.get_by_role("button", name="Save").click()
    expect(editor.get_by_role("button", name="Save")).to_have_count(0)
    run(workbench, "cat a.txt")
    terminal = workbench.get_by_role("region", name="Terminal")
    expect(terminal.get_by_text(text, exact=True).first).to_be_attached()


@pytest.mark.parametrize("prefix", [BROKEN, SILENT], ids=["broken", "silent"])
def test_without_storage_the_page_warns_and_works(page: Page, site: str, prefix: str) -> None:
    before_the_kernel(page, prefix)
    opened(page, site)
    expect(state(page, "Not kept")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("Nothing will be kept")
    run(page, "echo one > a.txt")
    expect(file(page, "a.txt")).to_be_visible()
    create(page, "in memory")


def test_a_full_storage_is_told_with_what_to_do(page: Page, site: str) -> None:
    before_the_kernel(page, FULL)
    opened(page, site)
    expect(state(page, "Saved")).to_be_visible()
    run(page, "echo one > a.txt")
    expect(state(page, "Not saved")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("Download in Files")
    expect(page.get_by_role("alert")).to_contain_text("full")
    expect(file(page, "a.txt")).to_be_visible()


def test_damaged_records_are_told_and_the_rest_is_shown(page: Page, site: str) -> None:
    opened(page, site)
    run(page, "echo whole > a.txt; echo damaged > b.txt")
    expect(file(page, "b.txt")).to_be_visible()
    expect(state(page, "Saved")).to_be_visible()
    page.goto(f"{site}/pages/embed.html")
    page.evaluate(
        """() => new Promise((resolve, reject) => {
          const opening = indexedDB.open("inbrowser sandbox workbench");
          opening.onerror = () => reject(opening.error);
          opening.onsuccess = () => {
            const change = opening.result.transaction("entries", "readwrite");
            change.objectStore("entries").put({ path: "b.txt", kind: "file", mode: 420, mtime: 1, size: 9, data: "?" });
            change.oncomplete = () => { opening.result.close(); resolve() };
          };
        })"""
    )
    page.goto(f"{site}/")
    card = page.get_by_role("alert")
    expect(card).to_contain_text("b.txt", timeout=40_000)
    card.get_by_role("button", name="Look at what can be read").click()
    expect(file(page, "a.txt")).to_be_visible()
    expect(page.get_by_text("1 file cannot be read")).to_be_visible()


def test_the_demo_starts_over_from_where_it_started(workbench: Page) -> None:
    for _ in range(2):
        workbench.get_by_role("button", name="Run demo").first.click()
        expect(workbench.get_by_role("button", name="Stop")).to_be_visible()
        expect(workbench.get_by_role("button", name="Send")).to_be_visible(timeout=60_000)
    expect(workbench.get_by_role("article", name="Assistant").nth(1)).to_contain_text("is running")
    region = checkpoints(workbench)
    expect(region.get_by_role("listitem").filter(has_text="After the demo").first).to_be_visible()
    run(workbench, "echo mine > mine.txt")
    expect(file(workbench, "mine.txt")).to_be_visible()
    workbench.get_by_role("button", name="Run demo").first.click()
    expect(workbench.get_by_role("button", name="Stop")).to_be_visible()
    expect(workbench.get_by_role("button", name="Send")).to_be_visible(timeout=60_000)
    expect(file(workbench, "mine.txt")).to_be_visible()


@pytest.mark.parametrize("size", [(390, 844), (900, 700)])
def test_checkpoints_fit_small_windows(workbench: Page, size: tuple[int, int]) -> None:
    workbench.set_viewport_size({"width": size[0], "height": size[1]})
    entry = create(workbench, "a rather long label that does not fit into one line of a telephone")
    expect(entry.get_by_role("button", name="Restore")).to_be_in_viewport(ratio=1)
    overflow = workbench.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert overflow == 0


def before_the_kernel(page: Page, prefix: str) -> None:
    """Run a script in the kernel's worker before anything else there."""

    def answer(route: Route) -> None:
        response = route.fetch()
        route.fulfill(response=response, body=prefix + response.text())

    page.route("**/kernel.js", answer)
