"""Checks of page.py about the page without scripts, in a browser that runs none, and in one where axe-core may look at it."""

import contextlib
import json
import pathlib
import random
import re
import subprocess
import tempfile
import time
import urllib.parse

from page_hostile import HOSTILE, hostile_corpus, strings
from page_stand import Quiet, fleet, listening, serve

QUESTION = "What is the maximum collector-emitter voltage of the HV2N4410A?"
UNCLEAR = "List contracts by date"
PHONE = (360, 740)


@contextlib.contextmanager
def no_scripts(browser):
    browser.tab.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        yield
    finally:
        browser.tab.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def send(browser, question):
    """Asks with the form that is shown, and waits for the next page."""
    field = browser.one("#question")
    field.clear()
    field.send_keys(question)
    press(browser, "#composer button")


def press(browser, css, nth=0):
    """Presses what leads to another page, and waits for that."""
    page = browser.one("html")
    browser.click(css, nth)
    browser.gone(page)


def asked_elsewhere(browser, base):
    return [url for url, _ in browser.traffic() if not url.startswith((base, "data:", "chrome:", "about:"))]


def without_scripts(of, browser):
    """Asks, opens a source, answers a question back, searches, and comes back to a conversation, without scripts."""
    with no_scripts(browser):
        browser.tab.get(of.base)
        assert "takes JavaScript" in browser.one("noscript").text, browser.one("body").text
        press(browser, "noscript a")
        send(browser, QUESTION)
        assert "?turn=" in browser.tab.current_url and "45 V" in browser.one(".answer").text
        assert "sentences supported" in browser.one(".about").text and browser.one(".question").text == QUESTION
        quote = browser.one(".sources q").text
        press(browser, ".answer .cite")
        assert browser.one("mark").text.split() == quote.split(), (browser.one("mark").text, quote)
        press(browser, "main p:last-child a")
        browser.tab.refresh()
        assert browser.one(".question").text == QUESTION
        # The next question belongs to the same conversation.
        send(browser, "And its collector current?")
        press(browser, "#talks a")
        asked = [one.text for one in browser.all(".question")]
        assert asked == [QUESTION, "And its collector current?"], asked
        press(browser, ".brand")
        send(browser, UNCLEAR)
        assert [one.text for one in browser.all(".back button")] == ["end date", "start date"]
        press(browser, ".back button", 1)
        assert "start date" in browser.one("table").text, browser.one("main").text
        press(browser, "nav a", 1)
        browser.one("#query").send_keys("notice period")
        press(browser, "form[role=search] button")
        browser.all("#passages summary")[0].click()
        assert browser.one("#passages .passage").text
        # A conversation is erased once that is meant.
        press(browser, "#talks a")
        erased = browser.tab.current_url
        press(browser, "main > section > p:last-child a")
        press(browser, "main p:last-child a")
        assert browser.tab.current_url == erased
        press(browser, "main > section > p:last-child a")
        press(browser, "#sure button")
        browser.tab.get(erased)
        assert "no_such_conversation" in browser.text("main")
        assert not asked_elsewhere(browser, of.base)


def plain_documents(of, browser):
    """A document is brought, shown, found and deleted without scripts, and why one is not taken."""
    with tempfile.TemporaryDirectory() as work, fleet(of.argosy, of.corpus, work) as base:
        crane = pathlib.Path(work) / f"crane {HOSTILE}.md"
        crane.write_text("# Crane hire\n\nThe notice period of the crane hire is 17 days.\n")
        tool = pathlib.Path(work) / "tool.exe"
        tool.write_text("MZ")
        with no_scripts(browser):
            browser.tab.get(base + "plain?documents=0")
            browser.one("#file").send_keys(str(tool))
            press(browser, "#upload button")
            assert "not_readable" in browser.one("main").text
            browser.tab.get(base + "plain?documents=0")
            browser.one("#folder").send_keys("contracts/new")
            browser.one("#file").send_keys(str(crane))
            press(browser, "#upload button")
            browser.until(lambda: looked_again(browser, "It is indexed"))
            assert browser.one("h1").text == f"contracts/new/{crane.name}"
            asked = time.monotonic() + 20
            while "17 days" not in browser.one("main").text and time.monotonic() < asked:
                browser.tab.get(base + "plain")
                send(browser, "How long is the notice period of the crane hire?")
            assert "17 days" in browser.one(".answer").text
        for where in ("?documents=0", *(f"?{name}={urllib.parse.quote(f'contracts/new/{crane.name}')}" for name in ("document", "delete"))):
            browser.tab.get(f"{base}plain{where}")
            for dark in (False, True):
                browser.dark(dark)
                see(of, browser, f"plain {where}")
            assert not browser.all("main img")
        with no_scripts(browser):
            press(browser, "#sure button")
            assert HOSTILE not in browser.one("#documents").text and browser.all("#documents li")
        browser.dark(False)
        browser.is_clean(base, refused=1)


def looked_again(browser, wanted):
    for link in browser.all("main a"):
        if link.text == "Look again":
            link.click()
            break
    return wanted in browser.text("main")


def plain_stops(of, browser):
    """A question that runs is stopped without scripts."""

    class Node(Quiet):
        def do_GET(self):
            self.send_error(404)

        def do_POST(self):
            time.sleep(15)

    with tempfile.TemporaryDirectory() as work, listening(Node) as node:
        model = ("door.wait=1s", "model.model=slow", f'model.nodes=[{{name="slow", base_url="{node}v1"}}]')
        with serve(of.argosy, of.corpus, work, *model) as base:
            browser.tab.get(base + "plain")
            send(browser, QUESTION)
            assert "still being worked on" in browser.text("main"), browser.text("main")
            see(of, browser, "plain running")
            with no_scripts(browser):
                press(browser, "#stop button")
                browser.until(lambda: looked_again(browser, "Stopped."))
            browser.is_clean(base)


def plain_logs_in(of, browser):
    """A key is asked for, kept in a cookie that no script sees, and forgotten."""
    with tempfile.TemporaryDirectory() as work:
        keys = f"door.keys={work}/keys.toml"
        made = subprocess.run([of.argosy, "key", "create", "page", "--set", keys], capture_output=True, text=True, check=True, cwd=work)
        secret = re.search(r"\bargosy-\S+", made.stdout)[0]
        with serve(of.argosy, of.corpus, work, keys) as base:
            browser.tab.get(base + "plain")
            browser.accessible(of.axe, "plain key")
            for key in ("wrong", secret):
                browser.one("#key-field").send_keys(key)
                press(browser, ".field button")
            send(browser, QUESTION)
            assert "45 V" in browser.text(".answer") and browser.run("return document.cookie") == ""
            browser.tab.refresh()
            # A page elsewhere may neither ask nor read.
            other = urllib.parse.quote(f"<form method=post action='{base}plain'><input name=question value=Who><button>x</button></form>")
            browser.tab.get(f"data:text/html,{other}")
            press(browser, "button")
            assert "foreign_origin" in browser.text("body"), browser.text("body")
            browser.tab.get(base + "plain")
            press(browser, ".side form button")
            assert browser.all("#key-field")
            browser.tab.get(base + "plain")
            assert browser.all("#key-field")


def plain_for_everybody(of, browser):
    """axe-core has no finding in the pages without scripts, light and dark, and a phone shows all of them."""
    for dark in (False, True):
        name = f"plain {'dark' if dark else 'light'}"
        browser.dark(dark)
        browser.size(1180, 820)
        browser.tab.get(of.base + "plain")
        see(of, browser, f"{name} start")
        for question in ("When does the Corvane framework agreement end?", UNCLEAR, "List all invoices of Corvane Logistics with their totals"):
            browser.tab.get(of.base + "plain")
            send(browser, question)
            browser.run("document.querySelectorAll('details').forEach((one) => (one.open = true))")
            see(of, browser, f"{name} {question}")
        press(browser, ".cites .cite")
        see(of, browser, f"{name} passage")
        press(browser, "#talks a")
        see(of, browser, f"{name} conversation")
        press(browser, "main > section > p:last-child a")
        see(of, browser, f"{name} erase")
        browser.tab.get(of.base + "plain?documents=0")
        see(of, browser, f"{name} documents")
        for query in ("", "notice period"):
            browser.tab.get(f"{of.base}plain?query={query}")
            browser.run("document.querySelectorAll('details').forEach((one) => (one.open = true))")
            see(of, browser, f"{name} search {query}")
        browser.tab.get(f"{of.base}plain?turn=none")
        see(of, browser, f"{name} refusal")
    browser.dark(False)
    browser.is_clean(of.base, refused=2)


def see(of, browser, where):
    browser.size(*PHONE)
    browser.fits(where)
    browser.accessible(of.axe, f"{where} on a phone")
    browser.size(1180, 820)
    browser.accessible(of.axe, where)


def plain_runs_nothing(of, browser):
    """Hostile documents, titles, names of files and questions on the pages without scripts: none of their scripts runs."""
    found = strings(of.hostile)
    random.seed(8)
    asked = random.sample([one for one in found if "<" in one], 10)
    bad = ["main [onerror]", "main img", "main script", "main svg", "main iframe", "main form:not([action='./plain'])", "[style]", "base"]
    with tempfile.TemporaryDirectory() as work:
        corpus = pathlib.Path(work) / "corpus"
        hostile_corpus(found, corpus)
        with serve(of.argosy, corpus, work) as base:
            pages = 0

            def look():
                assert not [css for css in bad if browser.all(css)], (browser.tab.current_url, browser.one("main").text)
                handlers = "return [...document.querySelectorAll('*')].filter((e) => [...e.attributes].some((a) => a.name.startsWith('on'))).length"
                assert browser.run(handlers) == 0
                return 1

            browser.tab.get(base + "plain")
            for one in [*asked, "What is the payload of item 61?", "List all b0 with their vendor"]:
                browser.run("document.getElementById('question').value = arguments[0]", one[:4000])
                press(browser, "#composer button")
                pages += look()
                for n in range(min(2, len(browser.all(".sources a")))):
                    press(browser, ".sources a", n)
                    pages += look()
                    browser.tab.back()
                if not browser.all("#question"):
                    browser.tab.get(base + "plain")
            for one in asked:
                for name in ("query", "turn", "conversation"):
                    browser.tab.get(f"{base}plain?{urllib.parse.urlencode({name: one[:2000]})}")
                    pages += look()
            print(f"  {pages} pages")
            seen = browser.run("return window.seen")
            assert not seen["ran"] and not seen["broken"], seen
            browser.is_clean(base, refused=3 * len(asked) + 20)
