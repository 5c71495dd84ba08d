"""Makes sentences false. A change returns None where it does not apply to a sentence."""

import re

from find import MONTHS, WORDS, dates, figures, may_be, name_parts, names, parts, words
from reword import capitalised, is_quoted, place, replaced

# How often another figure is tried before the change is given up.
TRIES = 20
EVEN = set(WORDS["even"].split())
DENYING = set(WORDS["denying"].split())


class Setting:
    """A reworded sentence, as it is in its document, and its passages."""

    def __init__(self, sentence, original, passages):
        self.sentence, self.original, self.passages = sentence, original, passages

    def mutated(self, mutation, random):
        """The sentence with one change of a kind."""
        return CHANGES[mutation](self, random)

    def number(self, random, other):
        found = figures(self.sentence)
        # What stands there twice would still be there once.
        once = [figure for figure in found if sum(one.value == figure.value for one in found) == 1]
        figure = random.choice(once)
        changed = figure and other(self, figure, random)
        return replaced(self.sentence, figure.start, figure.end, changed) if changed else None

    def has_number(self, value):
        """Whether a passage has a number, in digits or in words."""
        for passage in self.passages:
            spelled = enumerate(WORDS["numbers"], 2)
            if any(number == value and place(passage, word) for number, word in spelled):
                return True
            runs = (run.strip(",.").replace(",", "") for run in re.split("[^0-9,.]", passage))
            if any(re.fullmatch(r"[0-9]+(\.[0-9]*)?|\.[0-9]+", run) and float(run) == value for run in runs):
                return True
        return False

    def new_number(self, figure, random):
        for _ in range(TRIES):
            changed = ""
            for at, c in enumerate(self.sentence[figure.start : figure.end]):
                if at == 0:
                    c = str(1 + random.below(9, 32))
                elif c in "123456789" and random.bool():
                    c = str(random.below(10, 32))
                changed += c
            value = float(changed.replace(",", ""))
            if is_far(value, figure.value) and value > 1 and not self.has_number(value):
                return changed
        return None

    def other_number(self, figure, random):
        own = {one.value for text in (self.original, self.sentence) for one in figures(text)}
        others = []
        for passage in self.passages:
            for other in figures(passage):
                is_other = is_far(other.value, figure.value) and other.value not in own and other.value > 1
                if other.shape == figure.shape and is_other:
                    others.append(passage[other.start : other.end])
        return random.choice(others)

    def date(self, random, other):
        date = random.choice(dates(self.sentence))
        changed = date and other(self, date, random)
        return replaced(self.sentence, date.start, date.end, written(changed)) if changed else None

    def new_date(self, date, random):
        known = [one for passage in self.passages for one in dates(passage)]
        has_year, has_month, has_day = parts(date)
        for _ in range(TRIES):
            draw, other = random.below(3, 32), date
            if not has_month and not has_day or has_year and draw == 0:
                if not has_year:
                    continue
                other = date._replace(year=date.year - 2 - random.below(10, 32))
            elif has_month and has_day and draw == 1:
                other = date._replace(day=1 + random.below(28, 32))
            elif has_month:
                other = date._replace(month=1 + random.below(12))
            is_new = not any(may_be(one, other) and parts(one) >= parts(other) for one in known)
            # A year that stands alone says as much as one in a date.
            is_year = parts(other) == (True, False, False)
            is_free = not is_year or not any(str(other.year) in passage for passage in self.passages)
            if other != date and is_new and is_free:
                return other
        return None

    def other_date(self, date, random):
        own = dates(self.original)
        known = [one for passage in self.passages for one in dates(passage)]
        return random.choice(
            [one for one in known if parts(one) == parts(date) and not any(may_be(mine, one) for mine in own)]
        )

    def name(self, random, other):
        found = names(self.sentence)

        def is_once(name):
            return sum(not set(name_parts(name)).isdisjoint(name_parts(one)) for one in found) == 1

        name = random.choice([name for name in found if is_once(name)])
        changed = name and other(self, name, random)
        return replaced(self.sentence, name.start, name.end, changed) if changed else None

    def new_name(self, name, random):
        return " ".join(random.shuffled(WORDS["invented"])[: 2 if " " in name.text else 1])

    def other_name(self, name, random):
        lower = self.original.lower() + self.sentence.lower()
        count = min(len(name.text.split(" ")), 2)
        others = []
        for passage in self.passages:
            for other in names(passage):
                is_named = any(part in lower for part in name_parts(other))
                is_alike = min(len(other.text.split(" ")), 2) == count and len(other.text.encode()) >= 4
                if is_alike and not is_named:
                    others.append(other.text)
        return random.choice(others)

    def swapped(self, random):
        """Exchanges two names between which something happens."""
        found, pairs = names(self.sentence), []
        for at, one in enumerate(found):
            for other in found[at + 1 :]:
                between = self.sentence[one.end : other.start]
                split = between.split()
                is_even = any(word.strip(",") in EVEN for word in split)
                is_apart = set(name_parts(one)).isdisjoint(name_parts(other))
                is_plain = between.startswith(" ") and not re.search('[,;:("“”—.]', between)
                if 2 <= len(split) <= 8 and not is_even and is_apart and is_plain:
                    pairs.append((one, other))
        if not (pair := random.choice(pairs)):
            return None
        one, other = pair
        sentence = replaced(self.sentence, other.start, other.end, one.text)
        return replaced(sentence, one.start, one.end, other.text)

    def unit(self, random):
        found, changes = words(self.sentence), []
        for at, word in enumerate(found):
            before = found[at - 1] if at else None
            behind = found[at + 1].text if at + 1 < len(found) else ""
            is_counted = before and counts(before.text) and not before.marks or word.text == "EUR" and counts(behind)
            others = [other for unit, other in WORDS["units"] if unit == word.text and is_counted]
            changes += [(word, other) for other in others[:1]]
            if word.text.startswith("$") and counts(word.text[1:]):
                changes.append((word, f"€{word.text[1:]}"))
        if not (change := random.choice(changes)):
            return None
        word, other = change
        return replaced(self.sentence, word.start, word.end, other)

    def comparator(self, _):
        for wanted, opposite in WORDS["comparators"]:
            at = place(self.sentence, wanted)
            if not at or at[0] == 0:
                continue
            behind = self.sentence[at[1] :].lstrip()
            follows = behind.split(" ")[0]
            is_counted = follows[:1] in tuple("0123456789$€£") or follows in [*WORDS["numbers"], "EUR", "half"]
            is_idiom = follows == "all" and wanted in ("after", "before") or behind[:1] in ("", ",", ".")
            # `up to` and the like are left out, and so is what is denied: `not more than`.
            is_denied = self.sentence[: at[0]].rstrip().lower().endswith(("no", "not"))
            if (wanted not in WORDS["counted"] or is_counted) and not is_idiom and not is_denied:
                return replaced(self.sentence, *at, opposite)
        return None

    def negation(self, _):
        """Adds a negation to the verb of the main clause, or removes it."""
        found = words(self.sentence)
        for at, word in enumerate(found):
            lower = word.text.lower().replace("’", "'")
            is_break = any(mark in word.marks for mark in ":;")
            if lower in WORDS["subordinate"] or is_quoted(self.sentence, word.start) or is_break:
                return None
            if lower.endswith("n't") and lower[:-3] in WORDS["auxiliaries"]:
                return replaced(self.sentence, word.start, word.end, lower[:-3])
            if lower not in WORDS["auxiliaries"] or word.marks or at == 0:
                continue
            if at + 1 == len(found):
                return None
            behind = found[at + 1].text.lower()
            if behind == "not":
                is_only = at + 2 < len(found) and found[at + 2].text in ("only", "just")
                return None if is_only else replaced(self.sentence, word.end, found[at + 1].end, "")
            # `has a` takes another form, and `no` and `never` make two negations.
            is_having = lower in ("has", "have", "had") and not behind.endswith(("ed", "en", "wn"))
            is_denied = any(one.text.lower() in DENYING for one in found)
            if is_having or is_denied or behind in ("also", "only", "more", "less", "just"):
                return None
            return replaced(self.sentence, word.end, word.end, " not")
        return None


CHANGES = {
    "number_nowhere": lambda setting, random: setting.number(random, Setting.new_number),
    "date_nowhere": lambda setting, random: setting.date(random, Setting.new_date),
    "name_nowhere": lambda setting, random: setting.name(random, Setting.new_name),
    "unit": Setting.unit,
    "number_elsewhere": lambda setting, random: setting.number(random, Setting.other_number),
    "date_elsewhere": lambda setting, random: setting.date(random, Setting.other_date),
    "name_elsewhere": lambda setting, random: setting.name(random, Setting.other_name),
    "names_swapped": Setting.swapped,
    "comparator": Setting.comparator,
    "negation": Setting.negation,
}


def is_far(value, known):
    """One that is nearly right may be meant to be a rough one."""
    return abs(value - known) > 0.15 * abs(known)


def counts(text):
    """Whether a word is a number, in digits or in words."""
    return text.lstrip("$€£")[:1] in tuple("0123456789") or text.lower() in WORDS["numbers"]


def written(date):
    """A date in the most frequent notation."""
    month = capitalised(MONTHS[date.month - 1]) if date.month else None
    if date.year and month and date.day:
        return f"{month} {date.day}, {date.year}"
    if date.year:
        return f"{month} {date.year}" if month else str(date.year)
    return f"{month or ''} {date.day or 0}"
