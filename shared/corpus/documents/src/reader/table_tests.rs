//! Tests of tables as people export them.

use crate::reader::tests::{all, body, read};
use crate::reader::{SkipReason, TITLE_CHARS_MAX, read_bytes};
use envelope::TenantId;
use proptest::prelude::*;

#[test]
fn rows_stand_below_their_header() {
    let table = "Item,Note,Price\r\n\"Desk, oak\",\"two\r\nlines, \"\"quoted\"\"\",90\r\nLamp,a|b\r\n\r\nRug,,5,extra\r\n";
    let d = read("stock/price_list.csv", table.as_bytes()).unwrap();
    assert_eq!(
        body(&d),
        [
            "| Item | Note | Price |",
            "| Desk, oak | two lines, \"quoted\" | 90 |",
            "| Lamp | a/b |",
            "| Rug | | 5 | extra |",
        ]
    );
    let numbers: Vec<u32> = d.lines.iter().map(|line| line.number).collect();
    assert_eq!(numbers, [1, 2, 4, 6]);
    assert_eq!((d.title.as_str(), d.ext.as_str()), ("price list", "csv"));
    assert!(d.title.len() < TITLE_CHARS_MAX);
}

#[test]
fn delimiters_and_encodings_are_found() {
    for table in ["a;b\n1,5;2", "a\tb\n1,5\t2", "\u{feff}a;b\n1,5;2"] {
        assert_eq!(
            body(&read("t.csv", table.as_bytes()).unwrap()),
            ["| a | b |", "| 1,5 | 2 |"]
        );
    }
    assert_eq!(
        body(&read("t.tsv", b"a,b\tc\n1\t2").unwrap())[0],
        "| a,b | c |"
    );
    let latin = b"Ort;Gr\xf6\xdfe\nK\xf6ln;4\n";
    assert_eq!(
        body(&read("t.csv", latin).unwrap()),
        ["| Ort | Größe |", "| Köln | 4 |"]
    );
    let utf16: Vec<u8> = "\u{feff}Ort;Größe\nKöln;4\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_eq!(
        body(&read("t.csv", &utf16).unwrap()),
        ["| Ort | Größe |", "| Köln | 4 |"]
    );
}

#[test]
fn a_wide_table_names_its_columns_in_each_row() {
    let header: Vec<String> = (0..80).map(|i| format!("column {i}")).collect();
    let cells: Vec<String> = (0..80)
        .map(|i| {
            if i % 20 == 0 {
                format!("v{i}")
            } else {
                String::new()
            }
        })
        .collect();
    let table = format!("{}\n{}\n", header.join(","), cells.join(","));
    let d = read("wide.csv", table.as_bytes()).unwrap();
    assert_eq!(
        body(&d)[1],
        "| column 0: v0 | column 20: v20 | column 40: v40 | column 60: v60 |"
    );
}

#[test]
fn a_large_table_is_several_documents() {
    let rows: String = (0..60_000)
        .map(|i| format!("part {i},some words about it,{i}\n"))
        .collect();
    let (text, tenant) = (
        format!("name,note,number\n{rows}"),
        TenantId::default_tenant(),
    );
    let found = all("big.csv", text.as_bytes());
    assert!(found.len() > 1);
    let mut rows = 0;
    for (i, document) in found.iter().enumerate() {
        let document = document.as_ref().unwrap();
        assert_eq!(document.lines[0].text, "| name | note | number |");
        let first = document.lines[1].number;
        let source = if i == 0 {
            "big.csv".to_owned()
        } else {
            format!("big.csv#{first}")
        };
        assert_eq!(document.source, source);
        rows += document.lines.len() - 1;
    }
    assert_eq!(rows, 60_000);
    // Published as one file it is one document.
    let (document, left_out) = read_bytes(text.as_bytes(), "big.csv", &tenant).unwrap();
    assert_eq!((document.lines.len(), left_out), (60_001, None));
}

#[test]
fn a_quote_that_is_never_closed_ends_somewhere() {
    let table = format!("a,b\n\"open,{}\n", "x".repeat(5_000_000));
    let found = all("t.csv", table.as_bytes());
    assert!(!found.is_empty());
    assert_eq!(read("t.csv", b"\n\n"), Err(SkipReason::Empty));
}

proptest! {
    #[test]
    fn no_cell_is_lost(cells in prop::collection::vec(prop::collection::vec("[a-z\",;\n ]{0,6}", 3), 1..9)) {
        let quoted = |cell: &String| format!("\"{}\"", cell.replace('"', "\"\""));
        let rows: Vec<String> = cells.iter().map(|row| row.iter().map(quoted).collect::<Vec<_>>().join(",")).collect();
        let found = all("t.csv", format!("h1,h2,h3\n{}\n", rows.join("\n")).as_bytes());
        let text: Vec<String> = found.into_iter().flatten().flat_map(|d| d.lines).map(|l| l.text).collect();
        let text = text.join("\n");
        for cell in cells.iter().flatten() {
            for word in cell.split_whitespace() {
                prop_assert!(text.contains(word), "{word:?} in {text}");
            }
        }
    }
}
