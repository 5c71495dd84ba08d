//! Makes the phrases of a question, each with the conditions (`Check`) that it stands for.

use super::Scene;
use super::span::{Around, Period, period};
use crate::company::Company;
use crate::field::{Datum, Field, Shelf};
use crate::gold::{Check, Comparison};
use crate::half::Half;
use crate::money::{Currency, NumberNotation, grouped, short};
use crate::wording::{Slot, Span};

/// Some words of a question, and the checks that they stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Phrase {
    pub(crate) said: String,
    pub(crate) checks: Vec<Check>,
}

/// The shortest name that is misspelt.
const TYPO_CHARS_MIN: usize = 9;

impl Scene<'_> {
    /// A pattern of the side for a statement about a shelf.
    fn pattern(&mut self, shelf: Shelf, slot: Slot) -> Option<&'static str> {
        let patterns = self.wording().phrases(shelf, slot)?;
        Some(*self.dice.pick(patterns))
    }

    /// The name of a company in a question. A name that is easily confused with another is used as it is.
    pub(crate) fn call(&mut self, company: &Company, is_plain: bool) -> String {
        let (short, name) = (company.short.clone(), company.name.clone());
        if is_plain {
            return if self.dice.permille(300) { name } else { short };
        }
        if company.has_acronym && self.is_lone(company) && self.dice.permille(600) {
            return company.acronym();
        }
        let weights: [usize; 5] = match self.half {
            Half::Dev => [650, 200, 100, 50, 0],
            Half::Test => [520, 200, 80, 60, 140],
            Half::Extra => [450, 200, 130, 70, 150],
            Half::Third => [430, 120, 250, 50, 150],
            Half::Fourth => [330, 480, 20, 100, 70],
            Half::Fifth => [520, 160, 180, 20, 120],
            Half::Sixth => [470, 180, 190, 20, 140],
            Half::Seventh => [520, 260, 120, 40, 60],
        };
        match self.dice.weighted(&weights) {
            0 => short,
            1 => name,
            2 => short.to_lowercase(),
            3 => short.to_uppercase(),
            _ => self.misspelt(&short),
        }
    }

    fn is_lone(&self, company: &Company) -> bool {
        let acronym = company.acronym();
        let shares = self
            .companies
            .iter()
            .filter(|one| one.has_acronym && one.acronym() == acronym);
        shares.count() == 1
    }

    /// The name with two letters in the middle of its first word exchanged.
    fn misspelt(&mut self, name: &str) -> String {
        let first = name.split(' ').next().unwrap_or_default().len();
        if first < TYPO_CHARS_MIN - 3 || name.len() < TYPO_CHARS_MIN {
            return name.to_owned();
        }
        let mut letters: Vec<char> = name.chars().collect();
        let at = 1 + self.dice.below(first - 3);
        letters.swap(at, at + 1);
        letters.into_iter().collect()
    }

    /// The phrase about a company.
    pub(crate) fn of_company(
        &mut self,
        shelf: Shelf,
        company: &Company,
        is_plain: bool,
    ) -> Option<Phrase> {
        let pattern = self.pattern(shelf, Slot::Is(Field::Company))?;
        let called = self.call(company, is_plain);
        Some(Phrase {
            said: pattern.replace("{}", &called),
            checks: vec![Check::eq(Field::Company, Datum::text(&company.name))],
        })
    }

    /// The phrase about any of several companies.
    pub(crate) fn of_companies(&mut self, shelf: Shelf, companies: &[Company]) -> Option<Phrase> {
        let pattern = self.pattern(shelf, Slot::Is(Field::Company))?;
        let called: Vec<String> = companies.iter().map(|one| self.call(one, true)).collect();
        Some(Phrase {
            said: pattern.replace("{}", &called.join(self.wording().and)),
            checks: vec![Check {
                field: Field::Company,
                comparison: Comparison::In,
                values: companies.iter().map(|one| Datum::text(&one.name)).collect(),
            }],
        })
    }

    /// The phrase that a text field is this value.
    pub(crate) fn is(&mut self, shelf: Shelf, field: Field, value: &Datum) -> Option<Phrase> {
        let pattern = self.pattern(shelf, Slot::Is(field))?;
        let said = match field {
            Field::Currency => self.wording().currencies[index_of(value)].to_owned(),
            _ => value.as_text(),
        };
        Some(Phrase {
            said: pattern.replace("{}", &said),
            checks: vec![Check::eq(field, value.clone())],
        })
    }

    /// The phrase that excludes these values.
    pub(crate) fn is_not(
        &mut self,
        shelf: Shelf,
        field: Field,
        values: &[Datum],
    ) -> Option<Phrase> {
        let pattern = self.pattern(shelf, Slot::IsNot(field))?;
        let mut called = Vec::new();
        for value in values {
            called.push(match field {
                Field::Company => {
                    let company = self.company(&value.as_text()).clone();
                    self.call(&company, true)
                }
                Field::Currency => self.wording().currencies[index_of(value)].to_owned(),
                _ => value.as_text(),
            });
        }
        let comparison = match values.len() {
            1 => Comparison::Ne,
            _ => Comparison::NotIn,
        };
        Some(Phrase {
            said: pattern.replace("{}", &called.join(self.wording().and)),
            checks: vec![Check {
                field,
                comparison,
                values: values.to_vec(),
            }],
        })
    }

    /// The phrase about a span of time.
    pub(crate) fn when(
        &mut self,
        shelf: Shelf,
        field: Field,
        span: Span,
        around: Around,
    ) -> Option<Phrase> {
        let before = self.pattern(shelf, Slot::When(field))?;
        let (_, patterns) = self.wording().spans.iter().find(|(one, _)| *one == span)?;
        let Period { from, to, said } = period(span, patterns, around, &mut self.dice);
        let from = from.map(|day| Check::new(field, Comparison::Gte, Datum::Day(day)));
        let to = to.map(|day| Check::new(field, Comparison::Lt, Datum::Day(day)));
        Some(Phrase {
            said: format!("{before}{said}"),
            checks: from.into_iter().chain(to).collect(),
        })
    }

    /// The phrase about years of reports: one, two, or a range.
    pub(crate) fn years(&mut self, shelf: Shelf, years: &[i64], is_range: bool) -> Option<Phrase> {
        let before = self.pattern(shelf, Slot::Years)?;
        let patterns = self.wording().years;
        let value = |year: &i64| Datum::whole(*year);
        let (pattern, checks) = match years {
            [one] => (patterns[0], vec![Check::eq(Field::Year, value(one))]),
            [from, to] if is_range => (
                patterns[2],
                vec![
                    Check::new(Field::Year, Comparison::Gte, value(from)),
                    Check::new(Field::Year, Comparison::Lte, value(to)),
                ],
            ),
            _ => (
                patterns[1],
                vec![Check {
                    field: Field::Year,
                    comparison: Comparison::In,
                    values: years.iter().map(value).collect(),
                }],
            ),
        };
        let mut said = pattern.to_owned();
        for year in years {
            said = said.replacen("{}", &year.to_string(), 1);
        }
        Some(Phrase {
            said: format!("{before}{said}"),
            checks,
        })
    }

    /// The phrase about an amount: over, under or between. It names a currency where one is given.
    pub(crate) fn amount(
        &mut self,
        shelf: Shelf,
        slot: Slot,
        bounds: &[i64],
        currency: Option<Currency>,
    ) -> Option<Phrase> {
        let pattern = self.pattern(shelf, slot)?;
        let (field, comparisons): (Field, &[Comparison]) = match slot {
            Slot::Over(field) => (field, &[Comparison::Gt]),
            Slot::AtLeast(field) => (field, &[Comparison::Gte]),
            Slot::Under(field) => (field, &[Comparison::Lt]),
            Slot::Between(field) => (field, &[Comparison::Gte, Comparison::Lte]),
            _ => return None,
        };
        let wording = self.wording();
        // One way of writing for both ends of a range.
        let money = *self.dice.pick(match currency {
            Some(_) => wording.money,
            None => wording.bare_money,
        });
        let mut said = pattern.to_owned();
        let mut checks = Vec::new();
        for (bound, comparison) in bounds.iter().zip(comparisons) {
            let written = match field.is_money() {
                true => self.money(*bound, currency, money),
                false => short(*bound),
            };
            said = said.replacen("{}", &written, 1);
            checks.push(Check::new(field, *comparison, Datum::Hundredths(*bound)));
        }
        if let Some(currency) = currency {
            checks.push(Check::eq(Field::Currency, Datum::text(currency.code())));
        }
        Some(Phrase { said, checks })
    }

    /// A whole amount, written by a pattern.
    fn money(&self, hundredths: i64, currency: Option<Currency>, pattern: &str) -> String {
        let whole = hundredths / 100;
        let grouped = grouped(hundredths, NumberNotation::Point).replace(".00", "");
        let thousands = match whole % 100 {
            0 if whole >= 1_000 => format!("{}k", short(whole / 10)),
            _ => whole.to_string(),
        };
        let said = pattern
            .replace("{n}", &grouped)
            .replace("{plain}", &whole.to_string())
            .replace("{k}", &thousands);
        match currency {
            None => said,
            Some(currency) => said
                .replace("{code}", currency.code())
                .replace("{sign}", &currency.sign().to_string())
                .replace("{words}", self.wording().currencies[currency as usize]),
        }
    }
}

/// The index of the currency that a value is.
fn index_of(value: &Datum) -> usize {
    Currency::of(&value.as_text()) as usize
}
