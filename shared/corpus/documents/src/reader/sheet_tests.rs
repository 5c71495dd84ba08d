//! Tests of workbooks that programs wrote.

use super::shown::text;
use super::*;
use crate::document::Document;
use crate::reader::tests::{all, body, read, sample};
use calamine::{Data, ExcelDateTime, ExcelDateTimeType};
use std::io::{Cursor, Write};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

fn page(document: &Document, page: u32) -> Vec<&str> {
    let lines = document.lines.iter().filter(|line| line.page == Some(page));
    let texts = lines.map(|line| line.text.as_str());
    texts.filter(|text| !text.is_empty()).collect()
}

#[test]
fn sheets_are_pages_with_tables_as_people_see_them() {
    let found = all("crane-budget.xlsx", &sample("crane-budget.xlsx"));
    let book = found[0].as_ref().unwrap();
    assert_eq!(book.title, "crane budget");
    assert_eq!(
        page(book, 1),
        [
            "## Budget 2025",
            "Crane budget 2025",
            "All amounts in EUR",
            "| Item | Due | Share | Price | Code |",
            "| Rope | 05.03.2025 | 13% | 1234.50 € | 00042 |",
            "| Hook | 01.04.2025 | 29% | 100.00 € | 00043 |",
            "| Zip | 5 Mar 2025 2:30 PM | 30:05:00 | (12.3) | 01067 |",
            "Sum",
        ]
    );
    let rope = book.lines.iter().find(|line| line.text.contains("Rope"));
    assert_eq!(rope.map(|line| line.number), Some(5));
    // Equal tables on many sheets are no headers of pages.
    for (month, at) in ["Jan", "Feb", "Mar", "Apr"].iter().zip(2..) {
        assert_eq!(
            page(book, at),
            [
                format!("## {month}").as_str(),
                "| Worker | Hours |",
                "| Anna | 160.5 |",
                "| Ben / B | 0.3333333333 |"
            ]
        );
        assert_eq!(book.page_names[&at], *month);
    }
    let told = found[1].as_ref().unwrap_err().reason.to_string();
    assert!(
        told.contains("`Secret`") && told.contains("value: 1"),
        "{told}"
    );
    assert!(!body(book).join("\n").contains("hidden words"));
}

#[test]
fn headers_of_two_rows_merged_cells_charts_and_tables_beside_each_other() {
    let book = read("b.xlsx", &sample("crane-budget.xlsx")).unwrap();
    let regions = page(&book, 6);
    assert_eq!(
        regions[..6],
        [
            "## Regions",
            "| Region | 2024 Q1 | 2024 Q2 | 2025 Q1 | 2025 Q2 |",
            "| North | 1 | 2 | 3 | 4 |",
            "| South | 5 | 6 | 7 | 8 |",
            "| East | 9 | 9 | 9 | 9 |",
            "| East | 1 | 1 | 1 | 1 |",
        ]
    );
    assert!(regions[6].contains("Lifts by region"), "{regions:?}");
    assert_eq!(
        page(&book, 7)[1..],
        [
            "| Crane | Limit in t |",
            "| North | 35 |",
            "| South | 40 |",
            "| Rope | Length in m |",
            "| A | 120 |",
            "| B | 80 |",
        ]
    );
    let wide = page(&book, 8);
    assert!(
        wide[2]
            .starts_with("| measure 0 of the wind sensor: 0 | measure 7 of the wind sensor: 7 |")
    );
}

#[test]
fn libreoffice_wrote_the_same_book() {
    let book = read("b.ods", &sample("crane-budget.ods")).unwrap();
    let first = page(&book, 1);
    assert_eq!(first[4], "| Rope | 05.03.2025 | 13% | 1,234.50 € | 00042 |");
    assert_eq!(
        first[6],
        "| Zip | 5 Mar 2025 2:30 PM | 30:05:00 | (12.3) | 01067 |"
    );
    assert_eq!(first[7], "| Sum | | | 1334.499 | |");
    assert_eq!(page(&book, 6)[5], "| East | 1 | 1 | 1 | 1 |");
    let old = read("b.xls", &sample("crane-budget.xls")).unwrap();
    let first = page(&old, 1);
    assert_eq!(first[4], "| Rope | 2025-03-05 | 0.125 | 1234.5 | 00042 |");
    assert_eq!(first[7], "| Sum | | | 1334.499 | |");
    assert_eq!(
        page(&old, 6)[1],
        "| Region | 2024 Q1 | 2024 Q2 | 2025 Q1 | 2025 Q2 |"
    );
    for name in ["crane-budget.ods", "crane-budget.xls"] {
        let told = all(name, &sample(name))[1]
            .as_ref()
            .unwrap_err()
            .reason
            .to_string();
        assert!(told.contains("`Secret`"), "{told}");
    }
}

#[test]
fn numbers_are_shown_as_their_formats_say() {
    for (value, format, shown) in [
        (0.1 + 0.2, "General", "0.3"),
        (1e6, "", "1000000"),
        (-2.0, "0", "-2"),
        (0.0825, "0.00%", "8.25%"),
        (1.005, "0.00", "1.01"),
        (-0.001, "0.00", "0.00"),
        (1234.5, "#,##0", "1235"),
        (12_500_000.0, "0.0,,\" M\"", "12.5 M"),
        (-7.0, "$#,##0.00", "-$7.00"),
        (-7.0, "$#,##0.00;[Red]$#,##0.00", "-$7.00"),
        (
            -7.0,
            "_($* #,##0.00_);_($* (#,##0.00);_($* \"-\"??_);_(@_)",
            "$(7.00)",
        ),
        (
            0.0,
            "_($* #,##0.00_);_($* (#,##0.00);_($* \"-\"??_);_(@_)",
            "$-",
        ),
        (99.5, "[$€-407]\\ #,##0.00", "€ 99.50"),
        (3.25, "0.###", "3.25"),
        (5.0, "0\" kg\"", "5 kg"),
        (5.0, ";;;", ""),
        (0.5, "# ?/?", "0.5"),
        (1e-12, "General", "1e-12"),
        (7.0, "[>5]0.0;0", "7"),
    ] {
        assert_eq!(text(&Data::Float(value), format), shown, "{value} {format}");
    }
}

#[test]
fn days_and_times_are_shown_as_their_formats_say() {
    let at = |value| {
        Data::DateTime(ExcelDateTime::new(
            value,
            ExcelDateTimeType::DateTime,
            false,
        ))
    };
    for (value, format, shown) in [
        (45_721.0, "yyyy-mm-dd", "2025-03-05"),
        (45_721.0, "mm-dd-yy", "2025-03-05"),
        (45_721.0, "d/m/yyyy", "2025-03-05"),
        (45_721.0, "dd.mm.yyyy", "05.03.2025"),
        (45_721.0, "dddd, d mmmm yyyy", "Wednesday, 5 March 2025"),
        (45_721.0, "mmm-yy", "Mar-25"),
        (45_721.0, "[$-407]d. mmmm yyyy", "2025-03-05"),
        (45_721.604_166_7, "m/d/yy h:mm", "2025-03-05 14:30"),
        (45_721.604_166_7, "dd.mm.yyyy hh:mm", "05.03.2025 14:30"),
        (0.604_166_7, "h:mm AM/PM", "2:30 PM"),
        (0.604_166_7, "hh:mm:ss", "14:30:00"),
    ] {
        assert_eq!(text(&at(value), format), shown, "{value} {format}");
    }
}

/// An archive of parts.
fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        archive
            .start_file(*name, SimpleFileOptions::default())
            .unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[test]
fn what_unpacks_to_too_much_is_refused_before_it_is_read() {
    let bomb = archive(&[("xl/worksheets/sheet1.xml", &vec![b' '; 129 << 20])]);
    assert!(bomb.len() < 1 << 20);
    assert_eq!(parse(&bomb).unwrap_err().as_str(), "inflates");
    let locked = [OLD_OFFICE, &[0; 600]].concat();
    assert_eq!(parse(&locked).unwrap_err().as_str(), "broken");
    let strings = b"<sst uniqueCount=\"99999999999999\"></sst>";
    let liar = archive(&[("xl/sharedStrings.xml", strings)]);
    assert_eq!(parse(&liar).unwrap_err().as_str(), "broken");
    let mut old = sample("crane-budget.xls");
    let dimensions = old.windows(4).position(|w| w == [0, 2, 14, 0]).unwrap() + 4;
    old[dimensions + 4..dimensions + 8].fill(0x7f);
    assert_eq!(parse(&old).unwrap_err().as_str(), "inflates");
}

#[test]
fn a_cell_that_is_repeated_a_million_times_is_not() {
    let table = "<table:table table:name=\"T\"><table:table-row table:number-rows-repeated=\"1000000\">\
        <table:table-cell table:number-columns-repeated=\"16000\"><text:p>a few words in a cell</text:p></table:table-cell>\
        </table:table-row></table:table>";
    let xml = format!("<office:document>{table}</office:document>");
    assert_eq!(
        parse(xml.as_bytes()).unwrap().left_out.unwrap().as_str(),
        "partial"
    );
}

#[test]
fn what_only_has_the_name_of_a_workbook() {
    let html = read(
        "export.xls",
        b"<html><body><table><tr><td>Rope</td><td>35 t</td></tr></table>",
    )
    .unwrap();
    assert!(body(&html).join("\n").contains("35 t"));
    let rows = read("export.xls", b"Item\tLimit\nRope\t35\n").unwrap();
    assert_eq!(body(&rows), ["| Item | Limit |", "| Rope | 35 |"]);
    assert_eq!(
        read("a.xlsx", b"PK\x03\x04 no archive")
            .unwrap_err()
            .as_str(),
        "broken"
    );
}

fn grid(cells: impl Iterator<Item = (u32, u32)>) -> Grid {
    let (mut grid, mut room) = (Grid::default(), CELLS_BYTES_MAX);
    assert!(cells.into_iter().all(|(row, column)| grid.put(
        row,
        column,
        &format!("x{}", column % 2),
        &mut room
    )));
    grid
}

#[test]
fn a_diagonal_is_only_what_is_in_it() {
    let mut lines = Lines::default();
    let pair = |at: u32| [(at, 2 * at), (at, 2 * at + 1), (at, 2 * at + 2)];
    grid((0..30_000).flat_map(pair)).write(&mut lines);
    let lines = lines.finish().unwrap();
    assert_eq!(lines[lines.len() - 2].text, "| x0 | x1 | x0 |");
    let mut lines = Lines::default();
    let table = |at: u32| [0, 1].map(|row| [0, 1].map(|column| (2 * at + row, 3 * at + column)));
    grid((0..30_000).flat_map(table).flatten()).write(&mut lines);
    assert!(lines.finish().is_ok());
}

#[test]
fn merged_cells_that_have_no_room_are_told() {
    let merged = grid::Merged {
        rows: (0, 0),
        columns: (0, 3),
    };
    assert!(grid([(0, 0)].into_iter()).merge(merged, &mut CELLS_BYTES_MAX.clone()));
    assert!(!grid([(0, 0)].into_iter()).merge(merged, &mut 10));
}
