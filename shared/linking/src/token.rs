//! A question as tokens, with their places. Pure.
//!
//! A token is what stands between blanks, without the marks around it: `HX-2033A`, `$1,100` and `2024-05-03` are one
//! each. *Not* the analyser of an index.

use std::ops::Range;

/// Most tokens that are looked at; what is behind them is left to the search.
pub const TOKENS_MAX: usize = 512;

/// One token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionToken {
    /// As it is written, without an owner's `'s`.
    pub text: String,
    /// In lower case.
    pub lower: String,
    /// Where it stands, in bytes.
    pub span: Range<usize>,
    /// It is the first of a sentence, where a capital says nothing.
    pub is_first: bool,
    /// The mark behind it parts it from the next: a comma, a colon, the end of a sentence.
    pub is_last: bool,
}

impl QuestionToken {
    /// Whether it begins with a capital letter.
    pub fn is_capital(&self) -> bool {
        self.text.chars().next().is_some_and(char::is_uppercase)
    }

    /// Whether there is a digit in it.
    pub fn has_digit(&self) -> bool {
        self.text.contains(|c: char| c.is_ascii_digit())
    }
}

/// The tokens of a text, in order.
pub fn tokens(text: &str) -> Vec<QuestionToken> {
    let mut tokens: Vec<QuestionToken> = Vec::new();
    let mut at = 0;
    let mut is_first = true;
    for word in text.split_whitespace().take(TOKENS_MAX) {
        let start = at + text[at..].find(word).unwrap_or(0);
        at = start + word.len();
        let opened = word.trim_start_matches(|c: char| !is_kept_first(c));
        let kept = opened.trim_end_matches(|c: char| !is_kept_last(c));
        let marks = &opened[kept.len()..];
        let ends = marks.contains(['.', '?', '!']);
        let parts = ends || marks.contains([',', ';', ':', ')']);
        if !kept.contains(char::is_alphanumeric) {
            // A mark of its own parts what stands around it.
            if let Some(before) = tokens.last_mut()
                && !matches!(word, "&" | "+")
            {
                before.is_last = true;
            }
            continue;
        }
        let owner = kept.strip_suffix("'s").or_else(|| kept.strip_suffix("’s"));
        let kept = owner.unwrap_or(kept);
        let from = start + (word.len() - opened.len());
        tokens.push(QuestionToken {
            lower: kept.to_lowercase(),
            span: from..from + kept.len(),
            text: kept.to_owned(),
            is_first,
            is_last: parts,
        });
        is_first = ends;
    }
    tokens
}

/// Signs of currencies, and a sign before a number, are of it.
fn is_kept_first(c: char) -> bool {
    c.is_alphanumeric() || "$€£¥₹-+".contains(c)
}

fn is_kept_last(c: char) -> bool {
    c.is_alphanumeric() || "$€£¥₹%".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn marks_are_left_out_and_remembered() {
        let text = "Show (all) invoices of O'Neil's, over $1,100. May I – please?";
        let tokens = tokens(text);
        let shown: Vec<String> = tokens
            .iter()
            .map(|t| {
                format!(
                    "{}{}{}",
                    if t.is_first { "^" } else { "" },
                    t.text,
                    if t.is_last { "|" } else { "" }
                )
            })
            .collect();
        assert_eq!(
            shown.join(" "),
            "^Show all| invoices of O'Neil| over $1,100| ^May I| please|"
        );
    }

    proptest! {
        #[test]
        fn tokens_stand_where_they_say(text in "\\PC{0,80}") {
            for token in tokens(&text) {
                prop_assert_eq!(&text[token.span.clone()], &token.text);
            }
        }
    }
}
