"""The kinds of documents (shelves), their fields, and the values of these: texts are `str`, days are `date`, and numbers
are `int` in hundredths. Each side calls shelves and fields by names of its own."""
from datetime import date

INVOICES, CONTRACTS, DATASHEETS, CERTIFICATES, REPORTS = SHELVES = [
    "invoices", "contracts", "datasheets", "certificates", "reports",
]
FIELDS = {
    INVOICES: ["company", "number", "nature", "date", "due", "net", "amount", "currency", "category"],
    CONTRACTS: ["company", "number", "nature", "category", "date", "due", "amount", "currency", "notice"],
    DATASHEETS: ["company", "number", "category", "volts", "amps", "package", "date"],
    CERTIFICATES: ["company", "number", "category", "body", "site", "date", "due"],
    REPORTS: ["company", "nature", "year", "date", "amount", "currency"],
}
# The fields that a title may be made of. Without a schema, they are what a question can refer to.
TITLED = {
    INVOICES: ["nature", "number", "company"],
    CONTRACTS: ["nature", "number", "company"],
    DATASHEETS: ["number", "category", "package", "company"],
    CERTIFICATES: ["category", "number", "company", "site"],
    REPORTS: ["company", "nature", "year"],
}
CURRENCIES = ["EUR", "USD", "GBP"]
SIGNS = {"EUR": "€", "USD": "$", "GBP": "£"}
MONEY = ("net", "amount")
UNITS = {"volts": "V", "amps": "A", "notice": "days"}
# Where a value can be written: in the front matter (perhaps also in the text), only in the text, only in the path.
STANDS = FRONT, TEXT, PATH, NOWHERE = "front", "text", "path", "nowhere"


def kind(field):
    """The type of its column, as schemas call it."""
    if field in ("date", "due"):
        return "date"
    return "number" if field in ("net", "amount", "notice", "volts", "amps", "year") else "text"


def grouped(hundredths, notation):
    """Two decimals and separators between thousands: `1,234.50` with the notation `point`, else `1.234,50`."""
    sign = "-" if hundredths < 0 else ""
    whole, rest = divmod(abs(hundredths), 100)
    text = f"{sign}{whole:,}.{rest:02}"
    return text if notation == "point" else text.translate({ord(","): ".", ord("."): ","})


def plain(hundredths):
    """Two decimals, without separators."""
    sign = "-" if hundredths < 0 else ""
    return f"{sign}{abs(hundredths) // 100}.{abs(hundredths) % 100:02}"


def short(hundredths):
    """Without decimals that are zero: `12`, `3.3`."""
    return plain(hundredths).rstrip("0").rstrip(".")


def as_text(value):
    if isinstance(value, str):
        return value
    return value.isoformat() if isinstance(value, date) else short(value)


def to_json(value):
    """The value as conditions and tables have it."""
    if isinstance(value, int):
        return value // 100 if value % 100 == 0 else value / 100
    return as_text(value)


def divided(number, by):
    """The quotient, rounded towards zero."""
    return abs(number) // by * (1 if number >= 0 else -1)


def capital(text):
    return text[:1].upper() + text[1:]
