//! The options of the retriever.

use envelope::Role;
use envelope::limits::{CONDITIONS_MAX, CONTEXT_CHARS, FANOUT_MAX};
use llm::SetupError;
use serde::{Deserialize, Serialize};

/// The most columns that hold places: each costs some look-ups for every word of a question.
const LOCATION_COLUMNS_MAX: usize = 8;

/// The largest weight of an earlier question's words, so that they never count as much as the question's own.
const CONTEXT_WEIGHT_MAX: f32 = 0.9;

/// How much is fetched and how much is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Candidates to fetch before reranking, in agentic mode. Default 100 passages.
    pub fetch_k: usize,
    /// Passages to map, one model call each, in agentic mode. Default 5, at most 64.
    pub map_max: usize,
    /// Search for the sub-queries of a plan beside the whole question, unless its class is `simple`.
    /// Default false: with the offline reader's, on the dev split of MultiHop-RAG, as much evidence was
    /// found (0.712 after 0.711), the first four hit less (0.831 after 0.838), and a search took twice as
    /// long.
    pub sub_queries: bool,
    /// Passages of each sub-query of a plan, from which the passages to map are shared out. Default
    /// 10, at most 64.
    pub per_query_k: usize,
    /// Cut the text of each passage to about this many characters around the sentences that match
    /// best, 80 to 100,000: for noisy scans and very small models. Default none: the whole chunk.
    pub context_chars: Option<usize>,
    /// Metadata columns that hold places, such as `["city", "country"]`, at most 8: where a question names
    /// a value of one, only its passages are searched, and all of them when that finds nothing, which is
    /// told. Default none: a place is a word like others.
    pub location_columns: Vec<String>,
    /// Link what a question says about documents (companies, days, amounts, part numbers, names in paths) to what the
    /// documents say of themselves: a question for documents is answered from those for which it all holds, and one for
    /// what they say, or for more than a table tells, has a share of its list from them (`named_share`). Default true.
    pub linking: bool,
    /// Documents from which no answer can be written any more, where a question is about all that satisfy a condition, or says
    /// nothing else: the user is asked to narrow it. Lists, counts and sums have no such limit. Default 100.
    pub too_many: u64,
    /// Part of the list that passages of the documents have which a question names, 0 to 1; below 1 a place is left for others, two in a list of fewer than 8. Default 0.9, chosen on
    /// the dev split of MultiHop-RAG (docs/retrieval.md).
    pub named_share: f32,
    /// Part of the list, before that, for the sides of a comparison or a timeline, each of which is searched for by what the
    /// question says of it, 0 to 1; 0: they are not searched by themselves. Default 0.6, chosen there, too.
    pub side_share: f32,
    /// Conditions that a question amounts to, or that a planner guessed, which are given up one at a time where nothing
    /// satisfies them all, the least sure first; each costs a search, and then the rest goes at once. 0 to 16. Default 3.
    pub relax_max: usize,
    /// Below this score of what was found, the user is told at once that the documents do not say: the best BM25 score for each
    /// word of the question, times the part of its names and numbers that stand in what was found. Scores are of one corpus:
    /// `argosy eval unanswerable` tells what one catches. Default 0: never, since what asks back 3 % of the answerable
    /// questions of one corpus asks back 40 % of another's (docs/retrieval.md).
    pub silent_below: f32,
    /// The user is asked back if the words of a question that is asked alone fit more than this share of all passages, 0 to 1,
    /// and more passages than are read: then chance decides which. The share is the product of those that have each word; one
    /// that documents are called counts as rare. Default 0.02 (ADR 0024); 1 never asks.
    pub unclear_above: f32,
    /// What a word of the question before counts in the search for a follow-up question, where a word of its
    /// own counts 1; 0 to 0.9, 0 for nothing. Default 0.3: chosen on half of the dialogues of INSCIT, where it gains little
    /// (0.743 after 0.740; on the others 0.760 after 0.754).
    pub context_weight: f32,
    /// Passages to answer from in one call, in agentic mode (`planner.read_at_once`). Default 7, at most 64.
    pub read_max: usize,
    /// Of these passages, those behind the first three are left out whose score is below this share of the best one, 0 to 1; the
    /// sides of a comparison keep all of theirs. 0 leaves none out. Default 0.45: prompts are a fifth shorter, and of 279
    /// questions one had its answer left out (ADR 0036).
    pub read_share: f32,
    /// Candidates to fetch before reranking, in simple mode. Default 20 passages.
    pub simple_k: usize,
    /// Passages to answer from in one call, in simple mode. Default 5, at most 64.
    pub simple_max: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            fetch_k: 100,
            map_max: 5,
            sub_queries: false,
            per_query_k: 10,
            context_chars: None,
            location_columns: Vec::new(),
            linking: true,
            too_many: 100,
            named_share: 0.9,
            side_share: 0.6,
            relax_max: 3,
            silent_below: 0.0,
            unclear_above: 0.02,
            context_weight: 0.3,
            read_max: 7,
            read_share: 0.45,
            simple_k: 20,
            simple_max: 5,
        }
    }
}

impl Options {
    /// Checks that every number is in its range.
    pub fn validate(&self) -> Result<(), SetupError> {
        let role = Role::Retriever;
        let wrong = |what| Err(SetupError::Options { role, what });
        if let Some(chars) = self.context_chars.filter(|c| !CONTEXT_CHARS.contains(c)) {
            return wrong(format!(
                "`context_chars` is {chars}: want {} to {}, or leave it out for the whole text",
                CONTEXT_CHARS.start(),
                CONTEXT_CHARS.end()
            ));
        }
        for (name, share, most) in [
            ("context_weight", self.context_weight, CONTEXT_WEIGHT_MAX),
            ("named_share", self.named_share, 1.0),
            ("read_share", self.read_share, 1.0),
            ("side_share", self.side_share, 1.0),
            ("unclear_above", self.unclear_above, 1.0),
        ] {
            SetupError::check_range(role, name, share, 0.0..=most)?;
        }
        if !(self.silent_below >= 0.0 && self.silent_below.is_finite()) {
            return wrong(format!(
                "`silent_below` is {}: want 0 or more",
                self.silent_below
            ));
        }
        if self.relax_max > CONDITIONS_MAX {
            return wrong(format!(
                "`relax_max` is {}: want at most {CONDITIONS_MAX}",
                self.relax_max
            ));
        }
        let columns = &self.location_columns;
        if columns.len() > LOCATION_COLUMNS_MAX || columns.iter().any(|c| c.trim().is_empty()) {
            return wrong(format!(
                "`location_columns` has {} columns or an empty one: want at most {LOCATION_COLUMNS_MAX} names",
                columns.len()
            ));
        }
        for (name, kept, fetched) in [
            ("map_max", self.map_max, self.fetch_k),
            ("read_max", self.read_max, self.fetch_k),
            ("per_query_k", self.per_query_k, self.fetch_k),
            ("simple_max", self.simple_max, self.simple_k),
        ] {
            SetupError::check_range(role, name, kept, 1..=FANOUT_MAX)?;
            if kept > fetched {
                return wrong(format!(
                    "`{name}` is {kept}, but only {fetched} candidates are fetched"
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_valid_and_nonsense_is_named() {
        assert!(Options::default().validate().is_ok());
        for (options, named) in [
            (
                Options {
                    map_max: 0,
                    ..Options::default()
                },
                "`map_max` is 0",
            ),
            (
                Options {
                    map_max: 65,
                    ..Options::default()
                },
                "1 to 64",
            ),
            (
                Options {
                    per_query_k: 0,
                    ..Options::default()
                },
                "`per_query_k` is 0",
            ),
            (
                Options {
                    context_chars: Some(12),
                    ..Options::default()
                },
                "`context_chars` is 12: want 80",
            ),
            (
                Options {
                    location_columns: vec!["city".into(), " ".into()],
                    ..Options::default()
                },
                "`location_columns` has 2 columns or an empty one",
            ),
            (
                Options {
                    context_weight: 1.0,
                    ..Options::default()
                },
                "`context_weight` is 1: want 0 to 0.9",
            ),
            (
                Options {
                    named_share: 1.5,
                    ..Options::default()
                },
                "`named_share` is 1.5: want 0 to 1",
            ),
            (
                Options {
                    simple_k: 4,
                    ..Options::default()
                },
                "only 4 candidates",
            ),
        ] {
            let error = options.validate().unwrap_err().to_string();
            assert!(error.contains(named), "{error}");
        }
        assert!(serde_json::from_str::<Options>(r#"{"map_maxx": 3}"#).is_err());
        let three: Options = serde_json::from_str(r#"{"map_max": 3}"#).unwrap();
        assert_eq!(
            three,
            Options {
                map_max: 3,
                ..Options::default()
            }
        );
    }
}
