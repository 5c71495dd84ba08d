"""Makes the tables of known answers: it adds up the records that a scan found. Amounts in different currencies are
never added."""
import days
from fields import MONEY, as_text, to_json

PERIODS = {"year_of_date": "year", "quarter_of_date": "quarter", "month_of_date": "month"}


def table(columns, rows):
    return {"columns": columns, "rows": rows}


def count(found):
    """A table of one number."""
    return table(["documents"], [[len(found)]])


def amounts(found, field, column, is_mean):
    """A table with a row for each currency."""
    rows = []
    for currency, total, number in by_currency(found, field):
        rows.append([currency, (mean(total, number) if is_mean else total) / 100, number])
    return table(["currency", column, "documents"], rows)


def extreme(record, field, column):
    """A table of one document."""
    columns, row = ["source", column], [record.source, cell(field, record.truth[field])]
    if field in MONEY:
        columns.append("currency")
        row.append(record.truth["currency"])
    return table(columns, [row])


def groups(found, group, key, measure):
    """A table of counts or sums by the values of a column, sorted by them."""
    parts = {}
    for record in found:
        parts.setdefault(group_of(record, group), []).append(record)
    return rows_of(sorted(parts.items()), key, measure, is_by_currency=group == "currency")


def sides(parts, measure):
    """A table with a row, or one for each currency, for each side of a comparison."""
    return rows_of(parts, "part", measure)


def rows_of(parts, key, measure, is_by_currency=False):
    """A table of named parts. A measure is a field with its column; without one, documents are counted."""
    if measure is None:
        return table([key, "documents"], [[name, len(found)] for name, found in parts])
    field, column = measure
    if field not in MONEY:
        return table([key, column], [[name, cell(field, found[0].truth[field])] for name, found in parts])
    rows = []
    for name, found in parts:
        for currency, total, number in by_currency(found, field):
            # By currency, it is the name already.
            rows.append([name] + ([] if is_by_currency else [currency]) + [total / 100, number])
    return table([key] + ([] if is_by_currency else ["currency"]) + [column, "documents"], rows)


def best(found, field, most):
    """The one record with the largest or smallest value; nothing where two records have it, or where amounts are of
    several currencies."""
    if field in MONEY and len(by_currency(found, field)) > 1:
        return None
    ordered = sorted(found, key=lambda record: record.truth[field], reverse=most in ("largest", "newest"))
    is_alone = len(ordered) > 1 and ordered[0].truth[field] != ordered[1].truth[field]
    return ordered[0] if is_alone else None


def by_currency(found, field):
    """Currency, sum and number for each currency, by code."""
    sums = {}
    for record in found:
        total, number = sums.get(record.truth["currency"], (0, 0))
        sums[record.truth["currency"]] = total + record.truth[field], number + 1
    return [(currency, *sums[currency]) for currency in sorted(sums)]


def mean(total, number):
    """The mean rounded to whole hundredths, halves away from zero."""
    rounded = (2 * abs(total) + number) // (2 * number)
    return rounded if total >= 0 else -rounded


def group_of(record, group):
    if group not in PERIODS:
        return as_text(record.truth[group])
    day = record.truth["date"]
    if group == "year_of_date":
        return str(day.year)
    return f"{day.year}-Q{days.quarter(day)}" if group == "quarter_of_date" else day.isoformat()[:7]


def cell(field, value):
    """A value; an amount of money has two decimals, and so a decimal point in JSON."""
    return value / 100 if field in MONEY else to_json(value)
