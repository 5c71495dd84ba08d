//! Parses the words around a span that say on which side of it the days are. Pure.

use super::SpanSide;

/// Words before a span, the longest first.
const BEFORE: [(&str, SpanSide); 82] = [
    ("up to and including", SpanSide::Until),
    ("on or later than", SpanSide::Since),
    ("at the latest by", SpanSide::Until),
    ("in the course of", SpanSide::In),
    ("on or prior to", SpanSide::Until),
    ("on or subsequent to", SpanSide::Since),
    ("at the earliest on", SpanSide::Since),
    ("at the latest on", SpanSide::Until),
    ("in the run-up to", SpanSide::Before),
    ("at some point in", SpanSide::In),
    ("at any point in", SpanSide::In),
    ("at any time in", SpanSide::In),
    ("no sooner than", SpanSide::Since),
    ("any time after", SpanSide::After),
    ("any time before", SpanSide::Before),
    ("any time since", SpanSide::Since),
    ("more recent than", SpanSide::After),
    ("not earlier than", SpanSide::Since),
    ("not later than", SpanSide::Until),
    ("no earlier than", SpanSide::Since),
    ("no later than", SpanSide::Until),
    ("no older than", SpanSide::Since),
    ("no newer than", SpanSide::Until),
    ("in or after", SpanSide::Since),
    ("in or before", SpanSide::Until),
    ("during or after", SpanSide::Since),
    ("during or before", SpanSide::Until),
    ("at or after", SpanSide::Since),
    ("at or before", SpanSide::Until),
    ("on or after", SpanSide::Since),
    ("on or before", SpanSide::Until),
    ("on and after", SpanSide::Since),
    ("any time in", SpanSide::In),
    ("some time in", SpanSide::In),
    ("not prior to", SpanSide::Since),
    ("not subsequent to", SpanSide::Until),
    ("from and including", SpanSide::Since),
    ("in advance of", SpanSide::Before),
    ("with effect from", SpanSide::Since),
    ("some point in", SpanSide::In),
    ("starting from", SpanSide::Since),
    ("starting with", SpanSide::Since),
    ("beginning with", SpanSide::Since),
    ("all through", SpanSide::In),
    ("right through", SpanSide::In),
    ("all throughout", SpanSide::In),
    ("sometime in", SpanSide::In),
    ("not before", SpanSide::Since),
    ("not after", SpanSide::Until),
    ("ahead of", SpanSide::Before),
    ("as from", SpanSide::Since),
    ("as of", SpanSide::Since),
    ("up until", SpanSide::Until),
    ("earlier than", SpanSide::Before),
    ("sooner than", SpanSide::Before),
    ("older than", SpanSide::Before),
    ("prior to", SpanSide::Before),
    ("later than", SpanSide::After),
    ("newer than", SpanSide::After),
    ("younger than", SpanSide::After),
    ("up to", SpanSide::Until),
    ("through to", SpanSide::Until),
    ("subsequent to", SpanSide::After),
    ("posterior to", SpanSide::After),
    ("anterior to", SpanSide::Before),
    ("commencing on", SpanSide::Since),
    ("within", SpanSide::In),
    ("before", SpanSide::Before),
    ("after", SpanSide::After),
    ("since", SpanSide::Since),
    ("until", SpanSide::Until),
    ("till", SpanSide::Until),
    ("through", SpanSide::Until),
    ("by", SpanSide::Until),
    ("following", SpanSide::After),
    ("preceding", SpanSide::Before),
    ("predating", SpanSide::Before),
    ("past", SpanSide::After),
    ("beyond", SpanSide::After),
    ("post", SpanSide::After),
    ("antedating", SpanSide::Before),
    ("postdating", SpanSide::After),
];

/// Words behind a span.
const BEHIND: [(&str, SpanSide); 17] = [
    ("onwards", SpanSide::Since),
    ("onward", SpanSide::Since),
    ("or later", SpanSide::Since),
    ("and later", SpanSide::Since),
    ("or after", SpanSide::Since),
    ("and after", SpanSide::Since),
    ("or newer", SpanSide::Since),
    ("and newer", SpanSide::Since),
    ("and beyond", SpanSide::Since),
    ("or more recent", SpanSide::Since),
    ("at the earliest", SpanSide::Since),
    ("or earlier", SpanSide::Until),
    ("and earlier", SpanSide::Until),
    ("or before", SpanSide::Until),
    ("and before", SpanSide::Until),
    ("or older", SpanSide::Until),
    ("at the latest", SpanSide::Until),
];

/// Words that close a span which `from` opens: `from 2021 on`.
const BEHIND_FROM: [&str; 2] = ["on", "forward"];

/// The side that words before a span say, with the number of those words. The flag says whether the words announce a
/// time for certain: `by May` may also name a person.
pub(super) fn before(words: &[&str]) -> Option<(usize, SpanSide, bool)> {
    let (said, side) = BEFORE.iter().find(|(said, _)| begin(words, said))?;
    let is_time = !matches!(*said, "by" | "past" | "following" | "preceding" | "as of");
    let length = said.split(' ').count();
    let (point, side) = match point(&words[length..]) {
        Some((skipped, is_end)) => (skipped, at_point(*side, is_end)),
        None => (0, *side),
    };
    Some((length + point, side, is_time || point > 0))
}

/// The side that words behind a span say, with the number of those words. `opener` is the word before the span.
pub(super) fn behind(words: &[&str], opener: &str) -> Option<(usize, SpanSide)> {
    if let Some((said, side)) = BEHIND.iter().find(|(said, _)| begin(words, said)) {
        return Some((said.split(' ').count(), *side));
    }
    let is_open = opener == "from" && words.first().is_some_and(|word| BEHIND_FROM.contains(word));
    is_open.then_some((1, SpanSide::Since))
}

/// A point of a span, `the end of` or `the very beginning of`: the number of its words, and whether it is the end.
fn point(words: &[&str]) -> Option<(usize, bool)> {
    let skipped = words
        .iter()
        .take_while(|word| matches!(**word, "the" | "very"))
        .count();
    let is_end = match *words.get(skipped)? {
        "end" | "close" => true,
        "beginning" | "start" | "outset" => false,
        _ => return None,
    };
    (*words.get(skipped + 1)? == "of").then_some((skipped + 2, is_end))
}

/// The side of the whole span that follows from a side of one of its ends.
fn at_point(side: SpanSide, is_end: bool) -> SpanSide {
    match (side, is_end) {
        (SpanSide::Before | SpanSide::Until, true) => SpanSide::Until,
        (SpanSide::Before | SpanSide::Until, false) => SpanSide::Before,
        (SpanSide::After | SpanSide::Since, true) => SpanSide::After,
        (SpanSide::After | SpanSide::Since, false) => SpanSide::Since,
        (SpanSide::In, _) => SpanSide::In,
    }
}

fn begin(words: &[&str], said: &str) -> bool {
    let mut said = said.split(' ').enumerate();
    said.all(|(at, word)| words.get(at) == Some(&word))
}
