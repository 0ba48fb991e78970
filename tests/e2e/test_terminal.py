"""The terminal as a visitor uses it."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

PASTE = """(text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
}"""


class Terminal:
    """The region, its keys, and what is to be read there."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.region = page.get_by_role("region", name="Terminal")
        self.input = self.region.get_by_role("textbox", name="Terminal input")
        self.press = page.keyboard.press
        self.input.focus()

    def type(self, text: str) -> None:
        self.page.keyboard.type(text)

    def row(self, text: str | re.Pattern[str]) -> Locator:
        """A row of just this text, however many blanks are between its words."""
        if isinstance(text, str):
            return self.region.get_by_text(text, exact=True)
        return self.region.get_by_role("listitem").filter(has_text=text)

    def shows(self, *texts: str | re.Pattern[str]) -> None:
        for text in texts:
            expect(self.row(text).first).to_be_attached()


@pytest.fixture
def terminal(page: Page, site: str) -> Terminal:
    page.goto(f"{site}/")
    expect(page.get_by_role("status").get_by_text("Ready")).to_be_visible(timeout=30_000)
    terminal = Terminal(page)
    terminal.shows("/project $")
    return terminal


def test_what_a_line_leaves_is_there_on_the_next(terminal: Terminal) -> None:
    terminal.type("mkdir -p sub && cd sub && X=7 && alias hi='echo hello' && f() { echo f$X; }\n")
    terminal.shows("/project/sub $")
    terminal.type("f; hi; pwd\n")
    terminal.shows("f7", "hello", "/project/sub")
    terminal.type("(exit 3)\n")
    terminal.shows("/project/sub 3 $")
    terminal.type("echo was $?\n")
    terminal.shows("was 3", "/project/sub $")


def test_history_is_recalled_and_searched(terminal: Terminal) -> None:
    terminal.type("echo first one\necho second\necho third\ndraft")
    terminal.press("ArrowUp")
    terminal.shows("/project $ echo third")
    terminal.press("ArrowDown")
    terminal.shows("/project $ draft")
    terminal.press("Control+u")
    terminal.press("Control+r")
    terminal.type("echo")
    terminal.shows("search echo: echo third")
    terminal.press("Control+r")
    terminal.shows("search echo: echo second")
    terminal.type("x")
    terminal.shows("search echox: echo second")
    terminal.press("Escape")
    terminal.shows("/project $")
    terminal.press("Control+r")
    terminal.type("fir")
    terminal.press("End")
    terminal.type(" more\n")
    terminal.shows("first one more")


def test_tab_completes_commands_and_paths(terminal: Terminal) -> None:
    terminal.type(
        "mkdir -p 'my dir' src && touch 'my dir/a b.txt' src/main.py src/mail.py .hid; myfun() { echo fun; }\n"
    )
    terminal.shows("/project $")
    terminal.type("myf\t\n")
    terminal.shows("fun")
    terminal.type("echo 😀 my\ta\t!\n")
    terminal.shows("😀 my dir/a b.txt !")
    terminal.type("cat src/m\t")
    terminal.shows("/project $ cat src/mai")
    terminal.press("Tab")
    terminal.shows("mail.py  main.py")
    terminal.type("n\t")
    terminal.shows("/project $ cat src/main.py")
    terminal.press("Control+c")
    terminal.type("cd \t\t")
    terminal.shows("my dir/  src/")
    terminal.type("s\t\n")
    terminal.shows("/project/src $")


def test_tab_goes_on_where_there_is_nothing_to_complete(terminal: Terminal) -> None:
    terminal.press("Tab")
    expect(terminal.input).not_to_be_focused()
    terminal.input.focus()
    terminal.type("ec")
    terminal.press("Shift+Tab")
    expect(terminal.input).not_to_be_focused()
    terminal.input.focus()
    terminal.press("Tab")
    expect(terminal.input).to_be_focused()
    terminal.shows("/project $ echo")


@pytest.mark.parametrize("command", ["python -c 'while True: pass'", "sleep 100", "while :; do echo y; done"])
def test_control_c_stops(terminal: Terminal, command: str) -> None:
    terminal.type("kept=still\n")
    terminal.type(f"echo begun; {command}; echo not reached\n")
    terminal.shows("y" if "echo y" in command else "begun")
    terminal.press("Control+c")
    terminal.shows(re.compile(r"\^C\s*$"), "/project 130 $")
    terminal.type("clear; echo $kept\n")
    terminal.shows("still", "/project $")
    expect(terminal.row("not reached")).to_have_count(0)


def test_control_c_stops_what_is_about_to_run(terminal: Terminal) -> None:
    terminal.type("while true; do :; done\necho ahead\n")
    terminal.press("Control+c")
    terminal.type("echo al''ive\n")
    terminal.shows("alive")
    expect(terminal.row("ahead")).to_have_count(0)


def test_control_keys_at_the_prompt(terminal: Terminal) -> None:
    terminal.press("Control+d")
    terminal.type("echo one")
    terminal.press("Control+c")
    terminal.shows("/project $ echo one^C", "/project $")
    terminal.type("xecho two")
    terminal.press("Control+a")
    terminal.press("Control+d")
    terminal.press("Control+e")
    terminal.press("Control+ArrowLeft")
    terminal.press("Control+k")
    terminal.type("three")
    terminal.press("Control+l")
    terminal.shows("/project $ echo three")
    expect(terminal.row("/project $ echo one^C")).to_have_count(0)
    terminal.press("Enter")
    terminal.shows("three")


def test_wide_letters_are_edited_where_they_stand(terminal: Terminal) -> None:
    terminal.page.keyboard.insert_text("echo 日本語 👍🏽é")
    terminal.press("ArrowLeft")
    terminal.press("ArrowLeft")
    terminal.press("Backspace")
    terminal.press("ArrowLeft")
    terminal.type("-")
    terminal.shows("/project $ echo 日本-語👍🏽é")
    terminal.press("Enter")
    terminal.shows("日本-語👍🏽é")


def test_a_command_that_is_not_whole_goes_on(terminal: Terminal) -> None:
    terminal.type("cat <<E | tr a-z A-Z\nlet us\nE\n")
    terminal.shows("LET US")
    terminal.type('for n in 1 2; do\necho "n\n$n"\ndone\n')
    terminal.shows("n", "1", "2")
    terminal.press("Control+l")
    terminal.press("ArrowUp")
    terminal.shows("/project $ for n in 1 2; do", '> echo "n', '> $n"', "> done")
    terminal.press("ArrowUp")
    terminal.press("ArrowUp")
    terminal.press("End")
    terminal.type("umber\n")
    terminal.shows("number")


def test_a_paste_waits_for_enter(terminal: Terminal) -> None:
    terminal.page.evaluate(PASTE, "echo pas''ted\necho tw''o\n")
    terminal.shows("/project $ echo pas''ted", "> echo tw''o")
    terminal.press("Enter")
    terminal.shows("pasted", "two")


def test_commands_show_colours(terminal: Terminal) -> None:
    terminal.type("printf '\\e[31mred\\e[0m plain\\n' && printenv TERM FORCE_COLOR CLICOLOR_FORCE\n")
    terminal.shows("red plain", "xterm-256color", "1")
    cell = terminal.region.locator(".xterm-rows .xterm-fg-1").get_by_text("red", exact=True)
    expect(cell).to_have_css("color", "rgb(179, 38, 30)")
    terminal.page.get_by_role("button", name=re.compile("^Colours")).click()
    terminal.page.get_by_role("button", name="Colours: light").click()
    expect(cell).to_have_css("color", "rgb(255, 143, 133)")


def test_commands_know_the_size(terminal: Terminal) -> None:
    def columns(mark: str) -> int:
        terminal.type(f"echo {mark} $COLUMNS\n")
        row = terminal.row(re.compile(rf"^{mark} \d+\s*$"))
        expect(row).to_be_attached()
        return int(row.inner_text().split()[1])

    terminal.type("a long line of words, of which some come onto the next row when there is less room for it")
    before = terminal.region.get_by_role("listitem").filter(has_text="a long line").inner_text()
    terminal.page.set_viewport_size({"width": 390, "height": 800})
    terminal.page.get_by_role("button", name="Terminal", exact=True).click()
    expect(terminal.region.get_by_role("listitem").filter(has_text="a long line")).not_to_have_text(before)
    terminal.input.focus()
    terminal.press("Control+u")
    small = columns("small")
    terminal.page.set_viewport_size({"width": 1440, "height": 900})
    terminal.page.get_by_role("button", name="Maximise Terminal").click()
    terminal.input.focus()
    assert 30 < small < 60
    assert columns("large") > 100


def test_a_flood_leaves_the_page_alive(terminal: Terminal) -> None:
    terminal.type("yes | head -200000; seq 1000000; echo do''ne\n")
    timeline = terminal.page.get_by_role("region", name="Timeline")
    expect(timeline.get_by_text("run:output").first).to_be_attached()
    terminal.page.get_by_role("button", name="Settings").first.click()
    expect(terminal.page.get_by_role("dialog", name="Settings")).to_be_visible()
    terminal.page.keyboard.press("Escape")
    terminal.shows("1000000", "done", "/project $")
    terminal.input.focus()
    terminal.type("echo af''ter\n")
    terminal.shows("after")
