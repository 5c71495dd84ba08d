//! Finds documents by a name where they lack the field of a condition. Pure.
//!
//! Documents without a schema often say a value in a path or a sentence alone. This module does *not* decide which
//! documents lack the field.

use crate::companies;
use crate::link::{Linker, Placed};
use crate::linked::{Intent, Test};
use crate::merge::Link;
use crate::token::QuestionToken;
use text::fold;

impl Linker<'_> {
    /// Moves names from the `named` column to a field. Two numbers of the same form, or two names that are listed or
    /// compared, belong to one column: where one of them is known from a field and the other from a path alone, both
    /// get the field.
    pub(crate) fn align(&self, placed: &mut [Placed]) {
        let is_number = |placed: &Placed| {
            let at = self.mentions[placed.mention].at.clone();
            self.tokens[at].iter().any(QuestionToken::has_digit)
        };
        for at in 0..placed.len() {
            let one = &placed[at];
            let column = self.dictionary.column(one.column);
            if !column.is_named() || !matches!(one.test, Test::Is(_)) {
                continue;
            }
            let form = self.form_of(one);
            let other = placed.iter().find(|other| {
                let field = self.dictionary.column(other.column);
                let is_field =
                    !field.is_named() && field.bucket == column.bucket && !field.is_kind();
                let is_name = matches!(other.test, Test::Is(_)) && !field.is_of_words();
                let is_listed = self.frame.intent == Intent::Compare
                    || one.mention.abs_diff(other.mention) == 1
                        && self.link_before(self.mentions[one.mention.max(other.mention)].at.start)
                            != Link::None;
                let is_like = match (is_number(one), is_number(other)) {
                    (true, true) => form == self.form_of(other),
                    (false, false) => is_listed,
                    _ => false,
                };
                is_field && is_name && is_like && other.is_negated == one.is_negated
            });
            if let Some(field) = other.map(|other| other.column) {
                placed[at].column = field;
            }
        }
    }

    /// The words of a mention, with `0` for each digit and `a` for each letter.
    fn form_of(&self, placed: &Placed) -> String {
        let at = self.mentions[placed.mention].at.clone();
        let said = self.tokens[at].iter().flat_map(|token| token.text.chars());
        let sort = |c: char| match c {
            '0'..='9' => '0',
            c if c.is_alphabetic() => 'a',
            other => other,
        };
        said.map(sort).collect()
    }

    /// The names of documents in the bucket that match a condition, as the documents write them. The list is empty
    /// where the bucket has a schema and the question is known to be about that bucket, because a missing field then
    /// says nothing about the document. The list is also empty where all documents have the field.
    pub(crate) fn names(&self, placed: &Placed) -> Vec<String> {
        let bucket = &self.dictionary.column(placed.column).bucket;
        let is_described = self.dictionary.is_described(bucket) && self.is_in_one_bucket;
        if is_described || self.dictionary.is_everywhere(placed.column) {
            return Vec::new();
        }
        let called = |key: &str| {
            let known = self.dictionary.with_key(key).filter(|value| {
                let column = self.dictionary.column(value.column);
                column.is_named() && column.bucket == *bucket
            });
            let names = known.map(|value| value.text.to_string());
            names.collect::<Vec<_>>()
        };
        let mut names = Vec::new();
        match &placed.test {
            Test::Is(things) => {
                for form in things.iter().flatten() {
                    let key = fold::name_key(form);
                    let all = called(&key);
                    names.extend(companies::siblings(&all, form).map_or(all, |(own, _)| own));
                    for scanned in self.dictionary.confused_with(&key) {
                        names.extend(called(scanned));
                    }
                    // A sentence may say the value, too.
                    names.push(form.clone());
                }
            }
            Test::Number(numbers) => {
                for number in numbers {
                    names.extend(self.year_called(&number.to_string(), &called));
                }
            }
            Test::Amount(_) => {
                for year in self.years_of(placed) {
                    names.extend(self.year_called(&year.to_string(), &called));
                }
            }
            Test::Days(_) => {}
        }
        names.sort();
        names.dedup();
        names
    }

    /// The ways in which documents write a year that is part of their names, and the year itself, which a sentence may
    /// say.
    fn year_called(&self, year: &str, called: &impl Fn(&str) -> Vec<String>) -> Vec<String> {
        let mut names = called(year);
        for scanned in self.dictionary.confused_with(year) {
            names.extend(called(scanned));
        }
        names.push(year.to_owned());
        names
    }
}
