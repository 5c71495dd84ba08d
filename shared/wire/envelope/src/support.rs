//! The results of checking an answer: what rules found about each sentence, and what a model, if one judges, found
//! about the whole. *Not* here: the checks themselves. The validator compares sentences with passages, and asks the
//! model.

use serde::{Deserialize, Serialize};

words! {
    /// Whether the sources of an answer support one of its sentences.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum Support {
        /// It says so.
        Supported = "supported",
        /// They do not support it, but it need not be wrong.
        Unsupported = "unsupported",
        /// They say otherwise, nearly word for word.
        Contradicted = "contradicted",
        /// The sentence claims nothing about the subject: it is a heading, a lead-in, or says that the documents do not
        /// answer.
        NoClaim = "no_claim",
    }
}

impl Support {
    /// Whether people should look at the sentence.
    pub fn is_doubted(self) -> bool {
        matches!(self, Support::Unsupported | Support::Contradicted)
    }
}

/// One sentence of an answer, with the result of its check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckedSentence {
    /// Where it begins in the answer, in bytes of UTF-8.
    pub start: u32,
    /// Where it ends, one byte behind its last.
    pub end: u32,
    /// The result of the check.
    pub support: Support,
    /// How well it is supported, 0 to 1; 1 for a sentence that claims nothing.
    pub score: f32,
    /// Why it is not supported, in words: `number: 60 days`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The number of the citation whose passage decided the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub citation: Option<u16>,
    /// The words of that passage that decided the result.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub evidence: String,
}

impl CheckedSentence {
    /// Its words in the answer; `None` if the answer does not have that range.
    pub fn of<'a>(&self, answer: &'a str) -> &'a str {
        answer
            .get(self.start as usize..self.end as usize)
            .unwrap_or_default()
    }
}

/// The judgement of a model about an answer as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// Whether the passages support the answer.
    pub grounding: Grounding,
    /// Whether the answer contains what was asked for.
    pub sufficiency: Sufficiency,
    /// Why, in the model's words; at most [`REASON_CHARS_MAX`](crate::limits::REASON_CHARS_MAX) characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

words! {
    /// Whether the passages support an answer, as a model judges it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    pub enum Grounding {
        /// The passages support it.
        Grounded = "grounded",
        /// It says something that its passages do not support.
        Hallucinating = "hallucinating",
        /// It is about something else than the question.
        OffTopic = "off_topic",
    }
}

words! {
    /// Whether an answer contains what was asked for, as a model judges it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    pub enum Sufficiency {
        /// All of it.
        Sufficient = "sufficient",
        /// A part of what was asked for is missing.
        Insufficient = "insufficient",
    }
}
