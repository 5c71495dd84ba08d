//! Reads single fields out of text that is not JSON: the last rung before the safe default.

/// The last `"name": true` or `false` in the text; Python's capitals pass.
pub fn field_bool(text: &str, name: &str) -> Option<bool> {
    values(text, name)
        .filter_map(|value| {
            let word = |w: &str| {
                value
                    .get(..w.len())
                    .is_some_and(|v| v.eq_ignore_ascii_case(w))
            };
            match (word("true"), word("false")) {
                (true, _) => Some(true),
                (_, true) => Some(false),
                _ => None,
            }
        })
        .last()
}

/// The number after the last `"name":` in the text. A number at the very end of the text may be cut off and is ignored.
pub fn field_number(text: &str, name: &str) -> Option<f64> {
    values(text, name)
        .filter_map(|value| {
            let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E');
            let end = value.find(|c| !is_part(c))?;
            value[..end].parse().ok()
        })
        .last()
}

/// The complete strings of the last `"name": [ … ]` in the text; a string that is cut off is left out. Empty if there
/// is no such list.
pub fn field_strings(text: &str, name: &str) -> Vec<String> {
    values(text, name)
        .filter_map(|value| value.strip_prefix('['))
        .last()
        .map(strings)
        .unwrap_or_default()
}

/// The text after every `"name" :` or `'name' :`, white space skipped.
fn values<'a>(text: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    let keys = [format!("\"{name}\""), format!("'{name}'")];
    let found = keys.iter().flat_map(|key| text.match_indices(key.as_str()));
    let mut ends: Vec<usize> = found.map(|(at, key)| at + key.len()).collect();
    ends.sort_unstable();
    ends.into_iter().filter_map(|end| {
        let after = text[end..].trim_start().strip_prefix(':')?;
        Some(after.trim_start())
    })
}

fn strings(mut rest: &str) -> Vec<String> {
    let mut found = Vec::new();
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        let double = rest.strip_prefix('"').and_then(closing_quote);
        let end = double.or_else(|| rest.strip_prefix('\'').and_then(closing_apostrophe));
        let Some(end) = end else {
            return found;
        };
        let (quoted, after) = rest.split_at(end + 2);
        match serde_json::from_str(quoted) {
            Ok(text) => found.push(text),
            Err(_) => found.push(quoted[1..=end].to_owned()),
        }
        rest = after;
    }
}

/// Where the first apostrophe stands that closes a text: what follows goes on with the list, not with a word.
fn closing_apostrophe(text: &str) -> Option<usize> {
    let mut marks = text.match_indices('\'');
    let closes = |(at, _): &(usize, &str)| text[at + 1..].trim_start().starts_with([',', ']']);
    marks.find(closes).map(|(at, _)| at)
}

/// Where the first quote that is not escaped stands.
fn closing_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.bytes().position(|b| {
        let closes = b == b'"' && !escaped;
        escaped = b == b'\\' && !escaped;
        closes
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_in_anything() {
        assert_eq!(
            field_bool("so \"relevant\" \n:\ttrue, I say", "relevant"),
            Some(true)
        );
        assert_eq!(field_bool("{\"relevant\": False", "relevant"), Some(false));
        let changed = "\"relevant\": true … no: \"relevant\": false";
        assert_eq!(field_bool(changed, "relevant"), Some(false));
        for none in [
            "relevant: true",
            "\"relevant\": maybe",
            "\"irrelevant\": true",
            "",
        ] {
            assert_eq!(field_bool(none, "relevant"), None, "{none}");
        }
    }

    #[test]
    fn a_number_that_is_whole() {
        for (text, number) in [
            ("{\"grade\": 0.9, \"facts\": [\"a", Some(0.9)),
            ("'grade': 1}", Some(1.0)),
            ("\"grade\": 0.2 … no: \"grade\": 0.8 it is", Some(0.8)),
            ("\"grade\": 0.", None),
            ("\"grade\": 0", None),
            ("\"grade\": high,", None),
            ("grade: 1,", None),
        ] {
            assert_eq!(field_number(text, "grade"), number, "{text}");
        }
    }

    #[test]
    fn strings_of_a_list_that_breaks_off() {
        let text = r#"{"facts": ["a \"b\"", "c\d", "cut o"#;
        assert_eq!(field_strings(text, "facts"), ["a \"b\"", "c\\d"]);
        let text = "{'facts': ['a pump's \"b\"', 'cut o";
        assert_eq!(field_strings(text, "facts"), ["a pump's \"b\""]);
        assert_eq!(
            field_strings("\"facts\": []", "facts"),
            Vec::<String>::new()
        );
        assert_eq!(
            field_strings("\"facts\": [\"x\"", "other"),
            Vec::<String>::new()
        );
    }
}
