"""Renders a manuscript as the bytes of a file."""
import json
import re

import pdf
import scan

# How many of a thousand pages have a table of their values.
MARKDOWN_TABLE = 400
HTML_TABLE = 500
# A text that a reader of front matter would take for a number.
NUMBER = re.compile(r"[+-]?(inf|infinity|nan|(\d+\.?\d*|\.\d+)(e[+-]?\d+)?)", re.ASCII | re.IGNORECASE)


def render(paper, file, line_id, dice):
    """The bytes of a document; for JSONL, those of its line. `line_id` is the line's part of the source."""
    if file == "pdf":
        return pdf.render(paper)
    if file == "jsonl":
        return line_of_json(paper, line_id).encode()
    if file == "csv":
        return csv(paper).encode()
    if file == "scan":
        return scan.render(paper, front_matter(paper.front, paper.title), dice).encode()
    return (markdown(paper, dice) if file == "markdown" else html(paper, dice)).encode()


def compact(value):
    """A value as JSON without blanks."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def front_matter(fields, title=None):
    """The block between two lines of dashes; nothing where there is nothing to state."""
    if not fields and title is None:
        return ""
    lines = ["---"]
    if title is not None:
        lines.append(f"title: {title}")
    for key, value in fields:
        if not isinstance(value, str):
            value = compact(value)
        elif NUMBER.fullmatch(value):
            # A code of digits alone stays a text; the others need no quotes.
            value = f'"{value}"'
        lines.append(f"{key}: {value}")
    return "\n".join(lines) + "\n---\n"


def markdown(paper, dice):
    out = [front_matter(paper.front), f"# {paper.title}\n\n"]
    as_table = dice.permille(MARKDOWN_TABLE) and paper.labelled
    if as_table:
        out.append("| | |\n|---|---|\n")
    out += [f"| {label} | {value} |\n" if as_table else f"{label}: {value}\n" for label, value in paper.labelled]
    out.append("\n")
    for at, text in enumerate(paper.interleaved()):
        out.append(text + ("\n\n" if at % 2 == 1 else "\n"))
    if paper.lines:
        out.append("\n| Article | Quantity |\n|---|---|\n")
        out += [f"| {article} | {quantity} |\n" for article, quantity in paper.lines]
    return "".join(out)


def html(paper, dice):
    title = escaped(paper.title)
    out = [f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n']
    for key, value in paper.front:
        text = value if isinstance(value, str) else compact(value)
        out.append(f'<meta name="{key}" content="{escaped(text)}">\n')
    out.append(f"</head>\n<body>\n<h1>{title}</h1>\n")
    labelled = [(escaped(label), escaped(value)) for label, value in paper.labelled]
    if dice.permille(HTML_TABLE) and labelled:
        rows = "".join(f"<tr><th>{label}</th><td>{value}</td></tr>\n" for label, value in labelled)
        out.append(f"<table>\n{rows}</table>\n")
    else:
        out += [f"<p>{label}: {value}</p>\n" for label, value in labelled]
    out += [f"<p>{escaped(text)}</p>\n" for text in paper.interleaved()]
    if paper.lines:
        items = "".join(f"<li>{quantity} x {escaped(article)}</li>\n" for article, quantity in paper.lines)
        out.append(f"<ul>\n{items}</ul>\n")
    out.append("</body>\n</html>\n")
    return "".join(out)


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def line_of_json(paper, line_id):
    metadata = {key: value for key, value in sorted(paper.front, key=lambda pair: pair[0])}
    text = "\n".join(paper.text_lines())
    return compact({"id": line_id, "metadata": metadata, "text": text, "title": paper.title}) + "\n"


def csv(paper):
    """One row for each value, as programs export a single document."""
    rows = [("entry", "content"), ("heading", paper.title)]
    rows += paper.labelled + paper.lines + [("remark", text) for text in paper.interleaved()]
    return "".join(f"{quoted(name)},{quoted(value)}\n" for name, value in rows)


def quoted(text):
    if "," not in text and '"' not in text:
        return text
    doubled = text.replace('"', '""')
    return f'"{doubled}"'
