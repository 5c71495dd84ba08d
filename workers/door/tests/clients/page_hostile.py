"""Checks of page.py about what documents, models and askers may say: every part of an event is shown, and as text."""

import json
import pathlib
import random
import re
import tempfile

from page_stand import serve

HOSTILE = "<img src=x onerror=alert(1)>"


def shows_findings(of, browser):
    """What an event may have and the sample corpus does not bring about: each part is shown, as text."""
    browser.go(of.base)
    text = f"**Größe**: 5 € [1]. Der Ölstand ist 9 l [2].\n\n- eins `code`\n- zwei {HOSTILE} [7]"
    bytes_of = lambda part: len(text[: text.index(part)].encode())
    event = {
        "turn": HOSTILE, "outcome": "answered", "answer": text, "low_confidence": True, "confidence": 0.41,
        "citations": [{"n": n, "chunk_id": f"c.{n}", "title": HOSTILE, "source": HOSTILE, "line": 3, "quote": HOSTILE} for n in (1, 2)],
        "sentences": [{"start": bytes_of("Der"), "end": bytes_of("\n\n-"), "support": "contradicted", "reason": HOSTILE}],
        "contradictions": [{"text": f"It weighs 9 kg, but 11 kg. {HOSTILE}", "chunks": ["c.1", "c.2"]}],
        "action_items": [{"text": HOSTILE, "chunks": ["c.2"]}], "notices": [HOSTILE], "rewritten": HOSTILE, "model": HOSTILE,
        "judgement": {"grounding": HOSTILE, "sufficiency": "sufficient", "reason": HOSTILE},
        "table": {"operation": "sum", "measure": HOSTILE, "columns": [HOSTILE], "rows": [{"cells": [HOSTILE], "cites": [1]}],
                  "rows_total": 60, "documents": 2, "missing": 1, "column": HOSTILE, "conditions": [HOSTILE]},
        "trail": [{"role": HOSTILE, "hop": 0, "attempt": 2, "queued_ms": 1, "worked_ms": 2, "decided": HOSTILE, "model": HOSTILE,
                   "fallbacks": [{"kind": HOSTILE}], "conditions": {"filter": [HOSTILE], "dropped": [HOSTILE]}}],
        "asked_at": 1, "ended_at": 2_500,
    }
    show = """const done = arguments[1];
        import(new URL('answer.js', location)).then(({ shown }) => {
          document.getElementById('thread').replaceChildren(...shown(arguments[0], () => {}));
          done(document.getElementById('thread').textContent);
        }, (error) => done(String(error)));"""
    with_table = browser.tab.execute_async_script(show, event)
    for wanted in ("Low confidence.", "Confidence: low (41 %)", "contradict each other", "What to do", "the first 1 of 60 rows",
                   "1 left out", "delivery 2", "Only documents where", "Not used", "2.5 s"):
        assert wanted in with_table, (wanted, with_table)
    assert len(browser.all(".box.warn .cite")) == 2
    del event["table"]
    browser.tab.execute_async_script(show, event)
    assert browser.text(".answer .doubt").startswith("Der Ölstand ist 9 l"), browser.text(".answer .doubt")
    assert "contradicted by a source" in browser.text(".answer .verdict")
    assert browser.text(".answer strong") == "Größe" and browser.text(".answer li code") == "code"
    # A mark that no citation stands behind stays text.
    assert "[7]" in browser.text(".answer li:last-child") and len(browser.all(".answer li")) == 2
    for outcome in ("refused", "failed", "expired", "cancelled"):
        ended = {"turn": "t", "outcome": outcome, "error": {"code": "why", "message": HOSTILE}, "asked_at": 1, "ended_at": 2}
        assert HOSTILE in browser.tab.execute_async_script(show, ended)
    assert not browser.all("#thread img")
    browser.is_clean(of.base)


def strings(folder):
    """The hostile strings of lists: the lines of text files and all texts of JSON files."""
    def of(value):
        if isinstance(value, str):
            yield value
        for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from of(part)

    found = []
    for path in sorted(pathlib.Path(folder).iterdir()):
        text = path.read_text(errors="replace")
        found += of(json.loads(text)) if path.suffix == ".json" else text.splitlines()
    return [one.strip() for one in found if one.strip()]


def hostile_corpus(found, folder):
    """Each string stands in the text of a document; many are titles, values of metadata, and names of files."""
    marked = [one for one in found if "<" in one or "javascript" in one.lower()]
    for n in range(0, len(found), 60):
        bucket = folder / f"b{n % 5}"
        bucket.mkdir(parents=True, exist_ok=True)
        some = found[n : n + 60]
        title = json.dumps((marked or found)[(n // 60) % len(marked or found)][:200])
        name = re.sub(r"[/\x00]", "\u2215", (marked or found)[(n // 30) % len(marked or found)])[:60].strip(". ") or "x"
        text = "\n\n".join(f"The payload of item {n + i} is {one}" for i, one in enumerate(some))
        (bucket / f"{n}-{name}.md").write_text(f"---\ntitle: {title}\nvendor: {title}\nitem: {n}\n---\n# {some[0]}\n\n{text}\n")


def runs_nothing(of, browser):
    """Hostile documents, titles, metadata, names of files and questions: none of their scripts runs."""
    found = strings(of.hostile)
    marked = [one for one in found if "<" in one]
    random.seed(7)
    asked = random.sample(marked, 8) + random.sample(found, 4)
    with tempfile.TemporaryDirectory() as work:
        corpus = pathlib.Path(work) / "corpus"
        hostile_corpus(found, corpus)
        with serve(of.argosy, corpus, work) as base:
            browser.go(base)
            seen = set()
            for n, one in enumerate(asked):
                if n % 3 == 0:
                    browser.click("#new")
                    browser.until(lambda: not browser.all(".turn"))
                before = len(browser.all(".turn"))
                browser.run("document.getElementById('question').value = arguments[0]", one.replace("\n", " ")[:4000])
                browser.one("#question").send_keys("\n")
                browser.ended(before + 1)
                seen.add(browser.text(".turn:last-child .end")[:40])
                if browser.all(".turn:last-child .sources .cite"):
                    browser.click(".turn:last-child .sources .cite")
                    browser.until(lambda: browser.all("#passage[open]") and browser.text("#passage-body"))
                    browser.dismiss()
            for question in ("What is the payload of item 61?", "List all b0 with their vendor", "How many b1 are there?", "List the documents by vendor"):
                browser.click("#new")
                browser.until(lambda: not browser.all(".turn"))
                browser.ask(question)
                seen.add(browser.text(".turn:last-child .end")[:40])
            browser.click("[data-view=search]")
            browser.until(lambda: browser.one("#query").is_displayed())
            shown = 0
            for one in asked + ["payload onerror alert", "script svg onload prompt"]:
                browser.run("document.getElementById('query').value = arguments[0]", one.replace("\n", " ")[:4000])
                browser.one("#query").send_keys("\n")
                browser.until(lambda: "Searching" not in browser.text("#found"))
                shown += len(browser.all("#passages .hit"))
                if browser.all("#passages .hit"):
                    browser.click("#passages .hit")
                    browser.until(lambda: browser.text("#passage[open] .passage"))
                    browser.dismiss()
            browser.click("[data-view=documents]")
            browser.run("document.querySelectorAll('details').forEach((one) => (one.open = true))")
            assert "<" in browser.text("#buckets") and shown > 20, shown
            inside = "return [...document.querySelectorAll('main *, dialog *')].filter((e) => [...e.attributes].some((a) => a.name.startsWith('on'))).length"
            assert browser.run(inside) == 0 and not browser.all("main img, main svg, main script, main iframe, dialog img")
            print(f"  {len(found)} strings in {len(list(corpus.rglob('*.md')))} documents; {len(asked)} asked, {shown} passages found, {len(seen)} different ends")
            browser.is_clean(base)
