//! What a question for what documents say names: where it was said, and of which day. Pure, by rule.
//!
//! `What did the Courier report of May 3 say, and what the Post?` names two documents: the day is of the first alone, and a
//! filter of all that is named would let neither through. So each has its own conditions, a *side*. *Not* for parts of a
//! corpus whose columns are described: what is named there is meant as a condition.

use crate::days::{DaySpan, Grain, SpanSide};
use crate::dictionary::ColumnId;
use crate::frame::is_of;
use crate::link::{Linker, Placed};
use crate::linked::{Intent, LinkedQuestion, QuestionCondition, QuestionSide, Test};
use crate::mention::{Mention, Named};
use crate::merge::{self, Joined, Link};
use crate::token::QuestionToken;

/// Most sides: each is a search.
const SIDES_MAX: usize = 3;
/// Fewest words that are said of a document so that it can be searched for by them.
const SAID_WORDS_MIN: usize = 3;
/// Words that a question begins with whose answer is yes or no.
const ASKING_WHETHER: &str = "do does did is are was were has have had can could will would should";
/// Words of a clause that may stand before such a question.
const CLAUSES: &str = "after before between since while when whereas following although";

impl Linker<'_> {
    /// Whether it asks for what documents say, of a part of the corpus that nobody described. What is compared by a column
    /// of numbers is of documents: `the maximum voltage of HX-1 and HX-2`.
    pub(crate) fn is_prose(&self, bucket: Option<&str>) -> bool {
        let is_other = matches!(self.frame.intent, Intent::Documents | Intent::Compute);
        let is_described = bucket.is_some_and(|bucket| self.dictionary.is_described(bucket));
        let is_of_numbers = || self.frame.intent == Intent::Compare && self.names_numbers();
        self.frame.subject.is_none() && !is_other && !is_described && !is_of_numbers()
    }

    /// Whether one word is a name beyond doubt: as no sentence writes its words, or with a capital inside of one. A column
    /// that holds kinds of documents has no names, and in one that has few documents for each value too many words are some.
    pub(crate) fn is_proper(&self, mention: &Mention, column: ColumnId) -> bool {
        let shown = self.dictionary.column(column);
        let is_name = !shown.is_named() && !shown.is_kind() && !shown.is_naming();
        let mut tokens = self.tokens[mention.at.clone()].iter();
        is_name
            && tokens
                .any(|token| token.has_inner_capital() || token.is_capital() && !token.is_first)
    }

    /// Whether days say which document is meant: one day does, a year is mostly what it tells of. A word before them may
    /// say so, too: `published in March`.
    pub(crate) fn is_day_of_document(&self, mention: &Mention, span: &DaySpan) -> bool {
        let is_day = span.grain == Grain::Days
            && span.range.from.and_then(|from| from.next_day()) == span.range.until;
        let mut said = self.said_before(mention.at.start);
        said.truncate(1);
        let mut columns = self.dictionary.columns(None);
        is_day || columns.any(|(_, column)| is_day_column(column) && self.fit(column, &said).0 > 0)
    }

    /// Sorts what was placed into sides. Days are of a side alone, where a source is named: evidence is of other days, too.
    pub(crate) fn take_sides(
        &self,
        question: &str,
        placed: Vec<Placed>,
        linked: &mut LinkedQuestion,
    ) {
        let said = placed.into_iter().filter(|one| !one.is_negated);
        let (days, mut rest): (Vec<Placed>, Vec<Placed>) =
            said.partition(|one| matches!(one.test, Test::Days(_)));
        // What a line of a text is labelled with, or one document alone has, is a weaker name than what tells many apart.
        let is_field = |one: &Placed| !self.dictionary.column(one.column).is_named();
        let is_shared = |one: &Placed| !self.dictionary.column(one.column).is_naming();
        for is_strong in [&is_field as &dyn Fn(&Placed) -> bool, &is_shared] {
            if rest.iter().any(is_strong) {
                rest.retain(is_strong);
            }
        }
        // A year in a path says of which of its documents a name is, and is no name of another.
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
            // What is compared is several documents.
            let is_one = self.frame.intent != Intent::Compare
                && self.dictionary.column(one.column).is_named();
            let link = match is_one {
                true => self.link_before(self.mentions[one.mention].at.start),
                false => Link::And,
            };
            let is_side = false;
            let new = Joined {
                condition,
                link,
                is_side,
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
            // Two days of one source are two documents, of which less is known.
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

    /// What stands between a name and the next one.
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

    /// A day of a source. `Published before May 3` is said of a report of that day as well.
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

    /// Whether what several documents say is held together, as in a comparison or a timeline: then each of them has to be
    /// found. `Who, as the Courier and the Post report, ...?` is answered from any.
    fn is_held_together(&self) -> bool {
        let first = self.tokens.first().map_or("", |token| token.lower.as_str());
        let asks =
            |pair: &[QuestionToken]| pair[0].is_last && is_of(&pair[1].lower, ASKING_WHETHER);
        is_of(first, ASKING_WHETHER)
            || is_of(first, CLAUSES) && self.tokens.windows(2).any(asks)
            || self.frame.intent == Intent::Compare
    }
}

fn is_day_column(column: &crate::dictionary::KnownColumn) -> bool {
    column.kind() == crate::dictionary::ColumnKind::Day
}

/// The values of the column that most of them are of, in the order of the question.
fn names<'a>(placed: impl Iterator<Item = &'a Placed>) -> Vec<&'a Placed> {
    let placed: Vec<&Placed> = placed.collect();
    let count = |column: ColumnId| placed.iter().filter(|one| one.column == column).count();
    let is_value = |one: &&&Placed| matches!(one.test, Test::Is(_));
    let most = placed.iter().filter(is_value).max_by_key(|one| {
        // Of columns that are named alike the first counts.
        (count(one.column), std::cmp::Reverse(one.mention))
    });
    let Some(column) = most.map(|one| one.column) else {
        return Vec::new();
    };
    let of_column = placed.iter().filter(|one| one.column == column);
    of_column.filter(is_value).copied().collect()
}

#[cfg(test)]
#[path = "prose_tests.rs"]
mod tests;
