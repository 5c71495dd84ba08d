"""Workbooks by openpyxl, computed and saved in other formats by LibreOffice; tables and records as text."""

import csv
import datetime
import json

import openpyxl

from office import save_as


def workbook(facts, file, path):
    book = openpyxl.Workbook()
    first = book.active
    first.title = "Plant 2031"
    first.append([facts.say(file, "title above the header", page=1).text])
    first.append([])
    first.append(["machine", "fuse", "deposit", "share", "approval", "opening", "load", "remark"])
    here = {"page": 1, "page_name": "Plant 2031"}

    def row(feature, column, values, cell, number_format=None, at=2):
        fact = facts.cell(file, feature, column, values, **here)
        line = [fact.subject] + [None] * 7
        line[at - 1] = fact.value if cell is None else cell
        first.append(line)
        if number_format:
            first.cell(first.max_row, at).number_format = number_format

    row("cell", "fuse", None, None)
    n = facts.number()
    row("currency cell", "deposit", [f"{n:,}.50", f"{n}.50", f"{n}.5"], n + 0.5, "€ #,##0.00", 3)
    share = 10 + n % 80 + 0.37
    row("percent cell", "share", [f"{share:.2f}%", f"{share:.2f} %"], share / 100, "0.00%", 4)
    day = datetime.date(*facts.date())
    row("date cell", "approval", [f"{day:%Y-%m-%d}", f"{day:%d.%m.%Y}"], day, "yyyy-mm-dd", 5)
    minute = n % 60
    row("time cell", "opening", [f"05:{minute:02}", f"5:{minute:02}"], datetime.time(5, minute), "hh:mm", 6)
    a, b = facts.number(), facts.number()
    row("computed cell", "load", [str(a + b), f"{a + b:,}"], f"={a}+{b}", None, 7)
    row("cell of two lines", "remark", None, None, None, 8)
    first.cell(first.max_row, 8).value = f"see\n{facts.all[-1].value}"
    row("merged cell", "fuse", None, None)
    first.merge_cells(start_row=first.max_row, start_column=2, end_row=first.max_row, end_column=3)
    second = book.create_sheet("Yard & shed")
    second.append(["machine", "locker"])
    fact = facts.cell(file, "second sheet", "locker", page=2, page_name="Yard & shed")
    second.append([fact.subject, fact.value])
    hidden = book.create_sheet("Secret")
    hidden.append([facts.say(file, "hidden sheet", absent=True).text])
    hidden.sheet_state = "hidden"
    book.save(path)


def rows_of(facts, file, feature, path, delimiter=",", head=(), quote=csv.QUOTE_MINIMAL, encoding="utf-8"):
    fact = facts.cell(file, feature)
    rows = [[f"machine {i}", f"AA{delimiter}{i}" if i == 2 else f"A{i}", "a, b; c"] for i in range(4)]
    with open(path, "w", newline="", encoding=encoding) as out:
        for line in head:
            out.write(line + "\n")
        writer = csv.writer(out, delimiter=delimiter, quoting=quote)
        writer.writerow(["machine", "fuse", "remark"])
        writer.writerows(rows[:2] + [[fact.subject, fact.value, "Zürich"]] + rows[2:])


def records(facts, folder):
    def write(name, *lines):
        (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))

    for field in ["text", "body", "content", "abstract"]:
        name = f"records-{field}.jsonl"
        file = ("jsonl", f"{name}#r2")
        text = facts.say(file, f"field {field}").text
        write(name, {"id": "r1", field: "The yard is closed."}, {"id": "r2", "title": "A note", field: text})
    text = facts.say(("jsonl", "records-nested.jsonl#r1"), "nested field").text
    write("records-nested.jsonl", {"id": "r1", "data": {"body": text}})
    text = facts.say(("json", "records.json#r2"), "array of documents").text
    write("records.json", [{"id": "r1", "content": "The yard is closed."}, {"id": "r2", "content": text}])


def make(facts, folder, scratch, has_office):
    for kind in ["xlsx", "ods", "xls"] if has_office else ["xlsx"]:
        made = scratch / f"plant-{kind}.xlsx"
        workbook(facts, (kind, f"plant-{kind}.{kind}"), made)
        if has_office:
            save_as(made, folder / f"plant-{kind}.{kind}")
        else:
            made.rename(folder / made.name)

    def table(name, feature, **more):
        rows_of(facts, (name.rsplit(".")[-1], name), feature, folder / name, **more)

    table("plain.csv", "comma")
    table("quoted.csv", "all cells quoted", quote=csv.QUOTE_ALL)
    table("semicolon.csv", "semicolon", delimiter=";")
    table("titled.csv", "title line above", head=["List of machines, as of May; draft", ""])
    table("tabs.tsv", "tab", delimiter="\t")
    table("wide.csv", "UTF-16", encoding="utf-16")
    table("west.csv", "Windows-1252", delimiter=";", encoding="cp1252")
    name = "head.csv"
    title = facts.say(("csv", name), "fact in the title line").text
    rows_of(facts, ("csv", name), "below a long title line", folder / name, head=[title, ""])
    records(facts, folder)
