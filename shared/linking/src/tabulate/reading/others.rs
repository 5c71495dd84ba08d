//! Finds words that mean other documents than those that satisfy the conditions: those of a second bucket, those with a
//! greater or smaller text, and those with the value `A`, if no column has it. Pure.

use super::*;

/// How many words behind `and above` may stand before the amount or the day that it compares.
const NEAR: usize = 3;

impl Reading<'_> {
    /// Why a table of the documents under these conditions would be one of others than are meant.
    pub(super) fn means_others(&self) -> Option<String> {
        let mut all = 0..self.is_taken.len();
        if let Some(at) = all.clone().find(|at| self.is_second_bucket(*at)) {
            return Some(format!("`{}` are other documents", self.word(at)));
        }
        let mut mentions = self.linker.mentions.iter();
        if let Some(mention) = mentions.find(|mention| self.is_compared(mention)) {
            let said = self.said(&mention.at);
            return Some(format!("`{said}` is no number that could be compared"));
        }
        // The capital says that it is no article.
        let is_letter = |at: usize| {
            let token = &self.linker.tokens[at];
            token.text == "A" && !token.is_first && !self.is_mention(at)
        };
        all.any(is_letter)
            .then(|| "`A` is no condition on a column".into())
    }

    /// Whether a value that is a text is compared as numbers are: `below grade B`, `grade B and above`.
    fn is_compared(&self, mention: &Mention) -> bool {
        let word = |at: Option<usize>| {
            let token = at.and_then(|at| self.linker.tokens.get(at));
            token.map_or("", |token| token.lower.as_str())
        };
        let (start, end) = (mention.at.start, mention.at.end);
        let (before, second) = (word(start.checked_sub(1)), word(start.checked_sub(2)));
        let is_before = is_of(before, words!(others_comparing))
            || before == "than" && is_of(second, words!(than));
        let (joining, behind) = (word(Some(end)), word(Some(end + 1)));
        // `from Acme and above 500` compares an amount.
        let is_of_next = || {
            let mut mentions = self.mentions.iter();
            mentions.any(|next| (end + 1..=end + NEAR).contains(&next.start))
        };
        let is_behind =
            is_of(joining, "and or") && is_of(behind, words!(compared)) && !is_of_next();
        matches!(mention.what, Named::Value(_)) && (is_before || is_behind)
    }

    /// Whether a word beside the noun of the question names another bucket: `how many invoices and receipts`.
    fn is_second_bucket(&self, at: usize) -> bool {
        let Some(subject) = &self.linker.frame.subject else {
            return false;
        };
        let word = |at: usize| self.linker.tokens.get(at).map_or("", |token| &token.lower);
        let is_joined = |at: usize| is_of(word(at), "and or and/or & plus nor");
        let is_behind = at == subject.end + 1 && is_joined(subject.end);
        let is_before = at + 2 == subject.start && is_joined(at + 1);
        let bucket = self.linker.dictionary.bucket_called(word(at));
        (is_behind || is_before) && bucket.is_some() && bucket != self.bucket
    }
}
