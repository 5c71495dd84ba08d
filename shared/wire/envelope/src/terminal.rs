//! The terminal event: the one message that ends a turn, and that publishers receive. Its fields are public
//! interface.

use crate::codec::is_default;
use crate::filter::Filter;
use crate::ids::{Bucket, ConversationId, TenantId, TurnId};
use crate::message::{Header, UnixMs};
use crate::mode::AutoMode;
use crate::notices::notice;
use crate::payload::{Citation, Doubt, Verdict};
use crate::principal::{Groups, Principal};
use crate::remark::Remark;
use crate::role::Role;
use crate::support::{CheckedSentence, Judgement};
use crate::table::AnswerTable;
use crate::trail::{TrailEntry, Usage, earlier_draft};
use serde::{Deserialize, Serialize};

words! {
    /// How a turn ended.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum Outcome {
        /// With an answer, which may say that the corpus does not contain one.
        Answered = "answered",
        /// With a question back.
        Clarification = "clarification",
        /// Not taken on.
        Refused = "refused",
        /// Given up; the reason is in `error`.
        Failed = "failed",
        /// The deadline passed.
        Expired = "expired",
        /// The client cancelled it.
        Cancelled = "cancelled",
    }
}

/// The terminal event, at `argosy.answer.<turn>`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Terminal {
    /// Wire version.
    pub v: u16,
    /// The turn.
    pub turn: TurnId,
    /// The tenant that owned it.
    pub tenant: TenantId,
    /// The groups of readers that the asker belonged to. Only who belongs to all of them may see this.
    #[serde(default, skip_serializing_if = "Groups::is_empty")]
    pub groups: Groups,
    /// The conversation that it belongs to, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<ConversationId>,
    /// The turn that this one continued, if it continued one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<TurnId>,
    /// Hop of its first step. Entries of the trail before this hop were done for the parent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub first_hop: u16,
    /// How it ended.
    pub outcome: Outcome,
    /// The answer, with `[n]` where citation `n` is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The sources that the answer cites, in order of their first use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
    /// The table that the answer tells, where documents were listed, counted or added up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<Box<AnswerTable>>,
    /// The question as it was searched for, if it was rewritten into a self-contained form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewritten: Option<String>,
    /// The mode that the gateway chose, if the question left it open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto: Option<AutoMode>,
    /// 0 to 1: how probable it is that its sources say all that the answer says, as far as rules tell (docs/trust.md), or,
    /// where its model has assessed it, that it is right (docs/answers.md).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f32>,
    /// The share of the answer's words that occur in the facts, 0 to 1; absent for a table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlap: Option<f32>,
    /// True when the overlap or the likelihood is below its threshold, a source says otherwise, a check failed, a model
    /// judged against it, or no model wrote the answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub low_confidence: bool,
    /// The result of checking each sentence of the answer, in order; absent for a table, and in events of older
    /// releases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sentences: Vec<CheckedSentence>,
    /// The judgement of a model about the answer, if one judged it; absent in events of older releases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judgement: Option<Judgement>,
    /// Where the sources contradict each other: both sides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradictions: Vec<Remark>,
    /// Actions that the answer asks for, if they were requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub action_items: Vec<Remark>,
    /// What the user should know: a relaxed filter, missing parts, a caveat.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// The question back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clarification: Option<Clarification>,
    /// The data with which a reply to the question back continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<Resume>,
    /// Why there is no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Problem>,
    /// The model that wrote the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What this turn spent. Results that it took over from its parent count for the parent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub usage: Usage,
    /// The trail: how the answer came about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trail: Vec<TrailEntry>,
    /// Hash of the question that was asked under this id; empty when it was never read.
    #[serde(default)]
    pub question_hash: String,
    /// When the question was stored; 0 when that is not known.
    #[serde(default)]
    pub asked_at: UnixMs,
    /// When the turn ended.
    pub ended_at: UnixMs,
}

/// A question back to the user. No step waits for the reply, which is a turn of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clarification {
    /// The turn that ended with the question back.
    pub id: String,
    /// What is unclear: `no_results` where a search found nothing, `unclear` where the question is, `ambiguous` where several
    /// columns fit it, `too_many` where too many documents do, `ungrounded` where no answer held.
    pub kind: String,
    /// The question.
    pub question: String,
    /// Suggested replies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// The one of `options` that drops the buckets and the filter of the question; absent if no option does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub widens: Option<String>,
    /// Until when it can be answered, at the latest. It expires earlier if answers are kept for less than
    /// `CLARIFICATION_MS`. Absent in events of older releases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<UnixMs>,
}

/// Longest time that a question back can be answered, in milliseconds (a day). Shorter where answers are kept shorter.
pub(crate) const CLARIFICATION_MS: u64 = 24 * 60 * 60 * 1000;

/// The text between a question and the reply to its question back, when the two are joined.
pub const CLARIFIED: &str = " - User clarified: ";

/// The data with which a reply to a question back continues.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Resume {
    /// The question about which the user was asked back.
    pub question: String,
    /// The parts of the corpus that it was to search; empty means all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buckets: Vec<Bucket>,
    /// The publisher's own conditions on it.
    #[serde(default, skip_serializing_if = "Filter::is_empty")]
    pub filter: Filter,
    /// Ids of chunks that were found before the question back: those of a draft that failed its check.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// The reply that drops the buckets and the filter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub widens: Option<String>,
}

/// Why there is no answer: a code to act on and a sentence to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// A word that does not change between releases.
    pub code: String,
    /// One sentence that names the fix where there is one.
    pub message: String,
}

impl Problem {
    /// A problem.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Problem {
            code: code.into(),
            message: message.into(),
        }
    }
}

impl Terminal {
    /// A terminal event that has only its turn, its tenant and its outcome.
    pub fn bare(turn: TurnId, tenant: TenantId, outcome: Outcome, ended_at: UnixMs) -> Self {
        Terminal {
            v: crate::codec::WIRE,
            turn,
            tenant,
            groups: Groups::default(),
            conversation: None,
            parent: None,
            first_hop: 0,
            outcome,
            answer: None,
            citations: Vec::new(),
            table: None,
            rewritten: None,
            auto: None,
            confidence: None,
            overlap: None,
            low_confidence: false,
            sentences: Vec::new(),
            judgement: None,
            contradictions: Vec::new(),
            action_items: Vec::new(),
            notices: Vec::new(),
            clarification: None,
            resume: None,
            error: None,
            model: None,
            usage: Usage::default(),
            trail: Vec::new(),
            question_hash: String::new(),
            asked_at: UnixMs(0),
            ended_at,
        }
    }

    /// The terminal event of the turn of `header`.
    pub fn of(header: &Header, outcome: Outcome, ended_at: UnixMs) -> Self {
        let mut terminal = Self::bare(
            header.turn.clone(),
            header.tenant.clone(),
            outcome,
            ended_at,
        );
        terminal.groups = header.groups.clone();
        terminal.conversation = header.conversation.clone();
        terminal.parent = header.parent.clone();
        terminal.first_hop = header.first_hop;
        terminal.question_hash = header.question_hash.clone();
        terminal.asked_at = header.asked_at;
        terminal
    }

    /// Whose documents it may tell of.
    pub fn principal(&self) -> Principal {
        Principal {
            tenant: self.tenant.clone(),
            groups: self.groups.clone(),
        }
    }

    /// Adds a reason.
    pub fn because(mut self, problem: Problem) -> Self {
        self.error = Some(problem);
        self
    }

    /// The terminal event of a judged answer.
    pub fn answered(header: &Header, verdict: Verdict, ended_at: UnixMs) -> Self {
        Terminal {
            answer: Some(verdict.answer),
            citations: verdict.citations,
            table: verdict.table,
            confidence: Some(verdict.confidence),
            overlap: verdict.overlap,
            low_confidence: verdict.low_confidence,
            sentences: verdict.sentences,
            judgement: verdict.judgement,
            notices: verdict.notices,
            ..Self::of(header, Outcome::Answered, ended_at)
        }
    }

    /// Adds the trail, and notices about the fallbacks in it that concern the user.
    pub fn with_trail(mut self, mut trail: Vec<TrailEntry>) -> Self {
        let own = trail.iter().filter(|entry| entry.hop >= self.first_hop);
        self.usage = own.map(|entry| entry.usage).sum();
        let checked = earlier_draft(&trail).unwrap_or(u16::MAX);
        let wrote = trail
            .iter_mut()
            .rev()
            .find(|e| e.role == Role::Reducer && e.model.is_some() && e.hop < checked);
        if let Some(entry) = wrote {
            self.model = entry.model.clone();
            let remarks = std::mem::take(&mut entry.remarks);
            if self.answer.is_some() {
                self.contradictions = remarks.contradictions;
                self.action_items = remarks.action_items;
            }
        }
        let fallbacks = trail.iter().flat_map(|entry| &entry.fallbacks);
        for notice in fallbacks.filter_map(notice) {
            if !self.notices.contains(&notice) {
                self.notices.push(notice);
            }
        }
        self.trail = trail;
        self
    }
}

impl Clarification {
    /// The question back when no model words a better one.
    pub fn template(turn: &TurnId, doubt: &Doubt) -> Self {
        let (question, widens) = match doubt {
            Doubt::NoResults { query, narrowed_by } => no_results(query, narrowed_by),
            Doubt::Unclear { query, reason } => (unclear(query, reason), None),
            Doubt::Ungrounded { query, reason } => (ungrounded(query, reason), None),
            Doubt::TooMany {
                documents,
                narrowed_by,
                facets,
                choices,
                ..
            } => {
                let told: &[String] = if choices.is_empty() { &[] } else { facets };
                (too_many(*documents, narrowed_by, told), None)
            }
            Doubt::Ambiguous { said, columns, .. } => (ambiguous(said, columns), None),
            Doubt::NotInDocuments {
                query,
                missing,
                tried,
            } => (not_in_documents(query, missing, tried), None),
        };
        let suggested = match doubt {
            Doubt::TooMany {
                facets, choices, ..
            } => {
                // A step of an older release has no choices.
                let shown = if choices.is_empty() { facets } else { choices };
                let list = Some(LIST_THEM.to_owned());
                shown.iter().cloned().chain(list).collect()
            }
            Doubt::Ambiguous { columns, .. } => columns.clone(),
            Doubt::NoResults { .. }
            | Doubt::Unclear { .. }
            | Doubt::Ungrounded { .. }
            | Doubt::NotInDocuments { .. } => Vec::from_iter(widens.clone()),
        };
        Clarification {
            id: turn.as_str().into(),
            kind: doubt.as_str().into(),
            question,
            options: suggested,
            widens,
            expires: None,
        }
    }

    /// Until when a question back of time `asked` can be answered, if answers are kept for `answers_kept_ms`.
    pub fn expires(&self, asked: UnixMs, answers_kept_ms: u64) -> UnixMs {
        let told = self.expires.unwrap_or(asked.plus(CLARIFICATION_MS));
        told.min(asked.plus(answers_kept_ms))
    }
}

fn no_results(query: &str, narrowed_by: &[String]) -> (String, Option<String>) {
    if narrowed_by.is_empty() {
        let question = format!(
            "I found nothing for \"{query}\". Could you say it in other words, or name a document?"
        );
        return (question, None);
    }
    let narrowed = narrowed_by.join(" and ");
    let question = format!(
        "I looked for \"{query}\" with {narrowed} but found nothing. Shall I search without that?"
    );
    (question, Some(format!("Search without {narrowed}")))
}

/// The reply that asks for the documents themselves.
const LIST_THEM: &str = "List all of them as CSV";

fn too_many(documents: u64, narrowed_by: &[String], facets: &[String]) -> String {
    let narrowed = match narrowed_by.is_empty() {
        true => String::new(),
        false => format!(" where {}", narrowed_by.join(" and ")),
    };
    let facets = in_brackets(&facets.join("; "));
    format!(
        "I found {documents} documents{narrowed}, more than one answer can be written from{facets}. Which of them do you mean, or shall I list them?"
    )
}

fn ambiguous(said: &str, columns: &[String]) -> String {
    format!(
        "\"{said}\" may be {}. Which of them do you mean?",
        columns.join(" or ")
    )
}

fn unclear(query: &str, reason: &str) -> String {
    let reason = in_brackets(reason);
    format!(
        "I am not sure what you mean by \"{query}\"{reason}. Could you ask it again with the names in it?"
    )
}

fn ungrounded(query: &str, reason: &str) -> String {
    let reason = in_brackets(reason);
    format!(
        "I could not answer \"{query}\" in a way that the documents bear out{reason}. Could you ask for one part of it, or name a document?"
    )
}

fn not_in_documents(query: &str, missing: &[String], tried: &[String]) -> String {
    let quoted = |names: &[String]| format!("\"{}\"", names.join("\", \""));
    let about = match missing.is_empty() {
        true => "nothing I found speaks of it".to_owned(),
        false => format!("nothing I found names {}", quoted(missing)),
    };
    let tried = match tried.is_empty() {
        true => String::new(),
        false => format!(" I tried {}.", tried.join("; ")),
    };
    format!(
        "The documents do not say: for \"{query}\" {about}.{tried} Could you ask it in other words, or name a document?"
    )
}

fn in_brackets(reason: &str) -> String {
    match reason.trim_end_matches(['.', ' ']) {
        "" => String::new(),
        reason => format!(" ({reason})"),
    }
}

#[cfg(test)]
#[path = "terminal_tests.rs"]
mod tests;
