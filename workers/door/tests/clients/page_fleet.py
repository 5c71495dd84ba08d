"""Checks of page.py about what only some logins may: documents that are uploaded, and the view of the fleet; and what can be
done with an answer."""

import pathlib
import re
import subprocess
import tempfile
import time

from page_hostile import HOSTILE
from page_stand import fleet, serve
from selenium.webdriver.common.keys import Keys

PHONE = (360, 740)
CRANE = "# Crane hire\n\nThe notice period of the crane hire is 17 days.\n"
QUESTION = "How long is the notice period of the crane hire?"


def see(of, browser, where):
    """axe-core has no finding, light and dark, and a phone shows all of it."""
    for dark in (False, True):
        browser.dark(dark)
        browser.accessible(of.axe, f"{where} {'dark' if dark else 'light'}")
        browser.size(*PHONE)
        browser.fits(where)
        browser.accessible(of.axe, f"{where} on a phone")
        browser.size(1180, 820)
    browser.dark(False)


def uploads(of, browser):
    """Documents with their progress until they are found, and why one is not taken."""
    # A door over a folder takes none.
    browser.go(of.base)
    browser.click("[data-view=documents]")
    browser.until(lambda: browser.all(".bucket"))
    time.sleep(0.5)
    assert not browser.all("#uploader")
    browser.is_clean(of.base)
    with tempfile.TemporaryDirectory() as work, fleet(of.argosy, of.corpus, work) as base:
        files = {"crane hire.md": CRANE, f"{HOSTILE}.md": f"# {HOSTILE}\n\n{CRANE}", "tool.exe": "MZ", "large.md": "word " * 900_000}
        for name, text in files.items():
            (pathlib.Path(work) / name).write_text(text)
        browser.go(base)
        browser.click("[data-view=documents]")
        browser.until(lambda: browser.all("#uploader"))
        see(of, browser, "uploads")
        browser.run("""window.said = new Set();
            new MutationObserver(() => document.querySelectorAll('#taken .quiet').forEach((one) => said.add(one.textContent)))
              .observe(document.getElementById('uploads'), { subtree: true, childList: true, characterData: true });""")
        browser.one("#files").send_keys("\n".join(f"{work}/{name}" for name in files))
        browser.one("#folder").send_keys("/contracts/new/")
        # Slow enough that progress can be seen.
        slow = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 2_000_000}
        browser.tab.execute_cdp_cmd("Network.enable", {})
        browser.tab.execute_cdp_cmd("Network.emulateNetworkConditions", slow)
        browser.click("#uploader button")
        ended = lambda: [one.text for one in browser.all("#taken li")]
        browser.until(lambda: all(re.search("Can be searched|Not taken", text) for text in ended()) and len(ended()) == len(files))
        browser.tab.execute_cdp_cmd("Network.emulateNetworkConditions", {**slow, "uploadThroughput": -1})
        said = browser.run("return [...said]")
        assert any(re.fullmatch(r"Sending, \d\d? %", one) for one in said), said
        texts = "\n".join(ended())
        assert "contracts/new/crane hire.md" in texts and f"contracts/new/{HOSTILE}.md" in texts and "(not_readable)" in texts, texts
        print("  " + "; ".join(sorted(one for one in said if "Sending," not in one)))
        assert not browser.all("#uploads img")
        see(of, browser, "uploaded")
        browser.click("[data-view=ask]")
        browser.ask(QUESTION)
        assert "17 days" in browser.text(".turn:last-child .answer"), browser.text(".turn")
        if of.shots:
            browser.click("[data-view=documents]")
            browser.size(1040, 700)
            browser.shot(of.shots / "page-upload.png")
            browser.click("[data-view=fleet]")
            browser.until(lambda: browser.all("#roles tbody tr"))
            browser.shot(of.shots / "page-fleet.png")
        browser.is_clean(base, refused=1)


def shows_fleet(of, browser):
    """The roles of the fleet and its streams, looked at again every few seconds while they are shown."""
    browser.go(of.base)
    browser.until(lambda: browser.one("[data-view=fleet]").is_displayed())
    browser.click("[data-view=fleet]")
    browser.until(lambda: browser.all("#roles tbody tr"))
    rows = [row.text for row in browser.all("#roles tbody tr")]
    assert any(row.startswith("retriever") for row in rows) and any(row.startswith("ANSWERS") or "answer" in row.lower() for row in rows), rows
    first = browser.text("#roles > p")
    browser.until(lambda: browser.text("#roles > p") != first)
    see(of, browser, "fleet")
    browser.click("[data-view=ask]")
    browser.traffic()
    time.sleep(6)
    assert not [url for url, _ in browser.traffic() if "api/fleet" in url]
    # What a role says is text.
    role = {"role": HOSTILE, "processes": 2, "ready": 1, "reasons": [HOSTILE], "versions": [HOSTILE], "in_flight": 1, "limit": 4,
            "pending": None, "ack_pending": None, "answered": 5, "errors": 2, "dead_letters": 3, "oldest_ms": 4_500}
    stream = {"stream": HOSTILE, "messages": 5, "bytes": 5e6, "max_bytes": 6e6, "percent": 83.3, "short": True}
    show = """const done = arguments[1];
        import(new URL('fleet.js', location)).then(({ show }) => { show(arguments[0]); done(document.getElementById('roles').textContent); }, (error) => done(String(error)));"""
    status = {"at_ms": 1, "roles": [role], "streams": [stream], "inbox": {"pending": 3, "oldest_ms": 2_000}}
    said = browser.tab.execute_async_script(show, status)
    for wanted in (HOSTILE, "1 of 2", "83.3 %", "3 questions not taken yet", "4.5 s", "?"):
        assert wanted in said, (wanted, said)
    assert not browser.all("#roles img")
    browser.is_clean(of.base)


def offers_what_it_may(of, browser):
    """A login without `write` and `operate` sees neither uploads nor the fleet."""
    with tempfile.TemporaryDirectory() as work:
        keys = f"door.keys={work}/keys.toml"
        command = [of.argosy, "key", "create", "page", "--scopes", "ask,read", "--set", keys]
        made = subprocess.run(command, capture_output=True, text=True, check=True, cwd=work)
        secret = re.search(r"\bargosy-\S+", made.stdout)[0]
        with serve(of.argosy, of.corpus, work, keys) as base:
            browser.go(base)
            browser.until(lambda: browser.all("#key[open]"))
            browser.one("#key-field").send_keys(secret + "\n")
            browser.until(lambda: "documents" in browser.text("#holdings"))
            time.sleep(0.5)
            assert not browser.one("[data-view=fleet]").is_displayed()
            browser.go(base + "#fleet")
            browser.until(lambda: "no_scope" in browser.text("#roles"))
            browser.is_clean(base, refused=12)


def after_an_answer(of, browser):
    """An answer is judged, its document saved, and its conversation forked."""
    with tempfile.TemporaryDirectory() as work:
        browser.tab.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": work})
        browser.go(of.base)
        browser.ask("When does the Corvane framework agreement end?")
        browser.click(".below [aria-pressed]", 1)
        browser.until(lambda: "Thank you" in browser.text(".below [role=status]"))
        assert browser.one(".below [aria-pressed=true]").text == "Not good"
        browser.one(".below input").send_keys(f"It ends earlier {HOSTILE}", Keys.ENTER)
        browser.until(lambda: not browser.one(".below input").is_displayed())
        see(of, browser, "judged")
        browser.click(".answer .cite")
        browser.until(lambda: browser.all("#passage[open] mark"))
        see(of, browser, "passage with its document")
        browser.click("#passage-body button")
        browser.until(lambda: [path for path in pathlib.Path(work).iterdir() if path.suffix == ".md"])
        saved = next(pathlib.Path(work).iterdir())
        original = next(pathlib.Path(of.corpus).rglob(saved.name))
        assert saved.read_bytes() == original.read_bytes(), saved
        browser.dismiss()
        before = browser.tab.current_url
        browser.click(".below .judging button", 2)
        browser.until(lambda: browser.tab.current_url != before and browser.all(".turn .answer"))
        browser.ask("And who signed it?")
        assert len(browser.all(".turn")) == 2
        # Of a turn that was copied, the conversation has all that there is.
        browser.is_clean(of.base, refused=1)
