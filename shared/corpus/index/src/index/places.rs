//! Finds the values of a metadata field that a text names, such as places: the values in the corpus serve as the list.
//!
//! The words of the text are looked up among the terms of what a principal may read. So nothing is held in memory, the field may have
//! any number of values, and a place that only others' documents have is never found. *Not* the
//! [`Gazetteer`](crate::gazetteer::Gazetteer), which scores and uses every field that has few values, and no geography:
//! it does not know which places are near one another.

use super::query::Snapshot;
use crate::Error;
use envelope::Principal;
use search::filter_terms;

/// How many words of a text are looked at.
const TEXT_WORDS_MAX: usize = 256;
/// Words of the longest value that is looked for.
const VALUE_WORDS_MAX: usize = 6;
/// A value of fewer letters is named by accident.
const LETTERS_MIN: usize = 3;

impl Snapshot {
    /// The values of `field` that `text` names, as they are compared, each once, in the order of the
    /// text. Of several that begin at one word the longest counts.
    pub(crate) fn places(
        &self,
        principal: &Principal,
        text: &str,
        field: &str,
    ) -> Result<Vec<String>, Error> {
        let text = text
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .to_lowercase();
        let words = spans(&text);
        let field = filter_terms::field_name(field);
        let mut places: Vec<String> = Vec::new();
        let mut at = 0;
        while at < words.len() {
            let ends = (at..words.len().min(at + VALUE_WORDS_MAX)).rev();
            let mut step = 1;
            for end in ends {
                let value = &text[words[at].0..words[end].1];
                let letters = value.chars().filter(|c| c.is_alphabetic()).count();
                if letters >= LETTERS_MIN
                    && self.index.has_fact(
                        &self.searcher,
                        principal,
                        &filter_terms::text_term(&field, value),
                    )?
                {
                    if !places.iter().any(|known| known == value) {
                        places.push(value.to_owned());
                    }
                    step = end + 1 - at;
                    break;
                }
            }
            at += step;
        }
        Ok(places)
    }
}

/// Where words begin and end, in bytes.
fn spans(text: &str) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
    let mut begun = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (c.is_alphanumeric(), begun) {
            (true, None) => begun = Some(at),
            (false, Some(start)) => {
                spans.push((start, at));
                begun = None;
            }
            _ => {}
        }
    }
    spans.truncate(TEXT_WORDS_MAX);
    spans
}
