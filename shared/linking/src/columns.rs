//! Which column a mention is of, and what has to hold for it. Pure.

use crate::amounts::{self, Amount};
use crate::days::{self, Grain, Span};
use crate::dictionary::{ColumnId, Kind, KnownColumn};
use crate::fold;
use crate::frame::is_of;
use crate::kindred::{alike, stand_for_one_another};
use crate::link::{Linker, Placed};
use crate::linked::Test;
use crate::mention::{Mention, Named};

/// Most years in a row that are looked for among names.
const YEARS_NAMED_MAX: i32 = 20;

impl Linker<'_> {
    /// The column that a value is of, if it is meant as one.
    pub(crate) fn column_of_value(
        &self,
        mention: &Mention,
        key: &str,
        bucket: Option<&str>,
        before: &[Placed],
    ) -> Result<ColumnId, &'static str> {
        let is_in = |column: &ColumnId| {
            self.dictionary.is_column(*column)
                && bucket.is_none_or(|bucket| self.dictionary.column(*column).bucket == bucket)
        };
        let mut columns: Vec<(u32, ColumnId)> = Vec::new();
        let named = self
            .dictionary
            .with_key(key)
            .chain(self.dictionary.with_acronym(key));
        for entry in named.filter(|entry| is_in(&entry.column)) {
            match columns
                .iter_mut()
                .find(|(_, column)| *column == entry.column)
            {
                Some((count, _)) => *count += entry.documents,
                None => columns.push((entry.documents, entry.column)),
            }
        }
        let said = self.words_before(mention.at.start);
        let score = |(documents, column): &(u32, ColumnId)| {
            let column = self.dictionary.column(*column);
            let is_said = column
                .words
                .iter()
                .any(|word| said.iter().any(|said| alike(said, word)));
            let is_field = !column.is_named();
            (is_field, is_said, column.kind() == Kind::Text, *documents)
        };
        columns.sort_by_key(|column| std::cmp::Reverse(score(column)));
        let (_, column) = *columns
            .first()
            .ok_or("the part of the corpus has no such value")?;
        let is_subject = self.frame.subject.as_ref() == Some(&mention.at);
        if is_subject || self.is_meant(mention, column, before) {
            return Ok(column);
        }
        Err("a word like others here")
    }

    /// Every way in which the documents write what was named. With a legal form behind it only those with that form,
    /// if there are any.
    pub(crate) fn forms(&self, mention: &Mention, key: &str, column: ColumnId) -> Vec<String> {
        let of_column = |text: &crate::dictionary::KnownValue| {
            (text.column == column).then(|| text.text.to_string())
        };
        let mut forms: Vec<String> = self
            .dictionary
            .with_key(key)
            .filter_map(of_column)
            .collect();
        // First letters stand for a name, and a name for its first letters.
        let long: Vec<String> = self
            .dictionary
            .with_acronym(key)
            .map(|entry| fold::name_key(&entry.text))
            .collect();
        for key in long {
            forms.extend(self.dictionary.with_key(&key).filter_map(of_column));
        }
        let acronyms: Vec<String> = forms
            .iter()
            .filter_map(|form| fold::acronym(form))
            .collect();
        for key in acronyms {
            forms.extend(self.dictionary.with_key(&key).filter_map(of_column));
        }
        let is_number = key.contains(|c: char| c.is_ascii_digit());
        let confused = self.dictionary.confused_with(key);
        // What a scan may have made of a number may be another number.
        let confused: Vec<&str> = confused
            .filter(|_| forms.is_empty() || !is_number)
            .collect();
        for key in confused {
            forms.extend(self.dictionary.with_key(key).filter_map(of_column));
        }
        let last = &self.tokens[mention.at.end - 1];
        if mention.at.len() > 1 && fold::is_legal_form(&last.text) {
            let form = fold::key(&last.text);
            let others = |text: &String| {
                let words = fold::words(text);
                let last = words.last().copied().unwrap_or_default();
                fold::is_legal_form(last) && words.len() > 1 && fold::key(last) != form
            };
            forms.retain(|text| !others(text));
        }
        forms.sort();
        forms.dedup();
        forms
    }

    /// The column that days are meant of, and what has to hold for it.
    pub(crate) fn days(
        &self,
        mention: &Mention,
        span: &Span,
        bucket: Option<&str>,
    ) -> Result<(ColumnId, Test), &'static str> {
        let said = self.words_before(mention.at.start);
        let of_kind = |kind| {
            let columns = self.dictionary.columns(bucket);
            let mut columns: Vec<ColumnId> = columns
                .filter(|(_, column)| column.kind() == kind)
                .map(|(id, _)| id)
                .collect();
            // The sort keeps the order of those that fit alike.
            columns.sort_by_key(|column| std::cmp::Reverse(self.fit(*column, &said)));
            columns
        };
        let days = of_kind(Kind::Day);
        let years = of_kind(Kind::Year);
        let is_said = |column: &ColumnId| self.fit(*column, &said).0 > 0;
        let year = match span.grain {
            Grain::Years(first, last) => Some((first, last)),
            Grain::Fiscal {
                year,
                quarter: None,
            } => Some((year, year)),
            _ => None,
        };
        if let (Some((first, last)), Some(column)) = (year, years.first())
            && (is_said(column) || !days.first().is_some_and(is_said))
        {
            let test = match span.side {
                days::SpanSide::In if first < last => Test::Amount(vec![
                    (amounts::Bound::AtLeast, f64::from(first)),
                    (amounts::Bound::AtMost, f64::from(last)),
                ]),
                days::SpanSide::In => Test::Number(vec![f64::from(first)]),
                days::SpanSide::Before => {
                    Test::Amount(vec![(amounts::Bound::Under, f64::from(first))])
                }
                days::SpanSide::After => {
                    Test::Amount(vec![(amounts::Bound::Over, f64::from(last))])
                }
                days::SpanSide::Since => {
                    Test::Amount(vec![(amounts::Bound::AtLeast, f64::from(first))])
                }
                days::SpanSide::Until => {
                    Test::Amount(vec![(amounts::Bound::AtMost, f64::from(last))])
                }
            };
            return Ok((*column, test));
        }
        if let Some(column) = days.first() {
            return Ok((*column, Test::Days(span.days(self.fiscal_end()))));
        }
        self.year_named(year, bucket)
            .ok_or("the part of the corpus has no days")
    }

    /// A year that documents are called after, where they have no days: `ACME_2018_10K.pdf`.
    pub(crate) fn year_named(
        &self,
        year: Option<(i32, i32)>,
        bucket: Option<&str>,
    ) -> Option<(ColumnId, Test)> {
        let (first, last) = year.filter(|(first, last)| last - first < YEARS_NAMED_MAX)?;
        let is_in = |column: &KnownColumn| {
            column.is_named() && bucket.is_none_or(|bucket| column.bucket == bucket)
        };
        let mut column = None;
        let mut years = Vec::new();
        for year in (first..=last).map(|year| year.to_string()) {
            let mut named = self.dictionary.with_key(&year).map(|entry| entry.column);
            let found = named.find(|id| is_in(self.dictionary.column(*id)));
            if let Some(found) = found {
                column = column.or(Some(found));
                years.push(vec![year]);
            }
        }
        Some((column?, Test::Is(years)))
    }

    /// How well a column of days or amounts fits what is said: first the words of its name and description that are said,
    /// then whether it is called after its part of the corpus.
    pub(crate) fn fit(&self, column: ColumnId, said: &[&str]) -> (usize, bool) {
        let column = self.dictionary.column(column);
        let description = column.description_words();
        let score = |said: &&str| {
            let says = |words: &[String], same: fn(&str, &str) -> bool| {
                words.iter().any(|word| same(said, word))
            };
            let fits = [
                (4, says(&column.words, alike)),
                (3, says(&column.words, stand_for_one_another)),
                (2, says(&description, alike)),
                (1, says(&description, stand_for_one_another)),
            ];
            let best = fits.iter().find(|(_, fits)| *fits);
            best.map_or(0, |(worth, _)| *worth)
        };
        let subject = fold::singular(&column.bucket.to_lowercase());
        (
            said.iter().map(score).sum(),
            column.words.contains(&subject),
        )
    }

    /// When the fiscal years of the company end that is named.
    pub(crate) fn fiscal_end(&self) -> Option<days::FiscalEnd> {
        self.mentions
            .iter()
            .find_map(|mention| match &mention.what {
                Named::Value(key) => self.dictionary.fiscal_end(key),
                _ => None,
            })
    }

    /// The column that an amount is compared with: what is said of it, its unit, or the one that holds totals.
    pub(crate) fn column_of_amount(
        &self,
        mention: &Mention,
        amount: &Amount,
        bucket: Option<&str>,
    ) -> Result<ColumnId, &'static str> {
        let mut said = self.words_before(mention.at.start);
        said.extend(self.words_behind(mention.at.end));
        let columns = self.dictionary.columns(bucket);
        let numbers = columns.filter(|(_, column)| column.kind() == Kind::Number);
        let mut columns: Vec<ColumnId> = numbers.map(|(id, _)| id).collect();
        let unit = amount.unit.as_deref();
        let score = |column: &ColumnId| {
            let shown = self.dictionary.column(*column);
            let description = shown.description_words();
            let has = |words: &[String], known: &str| words.iter().any(|word| is_of(word, known));
            let says = |known| has(&shown.words, known) || has(&description, known);
            let fits = match unit {
                Some(unit) => says(measured(unit)),
                None => has(&shown.words, MONEY),
            };
            let is_part = says("net without before excluding tax") && !says("total gross");
            let (said, subject) = self.fit(*column, &said);
            (
                fits && unit.is_some(),
                said,
                fits,
                says("total gross"),
                !is_part,
                subject,
            )
        };
        columns.sort_by_key(|column| std::cmp::Reverse(score(column)));
        let best = *columns
            .first()
            .ok_or("the part of the corpus has no numbers")?;
        let (_, said, fits, ..) = score(&best);
        match said > 0 || fits || (columns.len() == 1 && unit.is_none()) {
            true => Ok(best),
            false => Err("no column is known to hold that"),
        }
    }

    /// The column that holds a currency, and how it is written there.
    pub(crate) fn currency(
        &self,
        code: &str,
        bucket: Option<&str>,
    ) -> Option<(ColumnId, Vec<String>)> {
        let key = code.to_lowercase();
        let is_in = |column: ColumnId| {
            bucket.is_none_or(|bucket| self.dictionary.column(column).bucket == bucket)
        };
        let entries = self
            .dictionary
            .with_key(&key)
            .filter(|entry| is_in(entry.column));
        let column = entries.max_by_key(|entry| entry.documents)?.column;
        let forms = self
            .dictionary
            .with_key(&key)
            .filter(|entry| entry.column == column);
        Some((column, forms.map(|entry| entry.text.to_string()).collect()))
    }
}

/// Words of columns that hold money.
const MONEY: &str =
    "amount total value price cost sum revenue net gross fee turnover sales worth payment rate";

/// Words of columns that are measured in a unit.
fn measured(unit: &str) -> &'static str {
    match unit {
        "v" | "mv" | "kv" | "volt" | "volts" => "voltage volts volt",
        "a" | "ma" | "µa" | "ua" | "amp" | "amps" | "ampere" | "amperes" => {
            "current amperage amps amperes"
        }
        "w" | "mw" | "kw" | "watt" | "watts" => "power wattage watts",
        "hz" | "khz" | "mhz" | "ghz" | "hertz" => "frequency",
        "kg" | "g" | "mg" | "t" | "grams" | "kilograms" | "tonnes" => "weight mass",
        "mm" | "cm" | "m" | "km" | "metres" | "meters" => "length width height distance size",
        "ω" | "kω" | "mω" | "ohms" => "resistance",
        "°c" | "k" | "degrees" => "temperature",
        "%" | "percent" => "percent percentage share rate ratio",
        "day" | "days" | "weeks" | "months" | "years" | "hours" => {
            "days weeks months years hours period term notice duration"
        }
        _ => "",
    }
}
