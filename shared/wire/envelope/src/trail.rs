//! The trail: what each step did, how long it took, and every fallback that it used. It is passed on from step to step
//! and returned with the answer, so that a bad answer can be explained.

use crate::codec::is_default;
use crate::lookup::SearchConditions;
use crate::message::Header;
use crate::remark::Remarks;
use crate::role::Role;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One step that was done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrailEntry {
    /// The role that did it.
    pub role: Role,
    /// At which hop.
    pub hop: u16,
    /// In which round.
    pub round: u8,
    /// The number of the map step in its fan-out, for mappers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u16>,
    /// The delivery that succeeded, from 1.
    pub attempt: u16,
    /// The time from publishing to the start of work, in milliseconds.
    pub queued_ms: u64,
    /// The time of the work, in milliseconds.
    pub worked_ms: u64,
    /// The model that was called, if one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What was spent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub usage: Usage,
    /// The decision of the step, in a few words.
    pub decided: String,
    /// Every way in which the step did less than it should.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<Fallback>,
    /// The prompts that its model was asked with, by name: the version of the text, the first 8 hex digits of its hash.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub prompts: BTreeMap<String, String>,
    /// The remarks that accompany a reducer's draft. They are moved into the terminal event if the draft becomes the
    /// answer.
    #[serde(default, skip_serializing_if = "Remarks::is_empty")]
    pub remarks: Remarks,
    /// Only from a retriever: what the question was understood to say about documents, and how each condition was
    /// used. Conditions that no document satisfies are among the fallbacks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<Box<SearchConditions>>,
}

impl TrailEntry {
    /// The entry of a step that nobody has done: of the role and at the place that its header says.
    pub fn of(header: &Header, decided: impl Into<String>) -> TrailEntry {
        TrailEntry {
            role: header.role,
            hop: header.hop,
            round: header.round,
            index: None,
            attempt: 0,
            queued_ms: 0,
            worked_ms: 0,
            model: None,
            usage: Usage::default(),
            decided: decided.into(),
            fallbacks: Vec::new(),
            prompts: BTreeMap::new(),
            remarks: Remarks::default(),
            conditions: None,
        }
    }
}

/// The hop at which the draft that became the answer was checked, where that is not the last one.
pub(crate) fn earlier_draft(trail: &[TrailEntry]) -> Option<u16> {
    let last = trail.iter().rev().find(|e| e.role == Role::Validator)?;
    last.fallbacks.iter().find_map(|one| match one {
        Fallback::EarlierDraft { hop } => Some(*hop),
        _ => None,
    })
}

/// Model calls, tokens and searches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Calls of a model.
    pub calls: u32,
    /// Tokens read.
    pub tokens_in: u64,
    /// Tokens written.
    pub tokens_out: u64,
    /// Searches of the corpus, a search with its sub-queries as one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub searches: u16,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Usage) {
        self.calls += other.calls;
        self.tokens_in += other.tokens_in;
        self.tokens_out += other.tokens_out;
        self.searches += other.searches;
    }
}

impl std::iter::Sum for Usage {
    fn sum<I: Iterator<Item = Usage>>(all: I) -> Usage {
        all.fold(Usage::default(), |mut sum, usage| {
            sum += usage;
            sum
        })
    }
}

words! {
    /// A fallback: what was done instead of the intended thing. Each kind has a counter.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(tag = "kind")]
    pub enum Fallback {
        /// The history could not be read: the question was taken by itself.
        NoHistory = "no_history",
        /// Exchanges to which the question may refer are no longer kept.
        HistoryGone {
            /// How many.
            count: u16,
        } = "history_gone",
        /// The conversation has had more turns than a log keeps: each new turn drops the oldest.
        ConversationTrimmed {
            /// How many are kept.
            turns: u64,
        } = "conversation_trimmed",
        /// The planner's output could not be read: the question itself is the plan.
        PlanDefault = "plan_default",
        /// Fields of a plan were missing, malformed or impossible: rules read them out of the question instead.
        PlanFieldsDefaulted {
            /// Which.
            fields: Vec<String>,
        } = "plan_fields_defaulted",
        /// A model called a tool that does not exist, or passed invalid arguments: it was told so once.
        CallRefused {
            /// What was wrong with the call, in words.
            why: String,
        } = "call_refused",
        /// The decision of a model about a further search could not be read, twice or with no call left for a second try:
        /// rules decided.
        ReviewDefault = "review_default",
        /// A later round found no passage that an earlier one had not read: another round would change nothing.
        NoProgress = "no_progress",
        /// No hit with the planner's guess of a filter: it was dropped.
        FilterRelaxed {
            /// The condition that was dropped, as people read it.
            condition: String,
            /// Something satisfies it, and all of that had been read in earlier rounds.
            #[serde(default, skip_serializing_if = "std::ops::Not::not")]
            read: bool,
        } = "filter_relaxed",
        /// A condition on a field that the corpus does not have was dropped.
        FilterUnknownField {
            /// The field.
            field: String,
        } = "filter_unknown_field",
        /// Words of the question look like a condition, and could not become one.
        ConditionUnread {
            /// The words.
            said: String,
            /// Why not.
            why: String,
        } = "condition_unread",
        /// The question is about more documents than an answer can be written from, and it is the reply to a question back
        /// about that: the passages are those that fit best.
        ManyDocuments {
            /// How many documents there are.
            documents: u64,
        } = "many_documents",
        /// A part of the search failed: the passages are from the others, or in the built-in order.
        SearchedWithout {
            /// Which: `words`, `vectors` or `reranker`.
            leg: String,
        } = "searched_without",
        /// No index had reached the sequence that the question asks for by the time it had to be searched.
        SearchedBehind {
            /// The sequence of the corpus stream that it wants.
            wanted: u64,
            /// Where the index was that was searched.
            at: u64,
        } = "searched_behind",
        /// One of several searches failed: the passages are from the others.
        SubQueryFailed {
            /// What was searched for.
            query: String,
        } = "sub_query_failed",
        /// A plan had more sub-queries than are searched for: the last ones were left out.
        SubQueriesTrimmed {
            /// How many.
            count: u16,
        } = "sub_queries_trimmed",
        /// Passages over the size of one message or prompt, or over the calls or tokens that are left, were cut or left
        /// out.
        PassagesTrimmed {
            /// How many.
            count: u16,
        } = "passages_trimmed",
        /// Map output was unreadable, had no grade from 0 to 1, or had nothing that is in the passage: the passage is
        /// passed on as relevant, but does not count.
        MapDefault = "map_default",
        /// A map output that was not JSON was read by its fields.
        MapSalvaged = "map_salvaged",
        /// Map results had not arrived when the reducer started.
        PartsMissing {
            /// Which of the fan-out.
            indexes: Vec<u16>,
        } = "parts_missing",
        /// Map steps that failed for good.
        PartsFailed {
            /// Which of the fan-out.
            indexes: Vec<u16>,
        } = "parts_failed",
        /// Facts that a mapper stated were left out because its passage does not contain them; some may be only in its
        /// prompt.
        FactsUnsupported {
            /// How many.
            count: u16,
        } = "facts_unsupported",
        /// Facts over the size of one prompt, or over the limit of one passage, were cut or left out.
        FactsTrimmed {
            /// How many.
            count: u16,
        } = "facts_trimmed",
        /// Too little was found, and no round or no unread passage is left: the answer says so.
        Caveat {
            /// What is missing, in words; empty in events of earlier releases.
            #[serde(default, skip_serializing_if = "String::is_empty")]
            missing: String,
        } = "caveat",
        /// The model cited nothing: each sentence got the mark of the source whose facts have most of its
        /// words. Such a mark proves nothing.
        MarksAdded {
            /// How many.
            count: u16,
        } = "marks_added",
        /// No words of the source support a cited fact well enough: it is quoted with the nearest sentence.
        QuotesReplaced {
            /// How many.
            count: u16,
        } = "quotes_replaced",
        /// The answer leaves out the names of some questions of which the question is made up.
        SubQueriesUnanswered {
            /// Which.
            queries: Vec<String>,
        } = "sub_queries_unanswered",
        /// Actions were to be listed, and no model listed any.
        ActionItemsFailed = "action_items_failed",
        /// The reducer could not call a model: the answer consists of the facts themselves.
        ReduceDefault = "reduce_default",
        /// A stage was broken for good: the answer comes from one search and one call.
        BasicRag {
            /// The stage.
            role: Role,
        } = "basic_rag",
        /// Sentences that the cited sources do not support are in the answer, marked.
        SentencesUnsupported {
            /// How many.
            count: u16,
        } = "sentences_unsupported",
        /// Sentences that a cited source contradicts are in the answer, marked.
        SentencesContradicted {
            /// How many.
            count: u16,
        } = "sentences_contradicted",
        /// Sentences that the cited sources do not support, or contradict, were cut out.
        SentencesCut {
            /// How many.
            count: u16,
        } = "sentences_cut",
        /// The answer was withheld, because the cited sources do not support it.
        AnswerWithheld = "answer_withheld",
        /// The validator was broken: the draft is returned as it is, flagged.
        Unvalidated = "unvalidated",
        /// A model was to judge the answer and did not: rules alone have checked it.
        Unjudged {
            /// Why: the code of a failed call, `unreadable`, `validator_prompt` where a replay brought a prompt that cannot be
            /// used, or `same_model` where it wrote the answer itself.
            why: String,
        } = "unjudged",
        /// The draft was not grounded: a stricter one was asked for.
        Stricter = "stricter",
        /// No later draft was better than this one, which had been kept for that case: it is the answer.
        EarlierDraft {
            /// Hop of the validator's step that carries it.
            hop: u16,
        } = "earlier_draft",
        /// The question back is the template.
        ClarifyDefault = "clarify_default",
        /// A limit of the budget forbade a model call, another round or a stricter draft, or the reading of
        /// some passages.
        BudgetSpent {
            /// Which limit: `rounds`, `searches`, `llm_calls`, `tokens`, `time`, or `steps` of a loop.
            limit: String,
        } = "budget_spent",
        /// A fallback of a step that another release did, which this release does not know.
        #[serde(other)]
        Unknown = "unknown",
    }
}
