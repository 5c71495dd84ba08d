//! Turns a question into conditions. Pure.
//!
//! `mention` first finds what the question mentions. For each mention, `columns` then finds its column, and `meant`
//! decides whether it is meant as a condition at all. At last `merge` makes one condition of those on one column.

use crate::alternatives;
use crate::dictionary::{ColumnId, Dictionary};
use crate::form::is_measuring;
use crate::frame::{Frame, frame};
use crate::likeness::{NoLikeness, WordLikeness};
use crate::linked::{Ambiguity, Intent, LinkedQuestion, QuestionCondition, Test};
use crate::mention::{Mention, Named, mentions};
use crate::merge::{self, Joined};
use crate::token::{QuestionToken, tokens};
use std::collections::BTreeMap;
use std::ops::Range;
use time::Date;

/// Links `question`, asked on the day `today`, by its words alone.
pub fn link(question: &str, dictionary: &Dictionary, today: Date) -> LinkedQuestion {
    link_by(question, dictionary, today, &NoLikeness)
}

/// Links a question like [`link()`], but also matches a column by words of similar meaning, as `likeness` measures it.
pub fn link_by(
    question: &str,
    dictionary: &Dictionary,
    today: Date,
    likeness: &dyn WordLikeness,
) -> LinkedQuestion {
    let tokens = tokens(question);
    let mentions = mentions(&tokens, dictionary, today);
    let is_evident = mentions
        .iter()
        .any(|mention| mention.is_evident(&tokens, dictionary));
    let mut linker = Linker {
        frame: frame(&tokens, dictionary, is_evident),
        mentions,
        tokens,
        dictionary,
        likeness,
        is_evident_where: false,
        is_in_one_bucket: false,
    };
    linker.is_in_one_bucket = linker.bucket().is_some();
    linker.is_evident_where = is_evident && linker.is_in_one_bucket;
    let is_prose = linker.frame.intent == Intent::Prose;
    let is_measured = || is_measuring(&linker.tokens) && linker.names_numbers();
    if linker.is_of_two() {
        linker.frame.subject = None;
        linker.frame.intent = Intent::Compare;
    } else if is_prose && is_measured() {
        linker.frame.intent = Intent::Compare;
    }
    let linked = linker.link(question);
    let linked = LinkedQuestion {
        is_bare: linker.is_bare(&linked),
        ..linked
    };
    LinkedQuestion {
        tabulation: linker.tabulate(&linked),
        ..linked
    }
}

pub(crate) struct Linker<'a> {
    pub(crate) tokens: Vec<QuestionToken>,
    pub(crate) frame: Frame,
    pub(crate) mentions: Vec<Mention>,
    pub(crate) dictionary: &'a Dictionary,
    pub(crate) likeness: &'a dyn WordLikeness,
    /// Whether something is named beyond doubt and the bucket is known.
    pub(crate) is_evident_where: bool,
    pub(crate) is_in_one_bucket: bool,
}

/// A mention with its column and test.
pub(crate) struct Placed {
    pub(crate) mention: usize,
    pub(crate) column: ColumnId,
    pub(crate) test: Test,
    pub(crate) is_negated: bool,
    /// See [`QuestionCondition::is_assumed`].
    pub(crate) is_assumed: bool,
}

/// The best column for a mention, with others that fit equally well.
pub(crate) struct Fitting {
    pub(crate) column: ColumnId,
    pub(crate) rivals: Vec<ColumnId>,
    /// Whether nothing says that it is this column and none of several.
    pub(crate) is_assumed: bool,
}

impl From<ColumnId> for Fitting {
    fn from(column: ColumnId) -> Fitting {
        Fitting {
            column,
            rivals: Vec::new(),
            is_assumed: false,
        }
    }
}

impl Linker<'_> {
    fn link(&self, question: &str) -> LinkedQuestion {
        let bucket = self.bucket();
        let mut linked = LinkedQuestion {
            intent: self.frame.intent,
            fits_no_bucket: bucket.is_none() && self.dictionary.has_several_described_buckets(),
            bucket: bucket.clone(),
            ..LinkedQuestion::default()
        };
        let mut placed: Vec<Placed> = Vec::new();
        for (number, mention) in self.mentions.iter().enumerate() {
            let said = || question[self.bytes(&mention.at)].to_owned();
            match self.place(number, bucket.as_deref(), &placed) {
                Ok((new, options)) => {
                    if options.len() > 1 {
                        let is_of_columns = match new.last().map(|placed| &placed.test) {
                            Some(Test::Is(things)) => things.len() == 1,
                            _ => true,
                        };
                        linked.ambiguous.push(Ambiguity {
                            said: said(),
                            options,
                            is_of_columns,
                        });
                    }
                    placed.extend(new);
                }
                Err(reason) => {
                    let is_condition = matches!(
                        mention.what,
                        Named::NoDay | Named::Amount(_) | Named::Currency(_)
                    );
                    let is_for_documents =
                        matches!(self.frame.intent, Intent::Documents | Intent::Compute);
                    if is_condition && is_for_documents && self.is_asked_for() {
                        linked.unread.push((said(), reason));
                    }
                    linked.dropped.push((said(), reason));
                }
            }
        }
        self.leave_out_siblings(question, &mut placed, &mut linked);
        match self.is_prose(bucket.as_deref()) {
            true => self.take_sides(question, placed, &mut linked),
            false => {
                self.align(&mut placed);
                self.take_out_alternatives(question, &mut placed, &mut linked);
                self.merge(&placed, question, &mut linked);
            }
        }
        linked
    }

    /// The bucket of the question: the one that its noun names, or else the one that has most of what is mentioned.
    fn bucket(&self) -> Option<String> {
        if self.frame.bucket.is_some() {
            return self.frame.bucket.clone();
        }
        let mut votes: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for (bucket, is_number) in self.mentions.iter().flat_map(|one| self.buckets_of(one)) {
            let vote = votes.entry(bucket).or_default();
            vote.0 += usize::from(is_number);
            vote.1 += 1;
        }
        let most = *votes.values().max()?;
        let mut best = votes.iter().filter(|(_, vote)| **vote == most);
        match (best.next(), best.next()) {
            (Some((bucket, _)), None) => Some((*bucket).to_owned()),
            _ => None,
        }
    }

    /// The buckets with a field that holds a mentioned value, each once. The flag says whether the value is a number
    /// that few documents have.
    fn buckets_of(&self, mention: &Mention) -> Vec<(&str, bool)> {
        let Named::Value(key) = &mention.what else {
            return Vec::new();
        };
        let has_digit = key.contains(|c: char| c.is_ascii_digit());
        let mut buckets: Vec<(&str, bool)> = Vec::new();
        let entries = self.dictionary.with_key(key);
        for entry in entries.filter(|entry| self.dictionary.is_column(entry.column)) {
            let column = self.dictionary.column(entry.column);
            let is_known = buckets.iter().any(|(bucket, _)| *bucket == column.bucket);
            let is_number = has_digit && (column.is_naming() || column.is_named());
            if !is_known && (!column.is_named() || is_number && self.is_evident(mention)) {
                buckets.push((&column.bucket, is_number));
            }
        }
        buckets
    }

    /// The conditions that a mention sets, with other readings of it; or the reason why it sets none.
    fn place(
        &self,
        number: usize,
        bucket: Option<&str>,
        before: &[Placed],
    ) -> Result<(Vec<Placed>, Vec<String>), &'static str> {
        let mention = &self.mentions[number];
        let is_negated = self.is_negated(number, before);
        let placed = |column, test| Placed {
            mention: number,
            column,
            test,
            is_negated,
            is_assumed: false,
        };
        let only = |(column, test)| Ok((vec![placed(column, test)], Vec::new()));
        if let Named::Days(span) = &mention.what
            && let Some(called) = self.years_called(span, bucket)
        {
            return only(called);
        }
        let is_of_time = "the question is about that time, not about documents of it";
        match &mention.what {
            Named::Value(key) => {
                let fitting = self.column_of_value(mention, key, bucket, before)?;
                let fitting = self.clarified(fitting);
                let things = self.things(mention, key, fitting.column);
                let options = match things.as_slice() {
                    [_] => self.options(&fitting),
                    several => several.iter().filter_map(|forms| longest(forms)).collect(),
                };
                let column = fitting.column;
                let own = match self.siblings(mention, column, &things) {
                    Some((_, longer)) if is_negated && !longer.is_empty() => {
                        return Err("a longer name has it, too");
                    }
                    Some((own, _)) => vec![own],
                    None => things,
                };
                Ok((vec![placed(column, Test::Is(own))], options))
            }
            Named::NoDay => Err("the calendar has no such day"),
            Named::Days(span) if self.is_called_by_year(before, bucket) => {
                only(self.year_called_after(span, before).ok_or(is_of_time)?)
            }
            _ if !(self.is_asked_for() || bucket.is_some() && self.is_evident(mention)) => {
                Err("the question is not about documents")
            }
            Named::Days(span)
                if self.is_prose(bucket) && !self.is_day_of_document(mention, span) =>
            {
                Err(is_of_time)
            }
            Named::Days(span) => {
                let (fitting, test) = self.days(mention, span, bucket)?;
                let fitting = self.clarified(fitting);
                let placed = Placed {
                    is_assumed: fitting.is_assumed,
                    ..placed(fitting.column, test)
                };
                Ok((vec![placed], self.options(&fitting)))
            }
            Named::Amount(amount) if self.counts_documents(mention, amount) => {
                Err("it counts documents")
            }
            Named::Amount(amount) => {
                let (tests, fitting) = self.amount(mention, amount, bucket, before)?;
                let all = tests.into_iter().map(|(column, test)| Placed {
                    is_assumed: fitting.is_assumed && column == fitting.column,
                    ..placed(column, test)
                });
                Ok((all.collect(), self.options(&fitting)))
            }
            Named::Currency(code) => match self.currency(code, bucket) {
                Some((column, forms)) => only((column, Test::Is(vec![forms]))),
                None if self.is_all_in(code, bucket) => Ok((Vec::new(), Vec::new())),
                None => Err("no column holds currencies"),
            },
        }
    }

    pub(crate) fn options(&self, fitting: &Fitting) -> Vec<String> {
        let name = |column: &ColumnId| self.dictionary.column(*column).field.clone();
        let all = std::iter::once(&fitting.column).chain(&fitting.rivals);
        match fitting.rivals.is_empty() {
            true => Vec::new(),
            false => all.map(name).collect(),
        }
    }

    pub(crate) fn bytes(&self, at: &Range<usize>) -> Range<usize> {
        self.tokens[at.start].span.start..self.tokens[at.end - 1].span.end
    }

    /// Merges the conditions. Values of one column are alternatives; in a comparison they are its sides.
    fn merge(&self, placed: &[Placed], question: &str, linked: &mut LinkedQuestion) {
        let is_alone = |one: &Placed| {
            // A name and a year of one path are not two sides of a comparison.
            let is_year = |placed: &Placed| {
                self.dictionary.column(placed.column).is_named() && merge::is_year(&placed.test)
            };
            let same = placed.iter().filter(|other| {
                other.column == one.column
                    && other.is_negated == one.is_negated
                    && is_year(other) == is_year(one)
            });
            same.count() == 1
        };
        for one in placed {
            let new = Joined {
                condition: self.condition(one),
                link: self.link_before(self.mentions[one.mention].at.start),
                is_side: linked.intent == Intent::Compare && !one.is_negated && !is_alone(one),
            };
            merge::take_in(new, question, linked);
        }
        if linked.intent == Intent::Compare {
            alternatives::join(&mut linked.parts, question);
        }
        merge::contradictions(question, linked);
    }

    pub(crate) fn condition(&self, placed: &Placed) -> QuestionCondition {
        QuestionCondition {
            bucket: self.dictionary.column(placed.column).bucket.clone(),
            field: self.dictionary.column(placed.column).field.clone(),
            test: placed.test.clone(),
            names: self.names(placed),
            is_negated: placed.is_negated,
            is_assumed: placed.is_assumed,
            span: self.bytes(&self.mentions[placed.mention].at),
        }
    }
}

/// The longest form of a name, which is the full name rather than an acronym.
fn longest(forms: &[String]) -> Option<String> {
    let longest = forms.iter().max_by_key(|form| form.chars().count());
    longest.cloned()
}
