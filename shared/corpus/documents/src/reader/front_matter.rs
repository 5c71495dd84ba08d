//! Reads the front matter of a file: a leading block between two `---` lines, with `key: value` on each line and
//! nothing nested.
//!
//! *Not* YAML: a value is a text, a number, a boolean or a flat `[list]`. Dates stay text, because ISO dates compare
//! correctly as text. An entry beyond the limits is left out with a log line.

use serde_json::{Number, Value};
use std::collections::BTreeMap;

/// Most lines of front matter; a `---` later than that is a rule in the text.
const LINES_MAX: usize = 100;
/// Longest key, in bytes.
const KEY_BYTES_MAX: usize = 64;
/// Most bytes of metadata of one document: every chunk carries all of it.
const METADATA_BYTES_MAX: usize = 4 * 1024;

/// Splits off the front matter: (front matter, lines it takes up, body).
pub(super) fn split(text: &str) -> (&str, u32, &str) {
    let whole = ("", 0, text);
    let Some(rest) = strip_fence(text) else {
        return whole;
    };
    let mut offset = 0;
    for (i, line) in rest.split_inclusive('\n').take(LINES_MAX).enumerate() {
        if line.trim_end() == "---" {
            let lines = u32::try_from(i + 2).unwrap_or(u32::MAX);
            return (&rest[..offset], lines, &rest[offset + line.len()..]);
        }
        offset += line.len();
    }
    whole
}

fn strip_fence(text: &str) -> Option<&str> {
    let line = text.split_inclusive('\n').next()?;
    (line.trim_end() == "---").then(|| &text[line.len()..])
}

/// Reads the fields of a front matter.
pub(super) fn parse(front: &str) -> BTreeMap<String, Value> {
    let pairs = front.lines().filter_map(|line| {
        let (key, value) = line.split_once(':')?;
        Some((key, typed(value)))
    });
    collect(pairs)
}

/// Fields by normalised key, within the limits; the first of two equal keys wins.
pub(super) fn collect<'a>(
    pairs: impl IntoIterator<Item = (&'a str, Value)>,
) -> BTreeMap<String, Value> {
    let mut fields = BTreeMap::new();
    let mut bytes = 0;
    for (key, value) in pairs {
        let key = key.trim().to_lowercase();
        let good =
            !key.is_empty() && !key.starts_with(['#', '-']) && !key.contains(char::is_control);
        if !good || value == Value::Null || fields.contains_key(&key) {
            continue;
        }
        let size = key.len() + value.to_string().len();
        if key.len() > KEY_BYTES_MAX || bytes + size > METADATA_BYTES_MAX {
            tracing::warn!(%key, "metadata field left out: too long");
            continue;
        }
        bytes += size;
        fields.insert(key, value);
    }
    fields
}

/// A value as people write it; an empty one is null.
fn typed(text: &str) -> Value {
    let text = text.trim();
    if let Some(list) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
        let items = list.split(',').map(scalar).filter(|v| !v.is_null());
        return Value::Array(items.collect());
    }
    scalar(text)
}

/// A text, a number or a boolean. Quotes make it a text; so does a leading zero (`007`).
pub(super) fn scalar(text: &str) -> Value {
    let text = text.trim();
    let bare = |quote: char| {
        text.strip_prefix(quote)
            .and_then(|t| t.strip_suffix(quote))
            .map(|t| Value::String(t.to_owned()))
    };
    if let Some(quoted) = bare('"').or_else(|| bare('\'')) {
        return quoted;
    }
    match text {
        "" | "null" | "~" => return Value::Null,
        "true" => return Value::Bool(true),
        "false" => return Value::Bool(false),
        _ => {}
    }
    number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number)
}

/// Only plain decimals: no exponents, no `inf`, and no code with leading zeros.
fn number(text: &str) -> Option<Number> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = digits.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && digits.starts_with(|c: char| c.is_ascii_digit());
    let code = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
    if !plain || code {
        return None;
    }
    text.parse::<i64>()
        .map(Number::from)
        .ok()
        .or_else(|| text.parse::<f64>().ok().and_then(Number::from_f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_typed() {
        let fields = parse(
            "Vendor: Acme: North\ntotal: 1200.5\nyear: 2024\npaid: true\ndate: 2024-03-01\n\
             code: 007\nquoted: \"12\"\ntags: [red, 3]\nempty:\n# note: no\nno colon\n",
        );
        assert_eq!(
            serde_json::to_value(fields).unwrap(),
            json!({"vendor": "Acme: North", "total": 1200.5, "year": 2024, "paid": true,
                   "date": "2024-03-01", "code": "007", "quoted": "12", "tags": ["red", 3]})
        );
    }

    #[test]
    fn only_a_leading_closed_block_is_front_matter() {
        assert_eq!(split("---\na: 1\n---\nbody\n"), ("a: 1\n", 3, "body\n"));
        assert_eq!(split("---\r\na: 1\r\n---\r\nbody"), ("a: 1\r\n", 3, "body"));
        assert_eq!(split("body\n---\n"), ("", 0, "body\n---\n"));
        assert_eq!(split("---\nnever closed"), ("", 0, "---\nnever closed"));
        assert_eq!(split(""), ("", 0, ""));
    }

    #[test]
    fn metadata_is_bounded() {
        let long = format!("a: {}\nb: 1\n", "x".repeat(METADATA_BYTES_MAX));
        assert_eq!(serde_json::to_value(parse(&long)).unwrap(), json!({"b": 1}));
    }
}
