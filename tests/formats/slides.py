"""Slides by python-pptx, saved in other formats by LibreOffice."""

import pptx
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Cm

from office import save_as

BOX = (Cm(2), Cm(5), Cm(18), Cm(6))


def write(facts, file, path):
    deck = pptx.Presentation()

    def slide(layout, title):
        made = deck.slides.add_slide(deck.slide_layouts[layout])
        if made.shapes.title is not None:
            made.shapes.title.text = title
        return made

    slide(0, "Yard meeting").placeholders[1].text = facts.say(file, "subtitle", page=1).text
    made = slide(1, facts.say(file, "title", page=2).text)
    frame = made.placeholders[1].text_frame
    frame.text = facts.say(file, "bullet", page=2).text
    inner = frame.add_paragraph()
    inner.text, inner.level = facts.say(file, "nested bullet", page=2).text, 1
    made = slide(5, "Notes")
    made.notes_slide.notes_text_frame.text = facts.say(file, "speaker's note", page=3).text
    made = slide(5, "Fuses")
    fact = facts.cell(file, "table cell", page=4)
    table = made.shapes.add_table(2, 2, *BOX).table
    for at, text in enumerate(["machine", "fuse", fact.subject, fact.value]):
        table.cell(at // 2, at % 2).text = text
    made = slide(5, "Loads in tonnes")
    subject, number = facts.subject(), facts.number()
    question = f"What is the load of the {subject}?"
    facts.add(file, "chart value", question, [str(number)], subject=subject, words=[subject], page=5)
    data = CategoryChartData()
    data.categories = ["other machines", subject]
    data.add_series("load", (7, number))
    made.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *BOX, data)
    made = slide(6, "")
    made.shapes.add_textbox(*BOX).text_frame.text = facts.say(file, "text box", page=6).text
    group = made.shapes.add_group_shape()
    group.shapes.add_textbox(*BOX).text_frame.text = facts.say(file, "group of shapes", page=6).text
    hidden = slide(1, "Not shown")
    hidden.placeholders[1].text = facts.say(file, "hidden slide", absent=True).text
    hidden._element.set("show", "0")
    deck.save(path)


def make(facts, folder, scratch, has_office):
    write(facts, ("pptx", "meeting.pptx"), folder / "meeting.pptx")
    for kind in ["odp", "ppt"] if has_office else []:
        made = scratch / f"meeting-{kind}.pptx"
        write(facts, (kind, f"meeting-{kind}.{kind}"), made)
        save_as(made, folder / f"meeting-{kind}.{kind}")
