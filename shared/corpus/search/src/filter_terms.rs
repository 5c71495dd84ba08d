//! Turns the values of a chunk that filters can compare into terms of one field, which sort as the values do. An index
//! and a vector server have to agree on the terms. *Not* here: the operators of a filter, which each of the two translates
//! by itself (`filter.rs` in `index` and in `qdrant`).
//!
//! ```text
//! f <field>                  the field is there
//! t <field> <text>           a text, in lower case
//! n <field> <16 hex digits>  a number, in the order of numbers
//! d <field> <digits>         the same number as it is written, for `contains`
//! a                          the document names its readers
//! a <group>                  one of them
//! s <source>                 the path, as it is written (not among [`of`])
//! ```
//! Parts are separated by NUL. There is one field of terms instead of a column per metadata field: the comparisons
//! are exact and the same for every corpus, there is no schema to migrate, and mixed types (a year as text here, as
//! a number there) do not hide each other.

use envelope::{ChunkRecord, access};
use serde_json::Value;

/// Longest text that is compared, in characters.
pub const TEXT_CHARS_MAX: usize = 512;
/// Fields that every chunk has.
pub const BUILT_IN: [&str; 6] = ["source", "bucket", "doc_id", "title", "ext", NAMED];
/// The field `named`, which stands for what a document is called. A value matches if the path, the title or the
/// metadata of a document has all its words, or if they are together at the beginning of its text. The field has no
/// terms of its own: an index searches for the words. `named:vendor` means the field `vendor` or, for documents without
/// this field, `named`.
pub const NAMED: &str = linking::NAMED;

/// The field before which `named:<field>` is a fallback; empty for `named` alone, `None` for other fields.
pub fn named_field(field: &str) -> Option<&str> {
    let rest = field.strip_prefix(NAMED)?;
    match rest.is_empty() {
        true => Some(rest),
        false => rest.strip_prefix(':'),
    }
}

/// The terms of a record. Fields of its metadata that have the name of a built-in field are left out.
pub fn of(record: &ChunkRecord) -> Vec<String> {
    let mut facts = Vec::new();
    let mut text = |field: &str, value: &str| facts.push(text_term(field, value));
    text("source", &record.source);
    // People name the file, not the folder.
    if let Some((_, name)) = record.source.rsplit_once('/') {
        text("source", name);
    }
    text("bucket", record.bucket.as_str());
    text("doc_id", record.doc_id.as_str());
    text("title", &record.title);
    if let Some((title, _)) = record.title.split_once(" > ") {
        text("title", title);
    }
    text("ext", &record.ext);
    if let Some(readers) = access::acl_of(&record.metadata) {
        facts.push(ACL_MARKER.to_owned());
        facts.extend(readers.names().map(acl_term));
    }
    for (field, value) in &record.metadata {
        let field = field_name(field);
        if access::is_acl(&field) {
            continue;
        }
        if !BUILT_IN.contains(&field.as_str()) {
            facts.push(marker(&field));
            add(&mut facts, &field, value);
        }
    }
    facts
}

/// The term of a document that names its readers.
pub const ACL_MARKER: &str = "a";

/// The term of one of the readers that a document names.
pub fn acl_term(group: &str) -> String {
    format!("a\0{group}")
}

/// The term of the path of a document.
pub fn place_term(source: &str) -> String {
    format!("s\0{source}")
}

fn add(facts: &mut Vec<String>, field: &str, value: &Value) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| add(facts, field, item)),
        Value::Number(number) => {
            if let Some(n) = number.as_f64() {
                facts.push(number_term(field, n));
            }
            facts.push(join('d', field, &number.to_string()));
        }
        Value::Bool(b) => facts.push(text_term(field, if *b { "true" } else { "false" })),
        Value::String(text) => facts.push(text_term(field, text)),
        Value::Null | Value::Object(_) => {}
    }
}

/// The form in which a field name is compared: without case and surrounding space.
pub fn field_name(field: &str) -> String {
    field.trim().to_lowercase().replace('\0', "")
}

/// The form in which a text is compared.
pub fn folded(text: &str) -> String {
    let text: String = text.trim().chars().take(TEXT_CHARS_MAX).collect();
    text.to_lowercase()
}

/// The term of the fact that a field exists.
pub fn marker(field: &str) -> String {
    format!("f\0{field}")
}

/// The term of a text value.
pub fn text_term(field: &str, text: &str) -> String {
    join('t', field, &folded(text))
}

/// The term of a numeric value.
pub fn number_term(field: &str, n: f64) -> String {
    join('n', field, &sortable(n))
}

/// The end of the range of terms of one kind and field; the range begins with `kind field NUL`.
pub fn end_of(kind: char, field: &str) -> String {
    format!("{kind}\0{field}\u{1}")
}

/// The beginning of all terms of one kind and field.
pub fn start_of(kind: char, field: &str) -> String {
    join(kind, field, "")
}

fn join(kind: char, field: &str, value: &str) -> String {
    format!("{kind}\0{field}\0{value}")
}

/// A number as text that sorts in the order of numbers: the bits with the sign bit flipped, all of
/// them for negative numbers.
fn sortable(n: f64) -> String {
    let bits = (n + 0.0).to_bits(); // -0 becomes 0
    let ordered = if bits >> 63 == 1 {
        !bits
    } else {
        bits | 1 << 63
    };
    format!("{ordered:016x}")
}

/// A value as text; `None` if it is not a single value.
pub fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(b) => Some(b.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A value as a number; a text that reads as a number counts too.
pub fn as_number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok().filter(|n: &f64| n.is_finite()),
        _ => None,
    }
}

/// Whether a text is a date without day: `2024` or `2024-03`.
pub fn is_partial_date(text: &str) -> bool {
    let digits = |part: &str, n| part.len() == n && part.bytes().all(|b| b.is_ascii_digit());
    match text.trim().split_once('-') {
        None => digits(text.trim(), 4),
        Some((year, month)) => digits(year, 4) && digits(month, 2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_sort_as_numbers(a in prop::num::f64::NORMAL | prop::num::f64::ZERO, b in -1e6..1e6f64) {
            prop_assert_eq!(a.partial_cmp(&b), Some(sortable(a).cmp(&sortable(b))));
            prop_assert_eq!(sortable(-0.0), sortable(0.0));
        }
    }
}
