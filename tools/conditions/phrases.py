"""Makes the phrases of a question, each with the checks that it stands for."""
from collections import namedtuple

import spans
from fields import CURRENCIES, MONEY, SIGNS, as_text, grouped, short
from scene import Unfit, check

# Some words of a question, and the checks that they stand for.
Phrase = namedtuple("Phrase", "said checks")
# The shortest name that is misspelt, and the shortest first word of one.
TYPO_CHARS_MIN = 9
TYPO_FIRST_MIN = 6
BOUNDS = {"over": ["gt"], "at_least": ["gte"], "under": ["lt"], "between": ["gte", "lte"]}


def pattern(scene, shelf, slot, field):
    """A pattern of the side for a statement about a shelf."""
    patterns = scene.wording["phrases"][shelf].get(slot, {}).get(field)
    if patterns is None:
        raise Unfit
    return scene.dice.pick(patterns)


def call(scene, company, is_plain):
    """The name of a company in a question. A name that is easily confused with another is used as it is."""
    dice, name = scene.dice, company.short
    if is_plain:
        return company.name if dice.permille(300) else name
    if company.has_acronym and scene.is_lone(company) and dice.permille(600):
        return company.acronym()
    way = dice.weighted(scene.side.company_weights)
    if way == 4:
        return misspelt(scene, name)
    return [name, company.name, name.lower(), name.upper()][way]


def misspelt(scene, name):
    """The name with two letters in the middle of its first word exchanged."""
    first = len(name.split(" ")[0])
    if first < TYPO_FIRST_MIN or len(name) < TYPO_CHARS_MIN:
        return name
    at = 1 + scene.dice.below(first - 3)
    return name[:at] + name[at + 1] + name[at] + name[at + 2:]


def said_value(scene, field, value):
    """A value in a question."""
    return scene.wording["currencies"][CURRENCIES.index(value)] if field == "currency" else as_text(value)


def of_company(scene, shelf, company, is_plain):
    """The phrase about a company."""
    before = pattern(scene, shelf, "is", "company")
    said = before.replace("{}", call(scene, company, is_plain))
    return Phrase(said, [check("company", "eq", company.name)])


def of_companies(scene, shelf, companies):
    """The phrase about any of several companies."""
    before = pattern(scene, shelf, "is", "company")
    called = [call(scene, one, True) for one in companies]
    said = before.replace("{}", scene.wording["and"].join(called))
    return Phrase(said, [check("company", "in", *[one.name for one in companies])])


def equal(scene, shelf, field, value):
    """The phrase that a text field is this value."""
    before = pattern(scene, shelf, "is", field)
    return Phrase(before.replace("{}", said_value(scene, field, value)), [check(field, "eq", value)])


def excluding(scene, shelf, field, values):
    """The phrase that excludes these values."""
    before = pattern(scene, shelf, "is_not", field)
    called = []
    for value in values:
        is_company = field == "company"
        called.append(call(scene, scene.company(value), True) if is_company else said_value(scene, field, value))
    said = before.replace("{}", scene.wording["and"].join(called))
    return Phrase(said, [check(field, "ne" if len(values) == 1 else "not_in", *values)])


def when(scene, shelf, field, span, around):
    """The phrase about a span of time."""
    before = pattern(scene, shelf, "when", field)
    if span not in scene.wording["spans"]:
        raise Unfit
    period = spans.period(span, scene.wording["spans"][span], around, scene.dice)
    checks = []
    if period.first is not None:
        checks.append(check(field, "gte", period.first))
    if period.end is not None:
        checks.append(check(field, "lt", period.end))
    return Phrase(before + period.said, checks)


def years(scene, shelf, values, is_range):
    """The phrase about years of reports: one, two, or a range."""
    before = pattern(scene, shelf, "when", "year")
    numbers = [year * 100 for year in values]
    one, two, both_ends = scene.wording["years"]
    if len(values) == 1:
        said, checks = one, [check("year", "eq", *numbers)]
    elif is_range:
        said, checks = both_ends, [check("year", "gte", numbers[0]), check("year", "lte", numbers[1])]
    else:
        said, checks = two, [check("year", "in", *numbers)]
    for year in values:
        said = said.replace("{}", str(year), 1)
    return Phrase(before + said, checks)


def amount(scene, shelf, slot, field, bounds, currency):
    """The phrase about an amount: over, under or between. It names a currency where one is given."""
    said = pattern(scene, shelf, slot, field)
    # One way of writing for both ends of a range.
    written = scene.dice.pick(scene.wording["bare_money" if currency is None else "money"])
    checks = []
    for bound, comparison in zip(bounds, BOUNDS[slot]):
        said = said.replace("{}", money(scene, bound, currency, written) if field in MONEY else short(bound), 1)
        checks.append(check(field, comparison, bound))
    if currency is not None:
        checks.append(check("currency", "eq", currency))
    return Phrase(said, checks)


def money(scene, hundredths, currency, written):
    """A whole amount, written by a pattern."""
    whole = hundredths // 100
    thousands = f"{short(whole // 10)}k" if whole % 100 == 0 and whole >= 1000 else str(whole)
    values = {"n": grouped(hundredths, "point").replace(".00", ""), "plain": str(whole), "k": thousands}
    if currency is not None:
        values |= {"code": currency, "sign": SIGNS[currency], "words": said_value(scene, "currency", currency)}
    for name, value in values.items():
        written = written.replace(f"{{{name}}}", value)
    return written
