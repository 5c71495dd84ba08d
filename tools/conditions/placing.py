"""Decides which file format a document has, and whether the value of a field is written in its front matter, its text,
its path, or nowhere. Makes the path of a document, from the values that are written in the path alone and from a number
that makes each path unique; and the patterns by which a schema finds values in paths."""
import days
from fields import FIELDS, INVOICES, MONEY, NOWHERE, PATH, STANDS, as_text, capital, kind, plain

# How many files of a hundred have each format.
FILES = {"markdown": 38, "html": 18, "pdf": 20, "jsonl": 10, "csv": 4, "scan": 10}
# How many of a thousand values stand in front matter, text, path and nowhere. The shares of front matter that PDF and
# CSV cannot have are added to the other formats, so that the total is 400, 250, 250 and 100.
SHARES = {True: [514, 168, 206, 112], False: [0, 498, 390, 112]}
# The places of the field that says what a document is, which always stands somewhere; in turn, the other fields stand
# nowhere a bit more often.
NATURE_SHARES = {True: [525, 235, 240], False: [0, 545, 455]}
# The lines of a file of JSONL.
LINES = 25
ENDINGS = {"markdown": "md", "html": "html", "pdf": "pdf", "csv": "csv", "scan": "txt"}
CASES = {"keep": str, "lower": str.lower, "upper": str.upper, "capital": capital}


def has_front(file):
    return file not in ("pdf", "csv")


class Places:
    """Draws formats and places. Formats are drawn as cards are: a hundred in a row hold the right number of each."""

    def __init__(self, side, dice):
        self.side, self.dice = side, dice
        self.deck = []

    def set(self, record):
        """Draws the file format of a record, and where its values stand."""
        record.file = self.file(record)
        is_front = has_front(record.file)
        stands = dict.fromkeys(FIELDS[record.shelf], NOWHERE)
        for field in stands:
            shares = NATURE_SHARES if field == "nature" else SHARES
            stands[field] = STANDS[self.dice.weighted(shares[is_front])]
        record.place(stands)

    def file(self, record):
        second_scan = self.side.values["invoice_natures"][2]
        if record.shelf == INVOICES and record.truth["nature"] == second_scan:
            return "scan"
        drawn = self.draw()
        # The title of a CSV is the name of the file: without a schema nothing would tell what is in it.
        if drawn == "csv" and not self.side.shelf(record.shelf).has_schema:
            return "markdown"
        return drawn

    def draw(self):
        if not self.deck:
            self.deck = [file for file, count in FILES.items() for _ in range(count)]
            self.dice.shuffle(self.deck)
        return self.deck.pop()


def source(side, record):
    """The path of a record below the folder of documents; for a line of JSONL, with its id."""
    words = side.shelf(record.shelf)
    folder, tokens = "", []
    for called in words.fields:
        if record.stands[called.field] != PATH:
            continue
        value = written(side, words, record, called.field)
        if not words.has_schema:
            tokens.append(value)
        elif called.behind == "/":
            folder = f"{called.before}{value}/"
        else:
            tokens.append(f"{called.before}{value}{called.behind}")
    tokens.append(side.paths["record"].format(serial=record.serial))
    name = folder + joint(side, words).join(tokens)
    if record.file == "jsonl":
        lines = side.paths["lines"].format(batch=record.serial // LINES)
        return f"{words.folder}/{lines}#{name}"
    return f"{words.folder}/{name}.{ENDINGS[record.file]}"


def joint(side, words):
    """The separator of tokens."""
    return side.paths["joint" if words.has_schema else "joint_without_schema"]


def written(side, words, record, field):
    """A value in the form in which paths have it."""
    value = record.truth[field]
    if field == "company":
        way = side.paths["company" if words.has_schema else "company_without_schema"]
        company = record.company
        names = {"short": company.short, "name": company.name, "squashed": company.squashed()}
        return spelt(names[way["of"]], way)
    if isinstance(value, str):
        return text_in_path(side, words, field, value)
    if field in MONEY:
        return plain(value).replace(".", side.paths["decimal_sign"])
    return as_text(value) if isinstance(value, int) else days.written(value, side.paths["days"])


def text_in_path(side, words, field, text):
    if field in ("number", "currency"):
        return text
    return spelt(text, side.paths["text" if words.has_schema else "text_without_schema"])


def spelt(text, way):
    """A text with other signs in place of blanks and dashes, and in another case: `SustainabilityReport`."""
    if "dash" in way:
        text = text.replace("-", " ")
    case = CASES[way.get("case", "keep")]
    return way.get("blank", " ").join(case(word) for word in text.split(" "))


def pattern(side, words, field):
    """The pattern, with one group, by which a schema finds a value in a path."""
    called = words.called(field)
    value = side.paths["patterns"][kind(field)]
    if called.behind == "/":
        return f"[/#]{called.before}({value})/[^/]*$"
    between = side.paths["joint"]
    return f"(?:/|#|{between}){called.before}({value}){called.behind}{between}"
