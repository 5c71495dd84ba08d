//! The payload types of the steps. The diagram shows which role makes each payload and which role takes it.
//!
//! ```text
//! conversation Recall -> planner
//! planner PlanTask -> retriever Search -> Scatter (a record) -> MapTask x N -> Part (a record)
//!   -> reducer ReduceTask -> Draft -> validator -> Terminal        clarifier Doubt -> Terminal
//! ```

use crate::codec::is_default;
use crate::filter::Filter;
use crate::history::{ExchangePlace, History};
use crate::ids::{Bucket, DocId};
use crate::meaning::{AnswerForm, QuestionClass, QuestionIntent, SearchStrategy};
use crate::message::Case;
use crate::place::{Place, place_at};
pub use crate::plan_task::{PlanRoute, PlanTask};
use crate::read_mark::ReadMark;
pub use crate::reduce_task::{MappedFanOut, ReduceTask};
use crate::support::{CheckedSentence, Judgement};
use crate::table::{AnswerTable, TableDigest};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The task of the first step of a turn in a conversation: the exchanges before the turn, which it reads from the
/// log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recall {
    /// The exchanges before it, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exchanges: Vec<ExchangePlace>,
    /// The exchange that ended with the question back that this turn answers, if it answers one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<ExchangePlace>,
    /// How many turns of a conversation are kept, where it has had more than that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns_kept: Option<u64>,
}

/// What to search for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The query to search with: the question or a rewriting of it, and keywords.
    pub query: String,
    /// Search terms.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    /// The parts of the question, at most [`SUB_QUERIES_MAX`](crate::limits::SUB_QUERIES_MAX). If the retriever is
    /// configured to do so (`retriever.sub_queries`), it searches for each part in addition to the whole question. A
    /// simple question has no parts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sub_queries: Vec<String>,
    /// What the planner read out of the question, on top of the publisher's own filter.
    #[serde(default, skip_serializing_if = "Filter::is_empty")]
    pub filter: Filter,
    /// The question in a self-contained form, if it refers to earlier messages. The graph moves it into the case,
    /// where every later step finds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewritten: Option<String>,
    /// The question before this one. Its words count in the search, with a lower weight than those of the query
    /// (`retriever.context_weight`).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub context: String,
    /// How many searches it takes, and of which kind.
    #[serde(default, skip_serializing_if = "is_default")]
    pub class: QuestionClass,
    /// The intent of the question.
    #[serde(default, skip_serializing_if = "is_default")]
    pub intent: QuestionIntent,
    /// Parts of the corpus that it is likely about; a hint, never a condition by itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bucket_hints: Vec<Bucket>,
    /// What it is about, in a few words each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub topics: Vec<String>,
    /// What each of [`Self::sub_queries`] is for, in the same order; may be shorter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub purposes: Vec<String>,
    /// Which parts of the index are asked.
    #[serde(default, skip_serializing_if = "is_default")]
    pub strategy: SearchStrategy,
    /// In which form the answer is wanted.
    #[serde(default, skip_serializing_if = "is_default")]
    pub form: AnswerForm,
    /// Whether the question asks for an answer without citations.
    #[serde(default, skip_serializing_if = "is_default")]
    pub no_citations: bool,
}

impl Plan {
    /// The plan when there is no better one: search for the question as it is.
    pub fn from_question(case: &Case) -> Plan {
        Plan {
            query: case.question.best().to_owned(),
            ..Plan::default()
        }
    }

    /// The plan for a question after others: it does not contain the history, but the search uses it as context.
    pub fn after(case: &Case, history: &History) -> Plan {
        Plan {
            context: history.question_before().to_owned(),
            ..Plan::from_question(case)
        }
    }
}

/// One search: its plan, and what follows from its result.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Search {
    /// What to search for.
    #[serde(flatten)]
    pub plan: Plan,
    /// What follows.
    #[serde(default, skip_serializing_if = "is_default")]
    pub then: After,
    /// Chunk ids that may answer it without a search. They do so if they contain everything that the question
    /// names; otherwise a search is made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fetch: Vec<String>,
}

/// What follows a search. The step that asks for the search decides it, so that another flow needs no
/// second graph.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum After {
    /// A mapper reads each passage, and the reducer composes the answer from the findings.
    #[default]
    Map,
    /// One model call answers from the passages themselves.
    Generate,
    /// A model looks at the passages, and acts again: mode loop.
    Review,
}

/// A piece of a document that a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Passage {
    /// Part of the corpus.
    pub bucket: Bucket,
    /// The document.
    pub doc_id: DocId,
    /// The piece: `<doc_id>.<n>`.
    pub chunk_id: String,
    /// Title of the document, with the headings above the piece.
    pub title: String,
    /// A sentence from the beginning of the document that has words of the question which the piece lacks; empty where
    /// there is none. It tells what the piece is about and is not cited.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub front: String,
    /// Where the document came from, usually a path inside the corpus.
    pub source: String,
    /// Page from 1, where the format has pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// First line of the piece in the source, from 1.
    #[serde(default)]
    pub line: u32,
    /// Where the text stands, where its first line and page do not say it: see [`Passage::place_at`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<Place>,
    /// Relevance for the query; only comparable within one search.
    pub score: f32,
    /// The text.
    pub text: String,
    /// The document's metadata.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, Value>,
    /// Which sub-queries of the plan found it, from 0; empty when only the whole question did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found_by: Vec<u8>,
}

impl Passage {
    /// What is shown above the text: the title, and what the beginning of the document says besides.
    pub fn heading(&self) -> String {
        match &*self.front {
            "" => self.title.clone(),
            front => format!("{} … {front}", self.title),
        }
    }

    /// What whoever writes from the text was shown of the document: the front, and the text.
    pub fn shown(&self) -> String {
        match &*self.front {
            "" => self.text.clone(),
            front => format!("{front}\n\n{}", self.text),
        }
    }

    /// Where byte `at` of the text stands in the document.
    pub fn place_at(&self, at: usize) -> Place {
        let first = [Place {
            line: self.line,
            page: self.page,
            ..Place::default()
        }];
        let places = if self.places.is_empty() {
            &first
        } else {
            &self.places[..]
        };
        place_at(places, &self.text, at)
    }

    /// How people name the page that it begins on; its first place may be that of a header, which is repeated from above.
    pub fn page_name(&self) -> Option<&str> {
        let first = self.places.iter().find(|place| place.page == self.page);
        first?.page_name.as_deref()
    }
}

/// How a search matched its filter. Shown to the user, never silent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FilterMatch {
    /// Every condition held.
    #[default]
    Matched,
    /// Nothing was found.
    Empty,
    /// Something was found after conditions were dropped.
    Relaxed {
        /// What was dropped, as people read it.
        dropped: Vec<String>,
    },
}

/// The scatter record: the one step of its hop, from which the whole fan-out follows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scatter {
    /// What was searched for.
    pub plan: Plan,
    /// The passages to map, best first: map step `i` works on passage `i`.
    pub passages: Vec<Passage>,
    /// How the search matched its filter.
    pub matched: FilterMatch,
    /// How many passages match in all (a count query, not the fetched number).
    pub total_hits: u64,
    /// What follows the search, as its [`Search`] says.
    #[serde(default, skip_serializing_if = "is_default")]
    pub after: After,
}

/// One map step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MapTask {
    /// The number of the map step in its fan-out, from 0.
    pub index: u16,
    /// How many map steps the fan-out has.
    pub of: u16,
    /// Hop of the scatter record.
    pub scatter: u16,
    /// What to read.
    pub passage: Passage,
}

/// A fact with its origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// The number of its source, from 1, as the model saw it.
    pub n: u16,
    /// What it says.
    pub text: String,
}

/// Where a statement of an answer comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Citation {
    /// The number used in the answer, from 1.
    pub n: u16,
    /// The document.
    pub doc_id: DocId,
    /// The piece of it.
    pub chunk_id: String,
    /// Its title.
    pub title: String,
    /// Where it came from.
    pub source: String,
    /// Page of the quote, from 1, where the format has pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// How people name that page where it is not by its number: `iv`, `Budget 2025`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_name: Option<String>,
    /// Line of the quote in the source, from 1.
    #[serde(default)]
    pub line: u32,
    /// Score of the passage in its search.
    pub score: f32,
    /// The words of the source that support the statement, ignoring white space. Where the source has none that are
    /// close enough, the nearest ones, and the trail says so as
    /// [`QuotesReplaced`](crate::Fallback::QuotesReplaced). For a row of a table: its values.
    pub quote: String,
}

/// A draft of an answer, and the sources that it is based on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    /// The text, with `[n]` where source `n` is cited.
    pub text: String,
    /// Every source that the model was shown, by number; unused ones included, without a quote.
    pub sources: Vec<Citation>,
    /// The facts that the model was given; the answer is checked against them. Empty where it was given the passages
    /// themselves and `read` has their texts or, in mode loop, the scatter records have them.
    pub facts: Vec<Fact>,
    /// Hops of the scatter records that it was composed from, for a stricter second draft; empty when
    /// it was written from the passages themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scatters: Vec<u16>,
    /// The passages that were read for it, so that it is checked without reading the scatter records again. `None`
    /// in mode loop, for a table, where nothing was found, and where that is more than a draft carries: then the sentences of
    /// passages that the model was given are in `facts`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<Box<DraftReading>>,
    /// True when this is the stricter draft.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
    /// True when the facts do not answer the question.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_information: bool,
    /// True when no model wrote it: its sentences are facts as they were read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stitched: bool,
    /// How the search matched its filter.
    pub matched: FilterMatch,
    /// The table that it describes, with the digest of the documents behind the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<Box<DraftTable>>,
    /// What the model says of it, where it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assessment: Option<Assessment>,
}

/// What a model says of a draft that it wrote, by the probability of one word.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    /// How likely it is that the draft is the right answer, 0 to 1.
    pub right: f32,
}

/// What was read for a draft.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DraftReading {
    /// The text of each source as the search found it, in the order of [`Draft::sources`].
    pub texts: Vec<String>,
    /// The marks of all passages, including those that did not help, so that another round skips them.
    pub marks: Vec<ReadMark>,
}

/// A table in a draft. It is checked against its digest, and not by its words.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DraftTable {
    /// The table.
    pub table: AnswerTable,
    /// The digest of the documents behind the table.
    pub digest: TableDigest,
}

/// The result of checking a draft.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Verdict {
    /// The answer with its citations renumbered from 1 in order of first use.
    pub answer: String,
    /// The sources that it cites, in that order.
    pub citations: Vec<Citation>,
    /// 0 to 1: see [`crate::terminal::Terminal::confidence`].
    pub confidence: f32,
    /// See [`crate::terminal::Terminal::overlap`].
    pub overlap: Option<f32>,
    /// True when the overlap is below the threshold, a source says otherwise, a check failed, a model judged against it,
    /// or no model wrote the draft.
    pub low_confidence: bool,
    /// The result of checking each sentence, in order; empty for a table.
    pub sentences: Vec<CheckedSentence>,
    /// The judgement of a model, if one judged the draft.
    pub judgement: Option<Judgement>,
    /// What the user should know of it.
    pub notices: Vec<String>,
    /// The table that the answer tells, if it is one.
    pub table: Option<Box<AnswerTable>>,
}

impl Verdict {
    /// A draft as it is, unchecked.
    pub(crate) fn unchecked(mut draft: Draft) -> Verdict {
        if draft.table.is_none() {
            let text = &draft.text;
            draft
                .sources
                .retain(|one| text.contains(&format!("[{}]", one.n)));
        }
        Verdict {
            answer: draft.text,
            citations: draft.sources,
            low_confidence: true,
            table: draft.table.map(|of| Box::new(of.table)),
            ..Verdict::default()
        }
    }
}

words! {
    /// Why the user is asked back.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "kind")]
    pub enum Doubt {
        /// The search found nothing.
        NoResults {
            /// What was searched for.
            query: String,
            /// The conditions of the search, as people read them.
            narrowed_by: Vec<String>,
        } = "no_results",
        /// The planner could not tell what is asked, even with the history; or the conditions contradict each other.
        Unclear {
            /// What was asked.
            query: String,
            /// What is unclear about it, in words; may be empty.
            reason: String,
        } = "unclear",
        /// No draft passed the validator's check, and no other draft will follow.
        Ungrounded {
            /// What was asked.
            query: String,
            /// Which checks the last draft failed, in words.
            reason: String,
        } = "ungrounded",
        /// More documents satisfy the conditions than an answer can be written from, and the question is about all of them.
        TooMany {
            /// What was asked.
            query: String,
            /// How many documents there are.
            documents: u64,
            /// The conditions, in words.
            narrowed_by: Vec<String>,
            /// What they could be narrowed by, each as `by year: 2022 (310), 2023 (890)`.
            facets: Vec<String>,
            /// Values of the first of these columns, each a reply that narrows the documents: `2022`.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            choices: Vec<String>,
        } = "too_many",
        /// Several columns fit what the question says, and none fits better than the others.
        Ambiguous {
            /// What was asked.
            query: String,
            /// The words that fit several.
            said: String,
            /// The columns.
            columns: Vec<String>,
        } = "ambiguous",
        /// Passages were found, but none of them is about what is asked.
        NotInDocuments {
            /// What was asked.
            query: String,
            /// Names and numbers of it that no document has, or none that was found; may be empty.
            missing: Vec<String>,
            /// What was searched for, as people read it.
            tried: Vec<String>,
        } = "not_in_documents",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unchecked_answer_lists_the_sources_that_it_cites() {
        let cited = |n: u16| -> Citation {
            let source = serde_json::json!({
                "n": n, "doc_id": "d", "chunk_id": format!("d.{n}"), "title": "", "source": "", "page": null,
                "line": 1, "score": 1.0, "quote": "",
            });
            serde_json::from_value(source).expect("a citation")
        };
        let draft = |text: &str| Draft {
            text: text.into(),
            sources: vec![cited(1), cited(2), cited(12)],
            ..Draft::default()
        };
        for (text, listed) in [
            ("It is [2].", vec![2]),
            ("[1][12]", vec![1, 12]),
            ("No.", vec![]),
        ] {
            let verdict = Verdict::unchecked(draft(text));
            let numbers: Vec<u16> = verdict.citations.iter().map(|one| one.n).collect();
            assert_eq!(numbers, listed, "{text}");
        }
        let table = Draft {
            table: Some(Box::default()),
            ..draft("A table.")
        };
        assert_eq!(Verdict::unchecked(table).citations.len(), 3);
    }
}
