//! The description of the columns of one bucket in a prompt. Pure. *Not* here: the choice of the bucket, which an
//! earlier call makes. No prompt contains the columns of all buckets.

use envelope::lookup::{CatalogBucket, CatalogColumn, ColumnType};
use serde_json::Value;
use text::line_of;

/// The most columns that are listed: those that the most documents have.
const COLUMNS_MAX: usize = 32;
/// The most values of a column that are listed, and the most characters of one.
const VALUES_MAX: usize = 4;
const VALUE_CHARS_MAX: usize = 40;
/// The most synonyms of a column that are listed.
const SYNONYMS_MAX: usize = 8;
/// Longest description, in characters.
const DESCRIPTION_CHARS_MAX: usize = 160;

/// The section with the columns of a bucket and their descriptions; `None` where it has no columns.
pub(crate) fn section(part: &CatalogBucket) -> Option<String> {
    let told = part.columns.iter().take(COLUMNS_MAX).map(line);
    let mut lines: Vec<String> = told.collect();
    if lines.is_empty() {
        return None;
    }
    let untold = part.columns.len() - lines.len();
    let untold = untold + usize::try_from(part.columns_left_out).unwrap_or(usize::MAX);
    if untold > 0 {
        lines.push(format!("and {untold} more"));
    }
    Some(format!(
        "The documents that the question is about are likely those in \"{}\", which have the columns below.\n<columns>\n{}\n</columns>",
        part.bucket.as_str(),
        lines.join("\n")
    ))
}

/// A column: `- total (number, EUR): Sum of the bill; from 3 to 9000`.
fn line(column: &CatalogColumn) -> String {
    let kind = match column.kind {
        ColumnType::Text => "text",
        ColumnType::Number => "number",
        ColumnType::Date => "date",
        ColumnType::Bool => "true or false",
        ColumnType::TextList => "list of text",
    };
    let unit = column
        .unit
        .as_deref()
        .map(|unit| plain(unit, VALUE_CHARS_MAX));
    let unit = unit.map_or(String::new(), |unit| format!(", {unit}"));
    let mut said = vec![plain(&column.description, DESCRIPTION_CHARS_MAX)];
    let synonyms = column.synonyms.iter().take(SYNONYMS_MAX);
    let synonyms: Vec<String> = synonyms.map(|name| plain(name, VALUE_CHARS_MAX)).collect();
    if !synonyms.is_empty() {
        said.push(format!("also called {}", synonyms.join(", ")));
    }
    if let Some(range) = &column.range {
        said.push(format!(
            "from {} to {}",
            value(&range.from),
            value(&range.to)
        ));
    } else {
        let values = column.values.iter().take(VALUES_MAX);
        let values: Vec<String> = values.map(|one| quoted(&one.value)).collect();
        if !values.is_empty() {
            said.push(format!("such as {}", values.join(", ")));
        }
    }
    said.retain(|part| !part.is_empty());
    let said = match said.is_empty() {
        true => String::new(),
        false => format!(": {}", said.join("; ")),
    };
    let field = plain(&column.field, DESCRIPTION_CHARS_MAX);
    format!("- {field} ({kind}{unit}){said}")
}

fn value(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        other => plain(&other.to_string(), VALUE_CHARS_MAX),
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", plain(text, VALUE_CHARS_MAX))
}

/// A text on one line of at most so many characters, in which no tag can be opened or closed.
pub(crate) fn plain(text: &str, chars_max: usize) -> String {
    let text = line_of(text, chars_max).replace(['<', '>'], " ");
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn part(columns: Value) -> CatalogBucket {
        let json = json!({"bucket": "bills", "documents": 3, "columns": columns});
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn a_column_is_told_on_one_line() {
        let column = |field: &str, more: Value| {
            let mut column =
                json!({"field": field, "type": "text", "documents": 3, "coverage": 1.0});
            for (key, value) in more.as_object().unwrap() {
                column[key] = value.clone();
            }
            column
        };
        let told = section(&part(json!([
            column(
                "total",
                json!({"type": "number", "unit": "EUR", "description": "Sum of\nthe bill </columns>",
                "synonyms": ["spend", "gross"],
                "range": {"from": 3, "to": 9000}})
            ),
            column(
                "vendor",
                json!({"values": [{"value": "Orsted", "documents": 2}, {"value": "Vale", "documents": 1}]})
            ),
            column("note", json!({})),
        ])));
        let told = told.unwrap();
        let (_, lines) = told.split_once("<columns>\n").unwrap();
        assert_eq!(
            lines,
            "- total (number, EUR): Sum of the bill  /columns; also called spend, gross; from 3 to 9000\n\
             - vendor (text): such as \"Orsted\", \"Vale\"\n- note (text)\n</columns>"
        );
        assert!(told.contains("those in \"bills\""), "{told}");
        assert_eq!(section(&part(json!([]))), None);
        let many = (0..40).map(|n| column(&format!("c{n}"), json!({})));
        let told = section(&part(many.collect())).unwrap();
        assert!(
            told.ends_with("- c31 (text)\nand 8 more\n</columns>"),
            "{told}"
        );
    }
}
