"""The material that questions of one kind are made from; and the naive scan that finds the true answers. It evaluates a
predicate on one record after the other, and uses nothing else: no index, no text and no similarity of names.

A predicate on a value that the document does not state is neither true nor false. Such a document is left out of the
answer, unless another condition excludes it."""
import operator
from collections import namedtuple
from datetime import date

import days
from dice import Dice
from fields import DATASHEETS, REPORTS

# The kinds of questions, in order, and how many of 400 questions are of each kind.
KINDS = {
    "list": 40, "count": 40, "sum": 32, "average": 24, "extreme": 32, "group": 32, "lookup": 40, "compare": 32,
    "time": 40, "except": 24, "threshold": 24, "none": 40,
}
COMPARISONS = {
    "eq": operator.eq, "ne": operator.ne, "gt": operator.gt, "gte": operator.ge, "lt": operator.lt, "lte": operator.le,
}

# The records of a scan that satisfy all checks, and those that might, but do not state a value.
Matches = namedtuple("Matches", "found left_out")


class Unfit(Exception):
    """The record that was drawn does not suit the question."""


class Check(namedtuple("Check", "field comparison values")):
    """One comparison of one field, with one value, or with several for `in` and `not_in`."""

    def may_hold(self, record):
        """Whether the comparison holds, or the document does not state the field."""
        said = record.said.get(self.field)
        if said is None:
            return True
        if self.comparison in COMPARISONS:
            return COMPARISONS[self.comparison](said, self.values[0])
        return (said in self.values) == (self.comparison == "in")


def check(field, comparison, *values):
    return Check(field, comparison, values)


def scan(records, checks, needed=()):
    """Checks every record. It also has to state the `needed` fields, as those that are added up."""
    possible = records
    for one in checks:
        possible = [record for record in possible if one.may_hold(record)]
    fields = {one.field for one in checks}.union(needed)
    found = [record for record in possible if fields <= record.said.keys()]
    left_out = [record for record in possible if not fields <= record.said.keys()]
    return Matches(found, left_out)


class Scene:
    """Companies and records with the dice of one kind of question."""

    def __init__(self, side, companies, shelves, seed, kind):
        self.side, self.companies, self.shelves = side, companies, shelves
        self.wording = side.wording
        self.dice = Dice(seed, kind)
        self._company = {company.name: company for company in companies}
        self._short = {company.short: company for company in companies}
        self._reported = {record.said.get("company") for record in shelves[REPORTS]}

    def company(self, name):
        return self._company[name]

    def scan(self, shelf, checks, needed=()):
        """Checks every record of a shelf."""
        return scan(self.shelves[shelf], checks, needed)

    def draw(self, shelf):
        """Draws one of the records of a shelf."""
        return self.dice.pick(self.shelves[shelf])

    def today(self):
        """Draws a day in the last weeks of the papers' dates."""
        return days.plus(date(self.side.last_year, 11, 20), self.dice.within(0, 41))

    def has_report(self, company):
        """Whether a report states that it is of this company, and so when the company's fiscal years end."""
        return company.name in self._reported

    def is_lone(self, company):
        """Whether no other company is called by the same first letters."""
        same = [one for one in self.companies if one.has_acronym and one.acronym() == company.acronym()]
        return len(same) == 1

    def twin(self, company):
        """The other company of a pair."""
        for one, other in self.side.similar + self.side.acronyms:
            if company.short in (one.name, other.name):
                return self._short[other.name if company.short == one.name else one.name]
        raise Unfit

    def one_sign_off(self, number):
        """Parts whose number differs in one sign."""
        return [other for other in (part.truth["number"] for part in self.shelves[DATASHEETS])
                if len(other) == len(number) and sum(a != b for a, b in zip(other, number)) == 1]
