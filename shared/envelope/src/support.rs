//! The results of checking an answer: what rules found about each sentence, and what a model, if one judges, found
//! about the whole. *Not* here: the checks themselves. The validator compares sentences with passages, and asks the
//! model.

use serde::{Deserialize, Serialize};

/// Whether what an answer stands on says a sentence of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Support {
    /// It says so.
    Supported,
    /// It does not say so; which need not be wrong.
    Unsupported,
    /// It says otherwise, nearly word for word.
    Contradicted,
    /// The sentence says nothing of documents: a heading, a lead-in, that they do not say.
    NoClaim,
}

impl Support {
    /// Its word on the wire, which is also its label in counters.
    pub fn as_str(self) -> &'static str {
        match self {
            Support::Supported => "supported",
            Support::Unsupported => "unsupported",
            Support::Contradicted => "contradicted",
            Support::NoClaim => "no_claim",
        }
    }

    /// Whether people should look at the sentence.
    pub fn is_doubted(self) -> bool {
        matches!(self, Support::Unsupported | Support::Contradicted)
    }
}

/// One sentence of an answer, checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckedSentence {
    /// Where it begins in the answer, in bytes of UTF-8.
    pub start: u32,
    /// Where it ends, one byte behind its last.
    pub end: u32,
    /// What was found.
    pub support: Support,
    /// How well it is supported, 0 to 1; of what is no claim 1.
    pub score: f32,
    /// Why it is not supported, in words: `number: 60 days`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The citation whose passage decided, by its number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub citation: Option<u16>,
    /// The words of that passage that decided.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub evidence: String,
}

impl CheckedSentence {
    /// Its words in the answer; nothing where they are not there.
    pub fn of<'a>(&self, answer: &'a str) -> &'a str {
        answer
            .get(self.start as usize..self.end as usize)
            .unwrap_or_default()
    }
}

/// What a model made of an answer as a whole, where one judges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// Whether the answer stands on its passages.
    pub grounding: Grounding,
    /// Whether it says what was asked.
    pub sufficiency: Sufficiency,
    /// Why, in the model's words; at most [`REASON_CHARS_MAX`](crate::limits::REASON_CHARS_MAX) characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// Whether an answer stands on its passages, as a model judges it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grounding {
    /// Its passages say it.
    Grounded,
    /// It says something that they do not.
    Hallucinating,
    /// It is about something else than the question.
    OffTopic,
}

impl Grounding {
    /// Its word on the wire and in the trail.
    pub const fn as_str(self) -> &'static str {
        match self {
            Grounding::Grounded => "grounded",
            Grounding::Hallucinating => "hallucinating",
            Grounding::OffTopic => "off_topic",
        }
    }
}

/// Whether an answer says what was asked, as a model judges it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sufficiency {
    /// All of it.
    Sufficient,
    /// Something of it is missing.
    Insufficient,
}

impl Sufficiency {
    /// Its word on the wire and in the trail.
    pub const fn as_str(self) -> &'static str {
        match self {
            Sufficiency::Sufficient => "sufficient",
            Sufficiency::Insufficient => "insufficient",
        }
    }
}
