"""Renders a manuscript as a scanned text, with the typical confusions of optical character recognition.

The error rate is that of a good scan, in which 98 to 99 of 100 characters are right (Holley, "How Good Can It Get?",
D-Lib Magazine 15, 2009). Here, one to two of a hundred characters of running text are wrong. Values have fewer errors,
because a person who knows that `l` may be `1` has to be able to read what a question asks for. The front matter has no
errors, because it is typed in."""

# How often a scanner errs, in a thousand cases: words without a value that have one confusion (at six letters a word,
# this makes 1.7 % of the characters wrong), labels and names that have one, digits `0` and `1` inside a number that are
# read as letters (two in a value at most), and blanks between words without a value that are doubled.
WORDS = 100
LABELS = 80
NAMES = 250
DIGITS = 250
BLANKS = 60
# Confusions of letters, one for one, so that a name differs in one letter; and those of digits.
LETTERS = {"l": "1", "i": "l", "e": "c", "o": "0"}
DIGITS_AS_LETTERS = {"0": "O", "1": "l"}
# The shortest name that is confused, as a shorter one would become unrecognisable; and the shortest label, as shorter
# ones are only found exactly.
NAME_CHARS_MIN, LABEL_CHARS_MIN = 8, 6
# Words that every scan shows its nature with, so that code which repairs digits recognises a scan.
GIVEAWAYS = "Stamped by the mai1room, unti1 paid; co1lected and de1ivered, fi1ed on the she1f."


def render(paper, front_matter, dice):
    out = [front_matter]
    for label, value in paper.labelled:
        if len(label) >= LABEL_CHARS_MIN and dice.permille(LABELS):
            label = confused(label, dice)
        out.append(f"{label}: {value_read(value, dice)}\n")
    out.append("\n")
    out += [running(text, dice) + "\n" for text in paper.interleaved()]
    out += [running(f"{quantity} x {article}", dice) + "\n" for article, quantity in paper.lines]
    out.append(GIVEAWAYS + "\n")
    return "".join(out)


def is_digit(text):
    return text.isascii() and text.isdigit()


def value_read(value, dice):
    """A value as it is read: in numbers, a zero or a one becomes a letter, and in long names one letter is wrong."""
    if any(is_digit(sign) for sign in value):
        return digits_read(value, dice)
    if len(value) >= NAME_CHARS_MIN and dice.permille(NAMES):
        return confused(value, dice)
    return value


def digits_read(value, dice):
    """Replaces only digits inside a run of digits: at its ends such a letter may be a unit or a gas."""
    signs = list(value)
    changed = 0
    for at in range(1, len(value) - 1):
        other = DIGITS_AS_LETTERS.get(value[at])
        inside = is_digit(value[at - 1]) and is_digit(value[at + 1])
        if other and inside and changed < 2 and dice.permille(DIGITS):
            signs[at] = other
            changed += 1
    return "".join(signs)


def running(text, dice):
    """Running text with some words confused and some blanks doubled."""
    out = ""
    for word in text.split(" "):
        if out:
            out += "  " if dice.permille(BLANKS) else " "
        out += confused(word, dice) if dice.permille(WORDS) else word
    return out


def confused(text, dice):
    """A word with one letter, not the first, read as another; unchanged where it has no letter to confuse."""
    places = [at for at in range(1, len(text)) if text[at] in LETTERS]
    if not places:
        return text
    place = dice.pick(places)
    return text[:place] + LETTERS[text[place]] + text[place + 1:]
