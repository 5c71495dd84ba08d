//! The reasons for refusing a question: a code for programs and a sentence for people.
//!
//! *Not* here: when a question is refused. The parsers of the ingress message decide that, field by field.

use serde::{Deserialize, Serialize};

/// Most characters of a value that a message quotes.
const QUOTED_CHARS_MAX: usize = 80;

/// Why a question is refused. The word is public interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(
    missing_docs,
    reason = "each word says it; docs/wire.md has the sentences"
)]
pub enum RefusalCode {
    TooLarge,
    NotUtf8,
    NotJson,
    WrongVersion,
    UnknownField,
    MissingQuestion,
    QuestionTooLong,
    BadId,
    BadReplyTo,
    BadDeadline,
    BadField,
    BadFilter,
    IdInUse,
    Unsupported,
    ConversationBusy,
    ConversationErased,
    ConversationNewer,
    ClarificationUnknown,
    ClarificationAnswered,
    ClarificationExpired,
}

impl RefusalCode {
    /// Every code, so that counters can be registered at 0 and docs can be checked.
    pub const ALL: [RefusalCode; 20] = [
        RefusalCode::TooLarge,
        RefusalCode::NotUtf8,
        RefusalCode::NotJson,
        RefusalCode::WrongVersion,
        RefusalCode::UnknownField,
        RefusalCode::MissingQuestion,
        RefusalCode::QuestionTooLong,
        RefusalCode::BadId,
        RefusalCode::BadReplyTo,
        RefusalCode::BadDeadline,
        RefusalCode::BadField,
        RefusalCode::BadFilter,
        RefusalCode::IdInUse,
        RefusalCode::Unsupported,
        RefusalCode::ConversationBusy,
        RefusalCode::ConversationErased,
        RefusalCode::ConversationNewer,
        RefusalCode::ClarificationUnknown,
        RefusalCode::ClarificationAnswered,
        RefusalCode::ClarificationExpired,
    ];

    /// The word on the wire, in logs and metric labels.
    pub const fn as_str(self) -> &'static str {
        match self {
            RefusalCode::TooLarge => "too_large",
            RefusalCode::NotUtf8 => "not_utf8",
            RefusalCode::NotJson => "not_json",
            RefusalCode::WrongVersion => "wrong_version",
            RefusalCode::UnknownField => "unknown_field",
            RefusalCode::MissingQuestion => "missing_question",
            RefusalCode::QuestionTooLong => "question_too_long",
            RefusalCode::BadId => "bad_id",
            RefusalCode::BadReplyTo => "bad_reply_to",
            RefusalCode::BadDeadline => "bad_deadline",
            RefusalCode::BadField => "bad_field",
            RefusalCode::BadFilter => "bad_filter",
            RefusalCode::IdInUse => "id_in_use",
            RefusalCode::Unsupported => "unsupported",
            RefusalCode::ConversationBusy => "conversation_busy",
            RefusalCode::ConversationErased => "conversation_erased",
            RefusalCode::ConversationNewer => "conversation_newer",
            RefusalCode::ClarificationUnknown => "clarification_unknown",
            RefusalCode::ClarificationAnswered => "clarification_answered",
            RefusalCode::ClarificationExpired => "clarification_expired",
        }
    }
}

/// A refused question.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// The reason, for programs.
    pub code: RefusalCode,
    /// The reason, for people: one sentence that names the fix.
    pub message: String,
    /// Where to say so, when the message named an allowed subject.
    pub reply_to: Option<String>,
}

pub(crate) fn refuse<T>(code: RefusalCode, message: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal {
        code,
        message: escaped(&message.into()),
        reply_to: None,
    })
}

/// As much of a value as a message quotes.
pub(crate) fn cut(text: &str) -> String {
    text.chars().take(QUOTED_CHARS_MAX).collect()
}

/// The sentence on one line, whatever a publisher put into the value that it quotes: shown, and not blotted out as in
/// `text`, which nothing here may name.
fn escaped(message: &str) -> String {
    let mut line = String::with_capacity(message.len());
    for c in message.chars() {
        match c.is_control() {
            true => line.extend(c.escape_default()),
            false => line.push(c),
        }
    }
    line
}
