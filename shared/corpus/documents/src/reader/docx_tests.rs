//! Tests of the text of a Word document, and of the errors for a damaged one.

use super::*;
use crate::reader::tests::{body, read, sample};
use std::io::Write;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// An archive of these parts.
fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        writer
            .start_file(*name, SimpleFileOptions::default())
            .unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn of_body(body: &str) -> Vec<u8> {
    let xml = format!("<w:document xmlns:w='x'><w:body>{body}</w:body></w:document>");
    archive(&[("word/document.xml", xml.as_bytes())])
}

#[test]
fn structure_becomes_markdown_and_properties_become_fields() {
    let d = read("contracts/lease.docx", &sample("lease.docx")).unwrap();
    assert_eq!(d.title, "Lease Agreement Harbour Street");
    assert_eq!(
        body(&d),
        [
            "# Lease Agreement Harbour Street",
            "# Rent",
            "The tenant pays a monthly rent of 1,250.00 euro & VAT – “in advance”.",
            "- on the first day",
            "## Prices",
            "| Item | Quantity | Price |",
            "| Desk lamp | 4 | 39.90 |",
            "| Office chair | 12 | 189.00 |",
            "Kept words",
        ]
    );
    for (key, value) in [
        ("author", "A. Writer"),
        ("created", "2024-03-01"),
        ("modified", "2024-04-02"),
    ] {
        assert_eq!(d.metadata[key], value);
    }
}

#[test]
fn deleted_and_doubled_text_is_passed_over() {
    let d = read("a.docx", &of_body(
        "<w:p><w:r><w:t>kept </w:t></w:r><w:del><w:r><w:delText>gone</w:delText><w:t>gone</w:t></w:r></w:del>\
         <mc:AlternateContent><mc:Choice><w:r><w:t>once &#8364; &amp; all</w:t></w:r></mc:Choice>\
         <mc:Fallback><w:r><w:t>once</w:t></w:r></mc:Fallback></mc:AlternateContent></w:p>\
         <w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:tc>\
         <w:tc><w:p/></w:tc></w:tr></w:tbl>",
    )).unwrap();
    assert_eq!(body(&d), ["kept once € & all", "| a b |  |"]);
}

#[test]
fn bad_archives_are_named() {
    let whole = sample("lease.docx");
    let cut = read("a.docx", &whole[..whole.len() / 2]).unwrap_err();
    assert_eq!(cut.as_str(), "broken", "{cut}");
    let other = archive(&[("xl/workbook.xml", b"<x/>")]);
    assert!(
        read("a.docx", &other)
            .unwrap_err()
            .to_string()
            .contains("no Word document")
    );
    let open = archive(&[("word/document.xml", b"<w:document><w:body><w:p>")]);
    assert_eq!(read("a.docx", &open).unwrap_err().as_str(), "broken");
    let deep = of_body(&"<w:p>".repeat(100_000));
    assert_eq!(read("a.docx", &deep).unwrap_err().as_str(), "broken");
    assert_eq!(read("a.docx", &of_body("<w:p/>")), Err(SkipReason::Empty));
}

#[test]
fn a_zip_bomb_is_refused_by_its_unpacked_size() {
    let bomb = archive(&[("word/document.xml", &vec![b' '; 2_000_000])]);
    assert!(bomb.len() < 10_000);
    assert_eq!(
        parse_within(&bomb, 1_000_000),
        Err(SkipReason::Inflates(1_000_000))
    );
}
