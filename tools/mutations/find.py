"""Finds words, sentences, numbers, dates and names in a text by their form."""

import re
import tomllib
from collections import namedtuple
from functools import lru_cache
from pathlib import Path

WORDS = tomllib.loads((Path(__file__).parent / "words.toml").read_text(encoding="utf-8"))
MONTHS = WORDS["months"].split()
NO_NAMES = set(WORDS["no_names"].split())
SHORTENED = set(WORDS["shortened"].split())
CLOCKS = set(WORDS["clocks"].split())
COUNTERS = set(WORDS["counters"].split())
DATED = set(WORDS["dated"].split())

# Keeps what is found in so many texts: a passage comes with many sentences. What is kept must not be changed.
kept = lru_cache(maxsize=1024)

# The punctuation around words.
AROUND = "\"'()[]“”‘’,;:!?.—–"

# A word between blanks without the punctuation around it, the punctuation behind it, and whether a sentence or a quotation begins
# with it.
Word = namedtuple("Word", "text start end marks is_first")
# A number; the place of its digits; and what tells what it counts: the sign or letters around the digits, and the word behind them.
Figure = namedtuple("Figure", "start end value shape")
# A date; what it does not name is None.
Dated = namedtuple("Dated", "start end year month day")
Named = namedtuple("Named", "start end text")


@kept
def words(text):
    found, is_first, at = [], True, 0
    for raw in text.split():
        start = text.index(raw, at)
        at = start + len(raw)
        opened = raw.lstrip(AROUND)
        bare = opened.rstrip(AROUND)
        if not bare:
            continue
        start += len(raw) - len(opened)
        marks = opened[len(bare) :]
        found.append(Word(bare, start, start + len(bare), marks, is_first or len(opened) < len(raw)))
        is_first = any(mark in marks for mark in ".!?:")
    return found


def spans(text):
    """The places of the sentences, without the white space around them. A line break ends a sentence, too."""
    found, start = [], 0
    for mark in re.finditer(r"[.!?\n]", text):
        if mark.end() > start and ends(text[start : mark.start()], mark.group(), text[mark.end() :]):
            found.append((start, mark.end()))
            start = mark.end()
    found.append((start, len(text)))
    return [trimmed(text, *span) for span in found if text[slice(*span)].strip()]


def trimmed(text, start, end):
    inside = text[start:end]
    return start + len(inside) - len(inside.lstrip()), start + len(inside.rstrip())


def ends(head, mark, rest):
    """Whether a mark between `head` and `rest` ends a sentence."""
    if mark == "\n":
        return True
    if rest and not rest[0].isspace():
        return False
    if mark != ".":
        return True
    word = (head.split() or [""])[-1]
    is_initial = len(word) == 1 and word.isalpha()
    is_item = word == head.strip() and re.fullmatch("[0-9]*", word)
    is_short = word.lower().lstrip("(") in SHORTENED
    goes_on = rest.lstrip()[:1].islower()
    return not (is_initial or is_item or is_short or goes_on)


def number(text):
    """A whole number without a sign."""
    return int(text) if re.fullmatch("[0-9]+", text) else None


def year(text):
    found = number(text)
    return found if len(text) == 4 and found and 1900 <= found <= 2050 else None


def day(text):
    found = number(text.rstrip("thsndr"))
    return found if found and 1 <= found <= 31 else None


def month(text):
    """A month by its name or its first letters, from 1."""
    lower = text.lower()
    if not text[:1].isupper():
        return None
    of = (n for n, name in enumerate(MONTHS, 1) if name == lower or len(lower) in (3, 4) and name.startswith(lower))
    return next(of, None)


@kept
def figures(text):
    """The numbers that are neither dates nor parts of identifiers, scores or times of day."""
    all_words, all_dates, found = words(text), dates(text), []
    for place, word in enumerate(all_words):
        is_dated = any(date.start < word.end and word.start < date.end for date in all_dates)
        body = word.text.lstrip("$€£").rstrip("%")
        # What may be a year is none, whatever stands before it.
        is_plain = re.fullmatch("[0-9][0-9,.]*", body) and is_well_grouped(body) and year(body) is None
        before = all_words[place - 1].text.lower() if place else ""
        behind = all_words[place + 1].text if place + 1 < len(all_words) else ""
        if not is_plain or is_dated or behind.lower() in CLOCKS or before in COUNTERS:
            continue
        start = word.start + word.text.index(body)
        scale = behind if behind in ("million", "billion", "thousand") and not word.marks else ""
        shape = word.text.replace(body, "#") + ("." if "." in body else "") + scale
        found.append(Figure(start, start + len(body), float(body.replace(",", "")), shape))
    return found


def is_well_grouped(body):
    first, *groups = body.split(".")[0].split(",")
    return body.count(".") <= 1 and (len(first) <= 3 or not groups) and all(len(group) == 3 for group in groups)


def parts(date):
    """Which of year, month and day a date names."""
    return date.year is not None, date.month is not None, date.day is not None


def may_be(one, other):
    """Whether both dates may be the same day, month or year."""
    pairs = ((one.year, other.year), (one.month, other.month), (one.day, other.day))
    return all(a is None or b is None or a == b for a, b in pairs)


@kept
def dates(text):
    """`November 11, 2023`, `11 November 2023`, `November 2023`, `November 11`, `in 2023`, `2023-11-11`."""
    all_words, found, at = words(text), [], 0
    while at < len(all_words):
        length, *named = date_at(all_words, at) or (1,)
        if named:
            found.append(Dated(all_words[at].start, all_words[at + length - 1].end, *named))
        at += length
    return found


def date_at(all_words, at):
    """How many words name a date, and its year, month and day."""
    first = all_words[at]
    # What follows, unless a mark other than a comma stands between.
    behind = [""]
    for word, next_word in zip(all_words[at:], all_words[at + 1 : at + 3]):
        behind.append(next_word.text if word.marks in ("", ",") else "")
    behind += ["", ""]

    def with_year(day_named, month_named):
        year_named = year(behind[2])
        return 2 + (year_named is not None), year_named, month_named, day_named

    if iso := iso_date(first.text):
        return 1, *iso
    if (month_named := month(first.text)) is not None:
        if (day_named := day(behind[1])) is not None:
            return with_year(day_named, month_named)
        year_named = year(behind[1])
        return (2, year_named, month_named, None) if year_named else None
    day_named = day(first.text)
    month_named = month(behind[1]) if not first.marks else None
    if day_named is not None and month_named is not None:
        return with_year(day_named, month_named)
    before = all_words[at - 1].text.lower() if at else ""
    year_named = year(first.text)
    return (1, year_named, None, None) if year_named and before in DATED else None


def iso_date(text):
    if len(split := text.split("-")) != 3:
        return None
    year_named, month_named, day_named = year(split[0]), number(split[1]), number(split[2])
    is_date = year_named and 1 <= (month_named or 0) <= 12 and 1 <= (day_named or 0) <= 31
    return (year_named, month_named, day_named) if is_date else None


def without_possessive(text):
    while text.endswith("'s"):
        text = text.removesuffix("'s")
    while text.endswith("’s"):
        text = text.removesuffix("’s")
    return text


def name_parts(name):
    """The words of a name in lower case, without a possessive ending."""
    return [without_possessive(part).lower() for part in re.split("[ -]", name.text)]


@kept
def names(text):
    """Adjacent words with a capital letter that begin no sentence."""
    runs, is_open = [], False
    for word in words(text):
        bare = without_possessive(word.text.lower())
        is_none = month(word.text) is not None or bare in MONTHS or word.text in WORDS["codes"] or bare in NO_NAMES
        is_letters = all(c.isalpha() or c in "-'’" for c in word.text)
        is_name = word.text[0].isupper() and is_letters and len(bare) >= 3 and not is_none
        if is_name and is_open:
            runs[-1][1] = word.end
        elif is_name:
            runs.append([word.start, word.end, word.is_first])
        is_open = is_name and not word.marks and not word.text.endswith(("'s", "’s"))
    found = []
    for start, end, is_first in runs:
        named = text[start:end]
        # What a sentence begins with may be any word, unless others with a capital follow.
        if not is_first or " " in named:
            bare = named[:-2] if named.endswith(("'s", "’s")) else named
            found.append(Named(start, start + len(bare), bare))
    return found
