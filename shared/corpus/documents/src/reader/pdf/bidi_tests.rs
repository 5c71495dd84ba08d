//! Tests of the reading order: text is put as a page shows it, and comes as people read it.

use super::*;
use proptest::prelude::*;

/// Letters from left to right, of half a size each.
fn shown(text: &str, x: f64) -> Vec<Placed> {
    let glyph = |(i, c): (usize, char)| Placed {
        turn: 0,
        start: x + i as f64 * 5.0,
        end: x + (i + 1) as f64 * 5.0,
        base: 100.0,
        size: 10.0,
        text: c.to_string(),
    };
    text.chars().enumerate().map(glyph).collect()
}

fn text(glyphs: Vec<Placed>) -> String {
    let ordered = in_reading_order(glyphs);
    assert!(
        ordered
            .windows(2)
            .all(|pair| pair[0].start <= pair[1].start)
    );
    ordered.into_iter().map(|glyph| glyph.text).collect()
}

fn read(visual: &str) -> String {
    text(shown(visual, 0.0))
}

#[test]
fn words_numbers_and_names_come_as_they_are_read() {
    // What is shown, from left to right; the letters of each word are turned, as they are on a page.
    let turned = |word: &str| word.chars().rev().collect::<String>();
    let (ship, sails, of) = (turned("הספינה"), turned("מפליגה"), turned("של"));
    for (visual, logical) in [
        (format!("{sails} {ship}"), "הספינה מפליגה"),
        (
            format!(".{sails} Karl Weber {of} {ship}"),
            "הספינה של Karl Weber מפליגה.",
        ),
        (format!("12.5% ,{ship}"), "הספינה, 12.5%"),
        (format!("ISO 9001 {ship}"), "הספינה ISO 9001"),
        (format!("14/03/2026 {ship}"), "הספינה 14/03/2026"),
        (format!("{sails} Python{ship}"), "הספינה Python מפליגה"),
        (
            format!("The word {ship} means ship."),
            "The word הספינה means ship.",
        ),
    ] {
        assert_eq!(read(&visual), logical);
    }
}

#[test]
fn brackets_are_named_by_what_they_mean() {
    let (word, note): (String, String) = (
        "ספינה".chars().rev().collect(),
        "גדולה".chars().rev().collect(),
    );
    assert_eq!(read(&format!("({note}) {word}")), "ספינה (גדולה)");
    assert_eq!(read(&format!("){note}( {word}")), "ספינה (גדולה)");
}

#[test]
fn ligatures_and_accents_belong_to_their_letters() {
    let mut glyphs = shown("مXس", 0.0);
    glyphs[1].text = "لا".into();
    assert_eq!(text(glyphs), "سلام");
    // An accent is drawn where its letter begins, before it or after it.
    let mut glyphs = shown("دب", 0.0);
    let accent = |start| Placed {
        text: "\u{64e}".into(),
        start,
        end: start,
        ..glyphs[0].clone()
    };
    let over = [accent(0.0), accent(5.0)];
    glyphs.extend(over);
    assert_eq!(text(glyphs), "بَدَ");
    assert_eq!(read("بـــك"), "كب");
}

#[test]
fn the_order_of_drawing_does_not_matter_and_cells_come_from_the_right() {
    let mut glyphs = shown("בא", 200.0);
    glyphs.reverse();
    glyphs.extend(shown("דג", 0.0));
    let ordered = in_reading_order(glyphs);
    let said: Vec<(&str, f64)> = ordered.iter().map(|g| (g.text.as_str(), g.start)).collect();
    assert_eq!(
        said,
        [("א", -210.0), ("ב", -205.0), ("ג", -10.0), ("ד", -5.0)]
    );
}

#[test]
fn other_pages_stay_as_they_are() {
    let mut glyphs = shown("last", 50.0);
    glyphs.extend(shown("first (1)", 0.0));
    assert_eq!(in_reading_order(glyphs.clone()), glyphs);
}

proptest! {
    #[test]
    fn no_letter_is_lost(visual in "[a-c0-3א-ת، ()\u{64e}ء-ي]{0,30}") {
        let sorted = |text: &str| {
            let mut chars: Vec<char> = text.chars().filter(|c| c.is_alphanumeric() && *c != '\u{640}').collect();
            chars.sort_unstable();
            chars
        };
        let found: String = in_reading_order(shown(&visual, 0.0)).into_iter().map(|g| g.text).collect();
        prop_assert_eq!(sorted(&found), sorted(&visual));
    }
}
