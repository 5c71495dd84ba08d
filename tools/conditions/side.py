"""A side of the corpus: its words and wordings, as its file in `sides/` has them."""
import tomllib
from collections import namedtuple
from pathlib import Path

SIDES = ["dev", "test", "extra", "third", "fourth", "fifth", "sixth", "seventh"]
FOLDER = Path(__file__).parent

Fixed = namedtuple("Fixed", "name suffix fiscal_start")
Called = namedtuple("Called", "field column alias label sentence before behind description")
Noun = namedtuple("Noun", "shelf nature many one")


class ShelfWords:
    """The names of a shelf and of its fields."""

    def __init__(self, data):
        self.shelf = data["shelf"]
        self.folder = data["folder"]
        self.has_schema = data["has_schema"]
        self.neutral_title = data["neutral_title"]
        self.aside = data["aside"]
        self.filler = data["filler"]
        self.fields = [Called(*row) for row in data["fields"]]
        self._called = {called.field: called for called in self.fields}

    def called(self, field):
        return self._called[field]


class Side:
    """All words and wordings of a side. `values`, `numbers`, `paths` and `wording` are the tables of its file."""

    def __init__(self, name):
        with open(FOLDER / "sides" / f"{name}.toml", "rb") as file:
            data = tomllib.load(file)
        self.name = name
        self.seed = data["seed"]
        self.first_year, self.last_year = data["first_year"], data["last_year"]
        self.families_missing = data["families_missing"]
        self.asks_for_largest_credit_note = data["asks_for_largest_credit_note"]
        self.company_weights = data["company_weights"]
        self.values, self.numbers, self.paths = data["values"], data["numbers"], data["paths"]
        self.wording = data["wording"]
        self.nouns = [Noun(*row) for row in self.wording["nouns"]]
        self.shelves = [ShelfWords(shelf) for shelf in data["shelves"]]
        self._shelf = {words.shelf: words for words in self.shelves}
        self._read_companies(data["companies"])

    def _read_companies(self, data):
        self.roots, self.trades, self.suffixes = data["roots"], data["trades"], data["suffixes"]
        self.similar = [(Fixed(*one), Fixed(*other)) for one, other in data["similar"]]
        self.acronyms = [(Fixed(*one), Fixed(*other)) for one, other in data["acronyms"]]
        self.one_letter = [Fixed(*one) for one in data["one_letter"]]
        self.word_names = [Fixed(*one) for one in data["word_names"]]
        self.fiscal = [Fixed(*one) for one in data["fiscal"]]
        self.lone_acronym = Fixed(*data["lone_acronym"])

    def shelf(self, shelf):
        return self._shelf[shelf]

    def fixed(self):
        """The companies that a family of near-misses needs."""
        pairs = [one for pair in self.similar + self.acronyms for one in pair]
        return pairs + self.one_letter + self.word_names + self.fiscal + [self.lone_acronym]

    def synonyms(self):
        """What people call the buckets and columns of this side, by bucket."""
        with open(FOLDER / "synonyms.toml", "rb") as file:
            return tomllib.load(file)[self.name]
