#!/usr/bin/env python3
"""Asks for facts in documents of twelve languages: `python3 tests/languages/facts.py FOLDER`.

Writes the documents of all languages into one corpus in FOLDER and asks by search and by the offline reader. README.md
says what counts."""

import argparse
import json
import pathlib
import sys

sys.dont_write_bytecode = True
import measure

# The eight languages of which a share is demanded; the others are shown.
DEMANDED = ["de", "fr", "es", "nl", "ru", "ja", "zh", "ko"]
FOUND_BAR, ANSWERED_BAR, FACTS_AT_LEAST = 0.93, 0.85, 200
COLUMNS = ["found", "document", "answered", "cited", "nothing", "peer found", "peer answered"]


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="where corpus and index go")
    parser.add_argument("--argosy", type=pathlib.Path, default=measure.ARGOSY)
    parser.add_argument("--part", choices=["tune", "kept", "all"], default="all", help="which half of the questions to ask")
    parser.add_argument("--only", default="", help="languages to ask in, separated by commas; the corpus holds all of them")
    parser.add_argument("--json", type=pathlib.Path, help="where each question goes with its result")
    parser.add_argument("--wrong", action="store_true", help="print what was not found or answered")
    return parser.parse_args()


def read(chosen):
    """The texts by file, and the questions that are to be asked."""
    only = set(filter(None, chosen.only.split(",")))
    documents, questions = {}, []
    for path in sorted((measure.HERE / "facts").glob("*.json")):
        data, language = json.loads(path.read_text()), path.stem
        documents.update((one["file"], "\n".join(one["text"]) + "\n") for one in data["documents"])
        asked = data["questions"] + [{**one, "in": language} for one in data["absent"]]
        questions += [{**one, "language": language} for one in asked
                      if chosen.part in (one["part"], "all") and (not only or language in only)]
    return documents, questions


def report(questions, results):
    """The table by language, and the figures that the bars are about."""
    pairs = list(zip(questions, results))
    languages = list(dict.fromkeys(one["language"] for one in questions))
    ordered = [one for one in DEMANDED if one in languages] + [one for one in languages if one not in DEMANDED]
    facts = {one: [r for q, r in pairs if q["language"] == one and q.get("doc")] for one in ordered}
    print("Asked in the language of the document or in English:")
    measure.table(COLUMNS, list(facts.items()))
    for title, english in [("Asked in the language of the document:", False), ("Asked in English about a foreign document:", True)]:
        rows = [(one, [r for q, r in pairs if q["language"] == one and q.get("doc") and (q["in"] == "en" != one) == english])
                for one in ordered]
        print(f"\n{title}")
        measure.table(COLUMNS, [row for row in rows if row[1]])
    print("\nNot in the documents; `nothing` is right:")
    measure.table(["nothing"], [(one, [r for q, r in pairs if q["language"] == one and not q.get("doc")]) for one in ordered])
    demanded = [result for one in ordered if one in DEMANDED for result in facts[one]]
    return [sum(result[what] for result in demanded) / max(len(demanded), 1) for what in ("found", "answered")] + [len(demanded)]


def main():
    chosen = options()
    documents, questions = read(chosen)
    results = measure.ask_all(chosen.argosy, chosen.folder.resolve(), documents, questions)
    measure.save(chosen.json, questions, results)
    found, answered, count = report(questions, results)
    if chosen.wrong:
        print("\nnot as it should be:")
        for question, result in zip(questions, results):
            if not (result.get("found", True) and result.get("answered", result["nothing"])):
                print(f"{question['part']} {question['question']} -> {question.get('values', 'nothing')}: "
                      f"{result['answer'][:150]!r} {result['sources']}")
    print(f"\nof {count} facts in eight languages found {found:.3f}, the bar is {FOUND_BAR}; "
          f"answered {answered:.3f}, the bar is {ANSWERED_BAR}")
    few = count < FACTS_AT_LEAST and chosen.part == "all" and not chosen.only
    sys.exit(found < FOUND_BAR or answered < ANSWERED_BAR or few)


if __name__ == "__main__":
    main()
