//! Formats a value for messages: short, and without the secrets in it.

use serde_json::Value as Json;

use crate::schema::Schema;
use crate::secret::MASK;
use crate::tree::Path;

/// The longest value a message shows, in characters.
const SHOWN_MAX: usize = 80;

pub(crate) fn shown(schema: &Schema, path: &[String], value: &Json) -> String {
    let mut value = value.clone();
    each_secret(schema, &mut path.to_vec(), &mut value, &mut |secret| {
        *secret = MASK.into();
    });
    let text = value.to_string();
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("`{}...`", &text[..end]),
        None => format!("`{text}`"),
    }
}

/// The words of a type about a value, without the secrets that they quote.
pub(crate) fn without_secrets(
    schema: &Schema,
    path: &[String],
    value: &Json,
    words: String,
) -> String {
    let mut words = words;
    each_secret(
        schema,
        &mut path.to_vec(),
        &mut value.clone(),
        &mut |secret| {
            let text = match secret {
                Json::String(text) => text.clone(),
                other => other.to_string(),
            };
            if !text.is_empty() {
                words = words.replace(&text, MASK);
            }
        },
    );
    words
}

/// The words of serde about a value with what they call types in Rust said in words.
pub(crate) fn without_jargon(words: String) -> String {
    const WORDS: [(&str, &str); 10] = [
        ("a nonzero u32", "a whole number from 1 to 4294967295"),
        ("u8", "a whole number from 0 to 255"),
        ("u16", "a whole number from 0 to 65535"),
        ("u32", "a whole number from 0 to 4294967295"),
        ("u64", "a whole number of 0 or more"),
        ("usize", "a whole number of 0 or more"),
        ("i64", "a whole number"),
        ("f32", "a number"),
        ("f64", "a number"),
        ("a sequence", "a list"),
    ];
    let Some((given, wanted)) = words.rsplit_once(", expected ") else {
        return words;
    };
    let plain = WORDS.iter().find(|(jargon, _)| *jargon == wanted);
    match (plain, wanted.starts_with("struct ")) {
        (Some((_, plain)), _) => format!("{given}, expected {plain}"),
        (None, true) => format!("{given}, expected a table of settings"),
        (None, false) => words,
    }
}

fn each_secret(
    schema: &Schema,
    path: &mut Path,
    value: &mut Json,
    found: &mut impl FnMut(&mut Json),
) {
    match value {
        Json::Object(table) => {
            for (name, child) in table {
                path.push(name.clone());
                each_secret(schema, path, child, found);
                path.pop();
            }
        }
        Json::Array(items) => {
            for item in items {
                each_secret(schema, path, item, found);
            }
        }
        leaf if schema.is_secret(path) => found(leaf),
        _ => {}
    }
}
