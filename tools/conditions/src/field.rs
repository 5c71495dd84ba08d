//! The fields of a document: their names, their values, and where in the document each value is written.

use crate::day::Day;
use std::cmp::Ordering;

/// A kind of document. Each split has its own name for the folder, and so for the bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shelf {
    /// Invoices, credit notes, and second scans of invoices.
    Invoices,
    /// Contracts and their amendments.
    Contracts,
    /// Datasheets of parts.
    Datasheets,
    /// Certificates of companies.
    Certificates,
    /// Yearly reports of companies.
    Reports,
}

impl Shelf {
    /// Every one.
    pub const ALL: [Shelf; 5] = [
        Shelf::Invoices,
        Shelf::Contracts,
        Shelf::Datasheets,
        Shelf::Certificates,
        Shelf::Reports,
    ];

    /// The fields that its documents have.
    pub const fn fields(self) -> &'static [Field] {
        use Field::*;
        match self {
            Shelf::Invoices => &[
                Company, Number, Nature, Date, Due, Net, Amount, Currency, Category,
            ],
            Shelf::Contracts => &[
                Company, Number, Nature, Category, Date, Due, Amount, Currency, Notice,
            ],
            Shelf::Datasheets => &[Company, Number, Category, Volts, Amps, Package, Date],
            Shelf::Certificates => &[Company, Number, Category, Body, Site, Date, Due],
            Shelf::Reports => &[Company, Nature, Year, Date, Amount, Currency],
        }
    }
}

/// A field, which each split calls by a name of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// The vendor, other party, manufacturer or holder, or the company that reports.
    Company,
    /// The number of an invoice, contract or certificate; the name of a part.
    Number,
    /// What the document is: invoice, credit note or second scan; contract or amendment; kind of report.
    Nature,
    /// The day when it was issued, begins, was revised or published.
    Date,
    /// The day when it is to be paid, ends, or stops being valid.
    Due,
    /// The amount to be paid without tax.
    Net,
    /// The amount to be paid with tax; the value of a contract; the revenue.
    Amount,
    /// The currency of the amounts.
    Currency,
    /// The cost centre of an invoice, the subject of a contract, the type of a part, or the standard.
    Category,
    /// Days of notice.
    Notice,
    /// Highest voltage, in volts.
    Volts,
    /// Highest current, in amperes.
    Amps,
    /// The housing of a part.
    Package,
    /// The body that certifies.
    Body,
    /// The place that is certified.
    Site,
    /// The fiscal year that is reported on.
    Year,
}

impl Field {
    /// How many fields there are.
    pub(crate) const COUNT: usize = 16;

    /// Whether every document states the field: what a document is would show in its place in the corpus anyway.
    pub(crate) const fn is_always_said(self) -> bool {
        matches!(self, Field::Nature)
    }

    /// The type of its column, as schemas call it.
    pub(crate) const fn kind(self) -> &'static str {
        match self {
            Field::Date | Field::Due => "date",
            Field::Net
            | Field::Amount
            | Field::Notice
            | Field::Volts
            | Field::Amps
            | Field::Year => "number",
            _ => "text",
        }
    }

    /// Whether it is an amount of money.
    pub(crate) const fn is_money(self) -> bool {
        matches!(self, Field::Net | Field::Amount)
    }
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Datum {
    /// A name, a code, or a word.
    Text(String),
    /// A day.
    Day(Day),
    /// A number, in hundredths.
    Hundredths(i64),
}

impl Datum {
    pub(crate) fn text(text: &str) -> Datum {
        Datum::Text(text.to_owned())
    }

    pub(crate) fn whole(number: i64) -> Datum {
        Datum::Hundredths(number * 100)
    }

    /// The order of two values of one field.
    pub(crate) fn order(&self, other: &Datum) -> Ordering {
        match (self, other) {
            (Datum::Text(a), Datum::Text(b)) => a.cmp(b),
            (Datum::Day(a), Datum::Day(b)) => a.cmp(b),
            (Datum::Hundredths(a), Datum::Hundredths(b)) => a.cmp(b),
            _ => unreachable!("values of one field are of one type"),
        }
    }

    pub(crate) fn hundredths(&self) -> i64 {
        match self {
            Datum::Hundredths(n) => *n,
            _ => unreachable!("only numbers are added up"),
        }
    }

    pub(crate) fn as_text(&self) -> String {
        match self {
            Datum::Text(text) => text.clone(),
            Datum::Day(day) => day.to_string(),
            Datum::Hundredths(n) => crate::money::short(*n),
        }
    }

    /// The value in JSON, as conditions and tables have it.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        match self {
            Datum::Text(text) => text.as_str().into(),
            Datum::Day(day) => day.to_string().into(),
            Datum::Hundredths(n) if n % 100 == 0 => (n / 100).into(),
            Datum::Hundredths(n) => (*n as f64 / 100.0).into(),
        }
    }
}

/// The place in a document where the value of a field is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stand {
    /// The front matter, a `<meta>` tag or the metadata of a line; perhaps the text as well.
    Front,
    /// The text alone.
    Text,
    /// The path alone.
    Path,
    /// No place. The document is left out where a question needs the value.
    Nowhere,
}

impl Stand {
    /// Every one.
    pub const ALL: [Stand; 4] = [Stand::Front, Stand::Text, Stand::Path, Stand::Nowhere];

    /// The word in a summary.
    pub const fn as_str(self) -> &'static str {
        match self {
            Stand::Front => "front",
            Stand::Text => "text",
            Stand::Path => "path",
            Stand::Nowhere => "nowhere",
        }
    }
}

/// The format of a document's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileKind {
    /// Markdown with front matter.
    Markdown,
    /// HTML with `<meta>`.
    Html,
    /// PDF with a text layer; it has no front matter.
    Pdf,
    /// A line of JSONL with metadata.
    Jsonl,
    /// A CSV with the lines of one document; it has no front matter.
    Csv,
    /// Text as a scanner reads it, below front matter that a person typed in.
    Scan,
}

impl FileKind {
    /// Every one.
    pub const ALL: [FileKind; 6] = [
        FileKind::Markdown,
        FileKind::Html,
        FileKind::Pdf,
        FileKind::Jsonl,
        FileKind::Csv,
        FileKind::Scan,
    ];

    /// The word in a summary.
    pub const fn as_str(self) -> &'static str {
        match self {
            FileKind::Markdown => "markdown",
            FileKind::Html => "html",
            FileKind::Pdf => "pdf",
            FileKind::Jsonl => "jsonl",
            FileKind::Csv => "csv",
            FileKind::Scan => "scan",
        }
    }

    pub(crate) const fn has_front(self) -> bool {
        !matches!(self, FileKind::Pdf | FileKind::Csv)
    }
}
