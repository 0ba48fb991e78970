"""Archives as a visitor of the workbench and a host's page use them."""

import io
import re
import tarfile
import zipfile
from base64 import b64encode
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

OPENED = """async () => {
  const { openSandbox } = await import("./inbrowser.js");
  window.fresh = await openSandbox({ id: "fresh" });
}"""

IMPORT = "async (text) => fresh.importArchive(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)))"

DROP = """([text, name]) => {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const transfer = new DataTransfer();
  transfer.items.add(new File([bytes], name));
  const target = document.querySelector("inb-files .tree");
  for (const type of ["dragover", "drop"])
    target.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
}"""


@pytest.fixture
def workbench(page: Page, site: str) -> Page:
    page.goto(f"{site}/")
    expect(page.get_by_role("status").get_by_text("Ready")).to_be_visible(timeout=30_000)
    return page


def region(page: Page) -> Locator:
    return page.get_by_role("region", name="Files")


def item(page: Page, name: str) -> Locator:
    return region(page).get_by_role("treeitem", name=name, exact=True)


def archive(**files: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as target:
        for name, data in files.items():
            target.writestr(name.replace("__", "/"), data)
    return buffer.getvalue()


def drop(page: Page, data: bytes, name: str) -> None:
    page.evaluate(DROP, [b64encode(data).decode(), name])


def type_in_terminal(page: Page, command: str) -> None:
    page.get_by_role("region", name="Terminal").click()
    page.keyboard.type(f"{command}\n")


def test_a_download_imported_elsewhere_is_the_same_project(workbench: Page) -> None:
    type_in_terminal(
        workbench,
        "mkdir -p src/empty && printf 'hi\\n' > src/run.sh && chmod 755 src/run.sh && ln -s run.sh src/l",
    )
    expect(item(workbench, "src")).to_be_visible()
    with workbench.expect_download() as downloading:
        region(workbench).get_by_role("button", name="Download").click()
    assert downloading.value.suggested_filename == "workbench.zip"
    data = Path(downloading.value.path()).read_bytes()
    names = zipfile.ZipFile(io.BytesIO(data)).namelist()
    assert names == ["src/", "src/empty/", "src/l", "src/run.sh"]
    workbench.evaluate(OPENED)
    report = workbench.evaluate(IMPORT, b64encode(data).decode())
    assert report == {
        "format": "zip",
        "files": 1,
        "directories": 2,
        "links": 1,
        "bytes": 3,
        "replaced": 0,
        "skipped": 0,
    }
    found = workbench.evaluate("""async () => ({
      list: (await fresh.fs.list("src")).map((s) => [s.path, s.kind, s.kind === "file" ? s.mode : 0]),
      text: await fresh.fs.readText("src/l"),
      again: new Uint8Array(await new Response(await fresh.exportArchive()).arrayBuffer()).length,
    })""")
    assert found["list"] == [
        ["src/empty", "directory", 0],
        ["src/l", "symlink", 0],
        ["src/run.sh", "file", 0o755],
    ]
    assert found["text"] == "hi\n"
    assert found["again"] == len(data)
    timeline = workbench.get_by_role("region", name="Timeline")
    expect(timeline.get_by_text("export 2 of 2 files, 3 B")).to_be_attached()


def test_a_dropped_archive_is_unpacked_and_a_conflict_can_be_replaced(workbench: Page) -> None:
    drop(workbench, archive(app__main_py=b"one", read_me=b"me"), "project.zip")
    expect(item(workbench, "app")).to_be_visible()
    expect(item(workbench, "read_me")).to_be_visible()
    drop(workbench, archive(read_me=b"you"), "other.zip")
    alert = region(workbench).get_by_role("alert")
    expect(alert.get_by_text("'read_me' is in the sandbox already")).to_be_visible()
    alert.get_by_role("button", name="Replace").click()
    expect(alert).to_be_hidden()
    item(workbench, "read_me").click()
    expect(workbench.get_by_role("region", name="Editor").get_by_text("you")).to_be_visible()


def test_a_dropped_folder_comes_with_all_that_is_in_it(workbench: Page, tmp_path: Path) -> None:
    folder = tmp_path / "my project"
    (folder / "empty").mkdir(parents=True)
    for number in range(130):
        (folder / f"f{number}.txt").write_text(str(number))
    box = region(workbench).bounding_box()
    assert box
    browser = workbench.context.new_cdp_session(workbench)
    for type in ("dragEnter", "dragOver", "drop"):
        data = {"items": [], "files": [str(folder)], "dragOperationsMask": 1}
        place = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        browser.send("Input.dispatchDragEvent", {"type": type, "data": data, **place})
    item(workbench, "my project").click()
    expect(item(workbench, "empty")).to_be_visible()
    type_in_terminal(workbench, "ls my*/*.txt | wc -l; cat my*/f129.txt")
    terminal = workbench.get_by_role("region", name="Terminal")
    expect(terminal.get_by_text(re.compile(r"^\s*130\s*$")).first).to_be_attached()


def test_chosen_files_are_added(workbench: Page, tmp_path: Path) -> None:
    long = "caf\u00e9 " * 22 + ".txt"
    for name in ("a b.txt", long):
        (tmp_path / name).write_text(name)
    with workbench.expect_file_chooser() as choosing:
        region(workbench).get_by_role("button", name="Upload").click()
    choosing.value.set_files([tmp_path / "a b.txt", tmp_path / long])
    expect(item(workbench, long)).to_be_visible()
    item(workbench, "a b.txt").click()
    expect(workbench.get_by_role("region", name="Editor").get_by_text("a b.txt").last).to_be_visible()


def test_what_is_wrong_with_an_archive_is_said_in_words(workbench: Page) -> None:
    drop(workbench, b"this is no zip", "broken.zip")
    alert = region(workbench).get_by_role("alert")
    expect(alert.get_by_text(re.compile("no archive of a known format"))).to_be_visible()
    expect(alert.get_by_role("button", name="Replace")).to_be_hidden()
    alert.get_by_role("button", name="Dismiss").click()
    expect(alert).to_be_hidden()


def test_streams_go_both_ways_piece_by_piece(embedded: Page) -> None:
    result = embedded.evaluate(
        """async () => {
          const noise = crypto.getRandomValues(new Uint8Array(60_000));
          const big = new Uint8Array(6_000_000).map((_, at) => noise[(at * 7 + (at >> 9)) % 60_000]);
          await sandbox.fs.write("d/big.bin", big);
          const other = await inbrowser.openSandbox({ id: "other" });
          const report = await other.importArchive(await sandbox.exportArchive({ format: "tar.gz", path: "d" }), { path: "new" });
          const back = await other.fs.readBytes("new/big.bin");
          const again = await other.importArchive(new Blob([await new Response(await sandbox.exportArchive()).blob()]));
          return { report, again: again.format, same: back.every((byte, at) => byte === big[at]) };
        }"""
    )
    assert result["same"]
    assert result["report"]["format"] == "tar.gz"
    assert result["again"] == "zip"


def test_what_is_imported_is_kept(embedded: Page) -> None:
    result = embedded.evaluate(
        """async () => {
          const kept = await inbrowser.openSandbox({ id: "kept-archive", storage: "indexeddb" });
          await kept.fs.write("d/old.bin", new Uint8Array(70_000).fill(1));
          await kept.flush();
          await sandbox.fs.write("d/old.bin", new Uint8Array(3_000_000).fill(2));
          await sandbox.fs.write("d/new.txt", "new");
          await kept.importArchive(await sandbox.exportArchive(), { onConflict: "overwrite" });
          await kept.destroy();
          const again = await inbrowser.openSandbox({ id: "kept-archive", storage: "indexeddb" });
          const old = await again.fs.readBytes("d/old.bin");
          return { length: old.length, same: old.every((byte) => byte === 2), text: await again.fs.readText("d/new.txt") };
        }"""
    )
    assert result == {"length": 3_000_000, "same": True, "text": "new"}


def test_a_cancelled_stream_ends_the_export(embedded: Page) -> None:
    last = embedded.evaluate(
        """async () => {
          await sandbox.fs.write("noise.bin", new Uint8Array(3_000_000).map(() => Math.random() * 256));
          const ended = new Promise((resolve) => sandbox.on((e) => e.type === "archive:progress" && e.finished && resolve(e)));
          const stream = await sandbox.exportArchive();
          await stream.cancel();
          return ended;
        }"""
    )
    assert last["error"] == "stopped"
    assert last["bytesDone"] < 3_000_000


def test_what_fails_rejects_with_its_name(embedded: Page) -> None:
    hostile = io.BytesIO()
    with tarfile.open(fileobj=hostile, mode="w") as target:
        target.addfile(tarfile.TarInfo("../evil"))
    failures = embedded.evaluate(
        """async (text) => {
          const said = async (work) => { try { await work(); return "nothing"; } catch (e) { return `${e.name}: ${e.message}`; } };
          const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
          const broken = new ReadableStream({ pull(c) { c.error(new Error("the line is dead")); } });
          const stop = new AbortController();
          // Asked for its first piece, it is stopped, and never answers.
          const endless = new ReadableStream({ pull: () => { stop.abort(); return new Promise(() => {}); } }, { highWaterMark: 0 });
          return {
            hostile: await said(() => sandbox.importArchive(bytes)),
            broken: await said(() => sandbox.importArchive(broken)),
            option: await said(() => sandbox.importArchive(bytes, { overwrite: true })),
            missing: await said(() => sandbox.exportArchive({ path: "nothing" })),
            stopped: await said(() => sandbox.importArchive(endless, { signal: stop.signal })),
            left: (await sandbox.fs.list()).length,
          };
        }""",
        b64encode(hostile.getvalue()).decode(),
    )
    assert failures["hostile"].startswith("ArchiveEntryError: the entry '../evil'")
    assert failures["broken"] == "ArchiveError: the archive could not be read to its end: the line is dead"
    assert failures["option"].startswith("InvalidCallError")
    assert failures["missing"].startswith("PathNotFoundError: nothing")
    assert failures["stopped"].startswith("CancelledError")
    assert failures["left"] == 0
