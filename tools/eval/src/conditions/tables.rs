//! Compares a table with the one that is known to be right. Pure.
//!
//! Rows are compared in any order, by the columns that the right table has. Names may be spelt in any way, and
//! numbers have to agree to a hundredth.

use super::gold::GoldTable;
use envelope::{AnswerTable, TableRow};
use linking::{GroupKey, LinkedQuestion, Tabulation};
use serde_json::Value;
use text::fold::name_key;

/// What is wrong with a table, in words; nothing when it is right.
pub(super) fn wrong(
    gold: &GoldTable,
    made: Option<&AnswerTable>,
    linked: &LinkedQuestion,
) -> Option<String> {
    let why = format!("{:?}", linked.tabulation);
    let currency = match &linked.tabulation {
        Tabulation::Fit(asked) | Tabulation::Unsure { table: asked, .. } => {
            asked.currency.as_deref()
        }
        _ => None,
    };
    let Some(made) = made else {
        return Some(format!("no table: {why}"));
    };
    if made.rows.len() != gold.rows.len() {
        return Some(format!(
            "{} rows, and {} are right: {}",
            made.rows.len(),
            gold.rows.len(),
            understood(linked)
        ));
    }
    let mut places = Vec::with_capacity(gold.columns.len());
    for column in &gold.columns {
        let is_it = |known: &String| {
            let is_period = known.strip_prefix(column.as_str());
            known == column
                || is_period.is_some_and(|rest| rest.starts_with(" of "))
                || column == "currency" && Some(known.as_str()) == currency
        };
        match made.columns.iter().position(is_it) {
            Some(place) => places.push(place),
            None => {
                return Some(format!(
                    "no column `{column}` among {}: {}",
                    made.columns.join(", "),
                    understood(linked)
                ));
            }
        }
    }
    let mut left: Vec<&TableRow> = made.rows.iter().collect();
    for row in &gold.rows {
        let is_it = |made: &&TableRow| {
            let mut cells = row.iter().zip(&places).zip(&gold.columns);
            cells.all(|((cell, place), column)| is_same(cell, &made.cells[*place], column))
        };
        let Some(at) = left.iter().position(is_it) else {
            let first = left
                .first()
                .map(|row| Value::from(row.cells.clone()).to_string());
            return Some(format!(
                "no row {} but {}",
                Value::from(row.clone()),
                first.unwrap_or_default()
            ));
        };
        left.remove(at);
    }
    None
}

/// What a question was understood to ask for, in words.
fn understood(linked: &LinkedQuestion) -> String {
    let (Tabulation::Fit(asked) | Tabulation::Unsure { table: asked, .. }) = &linked.tabulation
    else {
        return "understood as no table".into();
    };
    let operation = format!("{:?}", asked.operation).to_lowercase();
    let measure = asked
        .measure
        .as_deref()
        .map(|field| format!(" of `{field}`"));
    let group = asked.group.as_ref();
    let group = group.map(|key| match key {
        GroupKey::Column(column) => format!(", by `{column}`"),
        other => format!(", by {} of `{}`", other.title(), other.column()),
    });
    let limit = asked.limit.map(|rows| format!(", at most {rows}"));
    let rest = [measure, group, limit].into_iter().flatten();
    format!("understood as {operation}{}", rest.collect::<String>())
}

fn is_same(gold: &Value, made: &Value, column: &str) -> bool {
    if let (Some(gold), Some(made)) = (gold.as_f64(), made.as_f64()) {
        return (gold - made).abs() < 0.005;
    }
    let text = |value: &Value| match value {
        Value::String(text) => name_key(text),
        other => name_key(&other.to_string()),
    };
    let raw = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (gold_text, made_text) = (raw(gold), raw(made));
    let (gold, made) = (text(gold), text(made));
    // A path that is too long for a cell is cut.
    if let Some(beginning) = made_text.strip_suffix('…') {
        return gold_text.starts_with(beginning);
    }
    // A side is called by more words or fewer.
    gold == made || column == "part" && (gold.contains(&made) || made.contains(&gold))
}
