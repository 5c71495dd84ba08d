//! Which values of chosen metadata fields a text names: the corpus is its own list of places.
//!
//! Looked up word by word among the facts of one tenant, so nothing is held, there may be any number of
//! values, and nobody names a place that only another tenant has. *Not* the
//! [`Gazetteer`](crate::gazetteer::Gazetteer), which scores and takes every field that has few values,
//! and no geography: what is near a place, only the corpus could say.

use super::query::Snapshot;
use super::term_query;
use crate::Error;
use envelope::TenantId;
use search::filter_terms as facts;
use tantivy::Term;
use tantivy::collector::Count;
use tantivy::query::BooleanQuery;

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
        tenant: &TenantId,
        text: &str,
        field: &str,
    ) -> Result<Vec<String>, Error> {
        let text = text
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .to_lowercase();
        let words = spans(&text);
        let field = facts::field_name(field);
        let mut places: Vec<String> = Vec::new();
        let mut at = 0;
        while at < words.len() {
            let ends = (at..words.len().min(at + VALUE_WORDS_MAX)).rev();
            let mut step = 1;
            for end in ends {
                let value = &text[words[at].0..words[end].1];
                let letters = value.chars().filter(|c| c.is_alphabetic()).count();
                if letters >= LETTERS_MIN && self.has_value(tenant, &field, value)? {
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

    fn has_value(&self, tenant: &TenantId, field: &str, value: &str) -> Result<bool, Error> {
        let fields = &self.index.fields;
        let fact = Term::from_field_text(fields.facts, &facts::text_term(field, value));
        if self.searcher.doc_freq(&fact)? == 0 {
            return Ok(false);
        }
        let tenant = Term::from_field_text(fields.tenant, tenant.as_str());
        let both = BooleanQuery::intersection(vec![term_query(fact), term_query(tenant)]);
        Ok(self.searcher.search(&both, &Count)? > 0)
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
