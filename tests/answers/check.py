#!/usr/bin/env python3
"""Checks the labelled sets of this folder: `python3 tests/answers/check.py`.

Finds mistakes of form only; whether a question has exactly one right answer is for a reader to judge."""

import collections
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
FIELDS = {"id": str, "question": str, "kind": str, "sources": list, "contains": list, "rivals": list}
# How many questions of a kind a set has at least.
AT_LEAST = {
    "fact": 22,
    "table": 12,
    "comparison": 11,
    "parts": 10,
    "contradiction": 6,
    "metadata": 6,
    "ocr": 6,
    "list": 4,
    "unanswerable": 14,
}
QUESTIONS_AT_LEAST = 85
WORDS = range(200, 1801)


def fold(text):
    """Lower case, with one sign for those that a scanner confuses, and without broken words and lines."""
    text = text.lower().replace("&nbsp;", " ").replace("&amp;", "&")
    # A word that is broken at the end of a line.
    text = re.sub(r"-[ \t]*\n\s*", "", text)
    text = re.sub(r"\s+", " ", text).replace("rn", "m")
    return text.translate(str.maketrans("oils", "0115"))


def has(text, value):
    """Whether a folded text has a value that neither begins nor ends within a word or a number."""
    value = fold(value)
    at = text.find(value)
    while at >= 0:
        before, after = text[:at][-2:], text[at + len(value) :][:4]
        inside_before = before[-1:].isalnum() or re.fullmatch(r"\d[.,]", before) and value[:1].isdigit()
        # A plural or an ending may follow a word; after a digit only cents of nought may follow.
        inside_after = value[-1:].isdigit() and re.match(r"\d|[.,](?!00(\D|$))\d", after)
        if not inside_before and not inside_after:
            return True
        at = text.find(value, at + 1)
    return False


def alternatives(group):
    return [part.strip() for part in group.split("|")]


def check_question(one, texts, wrong):
    if set(one) != set(FIELDS) or any(not isinstance(one[name], kind) for name, kind in FIELDS.items()):
        wrong("has other fields than it should")
        return
    if one["kind"] not in AT_LEAST:
        wrong(f"has the unknown kind `{one['kind']}`")
    for source in one["sources"]:
        if source not in texts:
            wrong(f"has the source `{source}`, which is not there")
    if len(set(one["sources"])) < len(one["sources"]):
        wrong("has a source twice")
    if one["kind"] == "unanswerable":
        if one["sources"] or one["contains"]:
            wrong("is unanswerable and has sources or values")
        return
    if not one["sources"] or not one["contains"]:
        wrong("has no source or no value")
    read = [texts[source] for source in one["sources"] if source in texts]
    for group in one["contains"]:
        if not any(has(text, part) for part in alternatives(group) for text in read):
            wrong(f"expects `{group}`, which is in none of its sources")
    for source in one["sources"]:
        if source in texts and not any(
            has(texts[source], part) for group in one["contains"] for part in alternatives(group)
        ):
            wrong(f"has the source `{source}`, which has none of its values")
    wanted = {fold(part) for group in one["contains"] for part in alternatives(group)}
    for rival in (part for group in one["rivals"] for part in alternatives(group)):
        if fold(rival) in wanted:
            wrong(f"has the rival `{rival}`, which it expects too")
        elif any(fold(rival) in value for value in wanted):
            wrong(f"has the rival `{rival}`, which is a part of what it expects")


def check_set(folder):
    """The findings and the counts of one set."""
    findings, kinds, ids = [], collections.Counter(), collections.Counter()
    corpus = folder / "corpus"
    files = sorted(path for path in corpus.rglob("*") if path.is_file())
    written = {path.relative_to(corpus).as_posix(): path.read_text(encoding="utf-8") for path in files}
    for name, text in written.items():
        words = len(text.split())
        if words not in WORDS:
            findings.append(f"{folder.name}/corpus/{name}: {words} words")
        if name.count("/") != 1:
            findings.append(f"{folder.name}/corpus/{name}: not in a bucket")
    texts = {name: fold(text) for name, text in written.items()}
    asked, used = set(), set()
    for number, line in enumerate((folder / "questions.jsonl").read_text(encoding="utf-8").splitlines(), 1):
        place = f"{folder.name}/questions.jsonl:{number}"
        try:
            one = json.loads(line)
        except ValueError as error:
            findings.append(f"{place}: {error}")
            continue
        name = one.get("id", "?")
        check_question(one, texts, lambda what: findings.append(f"{place}: {name} {what}"))
        ids[name] += 1
        kinds[one.get("kind")] += 1
        used.update(one.get("sources", []))
        if not name.startswith(f"{folder.name}-{one.get('kind')}-"):
            findings.append(f"{place}: the id `{name}` does not tell the set and the kind")
        if one.get("question") in asked:
            findings.append(f"{place}: {name} asks what another question asks")
        asked.add(one.get("question"))
    findings += [f"{folder.name}: the id `{name}` is there {n} times" for name, n in ids.items() if n > 1]
    for kind, least in AT_LEAST.items():
        if kinds[kind] < least:
            findings.append(f"{folder.name}: {kinds[kind]} questions of the kind {kind}, not {least}")
    if sum(kinds.values()) < QUESTIONS_AT_LEAST:
        findings.append(f"{folder.name}: {sum(kinds.values())} questions")
    words = sum(len(text.split()) for text in written.values())
    return findings, kinds, (len(written), words, len(written.keys() - used))


def main():
    folders = sorted(path.parent for path in HERE.glob("*/questions.jsonl"))
    all_findings, rows = [], []
    for folder in folders:
        findings, kinds, (documents, words, unused) = check_set(folder)
        all_findings += findings
        rows.append((folder.name, kinds, documents, words, unused))
    print("| kind | " + " | ".join(row[0] for row in rows) + " |")
    print("|---|" + "---|" * len(rows))
    for kind in AT_LEAST:
        print(f"| {kind} | " + " | ".join(str(row[1][kind]) for row in rows) + " |")
    print("| questions | " + " | ".join(str(sum(row[1].values())) for row in rows) + " |")
    for at, name in ((2, "documents"), (3, "words"), (4, "documents that no question needs")):
        print(f"| {name} | " + " | ".join(str(row[at]) for row in rows) + " |")
    for finding in all_findings:
        print(finding, file=sys.stderr)
    if not folders or all_findings:
        sys.exit(f"{len(all_findings)} finding(s)")


if __name__ == "__main__":
    main()
