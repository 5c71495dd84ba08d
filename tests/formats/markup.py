"""The same pandoc document in each format that pandoc writes, with facts of its own in each."""

import pypandoc

# Format, ending of the file, name of pandoc's writer.
WRITERS = [
    ("docx", "docx", "docx"),
    ("odt", "odt", "odt"),
    ("rtf", "rtf", "rtf"),
    ("epub", "epub", "epub"),
    ("html", "html", "html"),
    ("rst", "rst", "rst"),
    ("asciidoc", "adoc", "asciidoc"),
    ("tex", "tex", "latex"),
    ("docbook", "dbk", "docbook5"),
    ("jats", "xml", "jats"),
    ("ipynb", "ipynb", "ipynb"),
    ("markdown", "md", "markdown"),
]
TEXT = """---
title: Handbook {name}
---

# Everyday work

{paragraph}

## {heading}

The yard opens at dawn and closes when the last boat is in.

| Machine | Fuse | Paint |
|---------|------|-------|
| other machines | as on their plates | grey |
| {cell_subject} | {cell} | green |

1. Look at the rope.
2. {item}
    - {nested}
3. Go home.

The yard has a rule for wind.[^1]

[^1]: {note}

Words of the yard

:   {definition}

> {quote}

```
{code}
```

See [{link}](https://yard.example/a).

The load factor of the {formula_subject} is $\\frac{{{a}}}{{{b}}}$.
"""


def make(facts, folder):
    for name, ending, writer in WRITERS:
        file = (name, f"pandoc-{name}.{ending}")

        def say(feature):
            return facts.say(file, feature).text

        parts = {
            "paragraph": say("paragraph"),
            "heading": say("heading").rstrip("."),
            "item": say("numbered item"),
            "nested": say("nested item"),
            "note": say("footnote"),
            "definition": say("definition"),
            "quote": say("block quote"),
            "code": say("code"),
            "link": say("words of a link"),
        }
        cell = facts.cell(file, "table cell")
        a, b = facts.number(), facts.number()
        subject = facts.subject()
        spellings = [f"frac{{{a}}}{{{b}}}", f"{a}/{b}", f"{a} / {b}", f"({a})/({b})"]
        facts.add(file, "formula", f"What is the load factor of the {subject}?", spellings, subject=subject)
        text = TEXT.format(
            name=name, cell=cell.value, cell_subject=cell.subject, formula_subject=subject, a=a, b=b, **parts
        )
        extra = ["--standalone"] + (["--mathml"] if writer in ("html", "epub", "docbook5") else [])
        pypandoc.convert_text(text, writer, format="markdown", outputfile=str(folder / file[1]), extra_args=extra)
