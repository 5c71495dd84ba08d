#!/usr/bin/env python3
"""Asks for facts in files that real programs made: `python3 tests/formats/facts.py FOLDER`.

Installs those programs into FOLDER, has them write a corpus there, one fact for each format and feature, and asks for
each by search and by the offline reader. Exits with 1 where too few are found; README.md says what counts."""

import argparse
import collections
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.request

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = [
    "pypandoc_binary==1.17",
    "python-docx==1.2.0",
    "openpyxl==3.1.5",
    "python-pptx==1.0.2",
    "reportlab==5.1.0",
    "python-bidi==0.6.12",
    "arabic-reshaper==3.1.0",
]
# Share of the facts that are found at rank 1-3; facts that nobody sees count as found where they are not told.
BAR = 0.97
FACTS_AT_LEAST = 120
RANKS = 3


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="where programs, corpus and index go")
    parser.add_argument("--argosy", type=pathlib.Path, default=HERE.parents[1] / "target/debug/argosy")
    parser.add_argument("--only", default="", help="formats to ask about, separated by commas")
    parser.add_argument("--made", action="store_true", help="use the corpus that an earlier run made")
    return parser.parse_args()


def inside_of_programs(folder):
    """Goes on as a Python that has the programs, which is installed where it is not there."""
    home = folder.resolve() / "programs"
    if pathlib.Path(sys.prefix) == home:
        return
    done = home / "packages.txt"
    if not done.is_file() or done.read_text().split() != PACKAGES:
        subprocess.run([sys.executable, "-m", "venv", home], check=True)
        subprocess.run([home / "bin/pip", "install", "--quiet", *PACKAGES], check=True)
        done.write_text("\n".join(PACKAGES))
    os.execv(home / "bin/python", [str(home / "bin/python"), *sys.argv])


def make(folder):
    """The corpus, and what is to be asked about it."""
    import made
    import mails
    import markup
    import office
    import pages
    import sheets
    import slides

    has_office = shutil.which("soffice") is not None
    if not has_office:
        print("left out, as there is no `soffice` on the PATH: what LibreOffice saves")
    corpus, scratch = folder / "corpus", folder / "scratch"
    for one in (corpus, scratch, folder / "data"):
        shutil.rmtree(one, ignore_errors=True)
        one.mkdir(parents=True)
    (scratch / "out").mkdir()
    facts = made.Facts()
    markup.make(facts, corpus)
    for one in (office, sheets, slides, pages):
        one.make(facts, corpus, scratch, has_office)
    mails.make(facts, corpus)
    (folder / "facts.json").write_text(json.dumps([dataclasses.asdict(fact) for fact in facts.all], indent=1))


def fold(text):
    """Without what makes a text look different and not mean anything else."""
    text = re.sub(r"(?<!\\)\*\*|\\(?=[-_*#|])", "", text)
    return re.sub(r"\s+", " ", text.replace("\u00ad", "").replace("\u202f", " ")).lower()


def says(text, fact):
    text = fold(text)
    values = any(fold(value) in text for value in fact["values"])
    return values and all(fold(word) in text for word in fact["words"])


class Door:
    """Argosy over the corpus."""

    def __init__(self, argosy, folder):
        self.sources = set()
        command = [argosy, "serve", "--corpus", folder / "corpus", "--listen", "127.0.0.1:0"]
        command += ["--set", f"data_dir={folder / 'data'}", "--set", "model.model=offline-extractive"]
        log = open(folder / "serve.log", "w")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, cwd=folder)
        for line in self.process.stdout:
            if found := re.search(r"HTTP:\s+(\S+)/api", line):
                self.url = found[1]
                return
        sys.exit(f"argosy did not start: see {folder / 'serve.log'}")

    def post(self, path, body):
        body = json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=120) as response:
            return json.load(response)

    def close(self):
        self.process.terminate()
        self.process.wait(60)


def is_of(source, fact):
    """Whether a source is the fact's file; a part of a file may be named in more words."""
    file, _, part = fact["file"].partition("#")
    return source == file if not part else source.startswith(file) and part.rsplit(".")[0] in source


def ask(door, fact):
    """What is right about the result: found, answered, cited, at the right place. None where it does not apply."""
    passages = door.post("/api/search", {"query": fact["question"], "top_k": 10})["passages"]
    door.sources.update(passage["source"] for passage in passages)
    event = door.post("/api/turns", {"question": fact["question"]})
    answer = event.get("answer") or ""
    if fact["absent"]:
        hidden = not any(says(text, fact) for text in [answer, *(passage["text"] for passage in passages)])
        return {"found": hidden, "answered": hidden}
    ranks = [at for at, one in enumerate(passages[:RANKS], 1) if says(one["text"], fact) and is_of(one["source"], fact)]
    answered = says(answer, {**fact, "words": []})
    cited = [one for one in event.get("citations") or [] if is_of(one["source"], fact)]
    result = {"found": bool(ranks), "answered": answered, "cited": bool(cited)}
    if fact["page"]:
        result["page"] = any(one.get("page") == fact["page"] for one in cited)
    if fact["page_name"]:
        result["page_name"] = any(one.get("page_name") == fact["page_name"] for one in cited)
    return {**result, "answer": answer, "places": [(c.get("source"), c.get("page"), c.get("page_name")) for c in cited]}


WHAT = ["found", "answered", "cited", "page", "page_name"]


def share(results, what):
    seen = [result[what] for result in results if what in result]
    return f"{sum(seen)}/{len(seen)}" if seen else "-"


def features(facts, results):
    by_feature = collections.defaultdict(list)
    for fact, result in zip(facts, results):
        by_feature[fact["feature"]].append(result)
    return [f"{name} {share(some, 'found')}" for name, some in by_feature.items()]


def report(facts, results):
    by_format = collections.defaultdict(list)
    for fact, result in zip(facts, results):
        by_format[fact["format"]].append(result)
    print(f"{'format':20}" + "".join(f"{what:>11}" for what in WHAT))
    for name, some in [*by_format.items(), ("all", results)]:
        print(f"{name:20}" + "".join(f"{share(some, what):>11}" for what in WHAT))
    print("\nfound, by feature: " + ", ".join(features(facts, results)))
    print("\nnot as it should be:")
    for fact, result in zip(facts, results):
        wrong = [what for what in WHAT if result.get(what) is False]
        if wrong:
            print(f"{fact['format']:12} {fact['feature']:28} {' '.join(wrong):26} {fact['file']}: {fact['question']}")
            print(f"{'':12} expected {fact['values'][0]!r} {fact['page'] or ''} {fact['page_name'] or ''}; got "
                  f"{result.get('answer', '')[:150]!r} {result.get('places', '')}")


def main():
    chosen = options()
    folder = chosen.folder.resolve()
    inside_of_programs(folder)
    if not chosen.made:
        make(folder)
    only = set(filter(None, chosen.only.split(",")))
    facts = [one for one in json.loads((folder / "facts.json").read_text()) if not only or one["format"] in only]
    door = Door(chosen.argosy.resolve(), folder)
    try:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda fact: ask(door, fact), facts))
    finally:
        door.close()
    for fact, result in zip(facts, results):
        # Of a file that is not read nobody learns anything, which is no merit.
        if fact["absent"] and fact["file"] not in door.sources:
            result.update(found=False, answered=False)
    report(facts, results)
    rate = sum(result["found"] for result in results) / len(results)
    print(f"\nfound {rate:.3f} of {len(facts)} facts; the bar is {BAR} of at least {FACTS_AT_LEAST}")
    sys.exit(rate < BAR or len(facts) < FACTS_AT_LEAST and not only)


if __name__ == "__main__":
    main()
