//! A table that answers a question about documents, with the documents from which it is made.
//!
//! The retriever, which has the columns, makes the table once ([`Listing`]). The stage that writes the answer and the
//! stage that checks it read the same table. *Not* here: how the documents are found, and how a table is displayed.

use crate::attachment::FileRef;
use crate::codec::is_default;
use crate::limits::TABLE_ROWS_MAX;
use crate::meaning::AnswerForm;
use crate::payload::Citation;
use serde::{Deserialize, Serialize};
use serde_json::Value;

words! {
    /// The operation on the documents that satisfy the conditions.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum TableOperation {
        /// Each of them is a row.
        #[default]
        List = "list",
        /// They were counted.
        Count = "count",
        /// A column was added up.
        Sum = "sum",
        /// The mean of a column was taken.
        Average = "average",
        /// The documents with the largest values of a column, or the newest ones.
        Largest = "largest",
        /// The documents with the smallest values of a column, or the oldest ones.
        Smallest = "smallest",
    }
}

/// A row.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TableRow {
    /// A cell for each column: a text, a number, a list, or null where a document does not say.
    pub cells: Vec<Value>,
    /// The numbers of the citations for the row; of many documents, only the first few are cited.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cites: Vec<u16>,
}

/// How many documents lack a value that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingValues {
    /// The column.
    pub column: String,
    /// How many documents lack the value, including those whose value is of another kind.
    pub documents: u64,
}

/// A table.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AnswerTable {
    /// The operation.
    pub operation: TableOperation,
    /// The column to which the operation was applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measure: Option<String>,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The first rows, at most [`TABLE_ROWS_MAX`].
    pub rows: Vec<TableRow>,
    /// How many rows there are in all.
    pub rows_total: u64,
    /// How many documents satisfy the conditions.
    pub documents: u64,
    /// How many of them lack something.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<MissingValues>,
    /// The conditions, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
    /// The file with all rows and whole cells as CSV, if this table lacks rows or has shortened a cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FileRef>,
}

/// A short digest of the documents behind a table. The table is compared with it before a user reads the table.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TableDigest {
    /// Documents that satisfy the conditions.
    pub documents: u64,
    /// Rows of the whole table.
    pub rows: u64,
    /// For an operation that groups documents: the documents behind each row of the table, in the same order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupDigest>,
}

/// The documents behind one row.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GroupDigest {
    /// Its documents.
    pub documents: u64,
    /// The sum of the measure over these documents; 0 if there is no measure.
    #[serde(default, skip_serializing_if = "is_default")]
    pub sum: f64,
    /// The measure of each document, if there are few: the row is then computed again from these values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<f64>,
}

/// A table with its sources, as the retriever hands it over.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Listing {
    /// The table.
    pub table: AnswerTable,
    /// The documents that its rows cite, numbered from 1.
    pub sources: Vec<Citation>,
    /// The digest of the documents behind the table.
    pub digest: TableDigest,
    /// The word for the documents, such as `invoices`; empty if it is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub noun: String,
    /// The form in which the answer is wanted.
    #[serde(default, skip_serializing_if = "is_default")]
    pub form: AnswerForm,
    /// What the user should know besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

impl TableOperation {
    /// Whether a row stands for one document, and not for a group of documents.
    pub const fn is_of_documents(self) -> bool {
        matches!(
            self,
            TableOperation::List | TableOperation::Largest | TableOperation::Smallest
        )
    }
}

impl AnswerTable {
    /// The rows in this table as comma-separated values with a header line. These are all rows with whole cells, unless
    /// the table names a file.
    pub fn csv(&self) -> String {
        let rows = self.rows.iter().map(|row| row.cells.as_slice());
        csv(&self.columns, rows)
    }

    /// Whether there are more rows than this table contains.
    pub fn is_cut(&self) -> bool {
        self.rows_total > self.rows.len() as u64 || self.rows.len() > TABLE_ROWS_MAX
    }
}

/// Comma-separated values, as RFC 4180 writes them. A text that a spreadsheet would run as a formula has an apostrophe
/// before it.
pub fn csv<'a>(columns: &[String], rows: impl Iterator<Item = &'a [Value]>) -> String {
    let mut csv = String::new();
    let names = columns.iter().map(|name| csv_text(name));
    push_line(&mut csv, names);
    for row in rows {
        push_line(&mut csv, row.iter().map(csv_cell));
    }
    csv
}

fn push_line(csv: &mut String, cells: impl Iterator<Item = String>) {
    for (at, cell) in cells.enumerate() {
        if at > 0 {
            csv.push(',');
        }
        csv.push_str(&cell);
    }
    csv.push_str("\r\n");
}

fn csv_cell(value: &Value) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        other => csv_text(&cell_text(other)),
    }
}

fn csv_text(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let mark = if is_formula { "'" } else { "" };
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{mark}{}\"", text.replace('"', "\"\"")),
        false => format!("{mark}{text}"),
    }
}

/// A cell as people read it: lists by commas, nothing for null.
pub fn cell_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(cell_text).collect();
            items.join(", ")
        }
        other => other.to_string(),
    }
}

/// Digits behind the point that are added up exactly.
const DECIMALS: u32 = 9;
const UNIT: i128 = 10_i128.pow(DECIMALS);

/// Numbers added up as they are written, in whatever order: `0.1 + 0.2` is `0.3`. Nine digits behind the point count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DecimalSum {
    units: i128,
    count: u64,
}

impl DecimalSum {
    /// Adds a number. Returns false, and adds nothing, if the value is not finite or over 10^20.
    pub fn add(&mut self, number: f64) -> bool {
        if !number.is_finite() || number.abs() > 1e20 {
            return false;
        }
        let Some(sum) = units_of(number).and_then(|units| self.units.checked_add(units)) else {
            return false;
        };
        self.units = sum;
        self.count += 1;
        true
    }

    /// Adds the numbers of another sum.
    pub fn join(&mut self, other: DecimalSum) {
        self.units = self.units.saturating_add(other.units);
        self.count += other.count;
    }

    /// The sum.
    pub fn total(&self) -> f64 {
        self.units as f64 / UNIT as f64
    }

    /// How many numbers it has.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean, to two digits behind the point, halves away from nought.
    pub fn mean(&self) -> Option<f64> {
        let count = i128::from(self.count);
        if count == 0 {
            return None;
        }
        let hundredth = UNIT / 100;
        let divisor = count * hundredth;
        let hundredths = (2 * self.units.abs() + divisor) / (2 * divisor) * self.units.signum();
        Some(hundredths as f64 / 100.0)
    }
}

/// A number in units of its last digit that counts, as it is written.
fn units_of(number: f64) -> Option<i128> {
    let text = format!("{:.*}", DECIMALS as usize, number);
    let digits: String = text.chars().filter(|c| *c != '.').collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn amounts_are_added_as_they_are_written() {
        let mut sum = DecimalSum::default();
        for number in [0.1, 0.2, -5.05, 1_000_000_000.01] {
            assert!(sum.add(number));
        }
        assert_eq!(sum.total(), 999_999_995.26);
        assert_eq!(sum.count(), 4);
        assert!(!sum.add(f64::NAN) && !sum.add(1e21));
        sum.join(sum);
        assert_eq!((sum.total(), sum.count()), (1_999_999_990.52, 8));
        let mean = |all: &[f64]| {
            let mut sum = DecimalSum::default();
            all.iter().for_each(|number| assert!(sum.add(*number)));
            sum.mean()
        };
        assert_eq!(mean(&[0.02, 0.03]), Some(0.03));
        assert_eq!(mean(&[-0.02, -0.03]), Some(-0.03));
        assert_eq!(mean(&[]), None);
    }

    #[test]
    fn what_a_spreadsheet_reads() {
        let table = AnswerTable {
            columns: vec!["source".into(), "total, net".into()],
            rows: [
                json!(["a \"b\".md", 1.5]),
                json!(["=1+1", null]),
                json!([["x", "y"], -3]),
            ]
            .map(|cells| TableRow {
                cells: serde_json::from_value(cells).unwrap(),
                cites: Vec::new(),
            })
            .into(),
            rows_total: 3,
            ..AnswerTable::default()
        };
        let wanted = "source,\"total, net\"\r\n\"a \"\"b\"\".md\",1.5\r\n'=1+1,\r\n\"x, y\",-3\r\n";
        assert_eq!(table.csv(), wanted);
        assert!(!table.is_cut());
    }

    proptest! {
        #[test]
        fn an_order_changes_no_sum(mut numbers in prop::collection::vec(-1e9..1e9f64, 1..40)) {
            let total = |numbers: &[f64]| {
                let mut sum = DecimalSum::default();
                numbers.iter().for_each(|number| { sum.add(*number); });
                sum.total()
            };
            let forward = total(&numbers);
            numbers.reverse();
            prop_assert_eq!(total(&numbers), forward);
        }
    }
}
