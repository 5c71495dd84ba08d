//! Normalises citation marks. Small models write `[1, 2]` or `[Source 1]`, or forget the marks.
//!
//! All marks are brought into the form `[1][2]`, so that the validator has one form to check. If a model cites
//! *nothing at all*, each sentence gets the mark of the fact that has most of its words. A draft with some marks is
//! not changed, because nothing tells which statements the missing marks belong to.

use crate::support::{Words, best};
use envelope::Fact;
use text::sentences::cited;

/// The longest text between brackets that is read as a mark, in bytes.
const MARK_BYTES_MAX: usize = 48;
/// The character that stands for a mark while the mark is taken out; no text holds it.
const MARK: char = '\u{e000}';
/// Longest range of numbers that is spelled out.
const RANGE_MAX: u16 = 16;

/// `text` with every mark in the form `[n]`. Brackets around anything else stay.
pub(crate) fn normal(text: &str) -> String {
    replace(text, |_, numbers| {
        let marks = numbers.iter().map(|n| format!("[{n}]"));
        marks.collect()
    })
}

/// `text` with parentheses in place of brackets that would read as marks: the reference numbers of a document are not
/// citations of the answer.
pub(crate) fn defused(text: &str) -> String {
    replace(text, |inside, _| format!("({inside})"))
}

/// `text` with a mark after each sentence that one of `facts` supports, and the number of marks that were added. A
/// text that has a mark stays as it is.
pub(crate) fn added(text: &str, facts: &[Fact], overlap_min: f32) -> (String, u16) {
    if has_mark(text) {
        return (text.to_owned(), 0);
    }
    let mut count = 0;
    let facts: Vec<_> = facts.iter().map(|f| (f.n, Words::of(&f.text))).collect();
    let mut marked = String::with_capacity(text.len() + 16);
    let mut from = 0;
    for span in cited::spans(text) {
        let sentence = &text[span.clone()];
        let words = Words::of(sentence);
        let support = best(&facts, |(_, fact)| words.share_in(fact));
        if let Some(((n, _), share)) = support
            && share > 0.0
            && share >= overlap_min
        {
            let body = sentence.trim_end_matches(['.', '!', '?', ':', ';']);
            let end = span.start + body.len();
            marked.push_str(&text[from..end]);
            marked.push_str(&format!(" [{n}]"));
            count += 1;
            from = end;
        }
    }
    marked.push_str(&text[from..]);
    (marked, count)
}

/// The numbers of the marks of `text`, in their order.
pub(crate) fn named(text: &str) -> Vec<u16> {
    let mut named = Vec::new();
    replace(text, |_, numbers| {
        named.extend_from_slice(numbers);
        String::new()
    });
    named
}

/// `text` without its marks and the blanks before them.
pub(crate) fn removed(text: &str) -> String {
    let bare = replace(text, |_, _| MARK.to_string());
    let mut out = String::with_capacity(bare.len());
    for part in bare.split(MARK) {
        out.truncate(out.trim_end().len());
        out.push_str(part);
    }
    out
}

/// Whether the text holds a mark in normal form.
pub(crate) fn has_mark(text: &str) -> bool {
    text.match_indices('[').any(|(at, _)| {
        let inside = &text[at + 1..];
        let digits = inside.bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && inside[digits..].starts_with(']')
    })
}

fn replace(text: &str, mut with: impl FnMut(&str, &[u16]) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find(['[', '【']) {
        let (before, bracket) = rest.split_at(open);
        out.push_str(before);
        let width = bracket.chars().next().map_or(1, char::len_utf8);
        let inside = &bracket[width..];
        let close = inside
            .find([']', '】', '[', '【'])
            .filter(|at| *at <= MARK_BYTES_MAX);
        let numbers = close.and_then(|at| numbers(&inside[..at]));
        match (close, numbers) {
            (Some(close), Some(numbers)) if !inside[close..].starts_with(['[', '【']) => {
                out.push_str(&with(&inside[..close], &numbers));
                let width = inside[close..].chars().next().map_or(1, char::len_utf8);
                rest = &inside[close + width..];
            }
            _ => {
                out.push_str(&bracket[..width]);
                rest = inside;
            }
        }
    }
    out.push_str(rest);
    out
}

/// The numbers of a mark such as `1`, `1, 2`, `Source 1`, `facts 1-3`, `^1`; `None` for anything
/// else.
fn numbers(inside: &str) -> Option<Vec<u16>> {
    const FILL: [&str; 9] = [
        "source", "sources", "fact", "facts", "passage", "passages", "ref", "n", "and",
    ];
    let mut numbers = Vec::new();
    let apart = |c: char| c.is_whitespace() || ",;:&#^.".contains(c);
    for word in inside.split(apart).filter(|word| !word.is_empty()) {
        if FILL.contains(&word.to_ascii_lowercase().as_str()) {
            continue;
        }
        match word.split_once(['-', '–']) {
            Some((first, last)) => {
                let (first, last) = (number(first)?, number(last)?);
                if !(1..=RANGE_MAX).contains(&last.checked_sub(first)?) {
                    return None;
                }
                numbers.extend(first..=last);
            }
            None => numbers.push(number(word)?),
        }
    }
    (!numbers.is_empty()).then_some(numbers)
}

/// Reads a number of any length; one that is too large names no source in any case.
fn number(word: &str) -> Option<u16> {
    let digits = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| word.parse().unwrap_or(u16::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn facts(facts: &[&str]) -> Vec<Fact> {
        let facts = (1u16..).zip(facts);
        facts
            .map(|(n, text)| Fact {
                n,
                text: (*text).into(),
            })
            .collect()
    }

    #[test]
    fn one_form_for_every_habit() {
        for (written, normal_form) in [
            ("a [1].", "a [1]."),
            ("a [1, 2]; b [3;4].", "a [1][2]; b [3][4]."),
            ("a [Source 1] b [facts: 1-3]", "a [1] b [1][2][3]"),
            ("a 【2】 b [^3] c [#4]", "a [2] b [3] c [4]"),
            ("a [1 and 2]", "a [1][2]"),
            (
                "a [sic] b [] c [1a] d [2024-03-05] e [ab",
                "a [sic] b [] c [1a] d [2024-03-05] e [ab",
            ),
            ("[[1]]", "[[1]]"),
            ("[99999]", "[65535]"),
        ] {
            assert_eq!(normal(written), normal_form, "{written}");
        }
    }

    #[test]
    fn a_documents_own_numbers_are_defused() {
        assert_eq!(
            defused("as shown [12] and [3, 4] [sic]"),
            "as shown (12) and (3, 4) [sic]"
        );
    }

    #[test]
    fn a_draft_without_any_mark_gets_them() {
        let facts = facts(&["The total is 200 EUR.", "Payment is due on 3 May."]);
        assert_eq!(
            added(
                "Payment is due on 3 May. The total? It is 200 EUR total!\n- Thanks",
                &facts,
                0.3
            ),
            (
                "Payment is due on 3 May [2]. The total [1]? It is 200 EUR total [1]!\n- Thanks"
                    .into(),
                3
            )
        );
        assert_eq!(
            added("Payment is due [1]. In May.", &facts, 0.3),
            ("Payment is due [1]. In May.".into(), 0)
        );
        assert_eq!(
            added("Nothing shared here.", &facts, 0.0),
            ("Nothing shared here.".into(), 0)
        );
        assert_eq!(added("", &facts, 0.3), (String::new(), 0));
    }

    #[test]
    fn the_best_fact_is_cited_and_the_first_of_equals() {
        let facts = facts(&["blue pump", "blue pump of steel", "blue pump of steel"]);
        assert_eq!(
            added("The steel pump is blue.", &facts, 0.3),
            ("The steel pump is blue [2].".into(), 1)
        );
    }

    proptest! {
        #[test]
        fn normal_is_final_and_defused_has_no_marks(
            text in "(\\[ ?(source )?[0-9]{1,3}(, ?[0-9])?\\]|[\\[\\]【】]|[a-z ,]|\\PC){0,40}",
        ) {
            prop_assert_eq!(normal(&normal(&text)), normal(&text));
            prop_assert!(!has_mark(&defused(&text)));
        }

        #[test]
        fn adding_keeps_the_text(text in "([a-z.!? \n]|\\PC){0,60}", fact in "[a-z ]{0,30}") {
            let (marked, _) = added(&text, &facts(&[&fact]), 0.1);
            prop_assert_eq!(marked.replace(" [1]", ""), text.replace(" [1]", ""));
        }
    }
}
