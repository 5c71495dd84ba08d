"""Finds the answer to a draft question: its documents by the naive scan, and its table by adding up. Checks that the
answer has the shape that its kind of question needs."""
import placing
import tables
from fields import MONEY, kind, to_json
from near import misread
from phrases import Phrase
from scene import Matches, Unfit, check

# The most documents of an answer, and the most rows of groups.
DOCUMENTS_MAX = 250
ROWS_MAX = 50


def answer(scene, draft):
    """The question with its answer, if that has the shape of its kind."""
    nature = [check("nature", "eq", draft.noun.nature)] if draft.noun.nature else []
    number = [check("number", "eq", draft.number)] if draft.number else []
    said = draft.phrases + [phrase for phrase in (draft.excluded, draft.over) if phrase]
    checks = nature + number + [one for phrase in said for one in phrase.checks]
    if has_two_alike(checks):
        raise Unfit
    matches = whole(scene, draft, checks)
    decoys = other_documents(scene, draft, checks, matches)
    table = table_of(scene, draft, checks, matches.found)
    template, question = in_words(scene, draft)
    named = [Phrase(noun_in(draft, question), nature)] if nature else []
    named += [Phrase(draft.number, number)] if number else []
    return question_of(scene, draft, template, question, named + said) | {
        "documents": sources(matches.found),
        "left_out": sources(matches.left_out),
    } | ({"decoys": sources(decoys)} if decoys else {}) | ({"table": table} if table else {})


def question_of(scene, draft, template, question, said):
    """The part of a line of `questions.jsonl` that is before the documents. What is empty is not written."""
    sides = [conditions(scene, draft.shelf, phrase) for phrase in draft.sides]
    line = {"id": "", "kind": draft.kind}
    if draft.family:
        line["family"] = draft.family
    line |= {"template": template, "question": question, "today": draft.today.isoformat()}
    line["bucket"] = scene.side.shelf(draft.shelf).folder
    line["conditions"] = [one for phrase in said for one in conditions(scene, draft.shelf, phrase)]
    if sides:
        line["parts"] = sides
    if draft.is_ambiguous:
        line["ambiguous"] = True
    return line


def sources(records):
    return sorted({record.source for record in records})


def noun_in(draft, question):
    """The noun in the number in which the question has it."""
    for noun in (draft.noun.many, draft.noun.one):
        if noun in question:
            return noun
    raise Unfit


def has_two_alike(checks):
    """Whether two phrases are about one field, which would be a riddle unless they are the two ends of a range."""
    return any(alike(one, other) for at, one in enumerate(checks) for other in checks[at + 1:])


def alike(one, other):
    comparisons = {one.comparison, other.comparison}
    is_range = not comparisons & {"eq", "ne"} and len(comparisons) == 2 and kind(one.field) != "text"
    return one.field == other.field and not is_range


def needed(draft):
    """The further fields that a document has to state for what is done with it."""
    fields = [draft.measure] if draft.measure else []
    if draft.measure in MONEY:
        fields.append("currency")
    if draft.group:
        fields.append("date" if draft.group in tables.PERIODS else draft.group)
    return fields


def whole(scene, draft, checks):
    """The records that satisfy all conditions; for a comparison, those of either side; for an extreme, the one."""
    if draft.sides:
        return both_sides(scene, draft, checks)
    matches = scene.scan(draft.shelf, checks, needed(draft))
    count = len(matches.found)
    if draft.kind == "extreme":
        best = tables.best(matches.found, draft.measure, draft.turn)
        matches = Matches([best], matches.left_out)
        is_fit = best is not None and count >= 3
    elif draft.kind == "lookup":
        is_fit = count == 1
    elif draft.kind in ("sum", "average", "group"):
        is_fit = count >= 2
    else:
        # One document alone is no list and no number, but where a near-miss is to be told from it.
        least = 1 if draft.family or draft.kind in ("time", "threshold", "except") else 2
        is_fit = count >= least and (draft.kind == "count" or count <= DOCUMENTS_MAX)
    phrase = {"threshold": draft.over, "except": draft.excluded}.get(draft.kind)
    if not is_fit or phrase and not cuts(scene, draft, checks, phrase):
        raise Unfit
    return matches


def both_sides(scene, draft, checks):
    found, left_out = [], []
    for side in draft.sides:
        of_side = checks + side.checks
        if has_two_alike(of_side):
            raise Unfit
        one = scene.scan(draft.shelf, of_side, needed(draft))
        if not one.found or draft.turn == "parts" and len(one.found) != 1:
            raise Unfit
        found += one.found
        left_out += one.left_out
    # Two sides that overlap are no two sides.
    if len(set(found)) != len(found) or len(found) > DOCUMENTS_MAX:
        raise Unfit
    return Matches(found, left_out)


def cuts(scene, draft, checks, phrase):
    """Whether a phrase excludes any record."""
    rest = [one for one in checks if one not in phrase.checks]
    return len(scene.scan(draft.shelf, rest).found) > len(scene.scan(draft.shelf, checks).found)


def other_documents(scene, draft, checks, matches):
    """What the other reading of a near-miss finds besides. Where it finds nothing, there is no near-miss."""
    # A net amount may be another column to add up, with the same documents; and an acronym of two means both.
    is_other_column = draft.family == "net_amount" and not draft.over
    if not draft.family or is_other_column or draft.is_ambiguous:
        return []
    found = set()
    for side in draft.sides or [Phrase("", [])]:
        wrong = misread(scene, draft.family, checks + side.checks)
        found.update(scene.scan(draft.shelf, wrong).found)
    found.difference_update(matches.found)
    if not draft.sides:
        found.difference_update(scene.scan(draft.shelf, checks).found)
    if not found:
        raise Unfit
    return found


def table_of(scene, draft, checks, found):
    """The table of a kind that wants one."""
    words = scene.side.shelf(draft.shelf)
    column = words.called(draft.measure).column if draft.measure else None
    measure = (draft.measure, column) if draft.measure else None
    if draft.kind == "count":
        return tables.count(found)
    if draft.kind in ("sum", "average"):
        return tables.amounts(found, draft.measure, column, draft.kind == "average")
    if draft.kind == "extreme":
        return tables.extreme(found[0], draft.measure, column)
    if draft.kind == "group":
        key = tables.PERIODS.get(draft.group) or words.called(draft.group).column
        table = tables.groups(found, draft.group, key, measure)
        if not 2 <= len(table["rows"]) <= ROWS_MAX:
            raise Unfit
        return table
    # Of two parts without a schema the documents hold the figures; no column does.
    if draft.kind != "compare" or draft.turn == "parts" and not words.has_schema:
        return None
    parts = []
    for side in draft.sides:
        parts.append((side.said, scene.scan(draft.shelf, checks + side.checks, needed(draft)).found))
    return tables.sides(parts, measure)


def in_words(scene, draft):
    """The pattern of a question, and the question."""
    wording = scene.wording
    frames = wording["frames"].get(draft.kind, {}).get(draft.turn, [])
    # Phrases that the pattern has no place for would be conditions that nobody said.
    fitting = [at for at, frame in enumerate(frames) if not draft.phrases or "{which}" in frame]
    if not fitting:
        raise Unfit
    at = scene.dice.pick(fitting)
    measure = one_of(scene, wording["measures"].get(draft.shelf, {}).get(draft.measure, []))
    if "{measure}" in frames[at] and not measure:
        raise Unfit
    values = {
        "what": draft.noun.many,
        "one": draft.noun.one,
        "measure": measure,
        "group": one_of(scene, wording["groups"].get(draft.shelf, {}).get(draft.group, [])),
        "number": draft.number or "",
        "except": draft.excluded.said if draft.excluded else "",
        "over": draft.over.said if draft.over else "",
        "a": draft.sides[0].said if draft.sides else "",
        "b": draft.sides[1].said if draft.sides else "",
        "which": "".join(f" {phrase.said}" for phrase in draft.phrases),
    }
    question = frames[at]
    for name, value in values.items():
        question = question.replace(f"{{{name}}}", value)
    return f"{scene.side.name}.{draft.kind}.{draft.turn}.{at}", " ".join(question.split())


def one_of(scene, names):
    """One of the names of a thing. Where there is only one, nothing is drawn, so that further names on one side change
    no question of another."""
    if len(names) < 2:
        return names[0] if names else ""
    return scene.dice.pick(names)


def conditions(scene, shelf, phrase):
    """The conditions of a phrase, as a line of `questions.jsonl` has them."""
    made = []
    for one in phrase.checks:
        values = [to_json(value) for value in one.values]
        condition = {
            "field": scene.side.shelf(shelf).called(one.field).column,
            "op": one.comparison,
            "value": values if one.comparison in ("in", "not_in") else values[0],
            "raw": phrase.said.strip(),
        }
        forms = sorted({form for value in one.values for form in forms_of(scene, shelf, one.field, value)})
        if len(forms) > 1:
            condition["forms"] = forms
        made.append(condition)
    return made


def forms_of(scene, shelf, field, value):
    """The forms of a value in documents."""
    if not isinstance(value, str):
        return []
    if field == "company":
        return scene.company(value).forms()
    return [value, placing.text_in_path(scene.side, scene.side.shelf(shelf), field, value)]
