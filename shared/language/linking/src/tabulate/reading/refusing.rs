//! Finds words that say which documents are meant although no condition can express it. Pure.
//!
//! Such words are a state that only some documents are in (`open invoices`), a column that documents have to have or to
//! lack (`without a due date`), a column whose values are asked for instead of documents (`how many vendors`), a time of
//! which a condition knows only a part (`the first and third quarter of 2024`), and other documents (`invoices and
//! receipts`). A table that ignored them would be exact and wrong, so these questions get none.

use super::*;
use crate::days::Grain;
use crate::linked::Test;

/// How many words behind a state are searched for the condition that it introduces.
const LEAD_WORDS_MAX: usize = 6;
/// The most words between one that excludes and what it excludes.
const EXCLUDED_WORDS: usize = 9;
/// How many words behind `and above` may stand before the amount or the day that it compares.
const COMPARED_WORDS: usize = 3;

impl Reading<'_> {
    /// Why there is no table for a question with this run, if the run is such a word.
    pub(super) fn refused(&self, run: &Range<usize>) -> Option<String> {
        let said = || self.said(run);
        if run.clone().any(|at| self.is_state(at)) {
            return Some(format!("`{}` is a state that no column holds", said()));
        }
        if self.asks_whether(run) {
            return Some(format!("it asks whether documents have `{}`", said()));
        }
        if self.begins_nothing(run) {
            return Some(format!("`{}` says how something is written", said()));
        }
        let is_of_values = self.asks_for_values(run);
        is_of_values.then(|| format!("it asks for `{}` and not for documents", said()))
    }

    /// Why there is no table, if the question excludes something or asks for something that no table has, wherever the
    /// words stand: `except the paid ones`, `the newest but one`, `the median`.
    pub(super) fn is_beyond_tables(&self) -> Option<String> {
        if let Some(at) = self.all().find(|at| self.excludes_unread(*at)) {
            let word = self.word(at);
            return Some(format!("`{word}` excludes nothing that a column holds"));
        }
        if let Some(why) = self.unread_time().or_else(|| self.means_others()) {
            return Some(why);
        }
        let is_ordinal = |at: usize| {
            self.is(at, "second third fourth fifth sixth next")
                && (is_ranking(self.word(at + 1)) || is_ranking(self.word(at + 2)))
                || self.linker.tokens.says(at, "but one")
        };
        let is_ranked = self.is_most() || self.all().any(|at| is_ranking(self.word(at)));
        if is_ranked && self.all().any(is_ordinal) {
            return Some("it asks for a later place in an order".into());
        }
        if let Some(at) = self.all().find(|at| self.is_other_way(*at)) {
            let said = self.said(&(at..at + 2));
            return Some(format!("`{said}` says another role than the column has"));
        }
        if let Some(at) = self.all().find(|at| self.asks_for_any_day(*at)) {
            let word = self.word(at);
            return Some(format!("it asks whether documents have `{word}`"));
        }
        let is_statistic = |at: &usize| {
            !self.is_mention(*at)
                && (self.is(*at, words!(statistics)) || self.linker.tokens.says(*at, "share of"))
                && !self.linker.dictionary.is_column_word(self.word(*at))
        };
        let at = self.all().find(is_statistic)?;
        Some(format!("no table has the `{}`", self.word(at)))
    }

    /// Whether a word excludes something that no condition excludes. `Without tax` describes an amount, and `without a due
    /// date` is told from other words later.
    fn excludes_unread(&self, at: usize) -> bool {
        let excludes = !self.is_mention(at)
            && !self.is(at, words!(lacking))
            && !self.is(at, "less save not")
            && !self.is(at + 1, words!(taxes))
            && !self.is(at + 2, words!(taxes))
            && self.linker.takes_back(at);
        // What leaves out the siblings of a company was not said.
        let is_said = |one: &QuestionCondition| {
            let mut others = self.conditions();
            one.is_negated && !others.any(|other| !other.is_negated && other.span == one.span)
        };
        // What is excluded stands close behind the word, or right before it: `Acme excluded`.
        let is_read = || {
            self.conditions().any(is_said)
                && self.mentions.iter().any(|mention| {
                    mention.end == at && self.is(at, "excluded excepted omitted")
                        || (at + 1..=at + EXCLUDED_WORDS).contains(&mention.start)
                })
        };
        excludes && !is_read()
    }

    /// Whether a verb gives a name another role than that of the column in which the name is: `sent to Acme`, `paid by
    /// Acme`, where Acme is a seller.
    fn is_other_way(&self, at: usize) -> bool {
        let after = self.word(at + 1);
        // `passed on to Acme`
        let is_to = after == "to" || is_of(after, "on over out") && self.word(at + 2) == "to";
        let is_turned = is_to && self.is(at, words!(given_to))
            || after == "by" && self.is(at, words!(taken_by));
        let is_name = |mention: &&Mention| (at + 2..=at + 4).contains(&mention.at.start);
        let name = self.linker.mentions.iter().find(is_name);
        let is_seller = |mention: &Mention| {
            let Named::Value(key) = &mention.what else {
                return false;
            };
            let is_it = |form: &String| fold::name_key(form) == *key;
            self.conditions().any(|condition| {
                matches!(&condition.test, Test::Is(things) if things.iter().flatten().any(is_it))
                    && self.column_says(&condition.field, words!(selling))
            })
        };
        is_turned && name.is_some_and(is_seller)
    }

    /// Whether a word says that documents are in a state. `due` in `due in May`, which introduces a condition, does not.
    pub(super) fn is_state(&self, at: usize) -> bool {
        let word = self.word(at);
        let is_known = is_of(word, words!(states));
        // `current` may be a column of amperes.
        let is_current = word == "current" && self.linker.dictionary.is_column_word(word);
        if self.is_taken[at] || !(is_known || is_of(word, words!(spanning))) || is_current {
            return false;
        }
        if self.is_most() && self.table.is_day && is_of(word, words!(states_of_days)) {
            return false;
        }
        if self.is_spanning(at) || !is_known {
            return self.is_spanning(at);
        }
        if self.is_before_noun(at) {
            return true;
        }
        // `How much was paid?` asks for an amount.
        let is_sum = match self.operation {
            None => self.linker.tokens.has_pair("how", "much"),
            Some(ColumnOperation::Sum | ColumnOperation::Average) => true,
            Some(_) => false,
        };
        if is_sum && is_of(word, "paid payable due") {
            return false;
        }
        let subject = self.subject.as_ref();
        let is_behind_noun = subject.is_some_and(|subject| subject.end == at);
        let is_told = is_of(self.before(at, words!(adverbs)), words!(being))
            || is_behind_noun
            || !is_of(word, words!(done)) && self.ends(at);
        is_told && !self.leads_on(at)
    }

    /// Whether documents are to be in a state on a day, which needs the days on which it begins and ends: `running on 1
    /// January 2024`, `in force in 2023`.
    fn is_spanning(&self, at: usize) -> bool {
        let is_told = !self.is(at, "force effect") || self.back(at, 1) == "in";
        self.is(at, words!(spanning))
            && is_told
            && self.is(at + 1, "on in during throughout at")
            && self.leads_to_day(at + 1)
            && self.leads_on(at)
    }

    /// Whether a word stands before the noun of the question, with only names between.
    fn is_before_noun(&self, at: usize) -> bool {
        let is_before = |subject: &Range<usize>| {
            let noun = self.noun_start(subject);
            at < noun && (at + 1..noun).all(|at| self.is_mention(at))
        };
        self.subject.as_ref().is_some_and(is_before)
    }

    /// Whether a condition or a group follows a word, with only known words between.
    fn leads_on(&self, at: usize) -> bool {
        for next in at + 1..self.is_taken.len().min(at + 1 + LEAD_WORDS_MAX) {
            let word = self.word(next);
            if self.closes(next - 1) {
                return false;
            }
            if self.starts(next) || is_of(word, "per each every") || words::period(word).is_some() {
                return true;
            }
            let is_known = self.is_taken[next]
                || words::is_filler(word)
                || self.is_idiom(next)
                || self.linker.dictionary.is_column_word(word);
            if !is_known {
                return false;
            }
        }
        false
    }

    /// Whether documents are to have or to lack the column that a run names: `without an invoice date`, `that have a due
    /// date`.
    fn asks_whether(&self, run: &Range<usize>) -> bool {
        if self.is_without_values(run) {
            return true;
        }
        let is_tax = run.clone().any(|at| self.is(at, words!(taxes)));
        let fit = self.fit(run.clone(), |_| true);
        let is_of_side = fit.is_some_and(|fit| self.is_on(&fit, self.linked.parts.iter()));
        if is_tax || is_of_side || !self.names_column(run) || self.is_of_condition(run) {
            return false;
        }
        let second = self.back(run.start, 2);
        match self.back(run.start, 1) {
            // `with an invoice date in 2024` introduces a condition.
            "a" | "an" | "any" => {
                is_of(second, words!(lacking))
                    || is_of(second, words!(stating_having)) && !self.leads_on(run.end - 1)
            }
            "the" | "their" | "its" => is_of(second, words!(lacking)),
            first => is_of(first, words!(lacking)),
        }
    }

    /// Whether documents are to have or to lack any day: `with no date`, `that are dated`, but not `dated 3 May`.
    fn asks_for_any_day(&self, at: usize) -> bool {
        let leads = || {
            let mut mentions = self.mentions.iter();
            mentions.any(|mention| (at + 1..=at + 1 + DAY_WORDS).contains(&mention.start))
        };
        match self.word(at) {
            _ if self.is_taken[at] => false,
            "undated" => true,
            "dated" => is_of(self.before(at, words!(adverbs)), words!(being)) && !leads(),
            "date" | "dates" => {
                let has = self.before(at, "a an any the their its some");
                let is_any = is_of(self.back(at, 1), "a any some");
                is_of(has, words!(lacking))
                    || (is_of(has, "have has had having") || has == "with" && is_any) && !leads()
            }
            _ => false,
        }
    }

    /// Whether a run says of documents what a column without values says: `approved contracts`, `that are approved`. The
    /// values of columns of yes and no are not known.
    fn is_without_values(&self, run: &Range<usize>) -> bool {
        let is_empty = |fit: Fit| {
            let mut columns = fit.columns.iter();
            fit.score >= NAMED_MIN && columns.all(|id| self.column(*id).documents() == 0)
        };
        let verb = self.before(run.start, words!(adverbs));
        self.fit(run.clone(), |_| true).is_some_and(is_empty)
            && (is_of(verb, words!(being)) || self.is_before_noun(run.end - 1))
    }

    /// Whether a question is for values of the column that a run names, and not for documents: `how many vendors`,
    /// `the three largest vendors`.
    fn asks_for_values(&self, run: &Range<usize>) -> bool {
        let is_noun =
            |subject: &Range<usize>| self.noun_start(subject) <= run.end && run.start < subject.end;
        // `every number of`
        let is_group_of =
            self.back(run.start, 1) == "of" && is_of(self.back(run.start, 3), "every each per by");
        if self.subject.as_ref().is_some_and(is_noun)
            || self.joining(run).is_some()
            || is_group_of
            || self.is_of_bucket(run)
            || !self.names_column(run)
        {
            return false;
        }
        if self.operation == Some(ColumnOperation::Count) {
            let before = self.before(run.start, words!(different));
            return is_of(before, "many number count");
        }
        let is_text = || {
            let is_text = |id: &ColumnId| self.column(*id).kind() == ColumnKind::Text;
            let fit = self.fit(run.clone(), |_| true);
            self.fit(run.clone(), phrase::is_number).is_none()
                && fit.is_some_and(|fit| fit.columns.iter().all(is_text))
        };
        // `Which vendor has the highest total?` may mean one invoice, or all of the vendor.
        let is_asked = run.start == 1 && self.is(0, "which what");
        if self.is_most() && !self.is_of_most && is_asked && is_text() {
            return true;
        }
        let is_ranked = |at: usize| {
            let is_number = self.is_taken[at] && words::operation(self.word(at)).is_none();
            is_ranking(self.back(at, usize::from(is_number)))
        };
        self.is_most() && run.start > 0 && is_ranked(run.start - 1) && is_text()
    }

    /// Whether a run says how a value is written: `starting with A`.
    pub(super) fn begins_nothing(&self, run: &Range<usize>) -> bool {
        run.len() == 1
            && self.is(run.start, "starting starts start beginning begins begin")
            && self.word(run.start + 1) == "with"
            && !self.leads_on(run.start)
    }

    /// Whether documents are compared with another document: `larger than invoice 12`. A comparison with an amount is a
    /// mention, and the sides of a comparison are conditions on one column.
    pub(super) fn is_beside_another(&self) -> bool {
        let is_than = |at: usize| {
            self.word(at) == "than"
                && !self.is_mention(at)
                && !is_of(self.back(at, 1), "other rather different")
        };
        let is_compared = self.linked.intent == Intent::Compare && !self.linked.parts.is_empty();
        !is_compared && (self.all().any(is_than) || self.weighs())
    }

    /// Whether values of one column are weighed against each other, or counted one by one, in a question that is not
    /// read as a comparison: `are there more from Acme or from Bolt`, `two counts: one for Acme, one for Bolt`.
    fn weighs(&self) -> bool {
        let tokens = &self.linker.tokens;
        let is_against = |at: usize| {
            self.is(at, "against versus vs")
                && (self.ends(at) || self.is(at + 1, "from by with for of under"))
        };
        tokens.has_pair("there have", "more fewer") && tokens.has("or")
            || tokens.has_pair("two three four both", "counts numbers figures totals sums")
            || self.mentions.len() > 1 && self.all().any(is_against)
            || tokens.has_pair("compared", "to with")
            || tokens.has("versus vs")
    }

    /// The words of a time that is only read in part.
    fn unread_time(&self) -> Option<String> {
        let is_time = |mention: &&Mention| matches!(mention.what, Named::Days(_));
        let spans: Vec<&Mention> = self.linker.mentions.iter().filter(is_time).collect();
        let found = spans.iter().enumerate().find_map(|(place, span)| {
            let before = self.begins_before(span.at.start);
            before.or_else(|| self.has_further_year(&span.at, spans.get(place + 1)?))
        });
        found.map(|part| format!("`{}` is only read in part", self.said(&part)))
    }

    /// The words from a part before a span to the span: `first and` before `third quarter of 2024`.
    fn begins_before(&self, start: usize) -> Option<Range<usize>> {
        let word = |back: usize| match start.checked_sub(back) {
            Some(at) if !self.is_mention(at) => self.word(at),
            _ => "",
        };
        let is_part =
            |at: usize| is_of(word(at), words!(points)) && !is_of(word(at + 1), "by until till");
        let length = match (word(2), word(1)) {
            (part, joins)
                if is_of(joins, "and or to through until and/or &")
                    && is_of(part, words!(ordinals)) =>
            {
                2
            }
            (_, part) if is_of(part, words!(about)) => 1,
            // Not `that fall in 2024`.
            ("early" | "late", "in") => 2,
            (part, "of") if is_part(2) || is_of(part, words!(within)) => 2,
            _ => return None,
        };
        Some(start - length..start + 1)
    }

    /// A span of a year with only a year behind it: `March of 2023 and 2024`.
    fn has_further_year(&self, at: &Range<usize>, next: &Mention) -> Option<Range<usize>> {
        let behind = &next.at;
        let is_joined = behind.start == at.end + 1 && self.is(at.end, "and or and/or &");
        let is_year = behind.len() == 1
            && matches!(&next.what, Named::Days(span)
                if matches!(span.grain, Grain::Years(one, other) if one == other));
        let has_month = at.clone().any(|at| {
            let word = self.word(at);
            word.len() > 2 && text::months::number_in_date(word).is_some()
                || is_of(word, "quarter quarters half halves q1 q2 q3 q4 h1 h2")
        });
        (is_joined && is_year && has_month).then_some(at.start..behind.end)
    }

    /// Why a table of the documents under these conditions would be one of others than are meant.
    fn means_others(&self) -> Option<String> {
        if let Some(at) = self.all().find(|at| self.is_second_bucket(*at)) {
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
        let is_any = self.all().any(is_letter);
        is_any.then(|| "`A` is no condition on a column".into())
    }

    /// Whether a value that is a text is compared as numbers are: `below grade B`, `grade B and above`.
    fn is_compared(&self, mention: &Mention) -> bool {
        let (start, end) = (mention.at.start, mention.at.end);
        let before = self.back(start, 1);
        let is_before = is_of(before, words!(others_comparing))
            || before == "than" && is_of(self.back(start, 2), words!(than));
        // `from Acme and above 500` compares an amount.
        let is_of_next =
            |next: &Range<usize>| (end + 1..=end + COMPARED_WORDS).contains(&next.start);
        let is_behind = self.is(end, "and or")
            && self.is(end + 1, words!(compared))
            && !self.mentions.iter().any(is_of_next);
        matches!(mention.what, Named::Value(_)) && (is_before || is_behind)
    }

    /// Whether a word beside the noun of the question names another bucket: `how many invoices and receipts`.
    fn is_second_bucket(&self, at: usize) -> bool {
        let Some(subject) = &self.subject else {
            return false;
        };
        let is_joined = |at: usize| self.is(at, "and or and/or & plus nor");
        let is_beside = at == subject.end + 1 && is_joined(subject.end)
            || at + 2 == subject.start && is_joined(at + 1);
        let bucket = self.linker.dictionary.bucket_called(self.word(at));
        is_beside && bucket.is_some() && bucket != self.bucket
    }
}

/// Whether a word asks for the largest or smallest of something.
fn is_ranking(word: &str) -> bool {
    use ColumnOperation::{Largest, Smallest};
    let said = words::operation(word);
    said.is_some_and(|said| matches!(said.operation, Largest | Smallest))
}
