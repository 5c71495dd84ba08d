//! Words that mean nothing to a table in one position and much elsewhere: `which exhibits the highest amount`, but not
//! `contracts with exhibits`. Pure. Words that introduce a condition are *not* here (`leading`), nor words that mean
//! nothing anywhere (`words`).

use super::*;

/// The most words before the verb of a request.
const POLITE_WORDS: usize = 3;

impl Reading<'_> {
    /// Whether a word means nothing in its position.
    pub(super) fn serves(&self, run: &Range<usize>) -> bool {
        let [word] = &self.linker.tokens[run.clone()] else {
            return false;
        };
        let word = word.lower.as_str();
        let near = |at: Option<usize>| {
            at.filter(|at| *at < self.is_taken.len())
                .map_or("", |at| self.word(at))
        };
        let (before, after) = (near(run.start.checked_sub(1)), near(Some(run.end)));
        let is_most = matches!(
            self.operation,
            Some(ColumnOperation::Largest | ColumnOperation::Smallest)
        );
        let is_number = |at: Option<usize>| {
            let at = at.filter(|at| *at < self.is_taken.len());
            at.is_some_and(|at| self.fit(at..at + 1, phrase::is_number).is_some())
        };
        let is_behind_mention = || {
            self.mentions
                .iter()
                .any(|mention| mention.end + 1 == run.start)
        };
        match word {
            word if is_of(word, words!(serving_comparing))
                && self.linked.intent == Intent::Compare =>
            {
                true
            }
            word if is_of(word, words!(of_two)) && self.is_between_two() => true,
            // `exhibits the lowest spend`, `ranks highest`
            word if is_of(word, words!(serving_having)) && is_most => {
                after == "the" || words::operation(after).is_some()
            }
            // In `one line per supplier` the word says nothing, but in `how many lines per invoice` it does.
            "line" | "row" => words::is_per(after) && is_of(before, "one a single"),
            "expressed" => after == "as",
            // `the admissible voltage`, `the voltage limit`, `the mean level of expenditure`
            word if is_of(word, words!(limiting)) => is_number(Some(run.end)),
            "limit" | "limits" => is_number(run.start.checked_sub(1)),
            "level" | "levels" => {
                after == "of" && self.needs_measure() || is_number(run.start.checked_sub(1))
            }
            // `does the register contain`, `held in the register`
            word if is_of(word, words!(keeping)) => {
                before == "the" && is_of(near(run.start.checked_sub(2)), "in does from")
            }
            "contain" | "contains" | "include" | "includes" => is_of(before, words!(keeping)),
            // `that ISO 9001 is met`
            "met" | "fulfilled" | "satisfied" => {
                is_of(before, "is are was were") && is_behind_mention()
            }
            "calculate" | "compute" | "determine" => run.start <= POLITE_WORDS,
            "based" => after == "on",
            // `two counts: one for Acme, one for Bolt`
            "two" | "both" => is_of(after, "counts numbers figures totals"),
            // `judged by its net amount`
            "judged" | "measured" | "ranked" => after == "by" && is_most,
            // `for adhering to ISO 9001`
            word if is_of(word, words!(complying)) => is_of(after, "to with"),
            word if self.is_called(word) => {
                before == "of"
                    || self.is_called_behind(run.start)
                    || self.mentions.iter().any(|mention| mention.end == run.start)
            }
            _ => self.is_apposition(run),
        }
    }

    /// Whether a word stands behind the noun and a preposition: `certificates from audits`.
    fn is_called_behind(&self, at: usize) -> bool {
        let subject = self.linker.frame.subject.as_ref();
        let is_next = subject.is_some_and(|subject| subject.end + 1 == at);
        is_next && is_of(self.word(at - 1), "from for on")
    }

    /// Whether a noun only says what kind of thing the name beside it is: `from the auditor Acme`, `where the provider
    /// is Acme`. A noun for buyers does not count if the column holds sellers, and the other way round. A word that
    /// describes documents does not count either: `the disputed Acme invoices`.
    fn is_apposition(&self, run: &Range<usize>) -> bool {
        let role = self.word(run.start);
        let opposite = match (is_of(role, words!(selling)), is_of(role, words!(buying))) {
            (true, _) => words!(buying),
            (_, true) => words!(selling),
            _ if is_of(role, words!(called)) => "",
            _ => return false,
        };
        if self.conditions_say(opposite) {
            return false;
        }
        let word = |back: usize| run.start.checked_sub(back).map_or("", |at| self.word(at));
        let is_at = |at: usize| self.mentions.iter().any(|mention| mention.start == at);
        let is_is = self
            .linker
            .tokens
            .get(run.end)
            .is_some_and(|next| is_of(&next.lower, "is are was were"));
        match (word(2), word(1)) {
            ("where" | "whose", "the") | (_, "whose" | "where") => is_is && is_at(run.end + 1),
            ("from" | "by" | "with" | "for" | "of" | "to", "the" | "our") => is_at(run.end),
            _ => false,
        }
    }

    /// Whether the name or description of a column with a condition has one of some words.
    fn conditions_say(&self, known: &str) -> bool {
        let mut conditions = self.linked.conditions.iter().chain(&self.linked.parts);
        conditions.any(|condition| self.column_says(&condition.field, known))
    }

    /// Whether the name or description of a column has one of some words.
    pub(super) fn column_says(&self, field: &str, known: &str) -> bool {
        let says = |column: &KnownColumn| {
            let described = column
                .said
                .description
                .split(|c: char| !c.is_alphanumeric());
            let mut described = described.map(str::to_lowercase);
            column.words.iter().any(|word| is_of(word, known))
                || described.any(|word| is_of(&word, known))
        };
        let mut columns = self.linker.dictionary.columns(self.bucket);
        columns.any(|(_, column)| column.field == field && says(column))
    }
}
