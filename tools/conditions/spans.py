"""Makes time spans, as days and in words."""
from collections import namedtuple

import days

# From a day up to another one, without it; open where there is none.
Period = namedtuple("Period", "first end said")
# What a span is laid around: a day that lies in it, unless it is relative to today; and the month that the company's
# fiscal years begin with.
Around = namedtuple("Around", "day today fiscal_start")
ORDINALS = ["first", "second", "third", "fourth"]


def period(span, patterns, around, dice):
    """A span of this sort."""
    pattern = dice.pick(patterns)
    day = around.day
    number = dice.pick([30, 60, 90])
    opening = days.plus(day, -dice.within(10, 120))
    closing = days.plus(day, dice.within(10, 120))
    first, end = bounds(span, around, opening, closing, number)
    said = in_words(pattern, span, around, opening, closing, number)
    return Period(first, end, said)


def half(day):
    return (day.month - 1) // 6 + 1


def bounds(span, around, opening, closing, number):
    """The first day of a span, and the one behind its last."""
    day, today, start = around
    first_of, start_of_fiscal = days.first_of, days.start_of_fiscal
    year, month, fiscal = day.year, day.month, days.fiscal_year(day, start)
    last_of_quarter, last_of_half = days.quarter(day) * 3, half(day) * 6
    this_quarter = days.quarter(today) * 3 - 2
    return {
        "month": (first_of(year, month), first_of(year, month + 1)),
        "quarter": (first_of(year, last_of_quarter - 2), first_of(year, last_of_quarter + 1)),
        "half": (first_of(year, last_of_half - 5), first_of(year, last_of_half + 1)),
        "year": (first_of(year, 1), first_of(year + 1, 1)),
        "fiscal": (start_of_fiscal(fiscal, start), start_of_fiscal(fiscal + 1, start)),
        "since": (first_of(year, month), None),
        "between": (opening, days.plus(closing, 1)),
        "before": (None, closing),
        "after": (days.plus(opening, 1), None),
        "last_month": (first_of(today.year, today.month - 1), first_of(today.year, today.month)),
        "last_quarter": (first_of(today.year, this_quarter - 3), first_of(today.year, this_quarter)),
        "last_year": (first_of(today.year - 1, 1), first_of(today.year, 1)),
        "this_year": (first_of(today.year, 1), first_of(today.year + 1, 1)),
        "last_days": (days.plus(today, -number), days.plus(today, 1)),
    }[span]


def in_words(pattern, span, around, opening, closing, number):
    day = around.day
    year = days.fiscal_year(day, around.fiscal_start) if span == "fiscal" else day.year
    values = {
        "month": days.MONTHS[day.month - 1],
        "mon": days.MONTHS[day.month - 1][:3],
        "mm": f"{day.month:02}",
        "year": year,
        "q": days.quarter(day),
        "ordinal": ORDINALS[days.quarter(day) - 1],
        "first": ORDINALS[half(day) - 1],
        "h": half(day),
        "n": number,
        "from": days.written(opening, "words"),
        "to": days.written(closing, "words"),
        "day": days.written(closing if span == "before" else opening, "words"),
    }
    for name, value in values.items():
        pattern = pattern.replace(f"{{{name}}}", str(value))
    return pattern
