//! Tests of how glyphs become rows and lines.

use super::*;
use proptest::prelude::*;

/// Text at a place, in type of a size, half a size per letter.
fn word(text: &str, x: f64, y: f64, size: f64) -> Vec<Placed> {
    let glyph = |(i, c): (usize, char)| Placed {
        turn: 0,
        start: x + i as f64 * size / 2.0,
        end: x + (i + 1) as f64 * size / 2.0,
        base: y,
        size,
        text: c.to_string(),
    };
    text.chars().enumerate().map(glyph).collect()
}

fn texts(glyphs: Vec<Vec<Placed>>) -> Vec<String> {
    rows(glyphs.concat())
        .into_iter()
        .map(|row| row.text)
        .collect()
}

#[test]
fn gaps_are_spaces_or_cells() {
    assert_eq!(
        texts(vec![
            word("one", 0.0, 0.0, 10.0),
            word("two", 18.0, 0.0, 10.0)
        ]),
        ["one two"]
    );
    assert_eq!(
        texts(vec![
            word("a", 0.0, 0.0, 10.0),
            word("b", 60.0, 0.0, 10.0),
            word("c", 120.0, 0.0, 10.0)
        ]),
        ["| a | b | c |"]
    );
    assert_eq!(
        texts(vec![
            word("one", 0.0, 0.0, 10.0),
            word("two", 0.0, 12.0, 10.0)
        ]),
        ["one", "two"]
    );
    assert_eq!(
        texts(vec![word("x", 0.0, 0.0, 10.0), word("2", 5.0, 4.0, 6.0)]),
        ["x2"]
    );
}

#[test]
fn letters_drawn_twice_are_one() {
    let bold: Vec<Vec<Placed>> = ["a", "b"]
        .iter()
        .enumerate()
        .flat_map(|(i, c)| {
            vec![
                word(c, i as f64 * 5.0, 0.0, 10.0),
                word(c, i as f64 * 5.0 + 0.2, 0.0, 10.0),
            ]
        })
        .collect();
    assert_eq!(texts(bold), ["ab"]);
}

#[test]
fn large_type_is_a_heading_and_gaps_are_blank_lines() {
    let page = [
        word("Terms", 0.0, 800.0, 20.0),
        word("Rent", 0.0, 770.0, 13.0),
        word(
            "The rent is due on the first of the month",
            0.0,
            750.0,
            10.0,
        ),
        word("and not later.", 0.0, 738.0, 10.0),
        word("Next paragraph.", 0.0, 700.0, 10.0),
    ];
    let rows = rows(page.concat())
        .into_iter()
        .map(|row| (1, row))
        .collect();
    let text: Vec<String> = lines(rows).into_iter().map(|line| line.text).collect();
    assert_eq!(
        text,
        [
            "# Terms",
            "",
            "## Rent",
            "",
            "The rent is due on the first of the month",
            "and not later.",
            "",
            "Next paragraph."
        ]
    );
}

proptest! {
    #[test]
    fn every_letter_is_kept(places in prop::collection::vec(("[a-z]{1,6}", -9.0..900.0, -9.0..900.0, 0.0..40.0), 0..20)) {
        let words: Vec<Vec<Placed>> = places.iter().map(|(t, x, y, s)| word(t, *x, *y, *s)).collect();
        let letters = |text: &str| text.chars().filter(char::is_ascii_lowercase).count();
        let wanted: usize = places.iter().filter(|p| p.3 > 0.5).map(|p| p.0.len()).sum();
        let found: usize = texts(words).iter().map(|t| letters(t)).sum();
        // The same letter twice in one place is one letter.
        prop_assert!(found <= places.iter().map(|p| p.0.len()).sum());
        prop_assert!(wanted == 0 || found > 0);
    }
}
