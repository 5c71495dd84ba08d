//! Tests of the text that is read from each kind of file.

use super::pdf::PDF_STREAM_BYTES_MAX;
use super::*;
use proptest::prelude::*;
use serde_json::json;

/// All that comes out of a file of this name.
pub(super) fn all(name: &str, bytes: &[u8]) -> Vec<Result<Document, Skip>> {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), bytes).unwrap();
    read_documents(file.path(), name, &TenantId::default_tenant()).collect()
}

/// What comes out first.
pub(super) fn read(name: &str, bytes: &[u8]) -> Result<Document, SkipReason> {
    all(name, bytes).remove(0).map_err(|skip| skip.reason)
}

/// A small sample.
pub(super) fn sample(name: &str) -> Vec<u8> {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../tests/fixtures/formats"
    );
    fs::read(Path::new(folder).join(name)).unwrap()
}

/// The text of a document, without blank lines.
pub(super) fn body(document: &Document) -> Vec<&str> {
    let lines = document.lines.iter().map(|line| line.text.as_str());
    lines.filter(|line| !line.is_empty()).collect()
}

fn text(document: &Document) -> Vec<(u32, &str)> {
    document
        .lines
        .iter()
        .map(|l| (l.number, l.text.as_str()))
        .collect()
}

#[test]
fn markdown_with_front_matter() {
    let d = read(
        "invoices/acme_7.md",
        b"---\nvendor: Acme\ntotal: 12.5\n---\n# Invoice 7\n\nPaid.\n",
    )
    .unwrap();
    assert_eq!(d.title, "Invoice 7");
    assert_eq!(
        d.metadata,
        BTreeMap::from([
            ("vendor".into(), json!("Acme")),
            ("total".into(), json!(12.5))
        ])
    );
    assert_eq!(text(&d), [(5, "# Invoice 7"), (6, ""), (7, "Paid.")]);
    assert_eq!((d.bucket.as_str(), d.ext.as_str()), ("invoices", "md"));
}

#[test]
fn the_title_falls_back_to_the_file_name() {
    assert_eq!(
        read("a/some_file-name.txt", b"# no heading in txt")
            .unwrap()
            .title,
        "some file name"
    );
    assert_eq!(
        read("a.md", b"---\ntitle: Said\n---\n# Not this")
            .unwrap()
            .title,
        "Said"
    );
}

#[test]
fn names_are_corrected_only_where_a_scanner_may_have_been() {
    let text = "The hosts web1prod, web1stage, db1main and app1eu are in List1Items.";
    assert!(read("a.txt", text.as_bytes()).unwrap().lines[0].text != text);
    for name in ["a.md", "a.html", "a.rst"] {
        let read = read(name, text.as_bytes()).unwrap();
        assert_eq!(read.lines[0].text, text, "{name}");
    }
}

#[test]
fn every_reason_has_a_code_and_a_sentence() {
    let reasons = [
        SkipReason::TooLarge(FILE_BYTES_MAX),
        SkipReason::Binary,
        SkipReason::Empty,
        SkipReason::UnknownExtension("png".into()),
        SkipReason::Hidden,
        SkipReason::NotAFile,
        SkipReason::Loop,
        SkipReason::Unreadable("no such device".into()),
        SkipReason::Encrypted,
        SkipReason::NoText,
        SkipReason::Broken("cut off".into()),
        SkipReason::Inflates(PDF_STREAM_BYTES_MAX),
        SkipReason::OverLimits("it took longer than 60 s".into()),
        SkipReason::Program("`tesseract` cannot be started".into()),
        SkipReason::BadLine("no `text`".into()),
        SkipReason::Several,
        SkipReason::Entry("its name leads out of it".into()),
        SkipReason::BadForm("no `lines`".into()),
        SkipReason::Partial("pages from 3 on are over a limit".into()),
    ];
    let codes: std::collections::HashSet<_> = reasons.iter().map(SkipReason::as_str).collect();
    assert_eq!(codes.len(), reasons.len());
    assert_eq!(reasons[0].to_string(), "larger than 16 MiB; split it");
    assert!(
        reasons
            .iter()
            .all(|reason| !reason.to_string().ends_with('.'))
    );
    let long = SkipReason::Partial("x".repeat(300_000)).to_string();
    assert!(long.starts_with("read in part: xxx") && long.len() < 2_000);
}

#[test]
fn the_first_bytes_win_over_the_extension() {
    let pdf = read("a/lease.txt", &sample("lease-cairo.pdf")).unwrap();
    assert_eq!((pdf.lines[0].page, pdf.ext.as_str()), (Some(1), "txt"));
    assert_eq!(
        read("a.pdf", &sample("lease.docx")).unwrap().title,
        "Lease Agreement Harbour Street"
    );
    assert_eq!(read("a.docx", b"plain").unwrap_err().as_str(), "broken");
    assert_eq!(read("a.pdf", b"plain").unwrap_err().as_str(), "broken");
    let old_word = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
    assert_eq!(read("a.docx", old_word), Err(SkipReason::Encrypted));
}

#[test]
fn jsonl_is_a_document_per_line() {
    let text = concat!(
        r##"{"text": "# One\nfirst", "metadata": {"Vendor": "Acme", "deep": {"x": 1}}, "source": "https://a.example"}"##,
        "\n",
        "\n",
        r#"{"text": "second", "title": "Two", "id": "b-2", "other": 1}"#,
        "\n",
        "{broken\n",
        r#"{"text": "third", "id": 70}"#,
        "\n",
        r#"{"text": "again", "id": 70}"#,
        "\n",
        r#"{"text": " "}"#,
        "\n",
        r#"{"title": "no text"}"#,
    );
    let found = all("notes/x.jsonl", text.as_bytes());
    let told: Vec<_> = found
        .iter()
        .map(|found| match found {
            Ok(document) => (document.source.as_str(), document.title.as_str()),
            Err(skip) => (skip.source.as_str(), skip.reason.as_str()),
        })
        .collect();
    assert_eq!(
        told,
        [
            ("notes/x.jsonl#1", "One"),
            ("notes/x.jsonl#b-2", "Two"),
            ("notes/x.jsonl#4", "bad_line"),
            ("notes/x.jsonl#70", "x 70"),
            ("notes/x.jsonl#6", "bad_line"),
            ("notes/x.jsonl#7", "empty"),
            ("notes/x.jsonl#8", "bad_line"),
        ]
    );
    let first = found[0].as_ref().unwrap();
    assert_eq!((first.bucket.as_str(), first.lines[1].number), ("notes", 2));
    assert_eq!(
        first.metadata,
        BTreeMap::from([
            ("vendor".into(), json!("Acme")),
            ("origin".into(), json!("https://a.example"))
        ])
    );
}

#[test]
fn many_bad_lines_are_counted() {
    let found = all("x.jsonl", "nonsense\n".repeat(150).as_bytes());
    assert_eq!(found.len(), 101);
    let last = found[100].as_ref().unwrap_err();
    assert_eq!(
        last.reason.to_string(),
        "read in part: 50 more lines are bad"
    );
}

#[test]
fn a_cursor_finds_each_document_again() {
    let folder = tempfile::tempdir().unwrap();
    let lines: String = (0..5)
        .map(|i| format!("{{\"text\": \"t{i}\", \"id\": \"i{i}\"}}\n"))
        .collect();
    fs::write(folder.path().join("x.jsonl"), lines).unwrap();
    fs::write(folder.path().join("a#b.md"), "text").unwrap();
    let tenant = TenantId::default_tenant();
    let walked: Vec<_> = crate::corpus::walk(folder.path(), &tenant).collect();
    assert_eq!(walked.len(), 6);
    let mut cursor = crate::corpus::Cursor::default();
    for (path, found) in walked.iter().chain(walked.iter().rev()) {
        let document = found.as_ref().unwrap();
        assert_eq!(
            &cursor.read(path, &document.source, &tenant).unwrap(),
            document
        );
    }
}

#[test]
fn bytes_are_read_as_their_file_is() {
    let tenant = TenantId::default_tenant();
    for (name, bytes) in [
        ("a/x.md", b"# One\ntext".to_vec()),
        ("x.csv", b"a,b\n1,2\n".to_vec()),
        ("lease.pdf", sample("lease-cairo.pdf")),
        ("lease.docx", sample("lease.docx")),
        ("scan.pdf", sample("scan.pdf")),
        ("empty.md", Vec::new()),
        ("x.png", b"x".to_vec()),
    ] {
        let read_again = read_bytes(&bytes, name, &tenant).map(|(document, _)| document);
        assert_eq!(read_again, read(name, &bytes), "{name}");
        if let Ok(document) = read_again {
            assert_eq!(document.hash, sha256_hex(&bytes), "{name}");
        }
    }
    let line = b"{\"text\": \"one\"}";
    assert_eq!(
        read_bytes(line, "x.jsonl", &tenant),
        Err(SkipReason::Several)
    );
    let huge = vec![b'a'; FILE_BYTES_MAX as usize + 1];
    let refused = read_bytes(&huge, "x.txt", &tenant);
    assert_eq!(refused, Err(SkipReason::TooLarge(FILE_BYTES_MAX)));
}

#[test]
fn form_feeds_count_pages() {
    let d = read("a.txt", b"one\n\x0ctwo\nthree").unwrap();
    let pages: Vec<_> = d
        .lines
        .iter()
        .map(|l| (l.number, l.page, l.text.as_str()))
        .collect();
    assert_eq!(
        pages,
        [
            (1, Some(1), "one"),
            (2, Some(1), ""),
            (2, Some(2), "two"),
            (3, Some(2), "three")
        ]
    );
}

#[test]
fn html_is_rendered_without_what_is_no_content() {
    let page = br#"<!doctype html><html><head><title>Price &amp; terms</title>
        <meta name="Year" content="2024"><meta name="viewport" content="width=1">
        <meta name="author" content="J. Doe"><style>p{}</style></head>
        <body><nav>Home | About</nav><h2>Fees</h2><p>The fee is <b>12</b> euro,
        see <a href="/x">the list</a>.</p><script>alert(1)</script>
        <table><caption>All prices</caption><tfoot><tr><td>Sum</td><td>95</td></tr></tfoot><tr><th>Item</th><th>Price</th></tr><tr><td>Desk</td><td>90</td></tr></table>
        <ul><li>first</li><li>second</li></ul></body></html>"#;
    let d = read("a.html", page).unwrap();
    assert_eq!(d.title, "Price & terms");
    assert_eq!(
        d.metadata,
        BTreeMap::from([
            ("year".into(), json!(2024)),
            ("author".into(), json!("J. Doe"))
        ])
    );
    let body = text(&d).iter().map(|l| l.1).collect::<Vec<_>>().join("\n");
    for wanted in [
        "## Fees",
        "The fee is 12 euro, see the list.",
        "* first",
        "All prices",
        "Sum | 95",
    ] {
        assert!(body.contains(wanted), "{wanted:?} in\n{body}");
    }
    for pruned in ["Home", "alert", "p{}", "/x", "Price & terms"] {
        assert!(!body.contains(pruned), "{pruned:?} in\n{body}");
    }
    let row = body.lines().find(|line| line.contains("Desk")).unwrap();
    assert!(
        row.contains("90") && row.matches('|').count() >= 2,
        "{row:?}"
    );
}

#[test]
fn html_that_says_nothing_is_empty() {
    assert_eq!(
        read("a.html", b"<html><script>x()</script></html>"),
        Err(SkipReason::Empty)
    );
}

proptest! {
    #[test]
    fn no_markup_breaks_the_reader(
        page in "(</?(p|div|table|tr|td|th|ul|li|title|meta|script|pre|b|h1|a)( name=\"a\"| content=x)?>|[a-z &<>\"]){0,60}"
    ) {
        let _ = read("a.html", page.as_bytes());
    }
}
