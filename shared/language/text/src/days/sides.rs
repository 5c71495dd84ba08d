//! Parses the words around a span that say on which side of it the days are. Pure.

use super::SpanSide;
use super::read::Reader;
use crate::lists::Phrases;
use std::sync::LazyLock;

static BEFORE: LazyLock<Phrases<SpanSide>> = LazyLock::new(|| {
    Phrases::of([
        (both!(side_until), SpanSide::Until),
        (both!(side_since), SpanSide::Since),
        (both!(side_in), SpanSide::In),
        (both!(side_before), SpanSide::Before),
        (both!(side_after), SpanSide::After),
    ])
});
static BEHIND: LazyLock<Phrases<SpanSide>> = LazyLock::new(|| {
    Phrases::of([
        (both!(behind_since), SpanSide::Since),
        (both!(behind_until), SpanSide::Until),
    ])
});

impl Reader<'_> {
    /// The side that the words at the beginning say, with the number of those words. The flag says whether the words
    /// announce a time for certain: `by May` may also name a person.
    pub(super) fn side_before(&self) -> Option<(usize, SpanSide, bool)> {
        let (length, side) = BEFORE.at(|at| self.word(at))?;
        let is_weak = length == 1 && self.is(0, both!(side_weak)) || self.says(0, "as of");
        Some(match self.point(length) {
            Some((point, is_end)) => (length + point, at_point(side, is_end), true),
            None => (length, side, !is_weak),
        })
    }

    /// The side that words behind a span say, with the number of those words.
    pub(super) fn side_behind(&self, at: usize) -> Option<(usize, SpanSide)> {
        let is_closed = self.is_behind(0, both!(from)) && self.is(at, both!(behind_from));
        let closed = is_closed.then_some((1, SpanSide::Since));
        BEHIND.at(|place| self.word(at + place)).or(closed)
    }

    /// A point of a span, `the end of` or `the very beginning of`: the number of its words, and whether it is the end.
    fn point(&self, at: usize) -> Option<(usize, bool)> {
        let skipped = (at..)
            .take_while(|at| matches!(self.word(*at), "the" | "very"))
            .count();
        let is_end = self.is(at + skipped, both!(point_end));
        (is_end || self.is(at + skipped, both!(point_start))).then_some(())?;
        (self.word(at + skipped + 1) == "of").then_some((skipped + 2, is_end))
    }
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
