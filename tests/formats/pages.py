"""PDFs by reportlab, and one that LibreOffice prints."""

import pathlib

import arabic_reshaper
from bidi.algorithm import get_display
from reportlab.lib import pagesizes
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfbase import pdfmetrics, ttfonts
from reportlab.pdfgen import canvas
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph, SimpleDocTemplate, Table

from office import ARABIC, HEBREW, save_as, write

STYLE = getSampleStyleSheet()["Normal"]
FONT = pathlib.Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
FILLER = "The yard opens at dawn and closes when the last boat is in, and nobody waits for the tide. " * 6


def short_pages(facts, folder):
    file = ("pdf", "pages.pdf")
    made = canvas.Canvas(str(folder / file[1]), pagesize=pagesizes.A5)
    for page in range(1, 10):
        made.drawString(40, 560, "Yard book, printed once a year")
        if page != 4:
            made.setFont("Helvetica", 9)
            made.drawString(40, 500, facts.say(file, f"page {page} of nine", page=page).text)
        made.drawString(200, 20, str(page))
        made.showPage()
    made.save()


def labels(facts, folder):
    file = ("pdf", "labels.pdf")
    made = canvas.Canvas(str(folder / file[1]), pagesize=pagesizes.A5)
    made.addPageLabel(0, style="ROMAN_LOWER", start=1)
    made.addPageLabel(2, style="ARABIC", start=1, prefix="A-")
    for page, name in enumerate(["i", "ii", "A-1", "A-2"], 1):
        made.setFont("Helvetica", 9)
        made.drawString(40, 500, facts.say(file, f"label {name}", page=page, page_name=name).text)
        made.showPage()
    made.save()


def columns(facts, folder):
    file = ("pdf", "columns.pdf")
    made = BaseDocTemplate(str(folder / file[1]), pagesize=pagesizes.A4)
    frames = [Frame(40, 60, 245, 720), Frame(310, 60, 245, 720)]
    made.addPageTemplates(PageTemplate(frames=frames))
    texts = []
    for at in range(12):
        fact = facts.say(file, f"column {1 + at // 6}, of two", page=1) if at in (2, 9) else None
        texts.append(Paragraph((fact.text + " " if fact else "") + FILLER, STYLE))
    made.build(texts)
    file = ("pdf", "short-columns.pdf")
    sides = [facts.say(file, f"two lines, column {at}", page=1).text for at in (1, 2)]
    made = canvas.Canvas(str(folder / file[1]), pagesize=pagesizes.A4)
    made.setFont("Helvetica", 9)
    for x, side in zip((50, 310), sides):
        words = side.split()
        for line, part in enumerate((words[: len(words) // 2], words[len(words) // 2 :])):
            made.drawString(x, 700 - 12 * line, " ".join(part))
    made.save()


def table(facts, folder):
    file = ("pdf", "table.pdf")
    fact = facts.cell(file, "table cell", page=1)
    rows = [["machine", "fuse", "paint"], ["other machines", "as on the plate", "grey"]]
    rows.append([fact.subject, fact.value, "red"])
    grid = Table(rows, style=[("GRID", (0, 0), (-1, -1), 1, "black")])
    SimpleDocTemplate(str(folder / file[1])).build([Paragraph("Fuses", STYLE), grid])


def other_signs(facts, folder):
    if not FONT.is_file():
        return print(f"left out, as there is no {FONT}: right-to-left words of reportlab")
    file = ("pdf", "signs.pdf")
    pdfmetrics.registerFont(ttfonts.TTFont("dejavu", FONT))
    made = canvas.Canvas(str(folder / file[1]), pagesize=pagesizes.A4)
    made.setFont("dejavu", 10)
    for at, (feature, text) in enumerate([("Hebrew", HEBREW), ("Arabic", ARABIC)]):
        notice = facts.code()
        facts.add(file, feature, f"What does notice {notice} say?", [text], words=[notice], page=1)
        line = arabic_reshaper.reshape(f"Notice {notice} says: {text}.")
        made.drawString(50, 700 + 20 * at, get_display(line, base_dir="L"))
    made.setFont("Helvetica", 10)
    made.drawString(50, 660, facts.say(file, "beside hidden text", page=1).text)
    unseen = made.beginText(50, 620)
    unseen.setTextRenderMode(3)
    unseen.textLine(facts.say(file, "hidden text (render mode 3)", absent=True).text)
    made.drawText(unseen)
    made.setFillColorRGB(1, 1, 1)
    made.drawString(50, 580, facts.say(file, "white on white", absent=True).text)
    made.showPage()
    made.save()


def turned(facts, folder):
    file = ("pdf", "turned.pdf")
    made = canvas.Canvas(str(folder / file[1]), pagesize=pagesizes.A4)
    made.saveState()
    made.translate(300, 200)
    made.rotate(90)
    made.drawString(0, 0, facts.say(file, "words turned by 90 degrees", page=1).text)
    made.restoreState()
    made.drawString(50, 700, facts.say(file, "beside turned words", page=1).text)
    made.save()


def headings(facts, folder):
    """Text over a page's whole width with a note below a line, as journals print it."""
    file = ("pdf", "notes.pdf")
    made = canvas.Canvas(str(folder / file[1]), pagesize=pagesizes.A4)
    made.setFont("Helvetica-Bold", 16)
    made.drawString(50, 780, "Rules of the yard")
    made.setFont("Helvetica", 10)
    made.drawString(50, 750, facts.say(file, "paragraph below a heading", page=1).text)
    for line in range(6):
        made.drawString(50, 730 - 14 * line, FILLER[:90])
    made.line(50, 120, 200, 120)
    made.setFont("Helvetica", 7)
    made.drawString(50, 108, "1 " + facts.say(file, "footnote", page=1).text)
    made.save()


def make(facts, folder, scratch, has_office):
    for one in (short_pages, labels, columns, table, other_signs, turned, headings):
        one(facts, folder)
    if has_office:
        made = scratch / "printed.docx"
        write(facts, ("pdf by LibreOffice", "printed.pdf"), made)
        save_as(made, folder / "printed.pdf")
