"""The contents of a document before it has a file format: title, front matter, labelled values and sentences.

A manuscript holds only values that are written in the front matter or in the text. So a value that is written in the
path alone, or nowhere, cannot be read in it."""
from dataclasses import dataclass, field as listed
from datetime import date

import days
from fields import (
    FRONT, INVOICES, MONEY, REPORTS, SIGNS, TEXT, TITLED, as_text, capital, grouped, short, to_json,
)
from placing import has_front

# Of a thousand values of front matter, how many also stand in the text, have their other key, are written as in the
# text, or are days with a time; and of a thousand values in the text alone, how many stand behind a label.
ALSO_IN_TEXT = 600
ALIAS = 200
AS_IN_TEXT = 100
WITH_TIME = 100
LABELLED = 550
# How many of a thousand papers name some other company.
ASIDE = 200
# How many of a thousand papers of a company with fiscal years of its own also state these in front matter.
FISCAL_IN_FRONT = 400


@dataclass
class Manuscript:
    """A document without a file format. `front`, `labelled` and `lines` are pairs; `lines` are articles and quantities.
    Each of the `sentences` holds a value and is not broken over two lines; `filler` holds none."""

    title: str
    front: list = listed(default_factory=list)
    labelled: list = listed(default_factory=list)
    sentences: list = listed(default_factory=list)
    filler: list = listed(default_factory=list)
    lines: list = listed(default_factory=list)

    def interleaved(self):
        """Sentences with and without a value, taking turns."""
        every = []
        for at in range(max(len(self.sentences), len(self.filler))):
            every += self.filler[at:at + 1] + self.sentences[at:at + 1]
        return every

    def text_lines(self):
        """All text, line by line."""
        labelled = [f"{label}: {value}" for label, value in self.labelled]
        lines = [f"{quantity} x {article}" for article, quantity in self.lines]
        return labelled + self.interleaved() + lines


class Hand:
    """How one document writes days and numbers, and where the currency stands beside an amount, if it may."""

    def __init__(self, dice):
        self.days = dice.pick(days.NOTATIONS)
        self.numbers = dice.pick(["point", "comma"])
        self.beside = dice.pick(["before", "behind", "sign"])

    def write(self, record, field):
        """A value as the text of this document writes it."""
        value = record.truth[field]
        if isinstance(value, str):
            return value
        if isinstance(value, date):
            return days.written(value, self.days)
        if field in MONEY:
            return self.money(record, value)
        return short(value).replace(".", ",") if self.numbers == "comma" else short(value)

    def money(self, record, hundredths):
        """An amount, with its currency where the text may say that."""
        amount = grouped(hundredths, self.numbers)
        if record.stands["currency"] not in (FRONT, TEXT):
            return amount
        currency = record.truth["currency"]
        if self.beside == "before":
            return f"{currency} {amount}"
        if self.beside == "behind":
            return f"{amount} {currency}"
        minus = "-" if hundredths < 0 else ""
        return f"{minus}{SIGNS[currency]}{grouped(abs(hundredths), self.numbers)}"


def manuscript(record, side, other_company, dice):
    """The manuscript of a record; it may name another company in passing."""
    words = side.shelf(record.shelf)
    hand = Hand(dice)
    paper = Manuscript(title(record, words, dice))
    for called in words.fields:
        stand = record.stands[called.field]
        if stand not in (FRONT, TEXT):
            continue
        written = hand.write(record, called.field)
        if stand == FRONT:
            paper.front.append(front(record, words, called, written, dice))
            if dice.permille(ALSO_IN_TEXT):
                paper.labelled.append((called.label, written))
        # What a scanner does to a sentence, no pattern of a schema would survive.
        elif dice.permille(LABELLED) or record.file in ("scan", "csv"):
            paper.labelled.append((called.label, written))
        else:
            paper.sentences.append(called.sentence.replace("{}", written))
    if record.shelf == REPORTS and record.company.fiscal_start != 1:
        add_fiscal_years(record, side, paper, dice)
    add_filler(record, side, other_company, paper, dice)
    return paper


def title(record, words, dice):
    parts = [as_text(record.truth[field]) for field in TITLED[record.shelf] if is_titled(record, field, words, dice)]
    return capital(" ".join(parts)) if parts else words.neutral_title


def is_titled(record, field, words, dice):
    if record.stands[field] == FRONT:
        return not words.has_schema or dice.permille(ALSO_IN_TEXT)
    return record.stands[field] == TEXT


def front(record, words, called, written, dice):
    """A field in front matter, with its key and its value."""
    # Without a schema nobody would know that two keys are one column, nor read what is written by hand.
    key = called.alias if words.has_schema and dice.permille(ALIAS) else called.column
    if words.has_schema and dice.permille(AS_IN_TEXT):
        return key, written
    value = record.truth[called.field]
    if isinstance(value, date) and dice.permille(WITH_TIME):
        hour, minute = dice.within(6, 20), dice.within(0, 59)
        return key, f"{value}T{hour:02}:{minute:02}:00Z"
    return key, to_json(value)


def add_fiscal_years(record, side, paper, dice):
    """States in a company's report when its fiscal year ends: in any year, as a report whose year stands nowhere must
    not say it here."""
    year = record.truth["year"] // 100
    end = days.plus(days.start_of_fiscal(year + 1, record.company.fiscal_start), -1)
    said = f"{end.day} {days.MONTHS[end.month - 1]}"
    paper.sentences.append(side.values["fiscal_sentence"].replace("{}", said))
    if has_front(record.file) and dice.permille(FISCAL_IN_FRONT):
        paper.front.append((side.values["fiscal_key"], end.isoformat()[5:]))


def add_filler(record, side, other_company, paper, dice):
    words = side.shelf(record.shelf)
    filler = list(words.filler)
    dice.shuffle(filler)
    paper.filler = filler[:dice.within(2, 4)]
    if dice.permille(ASIDE):
        paper.filler.append(words.aside.replace("{}", other_company))
    if record.shelf == INVOICES:
        for _ in range(dice.within(1, 4)):
            article = dice.pick(side.values["articles"])
            paper.lines.append((article, str(dice.within(1, 24))))
