//! Tests of books.

use super::*;
use crate::reader::tests::{body, read, sample};
use serde_json::json;
use std::io::{Cursor, Write};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

#[test]
fn chapters_are_read_in_order_and_are_pages() {
    let d = read("a.epub", &sample("crane.epub")).unwrap();
    assert_eq!(d.title, "The crane");
    assert_eq!(d.metadata["author"], json!("Ann Lee, Bob Ray"));
    let lines = d.lines.iter().filter(|line| !line.text.is_empty());
    let lines: Vec<_> = lines
        .map(|line| (line.page.unwrap(), line.text.as_str()))
        .collect();
    assert_eq!(lines[4], (2, "# Limits"));
    assert_eq!(lines.last(), Some(&(3, "| rope | Monday |")));
    assert!(
        body(&d).contains(&"1. With the wind sensor off, 30 tonnes.↩︎"),
        "{d:?}"
    );
    assert_eq!(d.page_names[&3], "Checks");
}

#[test]
fn what_ends_itself_in_xhtml_is_not_open_in_html() {
    for (xhtml, html) in [
        ("<title/><p>a<br/>b", "<title></title><p>a<br/>b"),
        ("<a id=\"x\"/>b/>", "<a id=\"x\"></a>b/>"),
        ("<p>a</p>/>", "<p>a</p>/>"),
        ("/>", "/>"),
    ] {
        assert_eq!(opened(xhtml), html);
    }
}

#[test]
fn places_are_resolved() {
    assert_eq!(
        resolved("OEBPS/text", &decoded("../a%20b.xhtml")),
        "OEBPS/a b.xhtml"
    );
    assert_eq!(resolved("", "a.xhtml"), "a.xhtml");
    assert_eq!(decoded("100%"), "100%");
}

#[test]
fn what_is_no_book_is_told() {
    assert_eq!(read("a.epub", b"none").unwrap_err().as_str(), "broken");
    let lease = sample("lease.docx");
    assert_eq!(read("a.epub", &lease).unwrap_err().as_str(), "broken");
}

#[test]
fn a_lock_and_what_is_missing_are_told() {
    let book = |locked: &str| {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, text) in [
            ("META-INF/container.xml", "<rootfile full-path='a/b.opf'/>"),
            ("META-INF/encryption.xml", locked),
            (
                "a/b.opf",
                "<o><item id='c' href='c.html'/><item id='d' href='d.html'/><itemref idref='c'/><itemref idref='d'/></o>",
            ),
            ("a/c.html", "<p>words</p>"),
        ] {
            zip.start_file(name, SimpleFileOptions::default()).unwrap();
            zip.write_all(text.as_bytes()).unwrap();
        }
        parse(&zip.finish().unwrap().into_inner(), ReadOptions::default())
    };
    assert_eq!(
        book("<r URI=\"x\"/><r URI=\"a/c.html\"/>"),
        Err(SkipReason::Encrypted)
    );
    let found = book("<r URI=\"font\"/>").unwrap();
    let told = found.left_out.unwrap().to_string();
    assert!(told.contains("rendered: 1"), "{told}");
}
