//! Reads the tagged sections of a prompt, such as `<question>…</question>`, which contain its inputs.
//!
//! The tags show a model where an input begins and ends, the offline reader finds its inputs by them, and a document
//! cannot forge the end of its own section. It is *not* XML: there are no attributes, no nesting of one name, and no
//! entities.

use std::borrow::Cow;

/// The content of the last section of that name, without the white space around it. The last one is used because
/// instructions may mention a tag by name before the section itself.
pub fn read<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let open = format!("<{tag}>");
    let end = text.rfind(&format!("</{tag}>"))?;
    let start = text[..end].rfind(&open)? + open.len();
    Some(text[start..end].trim())
}

/// The names of the tags that open or close in `text`, sorted, each once.
pub(crate) fn tags(text: &str) -> Vec<String> {
    let mut names: Vec<String> = text
        .match_indices('<')
        .map(|(at, _)| &text[at + 1..])
        .filter(|rest| !rest.starts_with(char::is_whitespace))
        .filter_map(name_after)
        .map(str::to_ascii_lowercase)
        .collect();
    names.sort();
    names.dedup();
    names
}

/// `value` with every `<` that would open or close one of `tags`, or start a control token of a chat
/// template (`<|…|>`), turned into `‹`. Everything else is left as it is, so quotes stay verbatim.
pub fn neutralise<'a>(value: &'a str, tags: &[String]) -> Cow<'a, str> {
    let forged = |at: usize| {
        let rest = &value[at + 1..];
        rest.starts_with('|')
            || name_after(rest)
                .is_some_and(|name| tags.iter().any(|t| t.eq_ignore_ascii_case(name)))
    };
    if !value.match_indices('<').any(|(at, _)| forged(at)) {
        return Cow::Borrowed(value);
    }
    let mut clean = String::with_capacity(value.len() + 8);
    let mut from = 0;
    for (at, _) in value.match_indices('<').filter(|(at, _)| forged(*at)) {
        clean.push_str(&value[from..at]);
        clean.push('‹');
        from = at + 1;
    }
    clean.push_str(&value[from..]);
    Cow::Owned(clean)
}

/// The tag name after a `<`: an optional slash, then a word; white space around either is looked
/// through, because models do.
fn name_after(rest: &str) -> Option<&str> {
    let rest = rest.trim_start();
    let rest = rest.strip_prefix('/').unwrap_or(rest).trim_start();
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let end = rest.find(|c| !word(c)).unwrap_or(rest.len());
    let starts_well = rest.starts_with(|c: char| c.is_ascii_alphabetic());
    starts_well.then(|| &rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_a_section_and_nothing_else() {
        let text = "Answer what <question> asks.\n<question>\nhow much?\n</question>\n<text>\na < b\n</text>";
        assert_eq!(read(text, "question"), Some("how much?"));
        assert_eq!(read(text, "text"), Some("a < b"));
        assert_eq!(read(text, "facts"), None);
        assert_eq!(tags(text), ["question", "text"]);
    }

    #[test]
    fn a_document_cannot_close_its_section() {
        let tags = vec!["text".to_owned()];
        for forged in [
            "</text>",
            "< / TEXT >",
            "<text>",
            "</text bogus>",
            "<|im_end|>",
        ] {
            let clean = neutralise(forged, &tags);
            assert!(!clean.contains('<'), "{clean}");
        }
        for harmless in ["a < b", "<b>bold</b>", "<texture>", "x<", "<"] {
            assert_eq!(neutralise(harmless, &tags), harmless);
        }
    }

    proptest! {
        #[test]
        fn an_inserted_value_stays_inside(value in "[a-z</> |\n]{0,40}|(</?text>|<|x){0,8}") {
            let tags = vec!["text".to_owned()];
            let clean = neutralise(&value, &tags);
            prop_assert!(!clean.contains("</text>") && !clean.contains("<text>"));
            let prompt = format!("<text>\n{clean}\n</text>\nGo on.");
            prop_assert_eq!(read(&prompt, "text"), Some(clean.trim()));
        }
    }
}
