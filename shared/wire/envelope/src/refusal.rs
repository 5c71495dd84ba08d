//! The reasons for refusing a question: a code for programs and a sentence for people.
//!
//! *Not* here: when a question is refused. The parsers of the ingress message decide that, field by field.

use serde::{Deserialize, Serialize};

/// Most characters of a value that a message quotes.
const QUOTED_CHARS_MAX: usize = 80;

words! {
    /// Why a question is refused. The word is public interface.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[expect(
        missing_docs,
        reason = "each word says it; docs/wire.md has the sentences"
    )]
    pub enum RefusalCode {
        TooLarge = "too_large",
        NotUtf8 = "not_utf8",
        NotJson = "not_json",
        WrongVersion = "wrong_version",
        UnknownField = "unknown_field",
        MissingQuestion = "missing_question",
        QuestionTooLong = "question_too_long",
        BadId = "bad_id",
        BadReplyTo = "bad_reply_to",
        BadDeadline = "bad_deadline",
        BadField = "bad_field",
        BadFilter = "bad_filter",
        OtherTenant = "other_tenant",
        IdInUse = "id_in_use",
        Unsupported = "unsupported",
        ConversationBusy = "conversation_busy",
        ConversationErased = "conversation_erased",
        ConversationOfOthers = "conversation_of_others",
        ConversationNewer = "conversation_newer",
        ClarificationUnknown = "clarification_unknown",
        ClarificationAnswered = "clarification_answered",
        ClarificationExpired = "clarification_expired",
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
