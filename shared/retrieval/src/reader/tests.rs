//! What is read of each kind of file.

use super::*;
use proptest::prelude::*;
use serde_json::json;

fn read(name: &str, bytes: &[u8]) -> Result<Document, SkipReason> {
    let ext = name.rsplit('.').next().unwrap();
    let format = Format::of(ext).unwrap();
    document(bytes, format, ext.into(), name, &TenantId::default_tenant())
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
fn broken_characters_are_replaced_when_few() {
    let mut bytes = b"mostly good text with one bad character ".to_vec();
    bytes.push(0xff);
    assert!(
        read("a.txt", &bytes).unwrap().lines[0]
            .text
            .ends_with('\u{fffd}')
    );
    assert_eq!(read("a.txt", &[0xff; 8]), Err(SkipReason::Binary));
    assert_eq!(
        read("a.txt", b"\xef\xbb\xbfbom").unwrap().lines[0].text,
        "bom"
    );
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
