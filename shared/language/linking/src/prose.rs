//! Finds the sources and the days in a question about what documents say. Pure, by rule.
//!
//! `What did the Courier report of May 3 say, and what the Post?` names two documents. The day belongs to the first
//! alone, so a filter with all that is named would find neither. Therefore each document has its own conditions, a
//! *side*. The module does *not* apply to buckets with a schema: there every mention is meant as a condition.

use crate::days::{DaySpan, Grain, SpanSide};
use crate::dictionary::ColumnId;
use crate::link::{Linker, Placed};
use crate::linked::{Intent, LinkedQuestion, QuestionCondition, QuestionSide, Test};
use crate::mention::{Mention, Named};
use crate::merge::{self, Joined, Link};
use crate::token::{QuestionToken, TokenWords};
use text::is_of;

const SIDES_MAX: usize = 3;
const SAID_WORDS_MIN: usize = 3;
/// The most words between a source and its day: `The Post of May 3`.
const SOURCE_WORDS_MAX: usize = 2;

impl Linker<'_> {
    /// Whether the question asks what documents say, in a bucket without a schema. A comparison by a column of numbers
    /// asks for documents instead: `the maximum voltage of HX-1 and HX-2`.
    pub(crate) fn is_prose(&self, bucket: Option<&str>) -> bool {
        let is_other = matches!(self.frame.intent, Intent::Documents | Intent::Compute);
        let is_described = bucket.is_some_and(|bucket| self.dictionary.is_described(bucket));
        let is_of_numbers =
            || self.frame.intent == Intent::Compare && (self.names_numbers() || self.is_of_two());
        self.frame.subject.is_none() && !is_other && !is_described && !is_of_numbers()
    }

    /// Whether a mention is a name beyond doubt, because it has a capital letter inside a sentence or inside a word. A
    /// column of document types holds no names. A column with few documents for each value does not count either,
    /// because too many ordinary words are among its values.
    pub(crate) fn is_proper(&self, mention: &Mention, column: ColumnId) -> bool {
        let shown = self.dictionary.column(column);
        let is_name = !shown.is_named() && !shown.is_kind() && !shown.is_naming();
        let mut tokens = self.tokens[mention.at.clone()].iter();
        is_name && tokens.any(|token| token.has_inner_capital() || token.is_name())
    }

    /// Whether days say which document is meant. A single day does, unless it is part of what the document tells; a year
    /// is mostly the time that the question is about. The word before the days may also say so: `published in March`.
    pub(crate) fn is_day_of_document(&self, mention: &Mention, span: &DaySpan) -> bool {
        if self.is_told(mention.at.start) {
            return false;
        }
        let is_day = span.grain == Grain::Days
            && span.range.from.and_then(|from| from.next_day()) == span.range.until;
        let mut said = self.said_before(mention.at.start);
        said.truncate(1);
        let mut columns = self.dictionary.columns(None);
        is_day || columns.any(|(_, column)| is_day_column(column) && self.fit(column, &said).0 > 0)
    }

    /// Whether a day is part of what somebody tells: `does the Post suggest that the pump comes out on May 3`. In `says that
    /// pumps leak, and then on May 3 that they do not` a mark ends what is told.
    fn is_told(&self, at: usize) -> bool {
        let is_capital = |mention: &Mention| {
            let mut said = self.tokens[mention.at.clone()].iter();
            said.any(QuestionToken::is_capital)
        };
        let is_source = |mention: &Mention| {
            matches!(mention.what, Named::Value(_))
                && is_capital(mention)
                && (mention.at.end..=mention.at.end + SOURCE_WORDS_MAX).contains(&at)
        };
        if self.mentions.iter().any(is_source) {
            return false;
        }
        let before = self.tokens[..at].iter().rev();
        let clause = before.take_while(|token| !token.is_last);
        let mut words = clause.map(|token| token.lower.as_str());
        let first = words.find(|word| *word == "that" || is_of(word, words!(appearing)));
        // `the article that came out on May 3`
        let is_relative = words
            .next()
            .is_some_and(|word| is_of(word, words!(appearing)));
        first == Some("that") && !is_relative
    }

    /// Sorts the placed mentions into sides. Where a source is named, the days belong to its side alone and restrict no
    /// other document, because the evidence may be of other days.
    pub(crate) fn take_sides(
        &self,
        question: &str,
        placed: Vec<Placed>,
        linked: &mut LinkedQuestion,
    ) {
        let said = placed.into_iter().filter(|one| !one.is_negated);
        let (days, mut rest): (Vec<Placed>, Vec<Placed>) =
            said.partition(|one| matches!(one.test, Test::Days(_)));
        // A name that only a labelled line or a single document has is weaker than a name that many documents share.
        let is_field = |one: &Placed| !self.dictionary.column(one.column).is_named();
        let is_shared = |one: &Placed| !self.dictionary.column(one.column).is_naming();
        for is_strong in [&is_field as &dyn Fn(&Placed) -> bool, &is_shared] {
            if rest.iter().any(is_strong) {
                rest.retain(is_strong);
            }
        }
        // A year in a path belongs to the name beside it and does not name another document.
        let is_year = |one: &&Placed| {
            self.dictionary.column(one.column).is_named() && merge::is_year(&one.test)
        };
        let names = names(rest.iter().filter(|one| !is_year(one)));
        let mut days_of: Vec<Vec<&Placed>> = vec![Vec::new(); names.len()];
        for day in days.iter().chain(rest.iter().filter(is_year)) {
            let before = names.iter().rposition(|name| name.mention < day.mention);
            if let Some(days) = days_of.get_mut(before.unwrap_or(0)) {
                days.push(day);
            }
        }
        let alone = days.iter().filter(|_| names.is_empty() && days.len() == 1);
        for one in rest.iter().chain(alone) {
            let condition = self.condition(one);
            // A comparison is about several documents.
            let is_one = self.frame.intent != Intent::Compare
                && self.dictionary.column(one.column).is_named();
            let link = match is_one {
                true => self.link_before(self.mentions[one.mention].at.start),
                false => Link::And,
            };
            let new = Joined {
                condition,
                link,
                is_side: false,
            };
            merge::take_in(new, question, linked);
        }
        if !self.is_held_together() {
            return;
        }
        let mut sides: Vec<QuestionSide> = Vec::new();
        for (place, (name, days)) in names.iter().zip(&days_of).enumerate() {
            let said = self.said_of(question, name, names.get(place + 1).copied());
            let mut conditions = vec![self.condition(name)];
            // Two days of one source would be two documents; the side then gets no day.
            if let [day] = days.as_slice() {
                conditions.push(self.day_of(day));
            }
            if said.split_whitespace().count() >= SAID_WORDS_MIN {
                sides.push(QuestionSide { conditions, said });
            }
        }
        sides.truncate(SIDES_MAX);
        if sides.len() > 1 {
            linked.sides = sides;
        }
    }

    fn said_of(&self, question: &str, name: &Placed, next: Option<&Placed>) -> String {
        let end = self.mentions[name.mention].at.end;
        let until = next.map_or(self.tokens.len(), |next| {
            self.mentions[next.mention].at.start
        });
        let tokens = self.tokens.get(end..until).unwrap_or_default();
        match (tokens.first(), tokens.last()) {
            (Some(first), Some(last)) => question[first.span.start..last.span.end].to_owned(),
            _ => String::new(),
        }
    }

    /// The day of a source. A report of May 3 itself also matches `published before May 3`.
    fn day_of(&self, placed: &Placed) -> QuestionCondition {
        let mut condition = self.condition(placed);
        let Named::Days(span) = &self.mentions[placed.mention].what else {
            return condition;
        };
        if let Test::Days(range) = &mut condition.test {
            match span.side {
                SpanSide::Before => range.until = span.range.until,
                SpanSide::After => range.from = span.range.from,
                SpanSide::In | SpanSide::Since | SpanSide::Until => {}
            }
        }
        condition
    }

    /// Whether the question needs several documents together, as a comparison or a timeline does, so that each of them
    /// has to be found. Any one of the documents answers `Who, as the Courier and the Post report, ...?`.
    fn is_held_together(&self) -> bool {
        let asks = |pair: &[QuestionToken]| {
            pair[0].is_last && is_of(&pair[1].lower, words!(asking_whether))
        };
        self.tokens.is(0, words!(asking_whether))
            || self.tokens.is(0, words!(clauses)) && self.tokens.windows(2).any(asks)
            || self.frame.intent == Intent::Compare
    }
}

fn is_day_column(column: &crate::dictionary::KnownColumn) -> bool {
    column.kind() == crate::dictionary::ColumnKind::Day
}

/// The values of the column that has most of the mentions, in the order of the question.
fn names<'a>(placed: impl Iterator<Item = &'a Placed>) -> Vec<&'a Placed> {
    let placed: Vec<&Placed> = placed.collect();
    let count = |column: ColumnId| placed.iter().filter(|one| one.column == column).count();
    let is_value = |one: &&&Placed| matches!(one.test, Test::Is(_));
    let most = placed.iter().filter(is_value).max_by_key(|one| {
        // Of columns with equally many mentions the one that is mentioned first wins.
        (count(one.column), std::cmp::Reverse(one.mention))
    });
    let Some(column) = most.map(|one| one.column) else {
        return Vec::new();
    };
    let of_column = placed.iter().filter(|one| one.column == column);
    of_column.filter(is_value).copied().collect()
}
