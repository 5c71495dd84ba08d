//! Decides what a run of words is to the conditions beside it: the name of their column, words that lead to them, or a
//! topic. Pure. Words that introduce a condition without naming its column are *not* here (`leading`).

use super::*;

/// The most words between a run and the day or name that it leads to, if all of them mean nothing by themselves.
const LEAD_WORDS: usize = 6;

impl Reading<'_> {
    /// Whether a run names the column of a condition close to it: `with euro as the billing currency`. Columns of days and
    /// numbers do not count, because the question may ask for them, too.
    pub(super) fn names_condition(&self, run: &Range<usize>) -> bool {
        let is_text = |column: &KnownColumn| column.kind() == ColumnKind::Text;
        let fit = self.fit(run.clone(), is_text);
        fit.is_some_and(|fit| self.is_on(&fit, &self.linked.conditions))
            && (self.leads_to_mention(run) || self.is_behind_mention(run))
    }

    /// Whether only words that mean nothing by themselves stand between a run and the next mention.
    pub(super) fn leads_to_mention(&self, run: &Range<usize>) -> bool {
        let mut starts = self.mentions.iter().map(|mention| mention.start);
        let is_open = !self.linker.tokens[run.end - 1].is_last;
        is_open && starts.any(|start| run.end <= start && self.is_idle_between(run.end, start))
    }

    /// The same for a mention before the run.
    fn is_behind_mention(&self, run: &Range<usize>) -> bool {
        let mut ends = self.mentions.iter().map(|mention| mention.end);
        ends.any(|end| end <= run.start && self.is_idle_between(end, run.start))
    }

    /// Whether at most [`LEAD_WORDS`] words without a meaning of their own stand from one token to another, in one clause.
    pub(super) fn is_idle_between(&self, from: usize, to: usize) -> bool {
        let is_open = |at: usize| !self.linker.tokens[at].is_last;
        to - from <= LEAD_WORDS
            && (from..to).all(is_open)
            && (from..to).all(|at| {
                !self.is_taken[at]
                    && (words::is_filler(self.word(at))
                        || self.is_called(self.word(at))
                        || words::period(self.word(at)).is_some()
                        || self.is_idiom(at))
                    && !is_of(self.word(at), "and or but nor")
            })
    }

    /// Whether a run is what documents are about: `contracts about parties`.
    pub(super) fn is_topic(&self, run: &Range<usize>) -> bool {
        let is_article = |at: &usize| is_of(self.word(*at), "the a an any their our its");
        let before = (0..run.start).rev().find(|at| !is_article(at));
        // `What about the net amount?`
        let is_asked = |at: usize| at > 0 && is_of(self.word(at - 1), "what how");
        before.is_some_and(|at| {
            is_of(self.word(at), "about regarding concerning mentioning") && !is_asked(at)
        })
    }

    /// Whether a word is part of an idiom that means nothing to a table: `at some point in 2019`, `in the course of 2019`,
    /// `billing took place`, `the price from start to finish`.
    pub(super) fn is_idiom(&self, at: usize) -> bool {
        let near = |at: Option<usize>| {
            let token = at.and_then(|at| self.linker.tokens.get(at));
            token.map_or("", |token| token.lower.as_str())
        };
        let (before, after) = (near(at.checked_sub(1)), near(Some(at + 1)));
        match self.word(at) {
            "point" | "time" | "stage" | "moment" | "day" => is_of(before, "some any one"),
            "course" | "span" | "space" => before == "the" && is_of(after, "of from between"),
            "took" | "takes" | "taken" | "taking" => is_of(after, "place effect"),
            "place" => is_of(before, "took takes taken take taking"),
            "past" => (near(at.checked_sub(2)), before) == ("in", "the"),
            "start" => (before, after) == ("from", "to") && near(Some(at + 2)) == "finish",
            "finish" => before == "to" && near(at.checked_sub(2)) == "start",
            _ => false,
        }
    }
}
