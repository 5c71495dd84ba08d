//! A question to conditions. Pure.
//!
//! First what the question names (`mention`); then, for each, which column it is of (`columns`), and whether it is meant
//! at all (`meant`).

use crate::dictionary::{ColumnId, Dictionary};
use crate::fold;
use crate::frame::{Frame, frame};
use crate::linked::{Intent, LinkedQuestion, QuestionCondition, Test};
use crate::mention::{Mention, Named, mentions};
use crate::token::{QuestionToken, tokens};
use std::ops::Range;
use time::Date;

/// What `question` amounts to, asked on a day.
pub fn link(question: &str, dictionary: &Dictionary, today: Date) -> LinkedQuestion {
    let tokens = tokens(question);
    let mentions = mentions(&tokens, dictionary, today);
    let is_evident = mentions
        .iter()
        .any(|mention| mention.is_evident(&tokens, dictionary));
    let linker = Linker {
        frame: frame(&tokens, dictionary, is_evident),
        mentions,
        tokens,
        dictionary,
        is_evident_where: false,
    };
    let linker = Linker {
        is_evident_where: is_evident && linker.bucket().is_some(),
        ..linker
    };
    let linked = linker.link(question);
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
    /// Something is named beyond doubt, and it is clear in which part of the corpus.
    pub(crate) is_evident_where: bool,
}

/// A mention with its column.
pub(crate) struct Placed {
    pub(crate) mention: usize,
    pub(crate) column: ColumnId,
    pub(crate) test: Test,
    pub(crate) is_negated: bool,
}

impl Linker<'_> {
    fn link(&self, question: &str) -> LinkedQuestion {
        let bucket = self.bucket();
        let mut linked = LinkedQuestion {
            intent: self.frame.intent,
            bucket: bucket.clone(),
            ..LinkedQuestion::default()
        };
        let mut placed: Vec<Placed> = Vec::new();
        for (number, mention) in self.mentions.iter().enumerate() {
            match self.place(number, bucket.as_deref(), &placed) {
                Ok(new) => placed.extend(new),
                Err(reason) => {
                    let said = question[self.bytes(&mention.at)].to_owned();
                    linked.dropped.push((said, reason));
                }
            }
        }
        self.merge(placed, &mut linked);
        linked
    }

    /// The part of the corpus: what the noun names, or where most of what is named is to be found.
    fn bucket(&self) -> Option<String> {
        if self.frame.bucket.is_some() {
            return self.frame.bucket.clone();
        }
        let mut votes: Vec<(&str, (usize, usize))> = Vec::new();
        for mention in &self.mentions {
            for (bucket, is_number) in self.buckets_of(mention) {
                let vote = match votes.iter().position(|(known, _)| *known == bucket) {
                    Some(place) => &mut votes[place].1,
                    None => {
                        votes.push((bucket, (0, 0)));
                        let last = votes.len() - 1;
                        &mut votes[last].1
                    }
                };
                vote.0 += usize::from(is_number);
                vote.1 += 1;
            }
        }
        let most = votes.iter().map(|(_, vote)| *vote).max()?;
        let mut best = votes.iter().filter(|(_, vote)| *vote == most);
        match (best.next(), best.next()) {
            (Some((bucket, _)), None) => Some((*bucket).to_owned()),
            _ => None,
        }
    }

    /// The parts of the corpus with a field that has what is named, each once; and whether that is a number which few
    /// documents have.
    fn buckets_of(&self, mention: &Mention) -> Vec<(&str, bool)> {
        let Named::Value(key) = &mention.what else {
            return Vec::new();
        };
        let has_digit = key.contains(|c: char| c.is_ascii_digit());
        let mut buckets: Vec<(&str, bool)> = Vec::new();
        for entry in self
            .dictionary
            .with_key(key)
            .filter(|entry| self.dictionary.is_column(entry.column))
        {
            let column = self.dictionary.column(entry.column);
            let is_known = buckets.iter().any(|(bucket, _)| *bucket == column.bucket);
            if !is_known && !column.is_named() {
                buckets.push((&column.bucket, has_digit && column.is_naming()));
            }
        }
        buckets
    }

    /// Which conditions a mention is, or why none.
    fn place(
        &self,
        number: usize,
        bucket: Option<&str>,
        before: &[Placed],
    ) -> Result<Vec<Placed>, &'static str> {
        let mention = &self.mentions[number];
        let is_negated = self.is_negated(number, before);
        let placed = |column, test| Placed {
            mention: number,
            column,
            test,
            is_negated,
        };
        match &mention.what {
            Named::Value(key) => {
                let column = self.column_of_value(mention, key, bucket, before)?;
                let forms = self.forms(mention, key, column);
                Ok(vec![placed(column, Test::Is(vec![forms]))])
            }
            _ if !(self.is_asked_for() || bucket.is_some() && self.is_evident(mention)) => {
                Err("the question is not about documents")
            }
            Named::Days(span) => {
                let (column, test) = self.days(mention, span, bucket)?;
                Ok(vec![placed(column, test)])
            }
            Named::Amount(amount) => {
                let column = self.column_of_amount(mention, amount, bucket)?;
                let mut all = vec![placed(column, Test::Amount(amount.bounds.clone()))];
                if let Some(code) = amount.currency {
                    let (column, forms) = self
                        .currency(code, bucket)
                        .ok_or("no column holds currencies")?;
                    all.push(placed(column, Test::Is(vec![forms])));
                }
                Ok(all)
            }
            Named::Currency(code) => {
                let (column, forms) = self
                    .currency(code, bucket)
                    .ok_or("no column holds currencies")?;
                Ok(vec![placed(column, Test::Is(vec![forms]))])
            }
        }
    }

    /// What documents of the part of the corpus are called that a condition asks for, as they write it: nothing where no
    /// name of theirs says so.
    fn names(&self, placed: &Placed) -> Vec<String> {
        let bucket = &self.dictionary.column(placed.column).bucket;
        let called = |text: &str| {
            let key = fold::name_key(text);
            let known = self.dictionary.with_key(&key);
            let known = known.filter(|value| {
                let column = self.dictionary.column(value.column);
                column.is_named() && column.bucket == *bucket
            });
            known
                .map(|value| value.text.to_string())
                .collect::<Vec<_>>()
        };
        let mut names: Vec<String> = match &placed.test {
            Test::Is(things) => {
                let forms = things.iter().flatten();
                forms.flat_map(|form| called(form)).collect()
            }
            Test::Number(numbers) => {
                let numbers = numbers.iter();
                numbers
                    .flat_map(|number| called(&number.to_string()))
                    .collect()
            }
            Test::Days(_) | Test::Amount(_) => Vec::new(),
        };
        names.sort();
        names.dedup();
        names
    }

    fn bytes(&self, at: &Range<usize>) -> Range<usize> {
        self.tokens[at.start].span.start..self.tokens[at.end - 1].span.end
    }

    /// Values of one column are alternatives; in a comparison they are its sides.
    fn merge(&self, placed: Vec<Placed>, linked: &mut LinkedQuestion) {
        let condition = |placed: &Placed| QuestionCondition {
            bucket: self.dictionary.column(placed.column).bucket.clone(),
            field: self.dictionary.column(placed.column).field.clone(),
            test: placed.test.clone(),
            names: self.names(placed),
            is_negated: placed.is_negated,
            span: self.bytes(&self.mentions[placed.mention].at),
        };
        let is_alone = |one: &Placed| {
            let same = placed
                .iter()
                .filter(|other| other.column == one.column && other.is_negated == one.is_negated);
            same.count() == 1
        };
        for one in &placed {
            let new = condition(one);
            if linked.intent == Intent::Compare && !one.is_negated && !is_alone(one) {
                linked.parts.push(new);
                continue;
            }
            let known = linked.conditions.iter_mut().find(|known| {
                (&known.field, &known.bucket, known.is_negated)
                    == (&new.field, &new.bucket, new.is_negated)
            });
            match known {
                Some(known) => merge_into(known, new),
                None => linked.conditions.push(new),
            }
        }
    }
}

fn merge_into(known: &mut QuestionCondition, new: QuestionCondition) {
    for name in new.names {
        if !known.names.contains(&name) {
            known.names.push(name);
        }
    }
    match (&mut known.test, new.test) {
        (Test::Is(known), Test::Is(new)) => {
            for value in new {
                if !known.contains(&value) {
                    known.push(value);
                }
            }
        }
        (Test::Number(known), Test::Number(new)) => known.extend(new),
        (Test::Amount(known), Test::Amount(new)) => known.extend(new),
        (Test::Days(known), Test::Days(new)) => {
            known.from = known.from.min(new.from);
            known.until = match (known.until, new.until) {
                (Some(known), Some(new)) => Some(known.max(new)),
                _ => None,
            };
        }
        _ => {}
    }
}
