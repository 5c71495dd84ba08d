"""Generates test cases for measuring the check of answers: by seed, it rewords true sentences and makes copies of each that are
false in one place. README.md says how, and what is left alone.

    generate.py sample                  writes sample.jsonl, of the Markdown documents of the sample corpus
    generate.py multihop_rag FOLDER     writes mutations.jsonl into the folder of that data set
"""

import json
import sys
from pathlib import Path

from find import spans
from mutate import CHANGES, Setting
from reword import reword

HERE = Path(__file__).parent
SEEDS = (1, 2, 3)
# The fewest and the most words of a sentence that can be reworded and changed; longer sentences are lists.
WORDS_MIN, WORDS_MAX = 8, 60
# How many bytes of the document a passage has on each side of the sentence.
BESIDE = 700
# How many passages are from other documents.
OTHERS = 4
MASK = (1 << 64) - 1


class Random:
    """A stream of random numbers (WyRand). The numbers of a library may change with its version."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state + 0x2D35_8DCC_AA6C_78A5) & MASK
        product = self.state * (self.state ^ 0x8BB8_4B93_962E_ACC9)
        return (product ^ product >> 64) & MASK

    def below(self, end, bits=64):
        """A number from 0 up to `end`, without it, from so many random bits (Lemire's method)."""
        mask = (1 << bits) - 1
        while True:
            product = (self.next() & mask) * end
            if product & mask >= (1 << bits) % end:
                return product >> bits

    def bool(self):
        return self.next() % 2 == 0

    def choice(self, items):
        """One of the items; None where there is none."""
        return items[self.below(len(items))] if items else None

    def shuffled(self, items):
        items = list(items)
        for at in range(1, len(items)):
            other = self.below(at + 1)
            items[at], items[other] = items[other], items[at]
        return items


def hashed(text):
    value = 0xCBF2_9CE4_8422_2325
    for byte in text.encode():
        value = (value ^ byte) * 0x0100_0000_01B3 & MASK
    return value


class Source:
    """A document, and sentences that occur in it word for word."""

    def __init__(self, name, text, facts):
        self.name, self.text, self.bytes = name, text, text.encode()
        self.facts = [fact for fact in facts if is_sentence(fact) and fact in text]

    def passage(self, fact):
        """The bytes around a fact, from where to where. No word is cut."""
        fact = fact.encode()
        at = max(self.bytes.find(fact), 0)
        behind = at + len(fact)
        start, end = max(at - BESIDE, 0), min(behind + BESIDE, len(self.bytes))
        if start > 0:
            before = self.bytes[start:at].decode(errors="ignore")
            start += self.bytes[start:at].find(before.encode())
            blank = next((n for n, c in enumerate(before) if c.isspace()), 0)
            start += len(before[:blank].encode())
        if end < len(self.bytes):
            after = self.bytes[behind:end].decode(errors="ignore")
            blank = max((n for n, c in enumerate(after) if c.isspace()), default=len(after))
            end = behind + len(after[:blank].encode())
        text = self.bytes[start:end].decode()
        start += len(text) - len(text.lstrip())
        return start, start + len(text.strip().encode())


def prose(text):
    """All sentences of a Markdown document that stand in no list, table or heading."""
    for line in text.splitlines():
        if not line.startswith(("#", "|", "-", "*", "<")):
            yield from (line[start:end] for start, end in spans(line))


def is_sentence(fact):
    """Whether a text is one whole sentence of prose."""
    # What begins with a small letter or a digit was cut behind `No.`.
    is_whole = fact[:1].isupper() and fact.endswith(".")
    # A quotation that is left open, or an ellipsis, says something else than it seems to.
    is_open = fact.count('"') % 2 == 1 or fact.count("“") != fact.count("”")
    is_clear = not any(mark in fact for mark in ("...", "…", "\n")) and not is_open
    return is_whole and is_clear and WORDS_MIN <= len(fact.split()) <= WORDS_MAX and len(spans(fact)) == 1


def cases(sources, seed):
    """The cases of a seed, one group for each fact: the fact unchanged, and with each change that applies to it."""
    sources = [source for source in sources if source.facts]
    if len(sources) <= OTHERS + 1:
        return
    for at, source in enumerate(sources):
        for number, fact in enumerate(source.facts):
            own = (hashed(source.name) + number) * 0x9E37_79B9_7F4A_7C15 & MASK
            if group := of_fact(sources, at, fact, Random(seed ^ own)):
                yield {"seed": seed, **group}


def of_fact(sources, at, fact, random):
    source = sources[at]
    # A third of the documents is for dev.
    split = "dev" if hashed(source.name) % 3 == 0 else "test"
    others = random.shuffled(other for other in range(len(sources)) if other != at)
    own = (source, *source.passage(fact))
    passages = [own]
    for other in others[:OTHERS]:
        passages.append((sources[other], *sources[other].passage(random.choice(sources[other].facts))))
    passages = random.shuffled(passages)
    reworded = reword(fact, text_of(own), split, random)
    if not reworded:
        return None
    sentence, names = reworded
    setting = Setting(sentence, fact, [text_of(passage) for passage in passages])
    found = [("none", ", ".join(names), sentence)]
    for mutation in CHANGES:
        mutated = setting.mutated(mutation, random)
        if mutated is not None and mutated != sentence:
            found.append((mutation, ", ".join(names), mutated))
    if len(others) > OTHERS:
        # A true sentence of a document that is not among the passages.
        strange = sources[others[OTHERS]]
        strange_fact = random.choice(strange.facts)
        around = text_of((strange, *strange.passage(strange_fact)))
        if added := reword(strange_fact, around, split, random):
            found.append(("added", ", ".join(added[1]), added[0]))
    places = [[one.name, start, end] for one, start, end in passages]
    return {"split": split, "passages": places, "sentences": found}


def text_of(passage):
    source, start, end = passage
    return source.bytes[start:end].decode()


def sample():
    corpus = HERE / "../../tests/fixtures/corpus"
    for path in sorted(corpus.rglob("*.md")):
        text = path.read_bytes().decode()
        yield Source(path.relative_to(corpus).as_posix(), text, prose(text))


def multihop_rag(folder):
    """The articles with the facts that the questions rest on."""
    facts = {}
    for question in json.loads((folder / "MultiHopRAG.json").read_text(encoding="utf-8")):
        for evidence in question["evidence_list"]:
            facts.setdefault(evidence["title"], {})[evidence["fact"]] = None
    for article in json.loads((folder / "corpus.json").read_text(encoding="utf-8")):
        yield Source(article["title"], article["body"], facts.pop(article["title"], []))


def main(arguments):
    match arguments:
        case ["sample", *output]:
            sources, path = list(sample()), Path(*output or [HERE / "sample.jsonl"])
        case ["multihop_rag", folder]:
            sources, path = list(multihop_rag(Path(folder))), Path(folder) / "mutations.jsonl"
        case _:
            sys.exit(__doc__)
    with path.open("w", encoding="utf-8") as file:
        for seed in SEEDS:
            for group in cases(sources, seed):
                file.write(json.dumps(group, ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
