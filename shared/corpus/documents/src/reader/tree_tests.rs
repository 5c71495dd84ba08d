//! Tests of texts and data in XML.

use crate::reader::tests::{body, read};

#[test]
fn an_article_becomes_headings_lists_rows_and_notes() {
    let d = read(
        "a.xml",
        br#"<?xml version="1.0"?><!DOCTYPE article [<!ENTITY own "x">]><article xmlns:xlink="x"><front><article-meta>
<title-group><article-title>Crane <italic>limits</italic></article-title></title-group>
<contrib><name><surname>Writer</surname><given-names>A.</given-names></name></contrib></article-meta></front>
<body><sec><label>1</label><title>Limits</title><p>At most <b>40</b>&nbsp;t<fn><p>35 t without sensor.</p></fn>, H<sub>2</sub>O &own;.</p>
<sec><title>Steps</title><list list-type="order"><list-item><p>Stop</p></list-item><list-item><p>Check</p>
<list><list-item><p>rope</p></list-item></list></list-item></list></sec>
<table-wrap><label>Table 1</label><caption><title>Loads</title><p>In tons.</p></caption><table><tr><th>a|b</th><th>c</th></tr><tr><td>1</td><td>2</td></tr></table></table-wrap>
<p>So <inline-formula><alternatives><tex-math>\begin{document}$$x^2$$\end{document}</tex-math><mml:math><mml:mi>x</mml:mi></mml:math></alternatives></inline-formula></p>
</sec></body></article>"#,
    )
    .unwrap();
    assert_eq!(d.title, "Crane limits");
    assert_eq!(
        body(&d),
        [
            "# Crane limits",
            "Writer A.",
            "# 1 Limits",
            "At most 40 t, H2O &own;.",
            "[note] 35 t without sensor.",
            "## Steps",
            "1. Stop",
            "2. Check",
            "- rope",
            "Table 1 Loads In tons.",
            "| a/b | c |",
            "| 1 | 2 |",
            "So $x^2$",
        ]
    );
}

#[test]
fn records_become_names_and_values() {
    let d = read(
        "a.xml",
        br#"<orders><order no="7"><customer><name>Smith &amp; Sons</name></customer><line sku="A1"/><line sku="B2">2</line></order>
<order no="8"><customer><name>Jones</name></customer></order></orders>"#,
    )
    .unwrap();
    let lines: Vec<&str> = d.lines.iter().map(|line| line.text.as_str()).collect();
    let first = [
        "no: 7",
        "customer.name: Smith & Sons",
        "line.sku: A1",
        "line: 2",
        "line.sku: B2",
        "",
    ];
    assert_eq!(lines[..6], first);
    assert_eq!(lines[6..8], ["no: 8", "customer.name: Jones"]);
}

#[test]
fn bad_xml_is_named() {
    for bad in ["<a><b>", "<a></b>", &"<a>".repeat(100_000)] {
        assert_eq!(
            read("a.xml", bad.as_bytes()).unwrap_err().as_str(),
            "broken"
        );
    }
    let bomb = "<!DOCTYPE a [<!ENTITY b '&c;&c;'>]><a>&b;</a>";
    assert_eq!(body(&read("a.xml", bomb.as_bytes()).unwrap()), ["&b;"]);
    let deep = "<a>".repeat(100) + "x" + &"</a>".repeat(100);
    assert!(body(&read("a.xml", deep.as_bytes()).unwrap())[0].ends_with(".a: x"));
}
