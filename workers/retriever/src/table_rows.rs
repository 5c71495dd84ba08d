//! Converts rows of documents and groups into the table of an answer, with its citations and the data behind it.
//! Pure.

use crate::worded;
use envelope::limits::{TABLE_BYTES_MAX, TABLE_ROWS_MAX};
use envelope::table::{GroupDigest, MissingValues, TableDigest, cell_text};
use envelope::{AnswerTable, Citation, TableOperation, TableRow};
use linking::{ColumnOperation, GroupKey, TableQuestion};
use search::{GROUP_VALUES_MAX, TableDocument, TableGroup, TableResult};
use serde_json::Value;
use text::shortened;

/// The longest text of a cell in a message, and of a quote, in characters.
const CELL_CHARS_MAX: usize = 120;
const QUOTE_CHARS_MAX: usize = 200;

/// One side of a comparison, or the only one.
pub(crate) struct Side {
    /// The name by which the question calls it.
    pub(crate) label: Option<String>,
    pub(crate) result: TableResult,
}

/// A table with everything that belongs to it.
pub(crate) struct Made {
    pub(crate) table: AnswerTable,
    pub(crate) sources: Vec<Citation>,
    pub(crate) digest: TableDigest,
    /// The whole cells of all rows.
    pub(crate) all: Vec<Vec<Value>>,
    /// Whether a cell of the table is shortened.
    pub(crate) is_shortened: bool,
}

/// A row before it is known whether the message carries it.
struct Row {
    cells: Vec<Value>,
    documents: Vec<TableDocument>,
    digest: GroupDigest,
}

/// The table of a question, from the results of its columns; for a comparison, from a result for each side, with the
/// side's name.
pub fn tabulated(
    question: &TableQuestion,
    sides: Vec<(Option<String>, TableResult)>,
) -> AnswerTable {
    let sides = sides.into_iter();
    let sides = sides.map(|(label, result)| Side { label, result });
    table(question, sides.collect()).table
}

/// The table of a question.
pub(crate) fn table(question: &TableQuestion, sides: Vec<Side>) -> Made {
    let operation = operation(question.operation);
    let is_sided = sides.iter().any(|side| side.label.is_some());
    let columns = columns(question, operation, is_sided);
    let mut table = AnswerTable {
        operation,
        measure: question.measure.clone(),
        columns,
        ..AnswerTable::default()
    };
    let mut rows = Vec::new();
    for side in sides {
        table.documents += side.result.documents;
        table.rows_total += side.result.rows_total;
        for (column, documents) in &side.result.missing {
            match table
                .missing
                .iter_mut()
                .find(|known| known.column == *column)
            {
                Some(known) => known.documents += documents,
                None => table.missing.push(MissingValues {
                    column: column.clone(),
                    documents: *documents,
                }),
            }
        }
        rows.extend(rows_of(question, operation, side));
    }
    if rows.is_empty() && !operation.is_of_documents() && question.group.is_none() {
        rows.extend(nothing(question, operation, is_sided));
    }
    table.rows_total = table.rows_total.max(rows.len() as u64);
    let digest = TableDigest {
        documents: table.documents,
        rows: table.rows_total,
        groups: Vec::new(),
    };
    let mut made = Made {
        table,
        sources: Vec::new(),
        digest,
        all: Vec::with_capacity(rows.len()),
        is_shortened: false,
    };
    let mut bytes = 0;
    for row in rows {
        bytes += size(&row);
        let fits = made.table.rows.len() < TABLE_ROWS_MAX && bytes <= TABLE_BYTES_MAX;
        made.all.push(row.cells.clone());
        if fits {
            made.push(row, operation);
        }
    }
    made
}

impl Made {
    fn push(&mut self, row: Row, operation: TableOperation) {
        let cites = row
            .documents
            .iter()
            .map(|document| self.cite(document))
            .collect();
        let cells: Vec<Value> = row.cells.iter().cloned().map(cut).collect();
        let mut pairs = cells.iter().zip(&row.cells);
        self.is_shortened |= pairs.any(|(cell, whole)| cell_text(cell) != cell_text(whole));
        self.table.rows.push(TableRow { cells, cites });
        if !operation.is_of_documents() {
            self.digest.groups.push(row.digest);
        }
    }

    /// The number of a document among the sources.
    fn cite(&mut self, document: &TableDocument) -> u16 {
        let known = self
            .sources
            .iter()
            .find(|source| source.doc_id == document.doc_id);
        if let Some(known) = known {
            return known.n;
        }
        let n = u16::try_from(self.sources.len() + 1).unwrap_or(u16::MAX);
        let cells = document
            .cells
            .iter()
            .map(cell_text)
            .filter(|text| !text.is_empty());
        let quote = cells.collect::<Vec<_>>().join("; ");
        self.sources.push(Citation {
            page_name: None,
            n,
            doc_id: document.doc_id.clone(),
            chunk_id: format!("{}.0", document.doc_id),
            title: document.title.chars().take(QUOTE_CHARS_MAX).collect(),
            source: document.source.clone(),
            page: None,
            line: 1,
            score: 1.0,
            quote: quote.chars().take(QUOTE_CHARS_MAX).collect(),
        });
        n
    }
}

fn size(row: &Row) -> usize {
    let cells: usize = row
        .cells
        .iter()
        .map(|cell| cell_text(cell).len().min(CELL_CHARS_MAX) + 4)
        .sum();
    let cited = row.documents.iter().map(|document| {
        document.source.len() + document.title.len().min(QUOTE_CHARS_MAX) + QUOTE_CHARS_MAX + 120
    });
    cells + cited.sum::<usize>() + 9 * row.digest.values.len()
}

fn cut(value: Value) -> Value {
    match &value {
        Value::String(text) => Value::String(shortened(text, CELL_CHARS_MAX)),
        Value::Object(_) => Value::String(cell_text(&value).chars().take(CELL_CHARS_MAX).collect()),
        Value::Array(_) if cell_text(&value).chars().count() > CELL_CHARS_MAX => {
            Value::String(shortened(&cell_text(&value), CELL_CHARS_MAX))
        }
        _ => value,
    }
}

fn columns(question: &TableQuestion, operation: TableOperation, is_sided: bool) -> Vec<String> {
    let mut columns: Vec<String> = is_sided.then(|| "part".to_owned()).into_iter().collect();
    if operation.is_of_documents() {
        columns.push("source".into());
        columns.extend(question.shown.iter().cloned());
        return columns;
    }
    columns.extend(question.group.as_ref().map(GroupKey::column_title));
    if operation != TableOperation::Count {
        columns.extend(currency_column(question).map(|_| "currency".to_owned()));
        columns.extend(question.measure.clone());
    }
    columns.push("documents".into());
    columns
}

/// The column of currencies, unless the groups are made by it.
fn currency_column(question: &TableQuestion) -> Option<&String> {
    let grouped = question.group.as_ref().map(GroupKey::column);
    question
        .currency
        .as_ref()
        .filter(|column| Some(column.as_str()) != grouped)
}

fn rows_of(question: &TableQuestion, operation: TableOperation, side: Side) -> Vec<Row> {
    let Side { label, result } = side;
    let label = label.map(Value::String);
    if operation.is_of_documents() {
        let row = |document: TableDocument| {
            let source = Value::String(document.source.clone());
            let cells = label
                .iter()
                .cloned()
                .chain([source])
                .chain(document.cells.iter().cloned());
            Row {
                cells: cells.collect(),
                documents: vec![document],
                digest: GroupDigest::default(),
            }
        };
        return result.rows.into_iter().map(row).collect();
    }
    let mut groups = result.groups;
    if groups.is_empty() && label.is_some() {
        groups.push(TableGroup::default());
    }
    let rows = groups.into_iter().map(|group| {
        let key = question
            .group
            .as_ref()
            .map(|_| group.key.clone().map_or(Value::Null, Value::String));
        let mut cells: Vec<Value> = label.iter().cloned().chain(key).collect();
        if operation != TableOperation::Count {
            let currency = group.currency.clone().map_or(Value::Null, Value::String);
            cells.extend(currency_column(question).map(|_| currency));
            cells.push(match operation {
                TableOperation::Average => group.mean.map_or(Value::Null, Value::from),
                _ => Value::from(group.sum),
            });
        }
        cells.push(group.documents.into());
        let is_all =
            group.values.len() as u64 == group.documents && group.values.len() <= GROUP_VALUES_MAX;
        Row {
            cells,
            documents: group.examples,
            digest: GroupDigest {
                documents: group.documents,
                sum: group.sum,
                values: if is_all { group.values } else { Vec::new() },
            },
        }
    });
    rows.collect()
}

/// The result of a count of nothing, which is nought. There is no sum of nothing.
fn nothing(question: &TableQuestion, operation: TableOperation, is_sided: bool) -> Option<Row> {
    let is_count = operation == TableOperation::Count && question.group.is_none() && !is_sided;
    is_count.then(|| Row {
        cells: vec![0.into()],
        documents: Vec::new(),
        digest: GroupDigest::default(),
    })
}

fn operation(of: ColumnOperation) -> TableOperation {
    match of {
        ColumnOperation::List => TableOperation::List,
        ColumnOperation::Count => TableOperation::Count,
        ColumnOperation::Sum => TableOperation::Sum,
        ColumnOperation::Average => TableOperation::Average,
        ColumnOperation::Largest => TableOperation::Largest,
        ColumnOperation::Smallest => TableOperation::Smallest,
    }
}

/// A column by which documents can be told apart.
pub(crate) struct Facet {
    /// In words: `by year: 2022 (310), 2023 (890)`.
    pub(crate) text: String,
    /// The values that are shown.
    pub(crate) values: Vec<String>,
}

/// A facet with its first values. The largest groups come first, except for parts of the calendar. `None` if there are
/// not two groups.
pub(crate) fn facet(
    by: &GroupKey,
    mut groups: Vec<TableGroup>,
    values_max: usize,
) -> Option<Facet> {
    if groups.len() < 2 {
        return None;
    }
    if matches!(by, GroupKey::Column(_)) {
        groups.sort_by_key(|group| std::cmp::Reverse(group.documents));
    }
    let more = if groups.len() > values_max {
        ", …"
    } else {
        ""
    };
    groups.truncate(values_max);
    let shown = groups.iter().map(|group| {
        let key = group.key.as_deref().unwrap_or("none");
        format!("{key} ({})", group.documents)
    });
    let shown: Vec<String> = shown.collect();
    Some(Facet {
        text: format!(
            "by {}: {}{more}",
            worded::column(by.title()),
            shown.join(", ")
        ),
        values: groups.into_iter().filter_map(|group| group.key).collect(),
    })
}
