//! The records from which everything is made: documents are rendered from them, and answers are found in them.

use crate::day::Day;
use crate::field::{Datum, Field, FileKind, Shelf, Stand};
use crate::money::Currency;

/// An invoice, a credit note (its amounts are negative) or a second scan of an invoice.
#[derive(Debug, Clone)]
pub struct Invoice {
    /// The company that sends it.
    pub company: String,
    /// Its number; a second scan has the number of its invoice.
    pub number: String,
    /// What it is, as one of the natures of its side.
    pub nature: &'static str,
    /// When it was issued.
    pub date: Day,
    /// When it is to be paid.
    pub due: Day,
    /// The amount without tax, in hundredths.
    pub net: i64,
    /// The amount with tax, in hundredths.
    pub gross: i64,
    /// The currency of both amounts.
    pub currency: Currency,
    /// The cost centre.
    pub category: &'static str,
}

/// A contract or an amendment.
#[derive(Debug, Clone)]
pub struct Contract {
    /// The other party.
    pub company: String,
    /// Its number; an amendment has that of its contract.
    pub number: String,
    /// What it is, as one of the natures of its side.
    pub nature: &'static str,
    /// What it is about.
    pub category: &'static str,
    /// When it takes effect.
    pub start: Day,
    /// When it ends.
    pub end: Day,
    /// The value, in hundredths.
    pub value: i64,
    /// The currency of the value.
    pub currency: Currency,
    /// Days of notice.
    pub notice: i64,
}

/// A datasheet.
#[derive(Debug, Clone)]
pub struct Datasheet {
    /// The manufacturer.
    pub company: String,
    /// The part.
    pub part: String,
    /// What sort of part.
    pub category: &'static str,
    /// Highest voltage, in hundredths of a volt.
    pub volts: i64,
    /// Highest current, in hundredths of an ampere.
    pub amps: i64,
    /// The housing.
    pub package: &'static str,
    /// When it was revised.
    pub revised: Day,
}

/// A certificate.
#[derive(Debug, Clone)]
pub struct Certificate {
    /// The holder.
    pub company: String,
    /// Its number.
    pub number: String,
    /// What is certified.
    pub standard: &'static str,
    /// The body that certifies.
    pub body: &'static str,
    /// Where.
    pub site: &'static str,
    /// When it was issued.
    pub issued: Day,
    /// Until when it is valid.
    pub valid_until: Day,
}

/// A yearly report.
#[derive(Debug, Clone)]
pub struct YearlyReport {
    /// The company that reports.
    pub company: String,
    /// What kind of report.
    pub nature: &'static str,
    /// The fiscal year, with the number of the calendar year in which it ends.
    pub year: i32,
    /// The month that fiscal years of the company begin with.
    pub fiscal_start: u8,
    /// When it was published.
    pub published: Day,
    /// The revenue, in hundredths.
    pub revenue: i64,
    /// The currency of the revenue.
    pub currency: Currency,
}

/// What a document is about.
#[derive(Debug, Clone)]
pub enum Matter {
    /// An invoice, a credit note or a second scan.
    Invoice(Invoice),
    /// A contract or an amendment.
    Contract(Contract),
    /// A datasheet.
    Datasheet(Datasheet),
    /// A certificate.
    Certificate(Certificate),
    /// A report.
    YearlyReport(YearlyReport),
}

/// A document before it is rendered: its subject, and the place where each value is written.
#[derive(Debug, Clone)]
pub struct BusinessRecord {
    /// The number of the record, from 1.
    pub serial: u32,
    /// What it is about.
    pub matter: Matter,
    /// The format of its file.
    pub file: FileKind,
    /// The path below `documents/`, which names the document; for a line of JSONL, with its id.
    pub source: String,
    pub(crate) stands: [Stand; Field::COUNT],
}

impl BusinessRecord {
    /// The shelf that it belongs to.
    pub fn shelf(&self) -> Shelf {
        match self.matter {
            Matter::Invoice(_) => Shelf::Invoices,
            Matter::Contract(_) => Shelf::Contracts,
            Matter::Datasheet(_) => Shelf::Datasheets,
            Matter::Certificate(_) => Shelf::Certificates,
            Matter::YearlyReport(_) => Shelf::Reports,
        }
    }

    /// The place where the value of a field is written.
    pub fn stand(&self, field: Field) -> Stand {
        self.stands[field as usize]
    }

    /// The value of a field that its shelf has, whether the document states it or not.
    ///
    /// # Panics
    /// When its shelf has no such field.
    pub fn truth(&self, field: Field) -> Datum {
        let none = || -> Datum { panic!("{:?} has no {field:?}", self.shelf()) };
        match &self.matter {
            Matter::Invoice(one) => match field {
                Field::Company => Datum::text(&one.company),
                Field::Number => Datum::text(&one.number),
                Field::Nature => Datum::text(one.nature),
                Field::Date => Datum::Day(one.date),
                Field::Due => Datum::Day(one.due),
                Field::Net => Datum::Hundredths(one.net),
                Field::Amount => Datum::Hundredths(one.gross),
                Field::Currency => Datum::text(one.currency.code()),
                Field::Category => Datum::text(one.category),
                _ => none(),
            },
            Matter::Contract(one) => match field {
                Field::Company => Datum::text(&one.company),
                Field::Number => Datum::text(&one.number),
                Field::Nature => Datum::text(one.nature),
                Field::Category => Datum::text(one.category),
                Field::Date => Datum::Day(one.start),
                Field::Due => Datum::Day(one.end),
                Field::Amount => Datum::Hundredths(one.value),
                Field::Currency => Datum::text(one.currency.code()),
                Field::Notice => Datum::whole(one.notice),
                _ => none(),
            },
            Matter::Datasheet(one) => match field {
                Field::Company => Datum::text(&one.company),
                Field::Number => Datum::text(&one.part),
                Field::Category => Datum::text(one.category),
                Field::Volts => Datum::Hundredths(one.volts),
                Field::Amps => Datum::Hundredths(one.amps),
                Field::Package => Datum::text(one.package),
                Field::Date => Datum::Day(one.revised),
                _ => none(),
            },
            Matter::Certificate(one) => match field {
                Field::Company => Datum::text(&one.company),
                Field::Number => Datum::text(&one.number),
                Field::Category => Datum::text(one.standard),
                Field::Body => Datum::text(one.body),
                Field::Site => Datum::text(one.site),
                Field::Date => Datum::Day(one.issued),
                Field::Due => Datum::Day(one.valid_until),
                _ => none(),
            },
            Matter::YearlyReport(one) => match field {
                Field::Company => Datum::text(&one.company),
                Field::Nature => Datum::text(one.nature),
                Field::Year => Datum::whole(i64::from(one.year)),
                Field::Date => Datum::Day(one.published),
                Field::Amount => Datum::Hundredths(one.revenue),
                Field::Currency => Datum::text(one.currency.code()),
                _ => none(),
            },
        }
    }

    /// The value of a field, if the document states it anywhere.
    pub fn said(&self, field: Field) -> Option<Datum> {
        (self.stand(field) != Stand::Nowhere).then(|| self.truth(field))
    }
}
