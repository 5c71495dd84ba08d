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
fn all_rows_decide_about_the_delimiter_and_the_header() {
    for (table, expected) in [
        // A title, and how an office program exports one.
        (
            "Price list of 2025\nvalid from May, without tax\n\nItem;Price;Note\nRope;1,5;a, b\nHook;2,5;c\n",
            vec![
                "Price list of 2025",
                "valid from May, without tax",
                "| Item | Price | Note |",
                "| Rope | 1,5 | a, b |",
                "| Hook | 2,5 | c |",
            ],
        ),
        (
            "Sales report,,\n,,\nRegion,Q1,Q2\nNorth,1,2\nSouth,3,4\n",
            vec![
                "Sales report",
                "| Region | Q1 | Q2 |",
                "| North | 1 | 2 |",
                "| South | 3 | 4 |",
            ],
        ),
        // As many commas as semicolons, in the header and in each row.
        (
            "Name, first;Price, net;Sum, net\nRope;1,5;3,0\nHook;2,5;5,0\n",
            vec![
                "| Name, first | Price, net | Sum, net |",
                "| Rope | 1,5 | 3,0 |",
                "| Hook | 2,5 | 5,0 |",
            ],
        ),
        ("1,5;2,5\n3,5;4,5\n", vec!["| 1,5 | 2,5 |", "| 3,5 | 4,5 |"]),
        (
            "\"Limit; in t\",\"Rope\"\n\"35; 40\",\"steel\"\n",
            vec!["| Limit; in t | Rope |", "| 35; 40 | steel |"],
        ),
        // R says nothing of its first column.
        (
            "\"speed\",\"dist\"\n\"1\",4,2\n\"2\",7,10\n",
            vec!["| | speed | dist |", "| 1 | 4 | 2 |", "| 2 | 7 | 10 |"],
        ),
        (
            "a,b,c\n1,2,3,\n4,5,6,\n",
            vec!["| a | b | c |", "| 1 | 2 | 3 | |", "| 4 | 5 | 6 | |"],
        ),
        (",a,b\n0,1,2\n", vec!["| | a | b |", "| 0 | 1 | 2 |"]),
        ("one\ntwo\n", vec!["| one |", "| two |"]),
    ] {
        let found = read("t.csv", table.as_bytes()).unwrap();
        assert_eq!(body(&found), expected, "{table}");
    }
    let titled = read("t.csv", b"Report of May\nItem,Price\nRope,2\n").unwrap();
    let numbers: Vec<u32> = titled.lines.iter().map(|line| line.number).collect();
    assert_eq!(numbers, [1, 1, 2, 3]);
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

#[test]
fn a_header_that_is_not_the_first_row_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let note = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        crate::reader::note(&path, name)
    };
    assert_eq!(note("a.csv", "Item;Price\nRope;2\n"), None);
    assert_eq!(note("a.md", "Title\nItem;Price\nRope;2\nHook;3\n"), None);
    let told = note("b.csv", "Title\nItem;Price\nRope;2\nHook;3\n").unwrap();
    assert!(
        told.starts_with("the header is the second row, cells are parted by `;`"),
        "{told}"
    );
}

#[test]
fn quotes_in_a_cell_that_begins_with_blanks_are_cheap() {
    let table = format!("h,i\n{}a{},b\n", " ".repeat(400_000), "\"".repeat(400_000));
    let d = read("t.csv", table.as_bytes()).unwrap();
    assert!(body(&d)[1].ends_with("\"\" | b |"));
    let blank = read("t.csv", b"h,i\n  \"a,b\",c\n").unwrap();
    assert_eq!(body(&blank)[1], "| a,b | c |");
}
