//! Reads JSON leniently: finds what a small model meant in what it wrote.
//!
//! There are four rungs: the text is an object ([`Rung::Strict`]) -> the text contains an object, perhaps after small
//! repairs ([`Rung::Salvaged`]) -> single fields ([`field_bool`], [`field_number`], [`field_strings`]) -> the stage's
//! own safe default. The reader reports which rung it took, so that the caller can count it. It does *not* check a
//! schema: the caller decides whether the fields are there and of the right type.

mod fields;
mod scan;

use crate::reply::without_thoughts;
pub use fields::{field_bool, field_number, field_strings};
use serde_json::Value;

/// How an object was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rung {
    /// The text was the object, perhaps in a code fence.
    Strict,
    /// The object was surrounded by other text or had to be repaired.
    Salvaged,
}

impl Rung {
    /// The word for logs and metric labels.
    pub const fn as_str(self) -> &'static str {
        match self {
            Rung::Strict => "strict",
            Rung::Salvaged => "salvaged",
        }
    }
}

/// Reads one JSON object out of a model's answer: the whole text if it is one, else the last object that is not
/// empty. Reasoning before it is not part of the answer. The time is linear in the length of the text, whatever it
/// contains.
pub fn read_object(text: &str) -> Option<(Value, Rung)> {
    // A whole object first: what looks like a thought may stand in one of its texts.
    let answer = without_thoughts(text);
    for text in [text, answer] {
        if let Ok(value @ Value::Object(_)) = serde_json::from_str(without_fence(text.trim())) {
            return Some((value, Rung::Strict));
        }
    }
    scan::last_object(without_fence(answer.trim())).map(|value| (value, Rung::Salvaged))
}

/// The inside of a Markdown code fence that holds the whole text.
fn without_fence(text: &str) -> &str {
    let Some(after) = text.strip_prefix("```") else {
        return text;
    };
    let body = after.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
    body.strip_suffix("```").unwrap_or(body).trim()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;
    use std::time::{Duration, Instant};

    fn salvaged(text: &str) -> Value {
        let (value, rung) = read_object(text).unwrap_or_else(|| panic!("nothing in {text}"));
        assert_eq!(rung, Rung::Salvaged, "{text}");
        value
    }

    #[test]
    fn strict_with_and_without_a_fence() {
        let want = Some((json!({"relevant": true}), Rung::Strict));
        for text in [
            " {\"relevant\": true}\n",
            "```json\n{\"relevant\": true}\n```",
            "```\n{\"relevant\": true}",
        ] {
            assert_eq!(read_object(text), want, "{text}");
        }
    }

    #[test]
    fn the_last_object_with_something_in_it() {
        let text = "Example: {\"relevant\": false}. So: {\"relevant\": true, \"x\": {\"y\": 1}} {}";
        assert_eq!(salvaged(text), json!({"relevant": true, "x": {"y": 1}}));
        assert_eq!(
            salvaged("braces } { and {\"a\": \"}{\\\"\"} ]"),
            json!({"a": "}{\""})
        );
        assert_eq!(
            salvaged("an open { \" quote, then {\"a\": 1}"),
            json!({"a": 1})
        );
        assert_eq!(salvaged("[{\"a\": 1}]"), json!({"a": 1}));
        assert_eq!(salvaged("only {}"), json!({}));
    }

    #[test]
    fn small_repairs() {
        let want = json!({"relevant": true, "facts": ["a", "b"]});
        for text in [
            "{\"relevant\": true, \"facts\": [\"a\", \"b\",],}",
            "{\"relevant\": True, \"facts\": [\"a\", \"b\"]",
            "{\"relevant\": true, \"facts\": [\"a\", \"b\"",
            "{'relevant': True, 'facts': ['a', 'b']}",
        ] {
            assert_eq!(salvaged(text), want, "{text}");
        }
        assert_eq!(
            salvaged("{\"a\": None, \"b\": False}"),
            json!({"a": null, "b": false})
        );
        assert_eq!(
            salvaged("{\"a\": \"two\nlines\"}"),
            json!({"a": "two\nlines"})
        );
        assert_eq!(salvaged("{\"a\": \"C:\\dir\"}"), json!({"a": "C:\\dir"}));
    }

    #[test]
    fn thoughts_before_an_object_are_no_part_of_it() {
        let want = Some((json!({"relevant": true}), Rung::Strict));
        for text in [
            "<think>{\"relevant\": false}?</think>{\"relevant\": true}",
            "<think>{\"relevant\": false}?</think>\n```json\n{\"relevant\": true}\n```",
        ] {
            assert_eq!(read_object(text), want, "{text}");
        }
        let said = json!({"facts": ["a </think> b"]});
        assert_eq!(read_object(&said.to_string()), Some((said, Rung::Strict)));
        // What was thought is not taken for what was about to be said.
        let cut = "<think>{\"relevant\": false}?</think>{\"relevant\": true, \"facts\": [\"a";
        assert_eq!(read_object(cut), None);
        assert_eq!(read_object("<think>{\"relevant\": false}"), None);
    }

    #[test]
    fn a_run_of_white_space_ends_in_what_was_said_before_it() {
        let text = format!("{{\"relevant\": true,{}", "\n ".repeat(4_000));
        assert_eq!(salvaged(&text), json!({"relevant": true}));
        assert_eq!(read_object(&" \n\t".repeat(9_000)), None);
    }

    #[test]
    fn text_without_a_whole_object_has_no_json() {
        for text in [
            "", "{", "}", "no", "[1]", "true", "{\"a\"", "{a: 1}", "\u{feff}",
        ] {
            assert_eq!(read_object(text), None, "{text}");
        }
    }

    #[test]
    fn long_hostile_text_is_read_in_linear_time() {
        // The bound is far above a linear scan in a debug build and far below a quadratic one.
        for unit in [
            "{",
            "}",
            "{\"a\":",
            "{\"",
            "{\"a\":[1,",
            "{\"{\":\"",
            "{'\"",
            "{\"a\\",
        ] {
            let text = unit.repeat(200_000 / unit.len());
            let start = Instant::now();
            let _ = read_object(&text);
            let _ = field_bool(&text, "a");
            let _ = field_strings(&text, "a");
            assert!(start.elapsed() < Duration::from_secs(5), "{unit}");
        }
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "\\PC{0,12}|[{}\"\\\\\n]{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-z]{1,6}", inner, 0..4)
                    .prop_map(|m| Value::Object(m.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn never_panics(text in "\\PC{0,200}", hostile in "[{}\\[\\]\"',:\\\\ tTrueFN0-9\n]{0,80}") {
            for text in [&text, &hostile] {
                let _ = read_object(text);
                let _ = field_bool(text, "relevant");
                let _ = field_strings(text, "facts");
            }
        }

        #[test]
        fn an_object_in_chatter_is_found(
            fields in prop::collection::btree_map("[a-z]{1,6}", value(), 1..5),
            before in "([a-z .,'\"}{\n\\[]|\\PC){0,40}[a-z.:\n]",
            after in "[a-z .,'\"\\]}\n]{0,40}",
        ) {
            let object = Value::Object(fields.into_iter().collect());
            let text = format!("{before}{object}{after}");
            prop_assert_eq!(read_object(&text).map(|(v, _)| v), Some(object));
        }

        #[test]
        fn a_cut_never_invents(cut in 0usize..60) {
            let whole = "{\"relevant\": true, \"facts\": [\"one\", \"two\"], \"score\": 0.5}";
            let text = &whole[..cut.min(whole.len())];
            if let Some((value, _)) = read_object(text) {
                prop_assert!(value.get("relevant").is_none_or(|v| v == &json!(true)));
            }
        }
    }
}
