"""Makes the records of a corpus by seed: so many of each kind, in the proportions of the corpus. Documents are rendered
from records, and answers are found in them."""
import math
from dataclasses import dataclass, field
from datetime import date

import days
from companies import squashed
from dice import Dice
from fields import CERTIFICATES, CONTRACTS, CURRENCIES, DATASHEETS, INVOICES, NOWHERE, REPORTS, divided

# How many of 5,000 documents each shelf has.
PROPORTIONS = {INVOICES: 1600, CONTRACTS: 700, DATASHEETS: 900, CERTIFICATES: 500, REPORTS: 1300}
# How many of a hundred papers among the invoices are credit notes, and how many are second scans.
CREDIT_NOTES, SECOND_SCANS = 11, 8
# How many of a thousand papers are in another currency than most of the company's.
OTHER_CURRENCY = 150
NOTICES = [14, 30, 60, 90, 180]
VOLTS = [180, 330, 500, 750, 1200, 1850, 2400, 4500, 6000, 8000, 10000, 25000]
AMPS = [10, 20, 50, 80, 100, 150, 220, 330, 500, 800, 1200]


@dataclass(eq=False)
class Record:
    """What a document is about (`truth`, by field), and the place where each value is written (`stands`)."""

    shelf: str
    company: object
    truth: dict
    serial: int = 0
    file: str = ""
    source: str = ""
    stands: dict = field(default_factory=dict)
    said: dict = field(default_factory=dict)

    def place(self, stands):
        """Sets where values stand; `said` has those that the document states anywhere."""
        self.stands = stands
        self.said = {name: value for name, value in self.truth.items() if stands[name] != NOWHERE}


def counts(documents):
    """How many records each shelf has; the remainder of rounding becomes invoices."""
    whole = sum(PROPORTIONS.values())
    shares = {shelf: share * documents // whole for shelf, share in PROPORTIONS.items()}
    shares[INVOICES] += documents - sum(shares.values())
    return shares


def records(side, companies, documents, seed):
    """The records of a corpus of so many documents, shelf by shelf."""
    every = []
    for shelf, count in counts(documents).items():
        maker = Maker(side, companies, Dice(seed, shelf))
        every += getattr(maker, shelf)(count)
    for serial, record in enumerate(every, 1):
        record.serial = serial
    return every


class Maker:
    """Makes the records of one shelf."""

    def __init__(self, side, companies, dice):
        self.side, self.companies, self.dice = side, companies, dice
        self.weights = [company.weight for company in companies]

    def company(self):
        return self.companies[self.dice.weighted(self.weights)]

    def word(self, name):
        return self.dice.pick(self.side.values[name])

    def currency(self, company):
        return self.dice.pick(CURRENCIES) if self.dice.permille(OTHER_CURRENCY) else company.currency

    def day(self):
        first, last = date(self.side.first_year, 1, 1), date(self.side.last_year, 12, 31)
        return days.plus(first, self.dice.within(0, (last - first).days))

    def amount(self, least, most):
        """An amount between the two, with smaller ones more often, in steps of five hundredths."""
        steps = least * math.pow(most / least, self.dice.share()) * 20
        whole = math.floor(steps)
        return (whole + (steps - whole >= 0.5)) * 5

    def number(self, name, **parts):
        return self.side.numbers[name].format(**parts)

    def invoices(self, count):
        made = []
        while len(made) < count:
            what = self.dice.below(100)
            if what < SECOND_SCANS and len(made) > 10:
                self.scan_again(made)
            else:
                made.append(self.invoice(what < SECOND_SCANS + CREDIT_NOTES, len(made)))
        return made

    def scan_again(self, made):
        """Adds a second scan of an invoice that is there; of what is no invoice there is none."""
        invoice, _, second_scan = self.side.values["invoice_natures"]
        before = self.dice.pick(made)
        if before.truth["nature"] == invoice:
            made.append(Record(INVOICES, before.company, before.truth | {"nature": second_scan}))

    def invoice(self, is_credit, at):
        invoice, credit_note, _ = self.side.values["invoice_natures"]
        company = self.company()
        issued = self.day()
        net = self.amount(80.0, 60_000.0) * (-1 if is_credit else 1)
        rate = self.dice.pick([0, 7, 19, 20, 21])
        half = 50 * ((net > 0) - (net < 0))
        return Record(INVOICES, company, {
            "company": company.name,
            "number": self.invoice_number(company, at),
            "nature": credit_note if is_credit else invoice,
            "date": issued,
            "due": days.plus(issued, self.dice.pick([14, 21, 30, 45, 60, 90])),
            "net": net,
            "amount": net + divided(net * rate + half, 100),
            "currency": self.currency(company),
            "category": self.word("cost_bearers"),
        })

    def invoice_number(self, company, at):
        serial = 10_000 + at * 7 + self.dice.below(7)
        check = serial % self.side.numbers.get("check_modulus", 1)
        return self.number("invoice", squashed=squashed(company.short), serial=serial, check=check)

    def contracts(self, count):
        made = []
        serial = 1000
        while len(made) < count:
            serial += 1 + self.dice.below(3)
            made.append(self.contract(serial))
            for _ in range(self.dice.weighted([55, 30, 15])):
                made.append(self.amendment(made[-1]))
        return made[:count]

    def contract(self, serial):
        company = self.company()
        start = days.first_of(self.day().year, self.dice.within(1, 12))
        years = self.dice.within(1, 4)
        return Record(CONTRACTS, company, {
            "company": company.name,
            "number": self.number("contract", serial=serial),
            "nature": self.side.values["contract_natures"][0],
            "category": self.word("subjects"),
            "date": start,
            "due": days.plus(days.first_of(start.year + years, start.month), -1),
            "amount": self.amount(4000.0, 900_000.0) // 10_000 * 10_000,
            "currency": self.currency(company),
            "notice": self.dice.pick(NOTICES) * 100,
        })

    def amendment(self, last):
        """What amends a contract, or an amendment before it."""
        later = days.plus(last.truth["date"], self.dice.within(90, 400))
        end = days.plus(last.truth["due"], self.dice.within(2, 24) * 30)
        return Record(CONTRACTS, last.company, last.truth | {
            "nature": self.side.values["contract_natures"][1],
            "date": days.first_of(later.year, later.month),
            "due": days.plus(days.first_of(end.year, end.month), -1),
            "amount": last.truth["amount"] + self.dice.within(1, 40) * 50_000,
            "notice": self.dice.pick(NOTICES) * 100,
        })

    def datasheets(self, count):
        made = []
        serial = 2000
        while len(made) < count:
            serial += 1 + self.dice.below(6)
            company = self.company()
            category = self.word("part_types")
            # One sign apart: the same number with another last letter.
            for letter in "ABCN"[:self.dice.within(2, 4)]:
                made.append(Record(DATASHEETS, company, {
                    "company": company.name,
                    "number": self.number("part", serial=serial, letter=letter),
                    "category": category,
                    "volts": self.dice.pick(VOLTS),
                    "amps": self.dice.pick(AMPS),
                    "package": self.word("packages"),
                    "date": self.day(),
                }))
        return made[:count]

    def certificates(self, count):
        made = []
        serial = 40_000
        while len(made) < count:
            company = self.company()
            fixed = {"category": self.word("standards"), "site": self.word("sites"), "body": self.word("bodies")}
            issued = self.day()
            for _ in range(self.dice.weighted([0, 60, 40])):
                serial += 1 + self.dice.below(9)
                valid_until = days.plus(days.first_of(issued.year + 3, issued.month), -1)
                number = self.number("certificate", serial=serial)
                made.append(Record(CERTIFICATES, company, fixed | {
                    "company": company.name, "number": number, "date": issued, "due": valid_until,
                }))
                issued = days.plus(valid_until, -self.dice.within(1, 60))
        return made[:count]

    def reports(self, count):
        natures = self.side.values["report_natures"]
        each = len(natures) * 10
        made = []
        # Whose fiscal years are their own come first: what a question about one means has to stand somewhere.
        companies = sorted(self.companies, key=lambda company: company.fiscal_start == 1)
        for company in companies[:-(-count // each) + 3]:
            made += self.reports_of(company, natures)
        # Some are missing, as in every archive.
        self.dice.shuffle(made)
        return made[:count]

    def reports_of(self, company, natures):
        """The reports of ten years of a company."""
        revenue = self.amount(2e6, 9e8)
        for year in range(self.side.last_year - 10, self.side.last_year):
            revenue = revenue // 100 * self.dice.within(88, 117)
            end = days.start_of_fiscal(year + 1, company.fiscal_start)
            for nature in natures:
                yield Record(REPORTS, company, {
                    "company": company.name,
                    "nature": nature,
                    "year": year * 100,
                    "date": days.plus(end, self.dice.within(40, 120)),
                    "amount": revenue,
                    "currency": company.currency,
                })
