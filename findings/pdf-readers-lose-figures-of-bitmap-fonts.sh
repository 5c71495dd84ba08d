#!/usr/bin/env bash
# PyMuPDF 2.0, pypdf 7.1.1, pdfplumber 0.11.10: of a paper whose letters are bitmaps, words are read and figures are not.
#
# TeX papers of the nineties, made with dvips and Ghostscript, have Type 3 fonts in which each letter is a picture. A font's glyphs are called
# by the character of their code (`/A`, `/5`, `/#2c`), its unit is a dot of the printer, and its size .24 points for letters of ten. Of the glyph
# names that Adobe lists, `/A` is one and `/5` is none: there a five is `/five`. One would expect that a reader takes the code, which is that
# of ASCII, or leaves such a glyph out and says so. Seen, with `Okapi at TREC, 1994: the model` and `weighs terms by 186 pages`:
# - PyMuPDF reads every word of letters, and control characters for each figure (`\x01\t\t\x04` is 1994);
# - pypdf writes the names as they stand: `/1/9/9/4`;
# - pdfplumber has the figures, takes .24 for the size, and so puts nearly every letter on a line of its own;
# - pdfminer.six 20260107, on which it rests, and pypdfium2 5.15.2 read both lines as they are.
# So numbers, dates and tables of such papers are lost without a word while their prose looks well.
#
# Exits with 0 while that is so, and with 1 when one of them reads otherwise. It needs python3 with venv and pip.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
timeout 300 python/bin/pip install --quiet --disable-pip-version-check \
    pymupdf==2.0 pypdf==7.1.1 pdfplumber==0.11.10 pdfminer.six==20260107 pypdfium2==5.15.2

cat >look.py <<'PYTHON'
import pdfplumber, pymupdf, pypdf, pypdfium2, sys
from pdfminer.high_level import extract_text

LINES = ["Okapi at TREC, 1994: the model", "weighs terms by 186 pages"]
SCALE, WIDTH, BLANK = 0.24, 20, 14


def stream(data):
    return f"<</Length {len(data)}>>\nstream\n{data}\nendstream"


def paper():
    used = sorted(set("".join(LINES)) - {" "})
    name = lambda c: f"/#{ord(c):02x}"
    procs = "".join(f"{name(c)} 5 0 R" for c in used)
    codes = "".join(f"{ord(c)}{name(c)} " for c in used)
    font = (
        "<</Type/Font/Subtype/Type3/FontMatrix[1 0 0 -1 0 0]/FontBBox[0 0 1 -1]/FirstChar 0/LastChar 127"
        f"/Widths[{f'{WIDTH} ' * 128}]/CharProcs<<{procs}>>/Encoding<</Type/Encoding/Differences[{codes}]>>/Resources<<>>>>"
    )
    text = ""
    for row, line in enumerate(LINES):
        x = 72.0
        for word in line.split():
            text += f"1 0 0 -1 {x:.2f} {700 - 12 * row} Tm <{word.encode().hex()}> Tj\n"
            x += (len(word) * WIDTH + BLANK) * SCALE
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Count 1/Kids[4 0 R]/MediaBox[0 0 595 842]>>",
        font,
        "<</Type/Page/Parent 2 0 R/Contents 6 0 R/Resources<</Font<</F 3 0 R>>>>>>",
        stream("20 0 2 0 18 30 d1 2 0 16 30 re f"),
        stream(f"BT /F {SCALE} Tf\n{text} ET"),
    ]
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    trailer = f"trailer\n<</Size {len(objects) + 1}/Root 1 0 R>>\nstartxref\n{len(out)}\n%%EOF"
    return out + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{trailer}".encode()


open("paper.pdf", "wb").write(paper())
with pdfplumber.open("paper.pdf") as file:
    page = file.pages[0]
    plumbed, sizes = page.extract_text(), {round(c["size"], 2) for c in page.chars}
read = {
    "pymupdf": pymupdf.open("paper.pdf")[0].get_text(),
    "pypdf": pypdf.PdfReader("paper.pdf").pages[0].extract_text(),
    "pdfplumber": plumbed,
    "pdfminer.six": extract_text("paper.pdf"),
    "pypdfium2": pypdfium2.PdfDocument("paper.pdf")[0].get_textpage().get_text_range(),
}
for name, text in read.items():
    print(f"{name:13}{text!r}")
print(f"{'size':13}{sizes}")
words = lambda text: " ".join(text.split())
as_seen = [
    "weighs" in read["pymupdf"] and "1994" not in read["pymupdf"] and "\x01" in read["pymupdf"],
    "/1/9/9/4" in read["pypdf"] and "weighs terms by" in read["pypdf"],
    "weighs" not in plumbed and sizes == {0.24},
    all(words(read[name]) == " ".join(LINES) for name in ("pdfminer.six", "pypdfium2")),
]
sys.exit(0 if all(as_seen) else 1)
PYTHON
python/bin/python look.py
