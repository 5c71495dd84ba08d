"""Drafts a question: it chooses phrases that are true of a record that was drawn."""
from dataclasses import dataclass, field as listed
from datetime import date

import near
import phrases
import shapes
from fields import CERTIFICATES, CONTRACTS, DATASHEETS, INVOICES, REPORTS, TITLED
from scene import Unfit
from spans import Around

# How many of a thousand phrases about a company are about one of two, and how many nouns are those of a whole shelf.
SEVERAL = 120
WHOLE_SHELF = 150
# How many of a thousand questions for amounts are about net amounts, where a side asks for these.
NET = 300
# The shelves about which a kind of question is asked; one that stands here more often is asked about more often.
USUAL_SHELVES = [INVOICES, INVOICES, CONTRACTS, DATASHEETS, CERTIFICATES, REPORTS]
SHELVES_OF_KIND = {
    **dict.fromkeys(["sum", "average", "extreme"], [INVOICES, INVOICES, CONTRACTS]),
    "threshold": [INVOICES, INVOICES, CONTRACTS, DATASHEETS],
    "except": [INVOICES, CONTRACTS, DATASHEETS, CERTIFICATES],
}
# What phrases can be about, in the order in which they stand. A hold is a slot with its field.
COMPANY, YEARS, WHEN_DATE, WHEN_DUE = ("is", "company"), ("when", "year"), ("when", "date"), ("when", "due")
HOLDS = {
    INVOICES: [COMPANY, ("is", "category"), ("is", "currency"), WHEN_DATE],
    CONTRACTS: [COMPANY, ("is", "category"), WHEN_DATE, WHEN_DUE],
    DATASHEETS: [COMPANY, ("is", "category"), ("is", "package"), WHEN_DATE],
    CERTIFICATES: [COMPANY, ("is", "category"), ("is", "site"), ("is", "body"), WHEN_DATE, WHEN_DUE],
    REPORTS: [COMPANY, YEARS],
}


@dataclass
class Draft:
    """A question before its answer is known. `sides` are those of a comparison; `excluded` and `over` are the phrases
    of an exception and of an amount."""

    kind: str
    family: str
    shelf: str
    today: date
    noun: object
    turn: str = "plain"
    phrases: list = listed(default_factory=list)
    sides: list = listed(default_factory=list)
    excluded: object = None
    over: object = None
    number: str = None
    measure: str = None
    group: str = None
    is_ambiguous: bool = False


def draft(scene, kind, family, today):
    """A draft of this kind and family."""
    shelf = scene.dice.pick(near.shelves(family) if family else SHELVES_OF_KIND.get(kind, USUAL_SHELVES))
    record = scene.draw(shelf)
    if "company" not in record.said:
        raise Unfit
    if family and not near.is_of(scene, family, record.company):
        raise Unfit
    return Desk(scene, kind, family, record, today).draft()


class Desk:
    """The place where a draft is made: the record to hold on to, and its surroundings."""

    def __init__(self, scene, kind, family, record, today):
        self.scene, self.dice, self.side = scene, scene.dice, scene.side
        self.kind, self.family, self.shelf, self.record = kind, family, record.shelf, record
        self.around = Around(record.truth["date"], today, record.company.fiscal_start)

    def draft(self):
        draft = Draft(self.kind, self.family, self.shelf, self.around.today, self.noun())
        shape = shapes.SHAPES.get(self.kind)
        if shape:
            shape(self, draft)
        else:
            draft.phrases = self.usual_phrases(self.how_many_phrases())
        if self.family == "shared_acronym":
            shapes.shorten(self, draft)
        return draft

    def said(self, field):
        """The value of a field, which the record has to state."""
        if field not in self.record.said:
            raise Unfit
        return self.record.said[field]

    def has_schema(self):
        return self.side.shelf(self.shelf).has_schema

    def how_many_phrases(self):
        """One more often than two or three. A near-miss has the phrase that tells it from the other reading, and one
        more."""
        return 2 if self.family else 1 + self.dice.weighted([45, 40, 15])

    def noun(self):
        """The name of the record's nature, or that of its whole shelf."""
        nature = self.record.truth.get("nature")
        nouns = [noun for noun in self.side.nouns if noun.shelf == self.shelf and noun.nature in ("", nature)]
        if not nouns:
            raise Unfit
        # A shelf with natures is asked for by one of them, but now and then.
        is_whole = self.dice.permille(WHOLE_SHELF) and self.kind != "lookup"
        return nouns[0] if is_whole else nouns[-1]

    def measure(self):
        """The field that is added up."""
        if self.family == "net_amount":
            return "net"
        has_net = "net_amount" not in self.side.families_missing and self.shelf == INVOICES
        return "net" if not self.family and has_net and self.dice.permille(NET) else "amount"

    def holds(self):
        """What phrases can be about. Without a schema, this is only what titles and paths tell as well."""
        if self.has_schema():
            return list(HOLDS[self.shelf])
        return [hold for hold in HOLDS[self.shelf] if hold == YEARS or hold[1] in TITLED[self.shelf]]

    def wanted(self):
        """What the phrases of a family have to be about."""
        if self.family is None:
            return []
        if self.family == "other_year" and self.shelf == REPORTS:
            return [COMPANY, YEARS]
        if self.family in ("other_year", "fiscal_year"):
            return [COMPANY, WHEN_DATE]
        # One day of two: the other is the near-miss.
        return [COMPANY, WHEN_DUE] if self.family == "due_date" else [COMPANY]

    def usual_phrases(self, most):
        """Some phrases, as the family wants them."""
        holds, wanted = self.holds(), self.wanted()
        if self.family == "due_date":
            holds = [hold for hold in holds if hold not in (WHEN_DATE, WHEN_DUE)] + [WHEN_DUE]
        rest = [hold for hold in holds if hold not in wanted]
        self.dice.shuffle(rest)
        # A family is asked for with its own words and one more at most.
        chosen = wanted + rest[:max(most - len(wanted), 0)]
        said = [self.phrase(hold) for hold in holds if hold in chosen]
        if not said:
            raise Unfit
        return said

    def phrase(self, hold):
        """A phrase about the record."""
        slot, field = hold
        if hold == COMPANY:
            return self.phrase_of_company()
        if hold == YEARS:
            return self.phrase_of_years()
        if slot == "is":
            return phrases.equal(self.scene, self.shelf, field, self.said(field))
        around = self.around._replace(day=self.said(field))
        if self.family == "fiscal_year":
            span = "fiscal"
        elif self.family == "other_year":
            span = self.dice.pick(["year", "year", "half"])
        else:
            span = self.dice.pick(["month", "quarter", "year", "year", "half"])
        return phrases.when(self.scene, self.shelf, field, span, around)

    def phrase_of_company(self):
        """A phrase about the company, or about either of two."""
        may = not self.family and self.kind in ("list", "count", "sum")
        company = self.record.company
        if not (may and self.dice.permille(SEVERAL)):
            return phrases.of_company(self.scene, self.shelf, company, bool(self.family))
        other = self.scene.draw(self.shelf)
        if "company" not in other.said or other.company is company:
            raise Unfit
        return phrases.of_companies(self.scene, self.shelf, [company, other.company])

    def phrase_of_years(self):
        year = self.said("year") // 100
        way = 2 if self.family else self.dice.below(6)
        values = [[year, year + 1], [year, year + 2]][way] if way < 2 else [year]
        return phrases.years(self.scene, self.shelf, values, way == 1)
