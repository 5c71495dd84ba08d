//! Cuts out the part of a text around the sentences that match a query best: for noisy scans, and for models that lose
//! track in a whole chunk. Pure.
//!
//! Sentences and lines stay whole, so a citation still quotes what the source says.

use envelope::{Passage, Place, told_places};
use std::collections::HashSet;
use std::ops::Range;
use text::{unaccented, words};

/// What a word with a digit counts for, beside others: a part number says more than a noun.
const IDENTIFIER_WEIGHT: u32 = 2;
/// Stands where text was left out.
const LEFT_OUT: &str = "…";

/// Leaves at most about `chars` characters of the text of `passage`: the neighbouring sentences that have most of the
/// words of `query`. Nothing changes when it fits. A sentence that is longer by itself is cut between words.
pub fn narrow(passage: &mut Passage, query: &str, chars: usize) {
    let Some(kept) = window(&passage.text, query, chars) else {
        return;
    };
    let mark = |is_cut: bool| if is_cut { LEFT_OUT } else { "" };
    let space = |is_cut: bool| if is_cut { " " } else { "" };
    let left_out = |range: Range<usize>| !passage.text[range].trim().is_empty();
    let before = left_out(0..kept.start);
    let after = left_out(kept.end..passage.text.len());
    let start = mark(before).len() + space(before).len();
    let text = format!(
        "{}{}{}{}{}",
        mark(before),
        space(before),
        &passage.text[kept.clone()],
        space(after),
        mark(after)
    );
    let first = passage.place_at(kept.start);
    let inside = passage
        .places
        .iter()
        .filter(|place| kept.contains(&(place.at as usize)));
    let moved = inside.map(|place| Place {
        at: u32::try_from(place.at as usize - kept.start + start).unwrap_or(u32::MAX),
        ..place.clone()
    });
    (passage.page, passage.line) = (first.page, first.line);
    passage.places = told_places(
        std::iter::once(Place { at: 0, ..first }).chain(moved),
        &text,
    );
    passage.text = text;
}

/// The part of a text that is kept; `None` when all of it is.
pub fn window(text: &str, query: &str, chars: usize) -> Option<Range<usize>> {
    if text.chars().count() <= chars {
        return None;
    }
    let wanted: HashSet<String> = content(query).collect();
    let whole = sentences(text, usize::MAX).into_iter();
    let ranges = whole.flat_map(|whole| {
        let said = &text[whole.clone()];
        // One that is too long is cut so finely that what matches stands near its beginning.
        let is_long = said.chars().count() > chars;
        let most = if is_long {
            chars.div_ceil(8)
        } else {
            usize::MAX
        };
        let parts = sentences(said, most).into_iter();
        parts.map(move |part| whole.start + part.start..whole.start + part.end)
    });
    let pieces: Vec<Piece> = ranges
        .map(|range| {
            let words = content(&text[range.clone()]);
            Piece {
                chars: text[range.clone()].chars().count(),
                has: words.filter(|word| wanted.contains(word)).collect(),
                range,
            }
        })
        .collect();
    let window = best(&pieces, chars);
    let kept = &text[window];
    let from = kept.trim_start().as_ptr() as usize - text.as_ptr() as usize;
    Some(from..from + kept.trim().len())
}

/// The content words of a text, with and without accents alike.
fn content(text: &str) -> impl Iterator<Item = String> {
    words::content(&unaccented(text)).into_iter()
}

/// A sentence, how long it is, and what of the query it has.
struct Piece {
    range: Range<usize>,
    chars: usize,
    has: HashSet<String>,
}

/// The stretch of whole sentences that fits and has most of the query: from one that has some of it on
/// as far as fits, then as much before it; of several the first. The beginning where nothing matches.
fn best(pieces: &[Piece], chars: usize) -> Range<usize> {
    let (mut best, mut window, mut room) = (0, 0..0, 0);
    for from in 0..pieces.len() {
        if from > 0 && pieces[from].has.is_empty() {
            continue;
        }
        let mut there: HashSet<&str> = HashSet::new();
        let (mut length, mut to) = (0, from);
        while to < pieces.len() && (to == from || length + pieces[to].chars <= chars) {
            length += pieces[to].chars;
            there.extend(pieces[to].has.iter().map(String::as_str));
            to += 1;
        }
        let worth = there.into_iter().map(weight).sum::<u32>();
        if from == 0 || worth > best {
            (best, window, room) = (worth, from..to, chars.saturating_sub(length));
        }
    }
    while window.start > 0 && pieces[window.start - 1].chars <= room {
        window.start -= 1;
        room -= pieces[window.start].chars;
    }
    pieces[window.start].range.start..pieces[window.end - 1].range.end
}

fn weight(word: &str) -> u32 {
    match word.contains(|c: char| c.is_ascii_digit()) {
        true => IDENTIFIER_WEIGHT,
        false => 1,
    }
}

/// The sentences and lines of a text, without a gap between them; none over `chars` characters.
fn sentences(text: &str, chars: usize) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let (mut from, mut length, mut last_space) = (0, 0, 0);
    let mut signs = text.char_indices().peekable();
    while let Some((at, sign)) = signs.next() {
        let end = at + sign.len_utf8();
        length += 1;
        if sign.is_whitespace() {
            last_space = end;
        }
        let next = signs.peek().map(|(_, next)| *next);
        let ends = matches!(sign, '.' | '?' | '!' | '。' | '？' | '！')
            && next.is_none_or(char::is_whitespace);
        let to = match () {
            () if sign == '\n' || ends || next.is_none() => end,
            () if length < chars => continue,
            () if last_space > from => last_space,
            () => end,
        };
        ranges.push(from..to);
        length = text[to..end].chars().count();
        from = to;
    }
    if from < text.len() {
        ranges.push(from..text.len());
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn context(text: &str, query: &str, chars: usize) -> String {
        let mut passage = testkit::model::passage("a", text);
        narrow(&mut passage, query, chars);
        passage.text
    }

    const TEXT: &str = "The pump stands in hall 3. It was painted green in 2019.\n\
        The guarantee of the Delta pump is 24 months. It begins with delivery.\n\
        Spare parts are kept for ten years. Ask the office for AX-1042.";

    #[test]
    fn the_sentences_that_match_are_kept_whole() {
        assert_eq!(
            context(TEXT, "How long is the guarantee on the Delta pump?", 80),
            "… The guarantee of the Delta pump is 24 months. It begins with delivery. …"
        );
        assert_eq!(
            context(TEXT, "AX-1042", 80),
            "… Spare parts are kept for ten years. Ask the office for AX-1042."
        );
        assert_eq!(
            context(TEXT, "nothing of it", 30),
            "The pump stands in hall 3. …",
            "where nothing matches, the beginning"
        );
    }

    #[test]
    fn what_is_kept_still_knows_where_it_stands() {
        let mut passage = testkit::model::passage("a", TEXT);
        passage.line = 11;
        let third = TEXT.find("Spare").unwrap();
        let place = |at: usize, line, page| Place {
            at: at as u32,
            line,
            page: Some(page),
            page_name: None,
        };
        passage.places = vec![place(0, 11, 2), place(third, 14, 3)];
        narrow(&mut passage, "guarantee delivery spare parts", 120);
        assert!(
            passage.text.starts_with("… The guarantee"),
            "{}",
            passage.text
        );
        assert_eq!((passage.line, passage.page), (12, Some(2)));
        for (word, line, page) in [("begins", 12, 2), ("Spare", 14, 3), ("kept", 14, 3)] {
            let at = passage.text.find(word).unwrap();
            let found = passage.place_at(at);
            assert_eq!((found.line, found.page), (line, Some(page)), "{word}");
        }
    }

    #[test]
    fn a_text_that_fits_stays_as_it_is() {
        assert_eq!(context(TEXT, "guarantee", 4_000), TEXT);
        assert_eq!(context("", "guarantee", 80), "");
    }

    #[test]
    fn a_long_sentence_is_cut_between_words() {
        let text = "word ".repeat(100) + "needle " + &"word ".repeat(100);
        let cut = context(&text, "needle", 100);
        assert!(
            cut.contains("needle") && cut.chars().count() <= 104,
            "{cut}"
        );
        assert!(
            cut.split(' ').all(|w| ["word", "needle", "…"].contains(&w)),
            "{cut}"
        );
    }

    proptest! {
        #[test]
        fn a_window_is_short_and_stands_in_the_text(
            text in "([a-zäß]{1,9}[ .\\n]|\\PC){0,200}",
            query in "[a-zä ]{0,20}",
            chars in 1usize..200,
        ) {
            let cut = context(&text, &query, chars);
            prop_assert!(cut.chars().count() <= chars + 4 || cut == text);
            let bare = cut.strip_prefix("… ").unwrap_or(&cut);
            prop_assert!(text.contains(bare.strip_suffix(" …").unwrap_or(bare)));
        }
    }
}
