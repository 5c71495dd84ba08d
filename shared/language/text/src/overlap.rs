//! Measures how much of an answer its facts contain, by counting words.

use crate::{Language, words};
use std::collections::HashMap;

/// Share of the answer's content words that occur in the facts, 0 to 1; 0 for an answer without content words. Citation
/// marks (`[3]`) are not counted as words of the answer. A word is compared with each fact as both languages stem it, since an
/// answer of few words does not show its language.
pub fn overlap<S: AsRef<str>>(answer: &str, facts: &[S]) -> f32 {
    let answer = without_marks(answer);
    let own = Language::of(&answer);
    let said: Vec<String> = words::runs(&answer).map(lower).collect();
    let said: Vec<&String> = said.iter().filter(|word| !own.is_stop(word)).collect();
    if said.is_empty() {
        return 0.0;
    }
    let (mut open, mut left) = (vec![true; said.len()], said.len());
    let mut forms: HashMap<Language, HashMap<String, Vec<usize>>> = HashMap::new();
    for fact in facts {
        let fact = fact.as_ref();
        let language = Language::of(fact);
        let forms = forms
            .entry(language)
            .or_insert_with(|| forms_of(&said, own, language));
        // Facts are long and mostly agree with the answer: the rest need not be read.
        let is_all = words::any_content(fact, language, |word| {
            for place in forms.remove(word).into_iter().flatten() {
                left -= usize::from(std::mem::take(&mut open[place]));
            }
            left == 0
        });
        if is_all {
            return 1.0;
        }
    }
    (said.len() - left) as f32 / said.len() as f32
}

fn lower(run: &str) -> String {
    let mut lower = String::with_capacity(run.len());
    words::push_lower(&mut lower, run);
    lower
}

/// The stems of some words in two languages, with the places of the words.
fn forms_of(said: &[&String], own: Language, other: Language) -> HashMap<String, Vec<usize>> {
    let mut forms: HashMap<String, Vec<usize>> = HashMap::new();
    for (place, word) in said.iter().enumerate() {
        forms.entry(own.stem(word)).or_default().push(place);
        if other != own {
            forms.entry(other.stem(word)).or_default().push(place);
        }
    }
    forms
}

/// `text` with `[n]` marks blanked; other brackets stay.
pub(crate) fn without_marks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('[') {
        let after = &rest[at + 1..];
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        out.push_str(&rest[..at]);
        match digits > 0 && after[digits..].starts_with(']') {
            true => {
                out.push(' ');
                rest = &after[digits + 1..];
            }
            false => {
                out.push('[');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_answer_is_compared_in_the_language_of_the_fact() {
        let fact = "Abrechnung: jährlich.\n\nDer Mieter zahlt die Miete an den Vermieter, und die Nebenkosten sind im Voraus zu \
                    entrichten.";
        assert_eq!(Language::of("Jährlich"), Language::English);
        assert_eq!(Language::of(fact), Language::German);
        assert_eq!(overlap("Jährlich [1].", &[fact]), 1.0);
        assert_eq!(overlap("Monatlich, jährlich [1].", &[fact]), 0.5);
    }
}
