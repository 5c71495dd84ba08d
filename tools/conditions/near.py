"""The families of near-misses. A near-miss is a question with a second, wrong reading that finds other documents. This
module tells in which questions and documents each family can occur, and makes the wrong reading."""
from datetime import date

import days
from fields import CERTIFICATES, CONTRACTS, DATASHEETS, INVOICES, REPORTS
from scene import Unfit

PAPERS_OF_COMPANIES = [INVOICES, INVOICES, CONTRACTS, CERTIFICATES, REPORTS]
# The kinds of questions that can be of a family, and the shelves on which it occurs.
FAMILIES = {
    # The same company in another year.
    "other_year": (["list", "count", "sum", "lookup"], [INVOICES, CONTRACTS, REPORTS]),
    # A fiscal year, which could be taken for the calendar year with the same number.
    "fiscal_year": (["list", "count", "sum", "time"], [INVOICES]),
    # A company whose name is nearly the same.
    "similar_name": (["list", "count", "sum", "extreme", "threshold"], PAPERS_OF_COMPANIES),
    # A company whose name is, or begins with, one letter.
    "one_letter": (["list", "count", "sum", "extreme"], PAPERS_OF_COMPANIES),
    # Two companies with the same first letters.
    "shared_acronym": (["list", "count", "time", "sum"], PAPERS_OF_COMPANIES),
    # A company whose name is a word, as Target and May.
    "word_name": (["list", "count", "time", "average"], PAPERS_OF_COMPANIES),
    # A part whose number is one sign off.
    "part_number": (["lookup", "compare"], [DATASHEETS]),
    # An amendment of a contract, which could be taken for the contract.
    "amended": (["list", "count", "lookup", "average"], [CONTRACTS]),
    # The due date of an invoice, which could be taken for its date of issue.
    "due_date": (["list", "count", "sum", "time"], [INVOICES, INVOICES, CONTRACTS]),
    # A net amount, which could be taken for the gross amount.
    "net_amount": (["threshold", "sum", "average", "extreme"], [INVOICES]),
}


def families(side, kind):
    """The families that a kind of question may have, on this side."""
    return [name for name, (kinds, _) in FAMILIES.items() if kind in kinds and name not in side.families_missing]


def shelves(family):
    return FAMILIES[family][1]


def is_of(scene, family, company):
    """Whether a family is about this company; true where it is about none."""
    side = scene.side
    if family == "fiscal_year":
        return company.fiscal_start > 1 and scene.has_report(company)
    about = {
        "similar_name": [one for pair in side.similar for one in pair],
        "shared_acronym": [one for pair in side.acronyms for one in pair],
        "one_letter": side.one_letter,
        "word_name": side.word_names,
    }
    return family not in about or any(one.name == company.short for one in about[family])


def misread(scene, family, checks):
    """The other reading of a predicate."""
    if family == "other_year":
        return [check for check in checks if check.field not in ("date", "due", "year")]
    if family in ("one_letter", "word_name"):
        return [check for check in checks if check.field != "company"]
    if family == "fiscal_year":
        return [calendar(check) for check in checks]
    if family == "due_date":
        return [check._replace(field="date") if check.field == "due" else check for check in checks]
    if family == "net_amount":
        return [check._replace(field="amount") if check.field == "net" else check for check in checks]
    field = {"part_number": "number", "amended": "nature"}.get(family, "company")
    at = next((at for at, check in enumerate(checks) if check.field == field), None)
    if at is None:
        raise Unfit
    return checks[:at] + [other_value(scene, family, checks[at])] + checks[at + 1:]


def other_value(scene, family, check):
    """The check with the value that a near-miss is taken for."""
    if family == "part_number":
        numbers = scene.one_sign_off(check.values[0])
        if not numbers:
            raise Unfit
        return check._replace(comparison="in", values=tuple(numbers))
    if family == "amended":
        contract, amendment = scene.side.values["contract_natures"]
        return check._replace(values=(amendment if check.values[0] == contract else contract,))
    if check.comparison == "in":
        raise Unfit
    return check._replace(values=(scene.twin(scene.company(check.values[0])).name,))


def calendar(check):
    """The calendar year in place of the fiscal year of the same number."""
    if check.field != "date":
        return check
    day = check.values[0]
    # The year that it ends in: a fiscal year that is none of the calendar begins before it.
    year = days.plus(day, -1).year + 1 if check.comparison == "lt" else day.year + 1
    return check._replace(values=(date(year, 1, 1),))
