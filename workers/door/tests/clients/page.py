#!/usr/bin/env python3
"""Uses the page in Chromium as people do, and checks what they see, and what must never happen.

    argosy serve --corpus tests/fixtures/corpus --listen 127.0.0.1:8103
    python3 page.py http://127.0.0.1:8103/ --axe axe.min.js --hostile DIR [--argosy target/debug/argosy] [--shots docs/img]

It wants Debian's `chromium` and `chromium-driver`, `pip install selenium pillow`, and `axe.min.js` of npm's axe-core. DIR has lists
of hostile strings, one a line or as the texts of a JSON file: they become documents, titles and names of files of a corpus
of their own, which is asked and searched; no script of theirs may run. With `--shots`, screenshots are written there.

The first check that does not hold ends the run with a traceback and another exit code than 0. Checks can be named by `--only`.
"""

import argparse
import json
import pathlib
import re
import subprocess
import tempfile
import time
import urllib.request

from page_fleet import after_an_answer, offers_what_it_may, shows_fleet, uploads
from page_hostile import runs_nothing, shows_findings
from page_plain import plain_documents, plain_for_everybody, plain_logs_in, plain_runs_nothing, plain_stops, send, without_scripts
from page_stand import Browser, bad_network, serve, slow_model
from selenium.webdriver.common.keys import Keys

QUESTION = "What is the maximum collector-emitter voltage of the HV2N4410A?"
ANSWER = "45 V"
AGREEMENT = "When does the Corvane framework agreement end?"
TABLE = "List all invoices of Corvane Logistics with their totals"
UNCLEAR = "List contracts by date"
FIRST_VIEW_MAX = 60_000
PHONE = (360, 740)
PICTURE = (1040, 700)


def answers(of, browser):
    """An answer with its citation, which opens the passage with the quoted words marked."""
    browser.go(of.base)
    size = sum(size for _, size in browser.traffic())
    assert 0 < size < FIRST_VIEW_MAX, f"{size} bytes"
    print(f"  first view: {size} bytes, with what it asked the door for")
    browser.ask(QUESTION)
    assert ANSWER in browser.text(".answer"), browser.text(".turn")
    assert "Confidence: high" in browser.text(".about")
    quote = browser.text(".sources q")
    browser.click(".answer .cite")
    browser.until(lambda: browser.all("#passage[open] mark"))
    assert browser.text("#passage mark") == quote, (browser.text("#passage mark"), quote)
    browser.click("#passage [data-close]")
    assert browser.run("return document.activeElement.className") == "cite"
    # Whoever has the link sees the same.
    link = browser.one(".answer .cite").get_attribute("href")
    assert re.search(r"\?turn=[\w-]+#citation-1$", link), link
    browser.tab.get("about:blank")
    browser.go(link)
    browser.until(lambda: browser.all("#passage[open] mark"))
    assert browser.text("#passage mark") == quote
    browser.dismiss()
    browser.until(lambda: ANSWER in browser.text(".answer") and browser.text(".question") == QUESTION)
    browser.is_clean(of.base)


def asks_back(of, browser):
    """A question back with its options, one of which is taken; a table; a timeline."""
    browser.go(of.base)
    browser.ask(UNCLEAR)
    assert "Which of them" in browser.text(".back")
    assert browser.one("#replying").is_displayed()
    options = [button.text for button in browser.all(".options button")]
    assert options == ["end date", "start date"], options
    browser.click(".options button", 1)
    browser.ended(2)
    assert not any(button.is_enabled() for button in browser.all(".options button"))
    assert "start date" in browser.text(".turn:last-child table"), browser.text(".turn:last-child")
    rows = len(browser.all(".turn:last-child .trail tbody tr"))
    assert f"{rows} steps" in browser.text(".turn:last-child summary") and rows > 2, rows
    # The same again from what is stored.
    browser.tab.refresh()
    browser.ended(2)
    browser.until(lambda: "start date" in browser.text(".turn:last-child table"))
    browser.is_clean(of.base)


def conversations(of, browser):
    """They are listed, opened, gone on with, and erased."""
    browser.go(of.base)
    browser.ask(AGREEMENT)
    browser.until(lambda: browser.text("#talks [aria-current] span") == AGREEMENT)
    browser.ask("And when does it begin?")
    here = browser.tab.current_url
    assert "?conversation=c-" in here, here
    browser.click("#new")
    browser.until(lambda: not browser.all(".turn") and browser.one("#start").is_displayed())
    before = len(browser.all("#talks li"))
    browser.click("#talks a")
    browser.until(lambda: len(browser.all(".turn .answer")) == 2)
    browser.click("#talks .erase")
    assert AGREEMENT in browser.text("#erase-what")
    browser.click("#erase-yes")
    browser.until(lambda: len(browser.all("#talks li")) == before - 1 and not browser.all(".turn"))
    browser.is_clean(of.base)
    browser.go(f"{of.base}?turn=none")
    browser.until(lambda: "no_such_turn" in browser.text(".turn") and not browser.all("[aria-busy]"))
    browser.go(here)
    browser.until(lambda: "Nothing is kept" in browser.text("#thread"))


def finds(of, browser):
    """Passages without a question, and what there is."""
    browser.go(of.base)
    browser.click("[data-view=search]")
    assert browser.run("return document.activeElement.id") == "search-title"
    browser.one("#query").send_keys("maximum collector-emitter voltage\n")
    browser.until(lambda: browser.all("#passages .hit"))
    assert "passages" in browser.text("#found")
    browser.click("#passages .hit")
    browser.until(lambda: browser.text("#passage[open] .passage"))
    browser.dismiss()
    assert "hit" in browser.run("return document.activeElement.className")
    browser.click("[data-view=documents]")
    assert browser.all(".bucket") and "invoice date" in browser.text("#buckets")
    browser.tab.back()
    assert browser.one("#search").is_displayed()
    browser.is_clean(of.base)


def by_keyboard(of, browser):
    """Asking, opening a source and coming back, answering back, without a mouse."""
    browser.go(of.base)
    browser.keys(Keys.TAB)
    assert browser.text(":focus") == "Skip to the question"
    browser.keys(Keys.ENTER, UNCLEAR, Keys.ENTER)
    browser.ended(1)
    assert browser.run("return document.activeElement.id") == "question"

    def back_to(css):
        for _ in range(40):
            browser.back()
            if browser.run("return document.activeElement.matches(arguments[0])", css):
                return
        raise AssertionError(f"{css} is not reached")

    back_to(".options button")
    browser.keys(Keys.ENTER)
    browser.ended(2)
    browser.run("document.activeElement.blur()")
    browser.one("#question").send_keys(QUESTION, Keys.ENTER)
    browser.ended(3)
    back_to(".turn:last-child .answer .cite")
    browser.keys(Keys.ENTER)
    browser.until(lambda: browser.all("#passage[open] mark"))
    browser.dismiss()
    assert browser.run("return document.activeElement.matches('.cite')")
    browser.is_clean(of.base)


def for_everybody(of, browser):
    """axe-core has no finding, light and dark; a phone shows all of it; nothing moves where that is not wanted."""
    for dark in (False, True):
        name = "dark" if dark else "light"
        browser.dark(dark)
        browser.size(1180, 820)
        browser.go(of.base)
        browser.accessible(of.axe, f"{name} start")
        for question in (AGREEMENT, TABLE, UNCLEAR):
            browser.ask(question)
        browser.run("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        browser.accessible(of.axe, f"{name} thread")
        browser.size(*PHONE)
        browser.fits("thread")
        browser.click(".answer .cite")
        browser.until(lambda: browser.all("#passage[open] mark"))
        browser.accessible(of.axe, f"{name} passage on a phone")
        browser.fits("passage")
        browser.dismiss()
        for view in ("search", "documents"):
            browser.click("#menu")
            browser.accessible(of.axe, f"{name} menu")
            browser.fits("menu")
            browser.click(f"[data-view={view}]")
            if view == "search":
                browser.one("#query").send_keys("notice period\n")
                browser.until(lambda: browser.all("#passages .hit"))
            browser.run("document.querySelectorAll('details').forEach((one) => (one.open = true))")
            browser.accessible(of.axe, f"{name} {view}")
            browser.fits(view)
    browser.dark(False)
    browser.size(1180, 820)
    browser.is_clean(of.base)


def goes_on(of, browser):
    """Streams that break again and again, behind a prefix: each step is heard once and in order."""
    with bad_network(of.base, 300, "/argosy") as (base, cut):
        browser.go(base)
        browser.ask(QUESTION)
        assert ANSWER in browser.text(".answer"), browser.text(".turn")
        heard = browser.run("return window.seen.steps")
        turn = re.search(r"\?turn=([\w-]+)", browser.one(".about a").get_attribute("href"))[1]
        with urllib.request.urlopen(f"{of.base}api/turns/{turn}") as answer:
            trail = json.load(answer)["trail"]
        steps = [entry["hop"] for entry in trail if "index" not in entry]
        resumed = [last for method, _, last in cut if method == "GET"]
        print(f"  {len(cut)} streams were cut, taken up behind {resumed}")
        assert len(cut) > 2 and heard == sorted(set(steps)), (cut, heard, steps)
        browser.is_clean(base)
    # Where no stream gets through at all, the answer comes all the same.
    with bad_network(of.base, 60, growth=0) as (base, cut):
        browser.go(base)
        browser.ask(QUESTION)
        assert ANSWER in browser.text(".answer") and len(cut) > 2, browser.text(".turn")
        browser.is_clean(base)


def drafts(of, browser):
    """A draft is shown as one until the checked answer is there; Stop ends a question; doubted sentences say so."""
    said = "The maximum collector-emitter voltage of the HV2N4410A is **45 V** [1]. The HV2N4410A is popular with hobbyists who build radios [1]."
    with tempfile.TemporaryDirectory() as work, slow_model(said, 0.15) as node:
        model = ("model.model=slow", f'model.nodes=[{{name="slow", base_url="{node}v1"}}]')
        with serve(of.argosy, of.corpus, work, *model) as base:
            browser.go(base)
            browser.one("#question").send_keys(QUESTION + "\n")
            browser.until(lambda: browser.text(".draft-text"))
            assert browser.one(".draft").is_displayed() and "not checked" in browser.text(".draft")
            browser.ended(1)
            assert not browser.all(".draft") and "**" not in browser.text(".answer")
            pieces = browser.run("return window.seen.drafts")
            assert len(pieces) > 3, pieces
            assert browser.text(".answer .verdict").startswith(" [not supported, "), browser.text(".turn")
            print(f"  {len(pieces)} pieces of drafts; {browser.text('.answer')!r}")
            browser.one("#question").send_keys(AGREEMENT + "\n")
            browser.until(lambda: browser.one("#stop").is_displayed() and len(browser.all(".turn:last-child .steps li")) > 0)
            # Opened again in the middle, it goes on.
            browser.tab.refresh()
            browser.until(lambda: browser.all(".turn:last-child .steps li") and browser.one("#stop").is_displayed())
            browser.click("#stop")
            browser.ended(2)
            assert "Stopped." in browser.text(".turn:last-child"), browser.text(".turn:last-child")
            browser.is_clean(base)


def wants_a_key(of, browser):
    """Where keys are wanted, one is asked for, kept for the tab, and asked for again when it is wrong."""
    with tempfile.TemporaryDirectory() as work:
        keys = f"door.keys={work}/keys.toml"
        made = subprocess.run([of.argosy, "key", "create", "page", "--set", keys], capture_output=True, text=True, check=True, cwd=work)
        secret = re.search(r"\bargosy[-_]\S+|\bak[-_]\S+|\b[\w-]{24,}\b", made.stdout)[0]
        with serve(of.argosy, of.corpus, work, keys) as base:
            browser.go(base)
            for key in ("wrong", secret):
                browser.until(lambda: browser.all("#key[open]"))
                browser.one("#key-field").send_keys(key + "\n")
                time.sleep(0.5)
            browser.until(lambda: "documents" in browser.text("#holdings"))
            browser.ask(QUESTION)
            assert ANSWER in browser.text(".answer")
            browser.tab.refresh()
            browser.until(lambda: ANSWER in browser.text(".answer"))
            kept = browser.run("return [JSON.stringify(sessionStorage).includes(arguments[0]), JSON.stringify(localStorage)]", secret)
            assert kept == [True, "{}"], kept
            assert secret not in browser.tab.current_url
            browser.is_clean(base, refused=8)


def pictures(of, browser):
    """Screenshots for the documentation, of a door that has just been opened."""
    if not of.shots:
        return
    with tempfile.TemporaryDirectory() as work, serve(of.argosy, of.corpus, work) as base:
        browser.size(*PICTURE)
        browser.go(base)
        browser.shot(of.shots / "page-start.png")
        browser.ask(AGREEMENT)
        browser.shot(of.shots / "page-answer.png")
        browser.click(".answer .cite")
        browser.until(lambda: browser.all("#passage[open] mark"))
        browser.shot(of.shots / "page-citation.png")
        browser.dismiss()
        browser.dark(True)
        browser.ask(TABLE)
        browser.shot(of.shots / "page-dark.png")
        browser.dark(False)
        browser.click(".turn:last-child .trail summary")
        browser.run("document.querySelector('.turn:last-child .trail').scrollIntoView()")
        browser.shot(of.shots / "page-timeline.png")
        browser.tab.get(base + "plain")
        send(browser, AGREEMENT)
        browser.shot(of.shots / "page-plain.png")
        browser.go(base)
        browser.size(*PHONE)
        browser.click("#home")
        browser.until(lambda: not browser.all(".turn"))
        browser.ask(UNCLEAR)
        browser.shot(of.shots / "page-phone.png")
        browser.is_clean(base)


CHECKS = [
    pictures, answers, asks_back, conversations, finds, by_keyboard, for_everybody, goes_on, drafts, wants_a_key, shows_findings, runs_nothing,
    without_scripts, plain_documents, plain_stops, plain_logs_in, plain_for_everybody, plain_runs_nothing, uploads, shows_fleet,
    offers_what_it_may, after_an_answer,
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", help="the address of a door over the sample corpus")
    parser.add_argument("--axe", type=pathlib.Path, required=True)
    parser.add_argument("--hostile", type=pathlib.Path, required=True)
    parser.add_argument("--argosy", type=lambda path: pathlib.Path(path).resolve(), default="target/debug/argosy")
    parser.add_argument("--corpus", type=lambda path: pathlib.Path(path).resolve(), default="tests/fixtures/corpus")
    parser.add_argument("--shots", type=pathlib.Path)
    parser.add_argument("--only", nargs="*")
    of = parser.parse_args()
    of.base = of.base.rstrip("/") + "/"
    if of.shots:
        of.shots.mkdir(parents=True, exist_ok=True)
    for check in CHECKS:
        if of.only and check.__name__ not in of.only:
            continue
        browser = Browser()
        begun = time.monotonic()
        try:
            check(of, browser)
        finally:
            browser.close()
        print(f"{check.__name__}: {check.__doc__.splitlines()[0]} ({time.monotonic() - begun:.1f} s)", flush=True)


if __name__ == "__main__":
    main()
