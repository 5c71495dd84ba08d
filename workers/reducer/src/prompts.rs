//! The prompts of the reducer, as they are embedded. *Not* here: what is put into them.

use llm::EmbeddedPrompt;

/// An answer from facts.
pub(crate) const GATHER: EmbeddedPrompt = EmbeddedPrompt {
    name: "reducer",
    text: include_str!("../prompts/reducer.md"),
    placeholders: &["question", "facts"],
};

/// An answer from too little.
pub(crate) const CAVEAT: EmbeddedPrompt = EmbeddedPrompt {
    name: "reducer_caveat",
    text: include_str!("../prompts/reducer_caveat.md"),
    placeholders: &["question", "facts"],
};

/// A stricter draft.
pub(crate) const STRICT: EmbeddedPrompt = EmbeddedPrompt {
    name: "reducer_strict",
    text: include_str!("../prompts/reducer_strict.md"),
    placeholders: &["question", "facts"],
};

/// An answer from the passages themselves.
pub(crate) const GENERATE: EmbeddedPrompt = EmbeddedPrompt {
    name: "reducer_generate",
    text: include_str!("../prompts/reducer_generate.md"),
    placeholders: &["question", "passages"],
};

/// What an answer gives to do.
pub(crate) const ACTIONS: EmbeddedPrompt = EmbeddedPrompt {
    name: "reducer_actions",
    text: include_str!("../prompts/reducer_actions.md"),
    placeholders: &["question", "answer"],
};
