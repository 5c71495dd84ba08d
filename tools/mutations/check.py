"""Checks that forms are found, and that sample.jsonl is what is generated of the sample corpus."""

import json

from find import dates, figures, names
from generate import HERE, SEEDS, cases, sample

TEXT = "On November 11, 2023, Dave Clark of Flexport paid $1,200.50 for 45% of 3 million shares in 2022."
FOUND = [
    (dates, ["November 11, 2023", "2022"]),
    (figures, ["1,200.50", "45", "3"]),
    (names, ["Dave Clark", "Flexport"]),
]
for find, expected in FOUND:
    found = [TEXT[one.start : one.end] for one in find(TEXT)]
    assert found == expected, f"{find.__name__}: {found}"

with (HERE / "sample.jsonl").open(encoding="utf-8") as file:
    known = [json.loads(line) for line in file]
sources = list(sample())
generated = [group for seed in SEEDS for group in cases(sources, seed)]
generated = json.loads(json.dumps(generated))
assert generated, "nothing is generated of the sample corpus"
assert generated == known, "sample.jsonl is old: `python3 tools/mutations/generate.py sample` makes it anew"
