#!/usr/bin/env python3
"""Generates a corpus by seed, with questions whose conditions, documents and tables are known.

Usage: generate.py SIDE FOLDER [--documents N] [--seed N] [--synonyms]
"""
import argparse
import json
from collections import Counter
from pathlib import Path

import placing
from companies import companies
from dice import Dice
from manuscript import manuscript
from questions import questions
from records import records
from render import compact, render
from schema import schema
from side import SIDES, Side

# With fewer documents, some kinds of questions have no answer.
DOCUMENTS_MIN = 400
DOCUMENTS = 5000


class Corpus:
    """Companies, the records that documents are about, their files and the questions. The same arguments give the same
    bytes."""

    def __init__(self, side, documents, seed):
        self.side, self.seed = side, seed
        self.companies = companies(side, documents, seed)
        self.records = records(side, self.companies, documents, seed)
        places = placing.Places(side, Dice(seed, "places"))
        for record in self.records:
            places.set(record)
            record.source = placing.source(side, record)
        self.files = self.rendered()
        self.questions = questions(side, self.companies, self.records, seed)

    def rendered(self):
        """The bytes of each file below `documents/`. A file of JSONL holds several documents."""
        dice = Dice(self.seed, "text")
        files = {}
        for record in self.records:
            other = dice.pick(self.companies)
            while other is record.company:
                other = dice.pick(self.companies)
            paper = manuscript(record, self.side, other.name, dice)
            path, _, line_id = record.source.partition("#")
            files[path] = files.get(path, b"") + render(paper, record.file, line_id, dice)
        return files

    def write(self, folder, has_synonyms):
        """Writes `documents/`, `questions.jsonl`, `schema.toml`, `names.json` and `summary.json` into a folder."""
        for path, content in self.files.items():
            put(folder / "documents" / path, content)
        lines = "".join(compact(question) + "\n" for question in self.questions)
        put(folder / "questions.jsonl", lines.encode())
        put(folder / "schema.toml", schema(self.side, has_synonyms).encode())
        names = {company.name: company.forms() for company in self.companies}
        put(folder / "names.json", pretty(dict(sorted(names.items()))).encode())
        put(folder / "summary.json", pretty(self.summary()).encode())

    def summary(self):
        """The counts of the corpus."""
        buckets, files, values, by_bucket = Counter(), Counter(), Counter(), {}
        for record in self.records:
            bucket = self.side.shelf(record.shelf).folder
            buckets[bucket] += 1
            files[record.file] += 1
            values.update(record.stands.values())
            by_bucket.setdefault(bucket, Counter()).update(record.stands.values())
        families = [question["family"] for question in self.questions if "family" in question]
        return {
            "side": self.side.name,
            "seed": self.seed,
            "documents": len(self.records),
            "bytes": sum(map(len, self.files.values())),
            "companies": len(self.companies),
            "buckets": ordered(buckets),
            "without_schema": [words.folder for words in self.side.shelves if not words.has_schema],
            "files": ordered(files),
            "values": ordered(values),
            "values_by_bucket": ordered({bucket: ordered(counts) for bucket, counts in by_bucket.items()}),
            "questions": ordered(Counter(question["kind"] for question in self.questions)),
            "near_misses": ordered(Counter(families)),
        }


def ordered(counts):
    return dict(sorted(counts.items()))


def pretty(value):
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def put(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("side", choices=SIDES, metavar="SIDE", help="which words: " + ", ".join(SIDES))
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where it is written; new or empty")
    parser.add_argument("--documents", type=int, default=DOCUMENTS, metavar="N", help="how many (default: 5000)")
    parser.add_argument("--seed", type=int, metavar="N", help="another seed than that of published figures")
    parser.add_argument("--synonyms", action="store_true", help="give the columns of the schema synonyms")
    given = parser.parse_args()
    if given.documents < DOCUMENTS_MIN:
        parser.error(f"{given.documents} documents are too few: want {DOCUMENTS_MIN} or more")
    if given.folder.exists() and any(given.folder.iterdir()):
        parser.error(f"{given.folder} is not empty")
    side = Side(given.side)
    corpus = Corpus(side, given.documents, side.seed if given.seed is None else given.seed)
    corpus.write(given.folder, given.synonyms)
    print(pretty(corpus.summary()), end="")


if __name__ == "__main__":
    main()
