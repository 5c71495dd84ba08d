"""Documents of word processors: python-docx writes them, and LibreOffice saves them in its other formats."""

import pathlib
import subprocess

import docx
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from pptx.chart.data import CategoryChartData
from pptx.chart.xmlwriter import ChartXmlWriter
from pptx.enum.chart import XL_CHART_TYPE

W14 = 'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"'
HEBREW = "מנוף הנמל נבדק בכל יום ראשון"
ARABIC = "تفحص رافعة الميناء كل يوم أحد"
TEXT_BOX = """<w:r {ns} xmlns:v="urn:schemas-microsoft-com:vml"><w:pict><v:shape style="width:200pt;height:40pt">
<v:textbox><w:txbxContent><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:txbxContent></v:textbox></v:shape></w:pict>
</w:r>"""
BOX = """<w:sdt {ns} {w14}><w:sdtPr><w14:checkbox><w14:checked w14:val="{on}"/></w14:checkbox></w:sdtPr>
<w:sdtContent><w:r><w:t>{sign}</w:t></w:r></w:sdtContent></w:sdt>"""
CHANGE = """<w:{tag} {ns} w:id="{id}" w:author="A"><w:r><w:{text_tag}>{text}</w:{text_tag}></w:r></w:{tag}>"""
CHART = """<w:r {ns}><w:drawing>
<wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing">
<wp:extent cx="4000000" cy="3000000"/><wp:docPr id="77" name="Chart"/>
<a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">
<a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart">
<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" r:id="{id}"
 xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"/></a:graphicData></a:graphic>
</wp:inline></w:drawing></w:r>"""
CHART_TYPE = "application/vnd.openxmlformats-officedocument.drawingml.chart+xml"
FLAT = """<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"
 xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" office:version="1.3"
 office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text>
<text:p>The harbour has two sheds<text:note text:note-class="endnote"><text:note-citation>i</text:note-citation>
<text:note-body><text:p>{endnote}</text:p></text:note-body></text:note>.</text:p>
<text:p>Notice {notice} says: {hebrew}.</text:p><text:p>{arabic} ({notice2})</text:p>
<text:p>A frame hangs here<draw:frame text:anchor-type="paragraph" svg:width="9cm" svg:height="2cm"><draw:text-box>
<text:p>{frame}</text:p></draw:text-box></draw:frame>.</text:p>
</office:text></office:body></office:document>"""


def save_as(made, path):
    """Has LibreOffice write the file `made` as `path`, whose ending says the format."""
    path = pathlib.Path(path)
    profile = f"-env:UserInstallation=file://{made.parent.resolve()}/profile"
    kind = path.suffix[1:]
    command = ["soffice", profile, "--headless", "--convert-to", kind, "--outdir", str(made.parent / "out"), str(made)]
    subprocess.run(command, check=True, capture_output=True, timeout=180)
    (made.parent / "out" / f"{made.stem}.{kind}").rename(path)


def add(paragraph, xml, **parts):
    paragraph._p.append(parse_xml(xml.format(ns=nsdecls("w"), w14=W14, **parts)))


def tables(document, facts, file):
    merged = facts.cell(file, "merged cell")
    table = document.add_table(rows=3, cols=3)
    for cell, text in zip(table.rows[0].cells, ["machine", "fuse", "spare"]):
        cell.text = text
    table.rows[1].cells[0].text = merged.subject
    table.rows[1].cells[1].merge(table.rows[1].cells[2]).text = merged.value
    inner = facts.say(file, "table in a table")
    table.rows[2].cells[0].text = "See"
    table.rows[2].cells[1].add_table(rows=1, cols=1).rows[0].cells[0].text = inner.text


def write(facts, file, path):
    document = docx.Document()
    section = document.sections[0]
    section.header.paragraphs[0].text = facts.say(file, "header").text
    section.footer.paragraphs[0].text = facts.say(file, "footer").text
    document.add_heading(f"Yard book {file[0]}", 1)
    document.add_paragraph(facts.say(file, "paragraph").text)
    document.add_paragraph("The yard is closed on Sundays.")
    document.add_paragraph(facts.say(file, "numbered item").text, style="List Number")
    split = facts.say(file, "words in several runs")
    paragraph = document.add_paragraph()
    for at in range(0, len(split.text), 7):
        paragraph.add_run(split.text[at : at + 7]).bold = at % 2 == 0
    if file[0] != "rtf":  # LibreOffice does not write it there.
        add(document.add_paragraph(), TEXT_BOX, text=facts.say(file, "text box").text)
    for on, sign, word in [(1, "☒", "[x]"), (0, "☐", "[ ]")]:
        subject = facts.subject()
        question = f"Is the {subject} insured?"
        spellings = [word, sign, "☑" if on else "☐"]
        facts.add(file, f"check box {word}", question, spellings, words=[subject], subject=subject)
        paragraph = document.add_paragraph()
        add(paragraph, BOX, on=on, sign=sign)
        paragraph.add_run(f" The {subject} is insured.")
    tables(document, facts, file)
    if file[0] in ("docx", "odt"):  # In the others LibreOffice writes a picture of it.
        chart(document, facts, file)
    document.add_paragraph().add_run(facts.say(file, "hidden text", absent=True).text).font.hidden = True
    add(document.add_paragraph(), CHANGE, tag="ins", id=901, text_tag="t", text=facts.say(file, "inserted text").text)
    # LibreOffice prints what was deleted, struck through.
    deleted = facts.say(file, "deleted text", absent=not file[1].endswith(".pdf"))
    add(document.add_paragraph(), CHANGE, tag="del", id=902, text_tag="delText", text=deleted.text)
    document.add_section().header.is_linked_to_previous = False
    document.sections[1].header.paragraphs[0].text = facts.say(file, "second header").text
    document.add_paragraph(facts.say(file, "second section").text)
    document.save(path)


def chart(document, facts, file):
    subject, number = facts.subject(), facts.number()
    question = f"What is the load of the {subject}?"
    facts.add(file, "chart value", question, [str(number)], subject=subject, words=[subject])
    data = CategoryChartData()
    data.categories = ["other machines", subject]
    data.add_series("load", (7, number))
    xml = ChartXmlWriter(XL_CHART_TYPE.COLUMN_CLUSTERED, data).xml.encode()
    part = Part(PackURI("/word/charts/chart1.xml"), CHART_TYPE, xml, document.part.package)
    add(document.add_paragraph(), CHART, id=document.part.relate_to(part, RELATIONSHIP_TYPE.CHART))


def write_flat(facts, file, path):
    parts = {"endnote": facts.say(file, "endnote").text, "frame": facts.say(file, "frame").text}
    parts |= {"notice": facts.code(), "notice2": facts.code(), "hebrew": HEBREW, "arabic": ARABIC}
    for feature, notice, text in [("Hebrew", "notice", HEBREW), ("Arabic", "notice2", ARABIC)]:
        facts.add(file, feature, f"What does notice {parts[notice]} say?", [text], words=[parts[notice]])
    path.write_text(FLAT.format(**parts))


def make(facts, folder, scratch, has_office):
    write(facts, ("docx", "yard.docx"), folder / "yard.docx")
    for kind in ["odt", "rtf", "doc"] if has_office else []:
        made = scratch / f"yard-{kind}.docx"
        write(facts, (kind, f"yard-{kind}.{kind}"), made)
        save_as(made, folder / f"yard-{kind}.{kind}")
    for kind in ["docx", "odt", "rtf", "pdf"] if has_office else []:
        made = scratch / f"notes-{kind}.fodt"
        write_flat(facts, (kind, f"notes-{kind}.{kind}"), made)
        save_as(made, folder / f"notes-{kind}.{kind}")
