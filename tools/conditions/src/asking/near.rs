//! The families of near-misses. A near-miss is a question with a second, wrong reading that finds other documents.
//! This module tells in which questions and documents each family can occur, and makes the wrong reading.

use super::Scene;
use crate::company::Company;
use crate::day::Day;
use crate::field::{Datum, Field, Shelf};
use crate::gold::{Check, Comparison};
use crate::question::{NearMiss, QuestionKind};
use crate::words::Fixed;

/// Whether a question of this kind can be of a family.
pub(super) fn fits(family: NearMiss, kind: QuestionKind) -> bool {
    use QuestionKind::{Average, Compare, Count, Extreme, List, Lookup, Sum, Threshold, Time};
    let kinds: &[QuestionKind] = match family {
        NearMiss::OtherYear => &[List, Count, Sum, Lookup],
        NearMiss::FiscalYear => &[List, Count, Sum, Time],
        NearMiss::SimilarName => &[List, Count, Sum, Extreme, Threshold],
        NearMiss::OneLetter => &[List, Count, Sum, Extreme],
        NearMiss::SharedAcronym => &[List, Count, Time, Sum],
        NearMiss::WordName => &[List, Count, Time, Average],
        NearMiss::PartNumber => &[Lookup, Compare],
        NearMiss::Amended => &[List, Count, Lookup, Average],
        NearMiss::DueDate => &[List, Count, Sum, Time],
        NearMiss::NetAmount => &[Threshold, Sum, Average, Extreme],
    };
    kinds.contains(&kind)
}

/// The shelves on which a family occurs.
pub(super) const fn shelves(family: NearMiss) -> &'static [Shelf] {
    match family {
        NearMiss::OtherYear => &[Shelf::Invoices, Shelf::Contracts, Shelf::Reports],
        NearMiss::FiscalYear | NearMiss::NetAmount => &[Shelf::Invoices],
        NearMiss::DueDate => &[Shelf::Invoices, Shelf::Invoices, Shelf::Contracts],
        NearMiss::PartNumber => &[Shelf::Datasheets],
        NearMiss::Amended => &[Shelf::Contracts],
        NearMiss::SimilarName
        | NearMiss::OneLetter
        | NearMiss::SharedAcronym
        | NearMiss::WordName => &[
            Shelf::Invoices,
            Shelf::Invoices,
            Shelf::Contracts,
            Shelf::Certificates,
            Shelf::Reports,
        ],
    }
}

impl Scene<'_> {
    /// Whether a family is about this company; true where it is about none.
    pub(super) fn is_of(&self, family: NearMiss, company: &Company) -> bool {
        let words = self.half.words();
        let is = |one: &Fixed| one.name == company.short;
        match family {
            NearMiss::SimilarName => words.similar.iter().any(|(a, b)| is(a) || is(b)),
            NearMiss::SharedAcronym => words.acronyms.iter().any(|(a, b)| is(a) || is(b)),
            NearMiss::OneLetter => words.one_letter.iter().any(is),
            NearMiss::WordName => words.word_names.iter().any(is),
            NearMiss::FiscalYear => company.fiscal_start > 1 && self.has_report(company),
            _ => true,
        }
    }

    /// Whether a report states that it is of this company, and so when the company's fiscal years end.
    fn has_report(&self, company: &Company) -> bool {
        let name = Datum::text(&company.name);
        let mut reports = self
            .records
            .iter()
            .filter(|record| record.shelf() == Shelf::Reports);
        reports.any(|record| record.said(Field::Company).as_ref() == Some(&name))
    }

    /// The other company of a pair.
    pub(super) fn twin(&self, company: &str) -> Option<&Company> {
        let words = self.half.words();
        let short = self.company(company).short.clone();
        let pairs = words.similar.iter().chain(words.acronyms);
        let other = pairs.into_iter().find_map(|(a, b)| match short {
            _ if short == a.name => Some(b.name),
            _ if short == b.name => Some(a.name),
            _ => None,
        })?;
        self.companies.iter().find(|company| company.short == other)
    }

    /// The other reading of a predicate; `None` where it has none that finds other documents.
    pub(super) fn misread(&self, family: NearMiss, checks: &[Check]) -> Option<Vec<Check>> {
        let mut wrong = checks.to_vec();
        match family {
            NearMiss::OtherYear => {
                wrong
                    .retain(|check| !matches!(check.field, Field::Date | Field::Due | Field::Year));
            }
            NearMiss::OneLetter | NearMiss::WordName => {
                wrong.retain(|check| check.field != Field::Company);
            }
            NearMiss::FiscalYear => return Some(calendar(wrong)),
            NearMiss::SimilarName | NearMiss::SharedAcronym => {
                let check = wrong
                    .iter_mut()
                    .find(|check| check.field == Field::Company)?;
                if check.comparison == Comparison::In {
                    return None;
                }
                let twin = self.twin(&check.values[0].as_text())?;
                check.values = vec![Datum::text(&twin.name)];
            }
            NearMiss::PartNumber => {
                let check = wrong
                    .iter_mut()
                    .find(|check| check.field == Field::Number)?;
                check.values = self.one_sign_off(&check.values[0].as_text());
                check.comparison = Comparison::In;
                if check.values.is_empty() {
                    return None;
                }
            }
            NearMiss::Amended => {
                let natures = self.half.words().contract_natures;
                let check = wrong
                    .iter_mut()
                    .find(|check| check.field == Field::Nature)?;
                let is_contract = check.values[0] == Datum::text(natures[0]);
                check.values = vec![Datum::text(natures[usize::from(is_contract)])];
            }
            NearMiss::DueDate => {
                wrong
                    .iter_mut()
                    .filter(|check| check.field == Field::Due)
                    .for_each(|c| c.field = Field::Date);
            }
            NearMiss::NetAmount => {
                wrong
                    .iter_mut()
                    .filter(|check| check.field == Field::Net)
                    .for_each(|c| c.field = Field::Amount);
            }
        }
        Some(wrong)
    }

    /// Parts whose number differs in one sign.
    fn one_sign_off(&self, number: &str) -> Vec<Datum> {
        let parts = self
            .records
            .iter()
            .filter(|record| record.shelf() == Shelf::Datasheets);
        let near = |other: &String| {
            let differ = other
                .chars()
                .zip(number.chars())
                .filter(|(a, b)| a != b)
                .count();
            other.len() == number.len() && differ == 1
        };
        let numbers = parts.map(|record| record.truth(Field::Number).as_text());
        numbers.filter(near).map(Datum::Text).collect()
    }
}

/// The calendar year in place of the fiscal year of the same number.
fn calendar(mut checks: Vec<Check>) -> Vec<Check> {
    for check in checks.iter_mut().filter(|check| check.field == Field::Date) {
        let Datum::Day(day) = check.values[0] else {
            continue;
        };
        let year = match check.comparison {
            Comparison::Lt => day.plus(-1).year() + 1,
            // The year that it ends in: a fiscal year that is none of the calendar begins before it.
            _ => day.year() + 1,
        };
        check.values = vec![Datum::Day(Day::new(year, 1, 1))];
    }
    checks
}
