//! Renders a manuscript as a PDF of one page and one font, with a text layer: the minimum that readers accept.

use super::text_lines;
use crate::manuscript::Manuscript;

/// The sizes of the type and of the title, and the distance of lines, in points.
const SIZE: usize = 9;
const TITLE_SIZE: usize = 16;
const LEADING: usize = 13;
/// Where text begins on the page, in points from the lower left corner.
const LEFT: usize = 50;
const TOP: usize = 780;

pub(super) fn render(paper: &Manuscript) -> Vec<u8> {
    let mut drawn = b"BT\n".to_vec();
    draw(&mut drawn, TITLE_SIZE, (LEFT, TOP), &paper.title);
    // From here on each line is so far below the one before it.
    for (at, line) in text_lines(paper).iter().enumerate() {
        let down = TOP - 2 * LEADING - at * LEADING;
        draw(&mut drawn, SIZE, (LEFT, down), line);
    }
    drawn.extend(b"ET");
    let mut stream = format!("<</Length {}>>\nstream\n", drawn.len()).into_bytes();
    stream.extend(drawn);
    stream.extend(b"\nendstream");
    let mut title = b"<</Title".to_vec();
    title.extend(string(&paper.title));
    title.extend(b">>");
    file(&[
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Count 1/Kids[3 0 R]/MediaBox[0 0 595 842]>>".to_vec(),
        b"<</Type/Page/Parent 2 0 R/Contents 5 0 R/Resources<</Font<</F 4 0 R>>>>>>".to_vec(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_vec(),
        stream,
        title,
    ])
}

/// One line of text at a place.
fn draw(out: &mut Vec<u8>, size: usize, (x, y): (usize, usize), text: &str) {
    out.extend(format!("/F {size} Tf 1 0 0 1 {x} {y} Tm ").bytes());
    out.extend(string(text));
    out.extend(b" Tj\n");
}

/// A string in the encoding of the font.
fn string(text: &str) -> Vec<u8> {
    let mut out = vec![b'('];
    for sign in text.chars() {
        match sign {
            '(' | ')' | '\\' => out.extend([b'\\', sign as u8]),
            '€' => out.push(0x80),
            '£' => out.push(0xa3),
            _ if sign.is_ascii() => out.push(sign as u8),
            _ => unreachable!("the words of both sides are ASCII, but for signs of currencies"),
        }
    }
    out.push(b')');
    out
}

/// A file of these objects, numbered from 1; the first is the catalog, and the last holds the document's properties.
fn file(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut out = b"%PDF-1.4\n".to_vec();
    let mut offsets = Vec::new();
    for (number, object) in (1..).zip(objects) {
        offsets.push(out.len());
        out.extend(format!("{number} 0 obj\n").bytes());
        out.extend(object);
        out.extend(b"\nendobj\n");
    }
    let start = out.len();
    let (size, info) = (objects.len() + 1, objects.len());
    out.extend(format!("xref\n0 {size}\n0000000000 65535 f \n").bytes());
    for offset in offsets {
        out.extend(format!("{offset:010} 00000 n \n").bytes());
    }
    let trailer = format!("trailer\n<</Size {size}/Root 1 0 R/Info {info} 0 R>>\n");
    out.extend(format!("{trailer}startxref\n{start}\n%%EOF\n").bytes());
    out
}
