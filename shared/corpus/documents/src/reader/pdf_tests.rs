//! Tests with PDFs of several programs, and with malicious PDFs.

use super::*;
use crate::document::{Document, NumberedLine};
use crate::reader::tests::{all, read, sample};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::Write;

/// A PDF of these objects, from 1; the first is the catalog.
fn pdf(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut out = b"%PDF-1.5\n".to_vec();
    let mut offsets = Vec::new();
    for (number, object) in (1..).zip(objects) {
        offsets.push(out.len());
        out.extend(format!("{number} 0 obj\n").bytes());
        out.extend(object);
        out.extend(b"\nendobj\n");
    }
    let start = out.len();
    out.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for offset in offsets {
        out.extend(format!("{offset:010} 00000 n \n").bytes());
    }
    let size = objects.len() + 1;
    out.extend(format!("trailer\n<</Size {size}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF").bytes());
    out
}

fn stream(dict: &str, data: &[u8]) -> Vec<u8> {
    let mut out = format!("<<{dict}/Length {}>>\nstream\n", data.len()).into_bytes();
    out.extend(data);
    out.extend(b"\nendstream");
    out
}

fn deflated(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// Pages in Helvetica; `page` gives the dictionary entry and data of each content stream.
fn pages(count: usize, page: impl Fn(usize) -> (String, Vec<u8>)) -> Vec<u8> {
    let kids: String = (0..count).map(|i| format!("{} 0 R ", 4 + 2 * i)).collect();
    let mut objects = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        format!("<</Type/Pages/Count {count}/Kids[{kids}]/MediaBox[0 0 595 842]>>").into_bytes(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_vec(),
    ];
    for i in 0..count {
        let number = 5 + 2 * i;
        let dict = format!(
            "<</Type/Page/Parent 2 0 R/Contents {number} 0 R/Resources<</Font<</F 3 0 R>>>>>>"
        );
        let (entry, data) = page(i);
        objects.extend([dict.into_bytes(), stream(&entry, &data)]);
    }
    pdf(&objects)
}

fn said(text: &str) -> (String, Vec<u8>) {
    let data = format!("BT /F 11 Tf 72 700 Td ({text}) Tj ET");
    (String::new(), data.into_bytes())
}

fn lines_of_page(document: &Document, page: u32) -> Vec<&str> {
    let here = |line: &&NumberedLine| line.page == Some(page) && !line.text.is_empty();
    document
        .lines
        .iter()
        .filter(here)
        .map(|line| line.text.as_str())
        .collect()
}

#[test]
fn programs_are_read_alike() {
    for name in [
        "lease-reportlab.pdf",
        "lease-weasyprint.pdf",
        "lease-cairo.pdf",
        "no-printing.pdf",
    ] {
        let d = read("contracts/lease.pdf", &sample(name)).unwrap();
        let first = lines_of_page(&d, 1);
        let second = lines_of_page(&d, 2);
        let text = [first.join(" "), second.join(" ")];
        for (page, wanted) in [
            (0, "# Lease Agreement Harbour Street"),
            (
                0,
                "The tenant pays a monthly rent of 1,250.00 euro on the first day of each month.",
            ),
            (
                0,
                "Efficient offices: the café façade and Größe “quoted” – 45 €.",
            ),
            (
                1,
                "The deposit of three months’ rent is returned within ninety days.",
            ),
        ] {
            assert!(
                text[page].contains(wanted),
                "{name}: {wanted:?} in {}",
                text[page]
            );
        }
        let row = second
            .iter()
            .find(|line| line.contains("Office chair"))
            .unwrap();
        if name != "lease-weasyprint.pdf" {
            assert_eq!(*row, "| Office chair | 12 | 189.00 |", "{name}");
        }
    }
    let d = read("lease.pdf", &sample("lease-reportlab.pdf")).unwrap();
    assert_eq!(
        (d.title.as_str(), &d.metadata["author"]),
        ("Lease Agreement Harbour Street", &"A. Writer".into())
    );
}

/// As TeX's papers were made before outlines of its fonts were common: a letter is a picture and called by the character of its
/// code, which comes `later` by so much than ASCII's, and the unit of its font is a dot of the printer.
fn bitmap_fonts(scale: f64, later: u8, also: &str) -> Vec<u8> {
    let lines = [
        "Okapi at TREC, 1994: the probabilistic model",
        "weighs terms by 186 of its pages; the \x0crst",
    ];
    let code = |c: u8| (c + later) % 128;
    let mut used: Vec<u8> = lines.concat().bytes().filter(|c| *c != b' ').collect();
    used.sort_unstable();
    used.dedup();
    let called = |c: &u8| format!("/#{c:02x}");
    let procs: String = used.iter().map(|c| called(c) + " 5 0 R").collect();
    let differences: String = used
        .iter()
        .map(|c| format!("{}{} ", code(*c), called(c)))
        .collect();
    let font = format!(
        "<</Type/Font/Subtype/Type3/FontMatrix[1 0 0 -1 0 0]/FontBBox[0 0 1 -1]/FirstChar 0/LastChar 127\
         /Widths[{}]/CharProcs<<{procs}>>/Encoding<</Type/Encoding/Differences[{differences}]>>/Resources<<>>>>",
        "20 ".repeat(128)
    );
    let mut text = String::new();
    for (row, line) in lines.iter().enumerate() {
        // Blanks are gaps, as TeX makes them.
        let (mut x, y) = (72.0, 700.0 - 12.0 * row as f64);
        for word in line.split(' ') {
            let codes: String = word.bytes().map(|c| format!("{:02x}", code(c))).collect();
            text += &format!("1 0 0 -1 {x} {y} Tm <{codes}> Tj\n");
            x += (word.len() as f64 * 20.0 + 14.0) * scale;
        }
    }
    let drawing = format!("BT /F {scale} Tf\n{text} {also} ET");
    pdf(&[
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Count 1/Kids[4 0 R]/MediaBox[0 0 595 842]>>".to_vec(),
        font.into_bytes(),
        b"<</Type/Page/Parent 2 0 R/Contents 6 0 R/Resources<</Font<</F 3 0 R>>>>>>".to_vec(),
        stream("", b"20 0 2 0 18 30 d1 2 0 16 30 re f"),
        stream("", drawing.as_bytes()),
    ])
}

#[test]
fn letters_that_are_pictures_are_read_by_their_widths_and_codes() {
    let said = |file: &[u8]| lines_of_page(&read("okapi.pdf", file).unwrap(), 1).join(" ");
    let text = said(&bitmap_fonts(0.24, 0, ""));
    assert_eq!(
        text,
        "Okapi at TREC, 1994: the probabilistic model weighs terms by 186 of its pages; the first"
    );
    // Not by what is large beside it is it told whether text can be seen.
    let tiny = "/F 0.012 Tf 1 0 0 -1 72 500 Tm (the secret) Tj";
    assert_eq!(said(&bitmap_fonts(0.24, 0, tiny)), text);
    // Where codes say nothing, what has no name is left out.
    let text = said(&bitmap_fonts(0.24, 7, ""));
    assert!(text.contains("probabilistic model"), "{text}");
    assert!(
        !text.contains(|c: char| c.is_ascii_digit() || c > '\u{7f}'),
        "{text}"
    );
    // Nobody sees letters of half a point.
    assert_eq!(
        read("a.pdf", &bitmap_fonts(0.012, 0, "")),
        Err(SkipReason::NoText)
    );
}

#[test]
fn what_holds_no_text_is_named() {
    assert_eq!(
        read("a.pdf", &sample("password.pdf")),
        Err(SkipReason::Encrypted)
    );
    assert_eq!(read("a.pdf", &sample("scan.pdf")), Err(SkipReason::NoText));
    let whole = sample("lease-cairo.pdf");
    for part in [whole.len() / 2, 20, 5] {
        let reason = read("a.pdf", &whole[..part]).unwrap_err();
        assert!(
            ["broken", "no_text"].contains(&reason.as_str()),
            "{part}: {reason}"
        );
    }
}

const SMALL: Limits = Limits {
    pages: 40,
    stream_bytes: 100_000,
    work: 1_000,
    hidden: false,
};

#[test]
fn many_pages_end_and_what_is_over_is_told() {
    let bytes = pages(SMALL.pages + 5, |i| said(&format!("Body of page {i}")));
    let parsed = parse_within(&bytes, SMALL).unwrap();
    assert_eq!(parsed.lines.last().unwrap().page, Some(SMALL.pages as u32));
    let told = "read in part: pages from 41 on are over a limit; split it";
    assert_eq!(parsed.left_out.unwrap().to_string(), told);
    assert_eq!(
        parse(&bytes, ReadOptions::default()).unwrap().left_out,
        None
    );
}

#[test]
fn what_is_left_out_is_told_beside_the_document() {
    let bytes = pages(5, |i| said(&"x".repeat(if i == 2 { 2_000 } else { 3 })));
    let parsed = parse_within(&bytes, SMALL).unwrap();
    assert_eq!(parsed.lines.len(), 2);
    let told = parsed.left_out.unwrap().to_string();
    assert!(
        told.contains("1 pages failed, the first is 3; pages from 4 on"),
        "{told}"
    );
    assert_eq!(all("a.pdf", &bytes).len(), 1);
}

#[test]
fn streams_that_unpack_to_gigabytes_are_refused() {
    let spaces = deflated(&vec![b' '; SMALL.stream_bytes as usize * 20]);
    let twice = deflated(&spaces);
    for (entry, data) in [
        ("/Filter/FlateDecode", &spaces),
        ("/Filter[/FlateDecode/FlateDecode]", &twice),
    ] {
        let bytes = pages(1, |_| (entry.to_owned(), data.clone()));
        let reason = parse_within(&bytes, SMALL).unwrap_err();
        assert_eq!(reason.as_str(), "inflates", "{entry}");
    }
    let mut bytes = pages(1, |_| said("x"));
    bytes.extend(b"\n99 0 obj\n");
    bytes.extend(stream(
        "/Type/ObjStm/N 1/First 5/Filter/FlateDecode",
        &spaces,
    ));
    assert_eq!(
        parse_within(&bytes, SMALL).unwrap_err().as_str(),
        "inflates"
    );
}

#[test]
fn forms_that_draw_each_other_for_ever_end() {
    let form = |number: usize| {
        let next = number + 1;
        let entry = format!(
            "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X {next} 0 R>>>>"
        );
        stream(&entry, "/X Do ".repeat(40).as_bytes())
    };
    let mut objects = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Count 1/Kids[3 0 R]/MediaBox[0 0 595 842]>>".to_vec(),
        b"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>>>".to_vec(),
        stream("", b"/X Do"),
    ];
    objects.extend((5..30).map(form));
    let bytes = pdf(&objects);
    let mut budget = Budget::new(20_000);
    let document = Pdf::new(bytes).unwrap();
    let cache = InterpreterCache::new();
    let page = &document.pages()[0];
    let found = catch_unwind(AssertUnwindSafe(|| rows(page, &cache, &mut budget, false)));
    assert!(found.is_err() && budget.is_spent());
}

/// The text of a page with this drawing below a word that everybody sees.
fn drawn(drawing: &str, hidden: bool) -> String {
    let image = "q 200 0 0 20 72 600 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q ";
    let text = drawing.replace("IMAGE", image);
    let bytes = pages(1, |_| {
        (
            String::new(),
            format!("BT /F 11 Tf 72 700 Td (Seen) Tj ET {text}").into_bytes(),
        )
    });
    let limits = Limits { hidden, ..LIMITS };
    let lines = parse_within(&bytes, limits).unwrap().lines;
    let texts = lines.into_iter().map(|line| line.text);
    texts
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join("; ")
}

#[test]
fn text_that_nobody_sees_is_not_read() {
    for hidden in [
        "BT 3 Tr /F 11 Tf 72 605 Td (secret) Tj ET",
        "1 g BT /F 11 Tf 72 605 Td (secret) Tj ET",
        "0 0 0 0 k BT /F 11 Tf 72 605 Td (secret) Tj ET",
        "BT /F 0.5 Tf 72 605 Td (secret) Tj ET",
        "BT /F 11 Tf 700 605 Td (secret) Tj ET",
        "0 G 60 590 300 60 re S 1 g BT /F 11 Tf 72 605 Td (secret) Tj ET",
        "BT 3 Tr /F 11 Tf 72 505 Td (secret) Tj ET IMAGE",
    ] {
        assert_eq!(drawn(hidden, false), "Seen", "{hidden}");
        assert!(drawn(hidden, true).contains("secret"), "{hidden}");
    }
}

#[test]
fn text_that_is_seen_and_text_of_scans_is_read() {
    for seen in [
        "IMAGE BT 3 Tr /F 11 Tf 80 605 Td (shown) Tj ET",
        "BT 3 Tr /F 11 Tf 80 605 Td (shown) Tj ET IMAGE",
        "0 0 1 rg 60 590 300 60 re f 1 g BT /F 11 Tf 72 605 Td (shown) Tj ET",
        "0 G 30 w 60 608 m 300 608 l S 1 g BT /F 11 Tf 72 605 Td (shown) Tj ET",
        "BT 2 Tr /F 11 Tf 72 605 Td (shown) Tj ET",
        "BT 7 Tr /F 11 Tf 72 605 Td (shown) Tj ET",
        "IMAGE 1 g BT /F 11 Tf 80 605 Td (shown) Tj ET",
        "0.5 g BT /F 11 Tf 72 605 Td (shown) Tj ET",
        "/Span<</ActualText(shown)>>BDC BT /F 11 Tf 72 605 Td (xyz) Tj ET EMC",
    ] {
        assert_eq!(drawn(seen, false), "Seen; shown", "{seen}");
    }
    let told = "/Span<</ActualText(whatever is said)>>BDC BT /F 11 Tf 72 605 Td (other) Tj ET EMC";
    assert_eq!(drawn(told, false), "Seen; other");
}

#[test]
fn text_in_white_over_what_a_mask_shows_is_read() {
    let page = |drawing: &str| {
        let form =
            "/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Group<</S/Transparency/CS/DeviceGray>>";
        let resources = "<</Font<</F 3 0 R>>/XObject<</Ground 6 0 R>>/ExtGState<</Mask<</SMask<</S/Luminosity/G 7 0 R>>>>>>>>";
        let bytes = pdf(&[
            b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
            b"<</Type/Pages/Count 1/Kids[4 0 R]/MediaBox[0 0 595 842]>>".to_vec(),
            b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_vec(),
            format!("<</Type/Page/Parent 2 0 R/Contents 5 0 R/Resources{resources}>>").into_bytes(),
            stream("", format!("BT /F 11 Tf 72 700 Td (Seen) Tj ET {drawing} 1 g BT /F 11 Tf 72 605 Td (shown) Tj ET").as_bytes()),
            stream(form, b""),
            stream(form, b"1 g 0 0 595 842 re f"),
        ]);
        let lines = parse_within(&bytes, LIMITS).unwrap().lines.into_iter();
        let texts = lines.map(|line| line.text).filter(|text| !text.is_empty());
        texts.collect::<Vec<_>>().join("; ")
    };
    assert_eq!(page("q /Mask gs /Ground Do Q"), "Seen; shown");
    assert_eq!(page("q /Ground Do Q"), "Seen");
    // What is drawn with a mask lies where it is drawn.
    assert_eq!(page("q /Mask gs 0 0 1 rg 400 20 9 9 re f Q"), "Seen");
}

#[test]
fn pages_that_are_pictures_are_told_where_nothing_recognises_them() {
    let image = "q 500 0 0 700 50 50 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q";
    let bytes = pages(3, |i| match i {
        0 => said("A page with words"),
        _ => (String::new(), image.into()),
    });
    let tenant = envelope::TenantId::default_tenant();
    let (document, left_out) = crate::reader::read_bytes(&bytes, "a.pdf", &tenant).unwrap();
    assert_eq!(lines_of_page(&document, 1), ["A page with words"]);
    assert_eq!(
        left_out.unwrap().to_string(),
        "read in part: pictures without a text: 2 pages; `indexer.ocr` has them read"
    );
}

#[test]
fn pages_are_called_as_the_document_calls_them() {
    let bytes = pages(6, |i| said(&format!("Body of page {i}")));
    let catalog = "<</Type/Catalog/Pages 2 0 R/PageLabels<</Kids[<</Nums[0<</S/r>>2<</S/D/St 3>>]>>\
                   <</Nums[4<</S/A/P(Annex )>>]>>]>>>>";
    let text = String::from_utf8(bytes).unwrap();
    let text = text.replacen("<</Type/Catalog/Pages 2 0 R>>", catalog, 1);
    let names = parse(text.as_bytes(), ReadOptions::default())
        .unwrap()
        .page_names;
    let wanted = [(1, "i"), (2, "ii"), (5, "Annex A"), (6, "Annex B")];
    assert_eq!(
        names,
        wanted.map(|(page, name)| (page, name.to_owned())).into()
    );
}

#[test]
fn nesting_does_not_overflow_the_stack() {
    for (open, close) in [("[", "]"), ("<</A ", ">>"), ("(", ")")] {
        let deep = open.repeat(20_000) + &close.repeat(20_000);
        let bytes = pages(1, |_| (format!("/X {deep}"), said("x").1));
        let _ = read("a.pdf", &bytes);
        let bytes = pages(1, |_| (String::new(), format!("{deep} TJ").into_bytes()));
        let _ = read("a.pdf", &bytes);
    }
}
