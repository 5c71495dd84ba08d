"""Days, and the quarters and fiscal years that they belong to. A fiscal year has the number of the calendar year in
which it ends."""
from datetime import date, timedelta

MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December"]
NOTATIONS = ["iso", "words", "american", "dotted"]


def plus(day, days):
    """The day that many days later, or earlier."""
    return day + timedelta(days)


def first_of(year, month):
    """The first day of a month. Months before the first and after the twelfth are those of other years."""
    months = year * 12 + month - 1
    return date(months // 12, months % 12 + 1, 1)


def quarter(day):
    return (day.month - 1) // 3 + 1


def fiscal_year(day, start):
    """The fiscal year that the day lies in; `start` is the month with which fiscal years begin."""
    return day.year + (start > 1 and day.month >= start)


def start_of_fiscal(year, start):
    return date(year - (start > 1), start, 1)


def written(day, notation):
    """`2024-03-05`, `5 March 2024`, `Mar 5, 2024` or `05.03.2024`."""
    name = MONTHS[day.month - 1]
    if notation == "words":
        return f"{day.day} {name} {day.year}"
    if notation == "american":
        return f"{name[:3]} {day.day}, {day.year}"
    if notation == "dotted":
        return f"{day.day:02}.{day.month:02}.{day.year}"
    return day.isoformat()
