"""Drafts the kinds of questions that need more than some phrases about a record: look-ups, comparisons, groupings,
exceptions, amounts and spans of time."""
import days
import phrases
from fields import CONTRACTS, DATASHEETS, FIELDS, INVOICES, MONEY, REPORTS
from phrases import Phrase
from scene import Unfit, check

# How many of a thousand spans in questions about time are relative to today.
RELATIVE = 450
# How many records are looked at for one that lies in such a span, and the most days that it may be away from today.
DRAWN = 60
DAYS = 300
FIXED_SPANS = ["month", "quarter", "half", "since", "between", "between", "before", "after"]
RELATIVE_SPANS = ["last_month", "last_quarter", "last_year", "this_year", "last_days"]


def add_up(desk, draft):
    draft.turn, draft.measure = "amount", desk.measure()


def total(desk, draft):
    """A sum or an average."""
    add_up(desk, draft)
    draft.phrases = desk.usual_phrases(desk.how_many_phrases())


def lookup(desk, draft):
    """One document, by its number, or by values that it alone has."""
    if desk.shelf == REPORTS or desk.dice.permille(350):
        lookup_by_values(desk, draft)
        return
    number = desk.said("number")
    if desk.family == "amended":
        # "the contract with Halden under number C-1042": it, and not what amends it.
        draft.phrases = [desk.phrase(("is", "number"))]
        return
    draft.turn, draft.number = "numbered", number
    if desk.dice.permille(400):
        draft.phrases = [desk.phrase(("is", "company"))]


def lookup_by_values(desk, draft):
    if desk.shelf == DATASHEETS:
        raise Unfit
    if desk.shelf == REPORTS:
        draft.phrases = [desk.phrase(("is", "company")), desk.phrase(("when", "year"))]
    else:
        draft.phrases = desk.usual_phrases(3)


def compare(desk, draft):
    """Two sides, each with a phrase of its own, and perhaps one for both."""
    if desk.family == "part_number":
        compare_parts(desk, draft)
        return
    if desk.shelf in (INVOICES, CONTRACTS) and desk.dice.permille(350):
        add_up(desk, draft)
    holds = desk.holds()
    hold = desk.dice.pick(holds)
    draft.sides = two_spans(desk, hold[1]) if is_span(hold) else two_values(desk, hold)
    others = [one for one in holds if one != hold and not (is_span(one) and is_span(hold))]
    if others and desk.dice.permille(600):
        draft.phrases = [desk.phrase(desk.dice.pick(others))]


def is_span(hold):
    return hold[0] == "when" and hold[1] != "year"


def two_spans(desk, field):
    """Two years, or two quarters, in sequence."""
    day = desk.said(field)
    span = desk.dice.pick(["year", "quarter"])
    later = days.plus(day, 365 if span == "year" else 91)
    arounds = [desk.around._replace(day=one) for one in (day, later)]
    return [phrases.when(desk.scene, desk.shelf, field, span, around) for around in arounds]


def two_values(desk, hold):
    """The value of this record, and that of another one."""
    record, other = desk.record, other_record(desk, hold[1])
    mine = desk.phrase(hold)
    desk.record = other
    theirs = desk.phrase(hold)
    desk.record = record
    return [mine, theirs]


def other_record(desk, field):
    """Another record of the shelf with another value."""
    mine = desk.said(field)
    for _ in range(60):
        other = desk.scene.draw(desk.shelf)
        if "company" in other.said and other.said.get(field, mine) != mine:
            return other
    raise Unfit


def compare_parts(desk, draft):
    """Compares two parts whose numbers differ in one sign."""
    mine = desk.said("number")
    numbers = [part.said["number"] for part in desk.scene.shelves[DATASHEETS] if "number" in part.said]
    near = [other for other in numbers if other != mine and other.strip("ABCN") == mine.strip("ABCN")]
    if not near:
        raise Unfit
    draft.turn, draft.measure = "parts", desk.dice.pick(["volts", "amps"])
    draft.sides = [Phrase(number, [check("number", "eq", number)]) for number in (mine, near[0])]


def group(desk, draft):
    """How many, or how much, by the values of a column."""
    draft.group = desk.dice.pick(list(desk.scene.wording["groups"][desk.shelf]))
    draft.phrases = desk.usual_phrases(desk.dice.within(1, 2))
    grouped = "date" if draft.group.endswith("_of_date") else draft.group
    # Nobody counts by what is the same everywhere.
    if any(one.field == grouped for phrase in draft.phrases for one in phrase.checks):
        raise Unfit
    if desk.has_schema() and desk.shelf in (INVOICES, CONTRACTS) and desk.dice.permille(350):
        add_up(desk, draft)


def exception(desk, draft):
    """Documents without some of them."""
    draft.phrases = desk.usual_phrases(2)
    taken = {one.field for phrase in draft.phrases for one in phrase.checks}
    fields = ["company", "category", "currency", "package", "site"]
    fields = [field for field in fields if field in FIELDS[desk.shelf] and field not in taken]
    at = desk.dice.below(max(len(fields), 1))
    if not fields:
        raise Unfit
    # What is left out is there: values of other records that the rest holds for are looked for later.
    values = other_values(desk, fields[at], 1 + desk.dice.permille(300))
    draft.excluded = phrases.excluding(desk.scene, desk.shelf, fields[at], values)


def other_values(desk, field, count):
    """So many values of a field that records of the shelf have."""
    values = []
    for _ in range(40):
        other = desk.scene.draw(desk.shelf)
        if len(values) == count:
            break
        if field in other.said and other.said[field] not in values:
            values.append(other.said[field])
    if len(values) < count:
        raise Unfit
    return values


def threshold(desk, draft):
    """Documents over, under or between amounts."""
    field = field_of_threshold(desk)
    value = desk.said(field)
    slot = desk.dice.pick(["over", "over", "at_least", "under", "between"])
    bounds = [rounded(value * 7 // 10)]
    if slot == "under":
        bounds = [rounded(value * 3 // 2)]
    elif slot == "between":
        bounds.append(rounded(value * 2))
    currency = desk.said("currency") if field in MONEY and desk.dice.permille(600) else None
    said = desk.usual_phrases(2)
    draft.phrases = [phrase for phrase in said if all(one.field != "currency" for one in phrase.checks)]
    draft.over = phrases.amount(desk.scene, desk.shelf, slot, field, bounds, currency)


def field_of_threshold(desk):
    if desk.shelf == INVOICES:
        return "net" if desk.family == "net_amount" else "amount"
    if desk.shelf == CONTRACTS:
        return "notice" if desk.dice.permille(200) else "amount"
    if desk.shelf == DATASHEETS:
        return desk.dice.pick(["volts", "amps"])
    raise Unfit


def rounded(hundredths):
    """A round number near an amount: two digits and zeros. One that is too small, or negative, does not do."""
    step = 1
    while hundredths // step >= 100:
        step *= 10
    round_number = hundredths // step * step
    if round_number < 10:
        raise Unfit
    return round_number


def extreme(desk, draft):
    """The one with the largest or smallest amount, or the newest or oldest."""
    most = ["largest", "largest", "smallest", "newest", "oldest"]
    draft.turn = "largest" if desk.family == "net_amount" else desk.dice.pick(most)
    if draft.turn in ("newest", "oldest"):
        draft.measure = "date"
    elif is_riddle(desk, draft):
        raise Unfit
    else:
        draft.measure = desk.measure()
    draft.phrases = desk.usual_phrases(2)


def is_riddle(desk, draft):
    """Whether the amounts are those of credit notes, which are negative, so that no reader can tell which of two is the
    larger. The older sides ask all the same, and keep their questions."""
    credit_note = desk.side.values["invoice_natures"][1]
    return draft.noun.nature == credit_note and not desk.side.asks_for_largest_credit_note


def time(desk, draft):
    """Documents of a span of time, around the day of the record or relative to today."""
    if desk.shelf == REPORTS:
        draft.phrases = desk.usual_phrases(2)
        if len(draft.phrases) != 2:
            raise Unfit
        return
    field = field_of_time(desk)
    is_relative = desk.family != "fiscal_year" and desk.dice.permille(RELATIVE)
    if is_relative and not desk.family:
        move_to_today(desk, field)
    around = desk.around._replace(day=desk.said(field))
    if desk.family == "fiscal_year":
        span = "fiscal"
    else:
        span = desk.dice.pick(RELATIVE_SPANS if is_relative else FIXED_SPANS)
    # Some spans are asked for without a company: "due last month".
    if desk.family or desk.dice.permille(600):
        draft.phrases.append(desk.phrase(("is", "company")))
    elif desk.dice.permille(500):
        draft.phrases.append(desk.phrase(("is", "category")))
    draft.phrases.append(phrases.when(desk.scene, desk.shelf, field, span, around))


def field_of_time(desk):
    """The field of the day that is asked for."""
    fields = [hold[1] for hold in desk.holds() if is_span(hold)]
    if not fields:
        raise Unfit
    if desk.family:
        return "due" if desk.family == "due_date" else "date"
    if desk.shelf == INVOICES and desk.dice.permille(250):
        return "due"
    return desk.dice.pick(fields)


def move_to_today(desk, field):
    """Moves on to another record, whose day is not long ago."""
    today = desk.around.today
    for _ in range(DRAWN):
        desk.record = desk.scene.draw(desk.shelf)
        day = desk.record.said.get(field)
        if day and days.plus(today, -DAYS) <= day <= today and "company" in desk.record.said:
            return
    raise Unfit


def shorten(desk, draft):
    """Shortens the names of companies that share an acronym: either the whole name is stated, or the acronym alone, and
    then both are meant."""
    if desk.dice.permille(500):
        return
    company = desk.record.company
    names = sorted([company.name, desk.scene.twin(company).name])
    for at, phrase in enumerate(draft.phrases):
        if any(one.field == "company" for one in phrase.checks):
            said = phrase.said.replace(company.name, company.acronym()).replace(company.short, company.acronym())
            draft.phrases[at] = Phrase(said, [check("company", "in", *names)])
            draft.is_ambiguous = True
            return
    raise Unfit


SHAPES = {
    "sum": total, "average": total, "extreme": extreme, "group": group, "lookup": lookup, "compare": compare,
    "time": time, "except": exception, "threshold": threshold,
}
