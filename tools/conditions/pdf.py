"""Renders a manuscript as a PDF of one page and one font, with a text layer: the minimum that readers accept."""

# The sizes of the type and of the title, and the distance of lines, in points.
SIZE, TITLE_SIZE, LEADING = 9, 16, 13
# Where text begins on the page, in points from the lower left corner.
LEFT, TOP = 50, 780


def render(paper):
    drawn = drawn_line(TITLE_SIZE, TOP, paper.title)
    for at, line in enumerate(paper.text_lines(), 2):
        drawn += drawn_line(SIZE, TOP - at * LEADING, line)
    drawn = b"BT\n" + drawn + b"ET"
    return file([
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count 1/Kids[3 0 R]/MediaBox[0 0 595 842]>>",
        b"<</Type/Page/Parent 2 0 R/Contents 5 0 R/Resources<</Font<</F 4 0 R>>>>>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        b"<</Length %d>>\nstream\n%b\nendstream" % (len(drawn), drawn),
        b"<</Title%b>>" % string(paper.title),
    ])


def drawn_line(size, height, text):
    """One line of text at a place."""
    return b"/F %d Tf 1 0 0 1 %d %d Tm %b Tj\n" % (size, LEFT, height, string(text))


def string(text):
    """A string in the encoding of the font."""
    for sign in "\\()":
        text = text.replace(sign, "\\" + sign)
    return b"(" + text.encode("cp1252") + b")"


def file(objects):
    """A file of these objects, numbered from 1: the first is the catalog, the last holds the document's properties."""
    out = b"%PDF-1.4\n"
    table = b"0000000000 65535 f \n"
    for number, content in enumerate(objects, 1):
        table += b"%010d 00000 n \n" % len(out)
        out += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    size = len(objects) + 1
    trailer = b"trailer\n<</Size %d/Root 1 0 R/Info %d 0 R>>\n" % (size, len(objects))
    return out + b"xref\n0 %d\n%b%bstartxref\n%d\n%%%%EOF\n" % (size, table, trailer, len(out))
