//! Finds the column of a mention. Pure.
//!
//! Days and amounts belong to the column that the words around them describe best: by its name, by related words, by
//! its description, or by its unit. The module does *not* build the test on days (`days_of`).

use crate::amounts::Amount;
use crate::companies;
use crate::dictionary::{ColumnId, ColumnKind, KnownColumn, KnownValue};
use crate::kindred::Kin;
use crate::link::{Fitting, Linker, Placed};
use crate::mention::Mention;
use crate::signs;
use crate::token::{QuestionToken, text_of};
use crate::units::{is_in_unit, is_of_time};
use std::cmp::Reverse;
use std::collections::HashSet;
use text::stop::is_content_free;
use text::{fold, is_of};

/// If two columns have a value, the one with so many times fewer documents is not an alternative.
const RARE: u32 = 5;
/// The least weight of a word that is compared with synonyms: it is one of the two words in front of the mention.
const NEAR_WEIGHT: usize = 2;

/// What a word of a column's name is worth: a column that fits so much better than the next best is meant for certain.
pub(crate) const NAMED_WORTH: usize = 4;

/// A word near a mention, with a weight that grows as the word gets nearer.
pub(crate) struct Said {
    kin: Kin,
    weight: usize,
}

impl Said {
    fn of(word: &str, weight: usize) -> Said {
        Said {
            kin: Kin::of(word),
            weight,
        }
    }
}

impl Linker<'_> {
    fn said_around(&self, mention: &Mention) -> Vec<Said> {
        let mut said = self.said_before(mention.at.start);
        said.extend(self.said_behind(mention.at.end));
        said
    }

    /// The column of a mentioned value, if the value is meant as a condition.
    pub(crate) fn column_of_value(
        &self,
        mention: &Mention,
        key: &str,
        bucket: Option<&str>,
        before: &[Placed],
    ) -> Result<Fitting, &'static str> {
        let known = self.dictionary;
        let is_in =
            |column: ColumnId| known.is_column(column) && known.column(column).is_in(bucket);
        let mut columns: Vec<(u32, ColumnId)> = Vec::new();
        let named = known.with_key(key).chain(known.with_acronym(key));
        for entry in named.filter(|entry| is_in(entry.column)) {
            let mut found = columns.iter_mut();
            match found.find(|(_, column)| *column == entry.column) {
                Some((count, _)) => *count += entry.documents,
                None => columns.push((entry.documents, entry.column)),
            }
        }
        let said = self.said_around(mention);
        let score = |column: ColumnId| {
            let column = self.dictionary.column(column);
            let says = |words: &[Kin], is_same: fn(&Kin, &Kin) -> bool| {
                let is_said = |word: &Kin| said.iter().any(|said| is_same(&said.kin, word));
                words.iter().any(is_said)
            };
            let is_said =
                says(&column.kin, Kin::is_like) || says(&column.said.also_called, Kin::is_form_of);
            // If a source and an author have the same name, the source is meant, because many documents share it.
            let is_shared = !column.is_naming();
            (
                !column.is_named(),
                is_said,
                column.kind() == ColumnKind::Text,
                is_shared,
            )
        };
        columns.sort_by_key(|(documents, id)| Reverse((score(*id), *documents)));
        // `attestation` in a path of the bucket `conformity-attestations` says nothing.
        let all = columns.len();
        columns.retain(|(_, column)| !self.is_of_bucket_name(mention, *column));
        if columns.is_empty() && all > 0 {
            return Err("a word like others here");
        }
        let Some(&(documents, column)) = columns.first() else {
            let named = bucket.and_then(|bucket| self.dictionary.named_column(bucket));
            let named = named.filter(|_| self.is_name(mention, key));
            return Ok(named.ok_or("the bucket has no such value")?.into());
        };
        let is_field = !self.dictionary.column(column).is_named();
        let is_called = || !is_field && self.is_called_with_year(mention, key, column);
        if self.frame.subject.as_ref() != Some(&mention.at)
            && !self.is_meant(mention, column, before)
            && !is_called()
        {
            return Err("a word like others here");
        }
        let rivals = columns[1..].iter().filter(|(others, rival)| {
            is_field && score(*rival) == score(column) && others.saturating_mul(RARE) >= documents
        });
        Ok(Fitting {
            column,
            rivals: rivals.map(|(_, rival)| *rival).collect(),
            is_assumed: false,
        })
    }

    fn is_of_bucket_name(&self, mention: &Mention, column: ColumnId) -> bool {
        let column = self.dictionary.column(column);
        let bucket = column.bucket.split(|c: char| !c.is_alphanumeric());
        let called: Vec<String> = bucket
            .map(|word| fold::singular(&word.to_lowercase()))
            .collect();
        let mut said = self.tokens[mention.at.clone()].iter();
        column.is_named() && said.all(|token| called.contains(&fold::singular(&token.lower)))
    }

    /// Whether a mention that no field of the bucket has is still a name or number that sentences of its documents may
    /// say.
    fn is_name(&self, mention: &Mention, key: &str) -> bool {
        let said = &self.tokens[mention.at.clone()];
        let mut values = self.dictionary.with_key(key);
        self.is_asked_for()
            && !values.any(|value| self.dictionary.is_kind(value))
            && (said.len() > 1
                || said.iter().any(QuestionToken::has_digit)
                || said.iter().all(QuestionToken::is_name))
    }

    /// The things that a mention names, each in every way in which the documents write it. An acronym may stand for
    /// several things. A legal form behind the mention excludes names with another legal form.
    pub(crate) fn things(
        &self,
        mention: &Mention,
        key: &str,
        column: ColumnId,
    ) -> Vec<Vec<String>> {
        let text = |value: &KnownValue| value.text.to_string();
        let with_key = |key: &str| {
            let forms = self.dictionary.values_of(key, column);
            let forms = forms.map(text).chain(self.path_forms(key, column));
            forms.collect::<Vec<String>>()
        };
        let said = text_of(&self.tokens[mention.at.clone()]);
        if self.dictionary.column(column).is_named() {
            // Other documents may write the name in other ways, and a sentence may write it as the question does.
            let forms = self.dictionary.with_key(key).map(text);
            return vec![sorted(forms.chain([said]).collect())];
        }
        let mut forms = with_key(key);
        let long = self.dictionary.with_acronym(key);
        let long = long.filter(|entry| entry.column == column);
        let mut long: Vec<String> = long.map(|entry| fold::name_key(&entry.text)).collect();
        long.sort();
        // A name that a scanner misread is not another name.
        let mut skeletons = HashSet::new();
        long.retain(|key| skeletons.insert(fold::skeleton(key)));
        // An acronym stands for all of the names that have it; documents may also write each of them as the acronym.
        if !long.is_empty() {
            let all = long.iter().map(|key| {
                let confused = self.dictionary.confused_with(key).flat_map(with_key);
                let forms = forms.iter().cloned().chain(with_key(key)).chain(confused);
                sorted(forms.collect())
            });
            return all.collect();
        }
        let acronyms = forms.iter().filter_map(|form| fold::acronym(form));
        let acronyms: Vec<String> = acronyms.collect();
        forms.extend(acronyms.iter().flat_map(|key| with_key(key)));
        // A number that looks like a misread one may be a different number.
        if forms.is_empty() || !key.contains(|c: char| c.is_ascii_digit()) {
            forms.extend(self.dictionary.confused_with(key).flat_map(with_key));
        }
        let words: Vec<&str> = said.split(' ').collect();
        signs::leave_out_others(&mut forms, &said);
        companies::leave_out_others(&mut forms, &words);
        vec![sorted(forms)]
    }

    /// How the paths of documents without the field write a name of it, mostly without its legal form: `ACME-PUMPS` for
    /// `Acme Pumps Ltd`. A name of one word may be an ordinary word, and where two legal forms have the name, a path may
    /// mean either; both are left out.
    fn path_forms(&self, key: &str, column: ColumnId) -> impl Iterator<Item = String> {
        let of = |column: ColumnId| self.dictionary.values_of(key, column);
        let telling = of(column).filter(|value| !companies::is_single(&value.text));
        let legal = telling.map(|value| companies::suffixes(&value.text));
        let legal = sorted(legal.filter(|suffixes| !suffixes.is_empty()).collect());
        let bucket = &self.dictionary.column(column).bucket;
        let named = self.dictionary.named_column(bucket);
        let named = named.filter(|_| legal.len() == 1).into_iter();
        named.flat_map(of).map(|value| value.text.to_string())
    }

    /// How well a column of days or amounts fits the words around a mention. The first part counts the words of its
    /// name and description among them; the second says whether the column is named after its bucket.
    pub(crate) fn fit(&self, column: &KnownColumn, said: &[Said]) -> (usize, bool) {
        let of = &column.said;
        let score = |said: &Said| {
            let says = |words: &[Kin], is_same: fn(&Kin, &Kin) -> bool| {
                words.iter().any(|word| is_same(&said.kin, word))
            };
            // `Issued by Acme on the year 2020` says who issued it, and not which day is meant.
            let is_near = said.weight >= NEAR_WEIGHT;
            let worth = match () {
                () if says(&column.kin, Kin::is_like) => NAMED_WORTH,
                () if is_near && says(&of.also_called, Kin::is_form_of) => 3,
                () if says(&column.kin, Kin::stands_for) => 3,
                () if is_near && says(&of.partly_called, Kin::is_form_of) => 2,
                () if says(&of.described_by, Kin::is_like) => 2,
                () if says(&of.described_by, Kin::stands_for) => 1,
                () => 0,
            };
            worth * said.weight
        };
        let subject = fold::singular(&column.bucket.to_lowercase());
        (
            said.iter().map(score).sum(),
            column.words.contains(&subject),
        )
    }

    /// The words before a token that may say which column is meant, the nearest first.
    pub(crate) fn said_before(&self, at: usize) -> Vec<Said> {
        let words = self.words_before(at);
        // In `a settlement date on any date before` the other words say which date it is, and `between the first and the
        // last of April` says nothing of an end.
        let is_both = words.contains(&"first") && words.contains(&"last");
        let is_telling = |word: &&&str| {
            let is_vague = is_content_free(word)
                || is_of(word, "date dates day")
                || is_both && is_of(word, "first last");
            !is_vague
        };
        let weights = [3, 2].into_iter().chain(std::iter::repeat(1));
        let said = words.iter().filter(is_telling).zip(weights);
        let said = said.map(|(word, weight)| Said::of(word, weight));
        said.filter(|said| said.kin.is_telling()).collect()
    }

    pub(crate) fn said_behind(&self, end: usize) -> Vec<Said> {
        let mut words = self.words_behind(end);
        words.retain(|word| !is_content_free(word));
        words.into_iter().map(|word| Said::of(word, 1)).collect()
    }

    /// The column that an amount is compared with. The words around the amount, its unit, or a column of totals decide.
    pub(crate) fn column_of_amount(
        &self,
        mention: &Mention,
        amount: &Amount,
        bucket: Option<&str>,
    ) -> Result<Fitting, &'static str> {
        let taxes = "vat tax taxes gst";
        let mut said = self.said_before(mention.at.start);
        // Words such as those of `before VAT` and `without tax` say nothing elsewhere, but count here.
        let behind = self.words_behind(mention.at.end);
        let joining = self.words_before(mention.at.start).into_iter().take(3);
        let joining = joining.chain(behind.iter().copied());
        let untaxed = joining.filter(|word| is_of(word, words!(untaxed)));
        said.extend(untaxed.map(|word| Said::of(word, 2)));
        said.extend(self.said_behind(mention.at.end));
        // `with VAT` describes an amount that includes it.
        let including = "with including incl inclusive";
        let includes = |pair: &[&str]| is_of(pair[0], including) && is_of(pair[1], taxes);
        let is_taxed = behind.windows(2).any(includes)
            && !behind.iter().any(|word| is_of(word, words!(untaxed)));
        if is_taxed {
            said.retain(|said| !said.kin.is_of(taxes));
        }
        let (unit, is_money) = (amount.unit.as_deref(), amount.currency.is_some());
        let score = |column: &KnownColumn| {
            let says = |words: &[Kin], known| words.iter().any(|word| word.is_of(known));
            let of = &column.said;
            let either = |known| says(&column.kin, known) || says(&of.described_by, known);
            let money = words!(columns_money);
            let fits = match unit {
                Some(unit) => 2 * usize::from(is_in_unit(column, unit)),
                // A column in volts or days holds no money.
                None if is_money && !matches!(of.unit.len(), 0 | 3) => 0,
                None if says(&column.kin, money) => 2,
                None if !is_money => 0,
                None => usize::from(says(&of.described_by, money) || says(&of.also_called, money)),
            };
            let is_part = either("net without before excluding tax vat") && !either("total gross");
            let is_untaxed = column.is_called(words!(untaxed))
                || column.is_called("excl untaxed base taxable subtotal");
            let (said, subject) = self.fit(column, &said);
            let of_unit = unit.is_some() && fits > 0;
            let is_of_tax = !(is_taxed && is_untaxed);
            (
                of_unit,
                is_of_tax,
                said,
                fits,
                either("total gross"),
                !is_part,
                subject,
            )
        };
        let columns = self.dictionary.columns(bucket);
        let numbers = columns.filter(|(_, column)| column.kind() == ColumnKind::Number);
        let mut scored: Vec<_> = numbers.map(|(id, column)| (score(column), id)).collect();
        scored.sort_by_key(|(score, _)| Reverse(*score));
        let &(best, id) = scored.first().ok_or("the bucket has no numbers")?;
        let column = self.dictionary.column(id);
        let (of_unit, _, said, fits, ..) = best;
        // `more than 100 employees`, `by more than 30 days`: what is counted has to be what the column holds.
        let is_held = match unit {
            Some(unit) => of_unit && (!is_of_time(unit) || self.says_name(mention, column)),
            None => {
                let is_counted = !is_money && self.counts_things(mention, column);
                !is_counted && (said > 0 || fits > 0 || scored.len() == 1)
            }
        };
        if !is_held {
            return Err("no column is known to hold that");
        }
        // Another column of money, or in the same unit, may be meant unless the words fit this one clearly better.
        let next = scored.get(1).map(|(next, _)| *next);
        let next = next.filter(|next| (next.0, next.1, next.3) == (of_unit, best.1, fits));
        let is_assumed = next.is_some_and(|next| said < next.2 + NAMED_WORTH);
        let rivals = scored[1..].iter().filter(|(score, _)| *score == best);
        let rivals = rivals.filter(|_| said > 0 || of_unit).map(|(_, id)| *id);
        Ok(Fitting {
            column: id,
            rivals: rivals.collect(),
            is_assumed,
        })
    }

    /// Whether a word of a column's name or of its synonyms, other than a unit of time, stands beside a mention: `30 days'
    /// notice`.
    fn says_name(&self, mention: &Mention, column: &KnownColumn) -> bool {
        let said = self.said_around(mention);
        let is_said = |known: &Kin| {
            let is_it = |said: &Said| said.kin.is_like(known) || said.kin.stands_for(known);
            said.iter().any(is_it)
        };
        let names = column.words.iter().filter(|word| !is_of_time(word));
        let mut names = names.map(|word| Kin::of(word));
        names.any(|name| is_said(&name)) || column.said.also_called.iter().any(is_said)
    }
}

fn sorted(mut forms: Vec<String>) -> Vec<String> {
    forms.sort();
    forms.dedup();
    forms
}
