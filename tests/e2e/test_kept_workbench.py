"""The workbench keeps what is done in it: files, checkpoints and locks, across reloads and beside other tabs."""

import re
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect


def open_workbench(context: BrowserContext, site: str) -> Page:
    page = context.new_page()
    page.goto(f"{site}/")
    return page


def wait_until_ready(page: Page) -> None:
    expect(page.get_by_role("status").get_by_text("Ready")).to_be_visible(timeout=30_000)


@pytest.fixture
def workbench(context: BrowserContext, site: str) -> Page:
    page = open_workbench(context, site)
    wait_until_ready(page)
    return page


def run(page: Page, command: str) -> None:
    """Type a command into the terminal and wait until it has ended."""
    terminal = page.get_by_role("region", name="Terminal")
    terminal.click()
    page.keyboard.type(f"{command} && echo e''nded\n")
    expect(terminal.get_by_text("ended", exact=True).last).to_be_visible()
    page.keyboard.type("clear\n")
    expect(terminal.get_by_text("ended", exact=True)).to_have_count(0)


def file(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name="Files").get_by_role("treeitem", name=re.compile(re.escape(name)))


def checkpoints(page: Page) -> Locator:
    region = page.get_by_role("region", name="Checkpoints")
    if not region.is_visible():
        page.get_by_role("button", name="Checkpoints", exact=True).locator("visible=true").click()
    return region


def create_checkpoint(page: Page, label: str) -> None:
    region = checkpoints(page)
    region.get_by_role("textbox", name="Label").fill(label)
    region.get_by_role("button", name="Create checkpoint").click()
    expect(entry(page, label)).to_be_visible()


def entry(page: Page, label: str) -> Locator:
    return page.get_by_role("region", name="Checkpoints").get_by_role("listitem").filter(has_text=label)


def test_files_and_checkpoints_are_there_after_a_reload(workbench: Page) -> None:
    run(workbench, "echo one > kept.txt")
    create_checkpoint(workbench, "the first state")
    expect(workbench.get_by_role("status").get_by_text("Saved", exact=True)).to_be_visible()
    workbench.reload()
    wait_until_ready(workbench)
    expect(file(workbench, "kept.txt")).to_be_visible()
    checkpoints(workbench)
    expect(entry(workbench, "The first state")).to_be_visible()


def test_states_are_compared_restored_undone_and_redone(workbench: Page) -> None:
    run(workbench, "echo one > a.txt")
    create_checkpoint(workbench, "only a")
    run(workbench, "echo two > a.txt && echo b > b.txt")
    region = checkpoints(workbench)
    entry(workbench, "Only a").get_by_role("button", name="Compare").click()
    comparison = region.get_by_role("group", name="Comparison")
    expect(comparison.get_by_text("2 paths changed")).to_be_visible()
    expect(comparison.get_by_text("-one")).to_be_visible()
    expect(comparison.get_by_text("+two")).to_be_visible()
    region.get_by_role("button", name="Back to the list").click()
    entry(workbench, "Only a").get_by_role("button", name="Restore").click()
    expect(file(workbench, "b.txt")).to_have_count(0)
    region.get_by_role("button", name="Redo").click()
    expect(file(workbench, "b.txt")).to_be_visible()
    region.get_by_role("button", name="Undo").click()
    expect(file(workbench, "b.txt")).to_have_count(0)
    entry(workbench, "Before only a").or_(entry(workbench, "Before")).first.get_by_role(
        "button", name="Delete"
    ).click()
    expect(region.get_by_role("listitem")).to_have_count(1)
    region.get_by_role("button", name="Undo").click()
    expect(region.get_by_role("alert")).to_contain_text("nothing to undo")


def test_another_tab_is_told_and_may_look_on(context: BrowserContext, site: str, workbench: Page) -> None:
    run(workbench, "echo one > first.txt")
    other = open_workbench(context, site)
    expect(other.get_by_role("alert")).to_contain_text("Open in another tab", timeout=30_000)
    other.get_by_role("button", name="Look on").click()
    wait_until_ready(other)
    expect(other.get_by_role("status").get_by_text("Looking on")).to_be_visible()
    expect(file(other, "first.txt")).to_be_visible()
    workbench.bring_to_front()
    run(workbench, "echo two > second.txt")
    other.bring_to_front()
    expect(file(other, "second.txt")).to_be_visible()
    workbench.close()
    other.get_by_role("button", name="Try again").click()
    wait_until_ready(other)
    expect(other.get_by_role("status").get_by_text("Saved", exact=True)).to_be_visible()


def test_a_locked_file_is_refused_with_the_name_of_who_locked_it(workbench: Page) -> None:
    run(workbench, "echo mine > a.txt")
    file(workbench, "a.txt").click()
    editor = workbench.get_by_role("region", name="Editor")
    editor.get_by_role("button", name="Lock").click()
    expect(editor.get_by_text("Locked by you")).to_be_visible()
    terminal = workbench.get_by_role("region", name="Terminal")
    terminal.click()
    workbench.keyboard.type("echo yours > a.txt\n")
    expect(terminal.get_by_text("locked by you")).to_be_visible()
    workbench.reload()
    wait_until_ready(workbench)
    file(workbench, "a.txt").click()
    editor.get_by_role("button", name="Unlock").click()
    expect(editor.get_by_text("Locked by you")).to_have_count(0)
    run(workbench, "echo yours > a.txt")


def test_a_read_only_sandbox_refuses_commands(workbench: Page) -> None:
    switch = workbench.get_by_role("switch", name="Read-only")
    switch.click()
    expect(switch).to_be_checked()
    terminal = workbench.get_by_role("region", name="Terminal")
    terminal.click()
    workbench.keyboard.type("touch new.txt\n")
    expect(terminal.get_by_text(re.compile("read-only")).first).to_be_visible()
    switch.click()
    expect(switch).not_to_be_checked()
    run(workbench, "touch new.txt")
    expect(file(workbench, "new.txt")).to_be_visible()


@pytest.mark.parametrize(
    "broken",
    [
        "indexedDB.open = () => { throw new DOMException('it is blocked', 'SecurityError') };",
        "indexedDB.open = () => ({ addEventListener() {} });",
    ],
    ids=["refuses", "never answers"],
)
def test_without_storage_the_workbench_starts_and_says_that_nothing_is_kept(
    context: BrowserContext, site: str, broken: str
) -> None:
    page = context.new_page()

    def without_storage(route: Any) -> None:
        script = route.fetch()
        route.fulfill(response=script, body=f"{broken}\n{script.text()}")

    page.route("**/kernel.js", without_storage)
    page.goto(f"{site}/")
    wait_until_ready(page)
    expect(page.get_by_role("status").get_by_text("Not kept")).to_be_visible()
    expect(page.get_by_role("alert").get_by_text("Nothing will be kept")).to_be_visible()
    run(page, "echo still > works.txt")
    expect(file(page, "works.txt")).to_be_visible()
