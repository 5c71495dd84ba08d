//! Finds times of which a condition knows only a part: `the first and third quarter of 2024`, `at the beginning of 2024`.
//! Pure. A table under such a condition would be exact and wrong.

use super::*;
use crate::days::Grain;

impl Reading<'_> {
    /// The words of a time that is only read in part.
    pub(super) fn unread_time(&self) -> Option<String> {
        let spans = self.linker.mentions.iter().filter_map(|mention| {
            let Named::Days(span) = &mention.what else {
                return None;
            };
            Some((mention.at.clone(), span.grain))
        });
        let spans: Vec<(Range<usize>, Grain)> = spans.collect();
        let found = spans.iter().enumerate().find_map(|(place, (at, _))| {
            let next = spans.get(place + 1);
            self.begins_before(at.start)
                .or_else(|| self.has_further_year(at, next?))
        });
        found.map(|part| format!("`{}` is only read in part", self.said(&part)))
    }

    /// The words from a part before a span to the span: `first and` before `third quarter of 2024`.
    fn begins_before(&self, start: usize) -> Option<Range<usize>> {
        let word = |back: usize| match start.checked_sub(back) {
            Some(at) if !self.is_mention(at) => self.word(at),
            _ => "",
        };
        let is_joined = is_of(word(1), "and or to through until and/or &");
        let is_part =
            |at: usize| is_of(word(at), words!(points)) && !is_of(word(at + 1), "by until till");
        let length = match () {
            () if is_joined && is_of(word(2), words!(ordinals)) => 2,
            () if is_of(word(1), words!(about)) => 1,
            // Not `that fall in 2024`.
            () if word(1) == "in" && is_of(word(2), "early late") => 2,
            () if word(1) == "of" && (is_part(2) || is_of(word(2), words!(within))) => 2,
            () => return None,
        };
        Some(start - length..start + 1)
    }

    /// A span of a year with only a year behind it: `March of 2023 and 2024`.
    fn has_further_year(
        &self,
        at: &Range<usize>,
        next: &(Range<usize>, Grain),
    ) -> Option<Range<usize>> {
        let (behind, grain) = next;
        let is_joined = behind.start == at.end + 1 && is_of(self.word(at.end), "and or and/or &");
        let is_year =
            behind.len() == 1 && matches!(grain, Grain::Years(one, other) if one == other);
        let has_month = at.clone().any(|at| {
            let word = self.word(at);
            word.len() > 2 && text::months::number_in_date(word).is_some()
                || is_of(word, "quarter quarters half halves q1 q2 q3 q4 h1 h2")
        });
        (is_joined && is_year && has_month).then_some(at.start..behind.end)
    }

    pub(super) fn is_mention(&self, at: usize) -> bool {
        self.mentions.iter().any(|mention| mention.contains(&at))
    }
}
