//! Tests of what is columns, and what is a table.

use super::super::glyphs::Placed;
use super::super::layout;

/// Lines of two sides, each row after the other; in type of 10 points.
fn page(rows: &[(&str, &str)]) -> Vec<String> {
    let word = |text: &str, x: f64, y: f64| -> Vec<Placed> {
        let glyph = |(i, c): (usize, char)| Placed {
            turn: 0,
            start: x + i as f64 * 5.0,
            end: x + (i + 1) as f64 * 5.0,
            base: y,
            size: 10.0,
            text: c.to_string(),
        };
        text.chars().enumerate().map(glyph).collect()
    };
    let glyphs = (0..).zip(rows).flat_map(|(i, (left, right))| {
        let y = 700.0 - f64::from(i) * 12.0;
        [word(left, 50.0, y), word(right, 320.0, y)].concat()
    });
    let rows = layout::rows(glyphs.collect());
    rows.into_iter().map(|row| row.text).collect()
}

#[test]
fn two_columns_of_two_lines_are_read_one_after_the_other() {
    let found = page(&[
        (
            "The winding temperature must stay",
            "The oil temperature must never",
        ),
        ("at most 140 degrees.", "pass 95 degrees."),
    ]);
    let wanted = [
        "The winding temperature must stay",
        "at most 140 degrees.",
        "The oil temperature must never",
        "pass 95 degrees.",
    ];
    assert_eq!(found, wanted);
}

#[test]
fn a_longer_column_and_a_wide_line_before_it_are_kept() {
    let found = page(&[
        (
            "A wide line over both columns, which ends far on the right of the page.",
            "",
        ),
        (
            "The lease begins on the first day",
            "The deposit is paid within a week",
        ),
        ("of May and ends after two years,", "of the first day."),
        ("unless it is renewed.", ""),
    ]);
    assert_eq!(found[3], "unless it is renewed.");
    assert_eq!(
        found[4..],
        ["The deposit is paid within a week", "of the first day."]
    );
}

#[test]
fn tables_stay_tables() {
    for rows in [
        [
            ("Office chair", "189.00"),
            ("Desk lamp with two arms", "24.50"),
        ],
        [
            ("Highest speed of the fan", "given in rounds per minute"),
            ("lowest speed of the fan", "given in rounds per hour"),
        ],
        [
            ("The crane carries 45 tons.", "See page 12 of the manual."),
            ("The rope is changed monthly.", "See page 14 of the manual."),
        ],
        [("the end of the year", "2007"), ("of a person.", "136,000")],
    ] {
        let wanted: Vec<String> = rows.iter().map(|(a, b)| format!("| {a} | {b} |")).collect();
        assert_eq!(page(&rows), wanted);
    }
}
