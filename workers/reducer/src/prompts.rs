//! The embedded prompts of the reducer. *Not* here: the values of their placeholders.

use llm::EmbeddedPrompt;

/// The prompt for an answer from facts.
pub(crate) const GATHER: EmbeddedPrompt = EmbeddedPrompt {
    name: "reducer",
    text: include_str!("../prompts/reducer.md"),
    placeholders: &["question", "facts"],
};

/// The prompt for an answer from too few facts.
pub(crate) const CAVEAT: EmbeddedPrompt = EmbeddedPrompt {
    name: "reducer_caveat",
    text: include_str!("../prompts/reducer_caveat.md"),
    placeholders: &["question", "facts"],
};

/// The prompt for a stricter draft.
pub(crate) const STRICT: EmbeddedPrompt = EmbeddedPrompt {
    name: "reducer_strict",
    text: include_str!("../prompts/reducer_strict.md"),
    placeholders: &["question", "facts"],
};

/// The prompt for an answer from the passages themselves.
pub(crate) const GENERATE: EmbeddedPrompt = EmbeddedPrompt {
    name: "reducer_generate",
    text: include_str!("../prompts/reducer_generate.md"),
    placeholders: &["question", "passages"],
};

/// The prompt for an answer from passages that are read at once.
pub(crate) const READ: EmbeddedPrompt = EmbeddedPrompt {
    name: "reducer_read",
    text: include_str!("../prompts/reducer_read.md"),
    placeholders: &["question", "passages"],
};

/// The prompt that asks whether an answer is right, by the first source.
pub(crate) const RIGHT: EmbeddedPrompt = EmbeddedPrompt {
    name: "reducer_right",
    text: include_str!("../prompts/reducer_right.md"),
    placeholders: &["question", "source", "answer"],
};

/// The prompt for the things to do according to an answer.
pub(crate) const ACTIONS: EmbeddedPrompt = EmbeddedPrompt {
    name: "reducer_actions",
    text: include_str!("../prompts/reducer_actions.md"),
    placeholders: &["question", "answer"],
};
