#!/usr/bin/env python3
"""Asks public questions about paragraphs: `python3 tests/languages/squad.py FOLDER NAME=FILE...`.

A FILE is in the shape of SQuAD (XQuAD, JSQuAD, KorQuAD), and `GIT_FOLDER:PATH` reads it from a repository without a work
tree. Each is a corpus of its own, one document for a paragraph. Nothing of these files is part of this project."""

import argparse
import json
import pathlib
import random
import subprocess
import sys

sys.dont_write_bytecode = True
import measure

COLUMNS = ["found", "document", "answered", "cited", "nothing", "peer found", "peer answered"]
SEED = 39


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="where corpora and indexes go")
    parser.add_argument("files", nargs="+", metavar="NAME=FILE")
    parser.add_argument("--argosy", type=pathlib.Path, default=measure.ARGOSY)
    parser.add_argument("--questions", type=int, default=80, help="most questions for each file")
    parser.add_argument("--paragraphs", type=int, default=240, help="most paragraphs of each file")
    parser.add_argument("--json", type=pathlib.Path, help="where each question goes with its result")
    return parser.parse_args()


def read(place):
    """A file, or one of the newest commit of a repository."""
    repository, colon, path = place.rpartition(":")
    if not colon:
        return pathlib.Path(place).read_text()
    command = ["git", "-C", repository, "show", f"HEAD:{path}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def draw(name, text, chosen):
    """The same paragraphs and questions in each run, and of XQuAD the same in each language."""
    paragraphs = [one for article in json.loads(text)["data"] for one in article["paragraphs"]]
    dice = random.Random(SEED)
    paragraphs = dice.sample(paragraphs, min(chosen.paragraphs, len(paragraphs)))
    documents, questions = {}, []
    for number, paragraph in enumerate(paragraphs):
        file = f"{number:03}.txt"
        # JSQuAD writes the title of the article in front of the paragraph.
        documents[file] = paragraph["context"].replace(" [SEP] ", "\n\n") + "\n"
        for one in paragraph["qas"]:
            values = list(dict.fromkeys(answer["text"] for answer in one["answers"]))
            questions.append({"question": one["question"], "doc": file, "values": values, "language": name})
    return documents, dice.sample(questions, min(chosen.questions, len(questions)))


def main():
    chosen = options()
    rows, asked, came = [], [], []
    for argument in chosen.files:
        name, _, place = argument.partition("=")
        documents, questions = draw(name, read(place), chosen)
        results = measure.ask_all(chosen.argosy, chosen.folder.resolve() / name, documents, questions)
        rows.append((name, results))
        asked += questions
        came += results
    measure.save(chosen.json, asked, came)
    measure.table(COLUMNS, rows)


if __name__ == "__main__":
    main()
