"""Rewords sentences without changing their meaning. A rewording returns None where it does not apply to a sentence."""

import re

from find import MONTHS, WORDS, dates, month, names, spans, words

# The fewest words that remain when the end of a sentence is dropped.
HEAD_MIN = 8
# The most rewordings of one sentence.
REWORDINGS_MAX = 2


def reword(sentence, passage, split, random):
    """The sentence in other words, by one or two rewordings of its side, with their names; None where none applies."""
    rewordings = random.shuffled(REWORDINGS[split])
    applied = []
    for name, rewording in rewordings:
        reworded = rewording(sentence, passage)
        if reworded is not None and reworded != sentence:
            sentence = reworded
            applied.append(name)
        if len(applied) == REWORDINGS_MAX:
            break
    return (sentence, applied) if applied else None


def replaced(text, start, end, replacement):
    return text[:start] + replacement + text[end:]


def place(text, wanted):
    """The place of words in a text, as whole words and outside quotations."""
    for found in re.finditer(re.escape(wanted), text, re.IGNORECASE | re.ASCII):
        start, end = found.span()
        around = (text[start - 1 : start], text[end : end + 1])
        if not any(c.isalnum() or c in ("-", "'", "’") for c in around) and not is_quoted(text, start):
            return start, end
    return None


def is_quoted(text, at):
    before = text[:at]
    return before.count('"') % 2 == 1 or before.count("“") > before.count("”")


def capitalised(text):
    return text[:1].upper() + text[1:]


def lowered(sentence, text):
    """The beginning of a sentence as it would stand inside one: a word that `text` has with a capital letter elsewhere is a name."""
    first = sentence.split(" ")[0]
    rest = sentence[len(first) :]

    def is_inside(at):
        before = text[:at].rstrip()[-1:]
        return before.islower() or before == ","

    is_name = any(is_inside(one.start()) for one in re.finditer(re.escape(first), text)) or rest.lstrip()[:1].isupper()
    is_word = all(c.islower() for c in first[1:])
    return first.lower() + rest if first in WORDS["small"] or is_word and not is_name else sentence


def exchanged(sentence, pairs):
    for wanted, replacement in pairs:
        at = place(sentence, wanted)
        # A capital inside a sentence is part of a name.
        if at and not (at[0] > 0 and sentence[at[0]].isupper()):
            return replaced(sentence, *at, capitalised(replacement) if sentence[at[0]].isupper() else replacement)
    return None


def synonym_dev(sentence, _):
    return exchanged(sentence, WORDS["synonyms_dev"])


def synonym_test(sentence, _):
    return exchanged(sentence, WORDS["synonyms_test"])


def contracted(sentence, _):
    return exchanged(sentence, WORDS["contractions"])


def expanded(sentence, _):
    # `that's` may be `that has`: those that deny say one thing only.
    pairs = [(short, full) for full, short in WORDS["contractions"] if short.endswith("n't")]
    return exchanged(sentence.replace("’", "'"), pairs)


def number_in_digits(sentence, _):
    for number, word in enumerate(WORDS["numbers"], 2):
        at = place(sentence, word)
        if at and at[0] > 0:
            return replaced(sentence, *at, str(number))
    return None


def ungrouped(sentence, _):
    for word in words(sentence):
        if "," in word.text and re.fullmatch("[0-9,.$€£]+", word.text):
            return replaced(sentence, word.start, word.end, word.text.replace(",", ""))
    return None


def full_date(sentence):
    """The first date with a month and a day."""
    return next((date for date in dates(sentence) if date.month and date.day), None)


def short_month(sentence, _):
    if not (date := full_date(sentence)):
        return None
    for word in words(sentence[date.start : date.end]):
        if month(word.text) and len(word.text) > 4:
            return replaced(sentence, date.start + word.start, date.start + word.end, f"{word.text[:3]}.")
    return None


def date_order(sentence, _):
    if not (date := full_date(sentence)):
        return None
    name, day, year = capitalised(MONTHS[date.month - 1]), date.day, date.year
    begins_with_digit = sentence[date.start] in "0123456789"
    if year and not begins_with_digit and day % 2 == 0:
        other = f"{year}-{date.month:02}-{day:02}"
    elif begins_with_digit:
        other = f"{name} {day}, {year}" if year else f"{name} {day}"
    else:
        other = f"{day} {name} {year}" if year else f"{day} {name}"
    return replaced(sentence, date.start, date.end, other)


def is_number(text):
    return re.fullmatch("[0-9,.]+", text)


def unit_words(sentence, _):
    all_words = words(sentence)
    for at, word in enumerate(all_words):
        text, start = word.text, word.start
        has_next = at + 1 < len(all_words)
        behind = all_words[at + 1].text if has_next else ""
        next_end = all_words[at + 1].end if has_next else word.end
        if text.endswith("%") and is_number(text[:-1]):
            return replaced(sentence, start, word.end, f"{text[:-1]} percent")
        if text.startswith("$") and is_number(text[1:]):
            is_scaled = behind in ("million", "billion") and not word.marks
            scale = f" {behind}" if is_scaled else ""
            return replaced(sentence, start, next_end if is_scaled else word.end, f"{text[1:]}{scale} dollars")
        if text.endswith("bn"):
            return replaced(sentence, start, word.end, f"{text[:-2]} billion")
        if text == "EUR" and is_number(behind):
            return replaced(sentence, start, next_end, f"€{behind.removesuffix('.00')}")
        if behind == "months" and text in ("12", "24", "36", "48", "60"):
            years = int(text) // 12
            return replaced(sentence, start, next_end, f"{years} year{'s' if years > 1 else ''}")
    return None


def fronted(sentence, passage):
    body = sentence[:-1]
    if not sentence.endswith(".") or re.search('["“;:(—,]', body):
        return None
    split = body.split(" ")
    at = next((at for at, word in enumerate(split) if word in WORDS["fronted"]), 0)
    if at < 5 or len(split) - at < 4:
        return None
    return f"{capitalised(' '.join(split[at:]))}, {lowered(' '.join(split[:at]), passage)}."


def dropped(sentence, _):
    commas = reversed(list(re.finditer(", ", sentence)))
    at = next((one.start() for one in commas if sentence[one.end() :].split(" ")[0] in WORDS["tails"]), None)
    if at is None:
        return None
    head = sentence[:at]
    is_long = len(head.split(" ")) >= HEAD_MIN and 2 * len(head.encode()) >= len(sentence.encode())
    # The last comma may be one of a list, or of a clause that the head needs.
    is_list = "," in head and sentence[at + 2 :].startswith("and ")
    is_open = is_quoted(sentence, at) or head.count("(") != head.count(")")
    begins_clause = head[:1].isupper() and head.lower().startswith(tuple(WORDS["fronted"]))
    is_needed = begins_clause and "," not in head
    return f"{head}." if is_long and not (is_list or is_open or is_needed) else None


def legal_form(sentence, _):
    for form in (" Inc.", " Ltd.", " Ltd", " Corp.", " LLC", " GmbH", " plc"):
        at = sentence.find(form)
        end = at + len(form)
        if at >= 0 and not sentence[end : end + 1].isalnum():
            return replaced(sentence, at, end, "." if end == len(sentence) else "")
    for name in names(sentence):
        is_apart = sentence[name.end : name.end + 1] == " " and not is_quoted(sentence, name.start)
        if name.text in WORDS["companies"] and is_apart:
            return replaced(sentence, name.start, name.end, f"{name.text} Inc.")
    return None


def merged(sentence, passage):
    body = sentence[:-1]
    if not sentence.endswith(".") or re.search('["“:;]', body):
        return None
    sentences = [passage[start:end] for start, end in spans(passage)]
    # The sentence may have been reworded: what begins alike is it.
    at = next((at for at, one in enumerate(sentences) if one.startswith(sentence[:24])), None)
    if at is None or at + 1 == len(sentences):
        return None
    behind = sentences[at + 1]
    is_whole = behind.endswith(".") and behind[0].isupper() and not re.search('["“\n”…:#|]', behind)
    return f"{body}, and {lowered(behind, passage)}" if is_whole and 5 <= len(behind.split(" ")) <= 25 else None


REWORDINGS = {
    "dev": [
        ("number in digits", number_in_digits),
        ("no thousands separator", ungrouped),
        ("contraction", contracted),
        ("synonym", synonym_dev),
        ("short month", short_month),
    ],
    "test": [
        ("date in another order", date_order),
        ("unit in words", unit_words),
        ("contraction undone", expanded),
        ("synonym", synonym_test),
        ("clause in front", fronted),
        ("tail dropped", dropped),
        ("legal form", legal_form),
        ("two sentences merged", merged),
    ],
}
