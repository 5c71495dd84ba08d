"""The companies of a corpus, and the other names by which documents call them."""
from dataclasses import dataclass

from dice import Dice
from fields import CURRENCIES

# The weight of a company that a family of near-misses needs; that of other companies lies between the two below.
FIXED_WEIGHT = 26
WEIGHT_MIN, WEIGHT_MAX = 4, 40
# The fewest and the most companies that no family needs, and the documents for each of them.
USUAL_MIN, USUAL_MAX = 16, 58
DOCUMENTS_EACH = 75


@dataclass(eq=False)
class Company:
    """A company. `weight` says how often it has papers, relative to the others."""

    name: str
    short: str
    fiscal_start: int
    currency: str
    weight: int
    has_acronym: bool = False

    def acronym(self):
        """The first letters of its words."""
        return "".join(word[:1] for word in self.short.split(" "))

    def squashed(self):
        """The name in capitals without blanks, `HALDENMARINE`; or the first letters, where it is known by them."""
        return self.acronym() if self.has_acronym else squashed(self.short)

    def forms(self):
        """All names that documents and questions use for it, sorted."""
        lower, upper = self.short.lower(), self.short.upper()
        forms = {self.name, self.short, lower.replace(" ", "-"), upper, upper.replace(" ", "-"), self.squashed()}
        return sorted(forms)


def squashed(short):
    return short.replace(" ", "").upper()


def companies(side, documents, seed):
    """The companies of a side, for a corpus of so many documents."""
    dice = Dice(seed, "companies")
    every = []
    for one in side.fixed():
        name, currency = f"{one.name} {one.suffix}", dice.pick(CURRENCIES)
        every.append(Company(name, one.name, one.fiscal_start, currency, FIXED_WEIGHT))
    known_by_letters = {one.name for pair in side.acronyms for one in pair} | {side.lone_acronym.name}
    for company in every:
        company.has_acronym = company.short in known_by_letters
    roots = list(side.roots)
    dice.shuffle(roots)
    usual = min(max(documents // DOCUMENTS_EACH, USUAL_MIN), USUAL_MAX, len(roots))
    for rank, root in enumerate(roots[:usual]):
        short = f"{root} {dice.pick(side.trades)}"
        currency = dice.pick(CURRENCIES)
        name = f"{short} {dice.pick(side.suffixes)}"
        every.append(Company(name, short, 1, currency, max(WEIGHT_MAX // (rank + 1), WEIGHT_MIN)))
    return every
