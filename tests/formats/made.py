"""Facts that stand nowhere else: a machine at a place, and one thing about it that nobody can guess."""

import dataclasses
import random

MACHINES = """bilge pump|tower crane|slip winch|ice press|log saw|grain dryer|cable drum|sand sieve|paint mixer|
bread oven|milk cooler|hay baler|stone mill|salt washer|rope twister|glass kiln|wool comb|cork punch|
bell lathe|brick mould|fog horn|mud dredge|tar boiler|oat roller|egg sorter|fish scaler|tile cutter|
peat loader|hop picker|wax melter|nail forge|coal chute|map plotter|ink still|reed trimmer|silk loom|
seed drill""".replace("\n", "").split("|")
PLACES = """Torvik|Brevik|Ostra|Lumen|Kalmar|Drosa|Pelham|Quarn|Sunder|Vasto|Welby|Yarrow|Zellin|Arbon|Bexley|Corvo|
Dunmor|Elvas|Fanos|Gilden|Hollum|Istrad|Jarlby|Kestrel|Lorca|Mirov|Norden|Orvelo|Plitva|Rosal|Skarn|Tibor|
Ulmen|Varde|Wicklo|Xanten|Ybbs|Zadar|Anholt|Birka|Carnac""".replace("\n", "").split("|")
GIVEN = "Abelone Bertil Corin Dagny Edvin Fenja Gustel Hedda Ivo Jorun Klemens Lovisa Maren Nilo Oda Pelle".split()
FAMILY = "Askvold Brandal Cederlo Dyrhaug Ekrem Fossum Grindal Hovland Isdal Jernes Kvamme Lindal Moltke".split()
MONTHS = "January February March April May June July August September October November December".split()
KINDS = [
    ("The {s} is switched off with code {code}.", "Which code switches off the {s}?", "{code}"),
    ("The oil of the {s} is changed every {days} days.", "How often is the oil of the {s} changed?", "{days} days"),
    ("The {s} is repaired by {person}.", "Who repairs the {s}?", "{person}"),
    ("The {s} weighs {number} kg.", "How much does the {s} weigh?", "{number} kg"),
    ("The {s} was last inspected on {date}.", "When was the {s} last inspected?", "{date}"),
    ("The key of the {s} hangs in room {code}.", "In which room does the key of the {s} hang?", "{code}"),
]


@dataclasses.dataclass
class Fact:
    format: str
    feature: str
    file: str
    question: str
    values: list  # spellings, one of which is expected
    text: str = ""  # the sentence that says it
    subject: str = ""
    words: list = dataclasses.field(default_factory=list)  # what stands in the same passage
    page: int | None = None
    page_name: str | None = None
    absent: bool = False  # nobody sees it, so nobody may be told

    @property
    def value(self):
        return self.values[0]


class Facts:
    """All facts of the set, in the order in which the files are made."""

    def __init__(self):
        self.all = []
        self.dice = random.Random(39)
        self.taken = set()

    def once(self, make):
        while (found := make()) in self.taken:
            pass
        self.taken.add(found)
        return found

    def subject(self):
        i = len(self.all)
        return f"{MACHINES[i % 37]} at {PLACES[(i * 5 + i // 37) % 41]}"

    def number(self):
        return self.once(lambda: self.dice.randint(1000, 9999))

    def code(self):
        letters = "".join(self.dice.choices("BCDFGHJKLMNPQRSTVWXZ", k=2))
        return f"{letters}-{self.number()}"

    def person(self):
        return f"{self.dice.choice(GIVEN)} {self.dice.choice(FAMILY)}"

    def date(self):
        return self.once(lambda: (self.dice.randint(2027, 2058), self.dice.randint(1, 12), self.dice.randint(13, 28)))

    def add(self, file, feature, question, values, **more):
        subject = more.pop("subject", None) or self.subject()
        fact = Fact(file[0], feature, file[1], question, values, subject=subject, **more)
        self.all.append(fact)
        return fact

    def say(self, file, feature, **more):
        """A sentence about a machine; `file` is (format, name)."""
        text, question, value = KINDS[len(self.all) % len(KINDS)]
        year, month, day = self.date()
        filled = {
            "s": self.subject(),
            "code": self.code(),
            "number": self.number(),
            "days": self.once(lambda: self.dice.randint(100, 999)) if "{days}" in text else 0,
            "person": self.once(self.person) if "{person}" in text else "",
            "date": f"{day} {MONTHS[month - 1]} {year}",
        }
        values = [value.format(**filled)]
        return self.add(
            file, feature, question.format(**filled), values, text=text.format(**filled), subject=filled["s"], **more
        )

    def cell(self, file, feature, column="fuse", values=None, **more):
        """A cell in the row of a machine, below the name of its column."""
        subject = self.subject()
        question = f"Which {column} has the {subject}?"
        words = [subject, column]
        return self.add(file, feature, question, values or [self.code()], words=words, subject=subject, **more)
