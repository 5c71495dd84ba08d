//! Words that mean nothing to a table in their position: words that lead to a condition, that say what kind of thing a
//! name is, that repeat the noun of the question, or that belong to a request. Pure.

use super::super::patterns::Patterns;
use super::*;
use crate::form::is_participle;
use crate::merge::TOO_MANY_VALUES;
use std::sync::LazyLock;

/// The most words between a run and the day or name that it leads to, if all of them mean nothing by themselves.
const IDLE_WORDS: usize = 6;
/// How many words behind a participle are searched for the condition that it introduces.
const LEAD_WORDS_MAX: usize = 4;
/// A word with fewer bytes says too little to be part of a name of documents.
const CALLED_BYTES: usize = 4;
/// The most words before the verb of a request.
const POLITE_WORDS: usize = 3;

static IDIOMS: LazyLock<Patterns<()>> = LazyLock::new(|| Patterns::of(words!(idioms), |_| ()));
/// Each with whether it serves only where the largest or smallest is asked for.
static SERVING: LazyLock<Patterns<bool>> =
    LazyLock::new(|| Patterns::of(words!(serving), |meaning| meaning == "most"));
static APPOSITIONS: LazyLock<Patterns<()>> =
    LazyLock::new(|| Patterns::of(words!(appositions), |_| ()));

impl Reading<'_> {
    /// Whether a run names the column of a condition close to it: `with euro as the billing currency`. Columns of days and
    /// numbers do not count, because the question may ask for them, too.
    pub(super) fn names_condition(&self, run: &Range<usize>) -> bool {
        let fit = self.fit(run.clone(), |column| column.kind() == ColumnKind::Text);
        let mut ends = self.mentions.iter().map(|mention| mention.end);
        fit.is_some_and(|fit| self.is_on(&fit, self.linked.conditions.iter()))
            && (self.leads_to_mention(run)
                || ends.any(|end| end <= run.start && self.is_idle_between(end, run.start)))
    }

    /// Whether only words that mean nothing by themselves stand between a run and the next mention.
    pub(super) fn leads_to_mention(&self, run: &Range<usize>) -> bool {
        let mut starts = self.mentions.iter().map(|mention| mention.start);
        !self.closes(run.end - 1)
            && starts.any(|start| run.end <= start && self.is_idle_between(run.end, start))
    }

    /// Whether at most [`IDLE_WORDS`] words without a meaning of their own stand from one token to another, in one clause.
    pub(super) fn is_idle_between(&self, from: usize, to: usize) -> bool {
        let is_idle = |at: usize| {
            let word = self.word(at);
            !self.closes(at)
                && !self.is_taken[at]
                && (words::is_filler(word)
                    || self.is_called(word)
                    || words::period(word).is_some()
                    || self.is_idiom(at))
                && !is_of(word, "and or but nor")
        };
        to - from <= IDLE_WORDS && (from..to).all(is_idle)
    }

    /// Whether a run is what documents are about: `contracts about parties`; but not `what about the net amount?`.
    pub(super) fn is_topic(&self, run: &Range<usize>) -> bool {
        let is_article = |at: &usize| self.is(*at, "the a an any their our its");
        let before = (0..run.start).rev().find(|at| !is_article(at));
        before.is_some_and(|at| {
            self.is(at, "about regarding concerning mentioning")
                && !is_of(self.back(at, 1), "what how")
        })
    }

    /// Whether a word is part of an idiom that means nothing to a table: `at some point in 2019`, `in the course of 2019`,
    /// `billing took place`, `the price from start to finish`.
    pub(super) fn is_idiom(&self, at: usize) -> bool {
        IDIOMS.at(self, at).is_some()
    }

    /// Whether a run only introduces a condition. It may be a verb (`drawn up with`, `awarded to`, `that went out to`),
    /// such a verb behind a word for things of any kind (`goods bought from`), or the noun of a preposition (`on behalf
    /// of`).
    pub(super) fn leads(&self, run: &Range<usize>) -> bool {
        let tokens = &self.linker.tokens;
        let word = match &tokens[run.clone()] {
            // `with obligations ending in 2024`
            [thing] | [thing, _] if is_of(&thing.lower, words!(terms)) && self.is_with_day(run) => {
                return true;
            }
            [word] => word.lower.as_str(),
            [thing, word] if is_of(&thing.lower, words!(things)) && is_participle(&word.lower) => {
                &word.lower
            }
            _ => return false,
        };
        let (before, after) = (self.back(run.start, 1), self.word(run.end));
        // `catering` in `contracts about catering with Acme` is a topic, and `disputed` in `invoices disputed by Acme`
        // says which invoices are meant. Neither only introduces a condition.
        let is_thing = word.ends_with("ing") && is_of(before, "about for on of regarding");
        // `chargeable to Acme` introduces a condition, but `deductible in 2024` does not.
        let is_able = word.ends_with("able") || word.ends_with("ible");
        // In `the leaking Acme invoices` the word before a name and its noun says which invoices are meant.
        let is_adjective = self.subject.as_ref().is_some_and(|subject| {
            let mut mentions = self.mentions.iter();
            mentions.any(|mention| mention.start == run.end && mention.end <= subject.start)
        });
        let is_verb = (!is_able || is_of(after, "to by"))
            && !is_adjective
            && !self.is_event(run)
            && (is_participle(word) || is_of(before, "that which who"))
            && !is_thing
            && !is_of(word, words!(topic));
        let is_preposition = is_of(word, words!(prepositional)) && is_of(after, "of to with for");
        // `showing that ISO 9001 is met`
        let is_that = is_of(word, words!(showing)) && after == "that";
        // `with respect to the voltage` names the figure by which two things are compared.
        if is_that && self.starts(run.end + 1)
            || is_preposition && self.linked.intent == Intent::Compare
        {
            return true;
        }
        let next = run.end..self.is_taken.len().min(run.end + LEAD_WORDS_MAX);
        // Only known words stand between the run and the mention.
        let mut between = next.clone().take_while(|at| !self.starts(*at));
        (is_verb || is_preposition)
            && !self.closes(run.end - 1)
            && next.clone().any(|at| self.starts(at))
            && between.all(|at| {
                words::is_filler(self.word(at))
                    || self.is(at, words!(prepositional))
                    || !self.is_taken[at] && self.is_called(self.word(at))
                    || self.linker.dictionary.is_column_word(self.word(at))
            })
    }

    /// Whether a verb before a day may say what happened on it, and no column holds such days: `audited in 2024`, but not
    /// `reports describing 2024`.
    fn is_event(&self, run: &Range<usize>) -> bool {
        let last = run.end - 1..run.end;
        let is_of_years = self.conditions().any(|condition| {
            let is_it = |column: &KnownColumn| column.field == condition.field;
            self.columns()
                .any(|(_, column)| is_it(column) && column.kind() == ColumnKind::Year)
        });
        self.leads_to_day(run.end)
            && self.fit(last, phrase::is_day).is_none()
            && !is_of_years
            && !words::is_handling(self.word(run.end - 1))
    }

    /// Whether a run stands between `with` and a day.
    fn is_with_day(&self, run: &Range<usize>) -> bool {
        self.leads_to_day(run.end) && is_of(self.back(run.start, 1), "with whose having")
    }

    /// Whether a run means nothing because it says what somebody who is named does with documents (`did Acme send us`),
    /// because it names the documents once more (`for parts of`), or because it stands for their size where no column
    /// does.
    pub(super) fn is_handled(&self, run: &Range<usize>) -> bool {
        let word = self.word(run.start);
        let is_behind =
            self.ends(run.start) || is_of(self.back(run.start, 1), "we they you i who that which");
        let bucket = self.linker.dictionary.bucket_called(word);
        run.len() == 1
            && (bucket.is_some() && bucket == self.bucket
                || is_behind && words::is_handling(word)
                || self.needs_measure() && words::is_size(word))
    }

    /// Whether a run is the verb at the beginning of a request: `Collate for me all the invoices`. A word right before
    /// a noun describes it instead: `Overdue invoices`.
    pub(super) fn is_request(&self, run: &Range<usize>) -> bool {
        let Some(subject) = &self.subject else {
            return false;
        };
        let is_polite = |at: usize| !self.is_taken[at] && self.is(at, words!(leading_polite));
        let mut between = run.end..subject.start.max(run.end);
        let is_told_apart = between.clone().any(|at| self.is(at, words!(telling_apart)));
        run.len() == 1
            && (0..run.start).all(is_polite)
            && is_told_apart
            && !self.is(run.start, words!(writing))
            && between.all(|at| words::is_filler(self.word(at)))
    }

    /// The token at which the noun begins, with all words of the bucket's name before it.
    pub(super) fn noun_start(&self, subject: &Range<usize>) -> usize {
        let before = (0..subject.start).rev();
        let called = before.take_while(|at| self.is_of_name(*at..*at + 1));
        called.last().unwrap_or(subject.start)
    }

    /// Whether the noun of the question begins at a token.
    pub(in crate::tabulate) fn is_noun_start(&self, at: usize) -> bool {
        let subject = self.subject.as_ref();
        subject.is_some_and(|subject| subject.start == at || self.noun_start(subject) == at)
    }

    /// Whether a run before the noun is part of the bucket's name: `part info sheets`.
    pub(super) fn is_of_bucket(&self, run: &Range<usize>) -> bool {
        let is_before = |subject: &Range<usize>| run.end == subject.start;
        self.subject.as_ref().is_some_and(is_before) && self.is_of_name(run.clone())
    }

    /// Whether a run only repeats the noun before a day or a number: `with a bill date in 2024`.
    pub(super) fn is_own_number(&self, run: &Range<usize>) -> bool {
        self.is(run.end, "date dated day number no") && self.is_of_name(run.clone())
    }

    /// The words of the bucket's name, in lower case.
    fn name_words(&self) -> impl Iterator<Item = String> {
        let names = self.bucket.into_iter();
        let words = names.flat_map(|name| name.split(|c: char| !c.is_alphanumeric()));
        words.map(str::to_lowercase)
    }

    /// Whether a word is part of the bucket's name: `certificates of compliance`, `showing ISO 9001 compliance`.
    pub(super) fn is_called(&self, word: &str) -> bool {
        let word = fold::singular(word);
        let mut known = self.name_words();
        word.len() >= CALLED_BYTES && known.any(|known| fold::singular(&known) == word)
    }

    /// Whether all words of a run are words of the bucket's name.
    fn is_of_name(&self, run: Range<usize>) -> bool {
        let called = self.name_words().map(|word| fold::singular(&word));
        let called: Vec<String> = called.collect();
        let mut words = run.map(|at| fold::singular(self.word(at)));
        self.bucket.is_some() && words.all(|word| called.contains(&word))
    }

    /// Whether a run is a verb of the documents' own noun, and leads to a name or a day: `attestations attesting the
    /// conformity of Acme`.
    pub(super) fn is_own_verb(&self, run: &Range<usize>) -> bool {
        let said = self.word(run.start);
        let stem = text::words::stem(said);
        let mut names = self.name_words();
        run.len() == 1
            && said.len() > CALLED_BYTES
            && is_participle(said)
            && names.any(|word| text::words::stem(&word) == stem)
            && self.leads_to_mention(run)
    }

    /// Whether a word means nothing in its position: in `which exhibits the highest amount`, but not in `contracts with
    /// exhibits`.
    pub(super) fn serves(&self, run: &Range<usize>) -> bool {
        let at = run.start;
        let (before, after) = (self.back(at, 1), self.word(run.end));
        let is_number = |at: Option<usize>| {
            let at = at.filter(|at| *at < self.is_taken.len());
            at.is_some_and(|at| self.fit(at..at + 1, phrase::is_number).is_some())
        };
        let of = |words: &str| self.is(at, words);
        // The first arm that a word belongs to decides, even if the word is in the bucket's name, too.
        run.len() == 1
            && match self.word(at) {
                _ if of(words!(serving_comparing)) && self.linked.intent == Intent::Compare => true,
                _ if of(words!(of_two)) && self.is_between_two() => true,
                // `exhibits the lowest spend`, `ranks highest`
                _ if of(words!(serving_having)) && self.is_most() => {
                    SERVING.at(self, at).is_some() || words::operation(after).is_some()
                }
                // `the admissible voltage`, `the voltage limit`, `the mean level of expenditure`
                _ if of(words!(limiting)) => is_number(Some(run.end)),
                "limit" | "limits" => is_number(at.checked_sub(1)),
                "level" | "levels" => {
                    after == "of" && self.needs_measure() || is_number(at.checked_sub(1))
                }
                "calculate" | "compute" | "determine" => at <= POLITE_WORDS,
                word if SERVING.is_about(word) && !of(words!(serving_having)) => {
                    let is_of_most = SERVING.at(self, at);
                    is_of_most.is_some_and(|is_of_most| !is_of_most || self.is_most())
                }
                word if self.is_called(word) => {
                    before == "of" || self.is_called_behind(at) || self.ends(at)
                }
                _ => self.is_apposition(run),
            }
    }

    /// Whether a word stands behind the noun and a preposition: `certificates from audits`.
    fn is_called_behind(&self, at: usize) -> bool {
        let subject = self.subject.as_ref();
        subject.is_some_and(|subject| subject.end + 1 == at)
            && is_of(self.back(at, 1), "from for on")
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
        let mut conditions = self.conditions();
        if conditions.any(|condition| self.column_says(&condition.field, opposite)) {
            return false;
        }
        APPOSITIONS.at(self, run.start).is_some()
    }

    /// Whether the name or description of a column has one of some words.
    pub(super) fn column_says(&self, field: &str, known: &str) -> bool {
        self.columns().any(|(_, column)| {
            column.field == field && (column.is_called(known) || column.is_described_by(known))
        })
    }
}

impl Linker<'_> {
    /// Whether the noun of a question names documents, and not only a column that describes them.
    pub(super) fn is_of_documents(&self, subject: &Range<usize>) -> bool {
        let mut tokens = self.tokens[subject.clone()].iter();
        !tokens.all(|token| {
            self.dictionary.is_column_word(&token.lower)
                && self.dictionary.bucket_called(&token.lower).is_none()
        })
    }

    /// Whether a mention set no condition. Those beyond the first 50 values of a column do not count: the others have one,
    /// and the caller tells which are left out.
    pub(super) fn is_dropped(&self, at: &Range<usize>, linked: &LinkedQuestion) -> bool {
        let bare = |text: &str| text.replace(|c: char| !c.is_alphanumeric(), "");
        let said = bare(&text_of(&self.tokens[at.clone()]));
        let mut dropped = linked.dropped.iter();
        dropped.any(|(dropped, why)| *why != TOO_MANY_VALUES && bare(dropped) == said)
    }
}
