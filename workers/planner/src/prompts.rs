//! The prompts of the planner, as they are embedded. *Not* here: what is put into them.

use llm::EmbeddedPrompt;

/// A question that stands alone.
pub(crate) const FIRST: EmbeddedPrompt = EmbeddedPrompt {
    name: "planner",
    text: include_str!("../prompts/planner.md"),
    placeholders: &["question"],
};

/// Which part of the corpus is meant.
pub(crate) const BUCKET: EmbeddedPrompt = EmbeddedPrompt {
    name: "planner_bucket",
    text: include_str!("../prompts/planner_bucket.md"),
    placeholders: &["question", "buckets", "asked_before"],
};

/// A question that leans on what was said before.
pub(crate) const FOLLOW_UP: EmbeddedPrompt = EmbeddedPrompt {
    name: "planner_follow_up",
    text: include_str!("../prompts/planner_follow_up.md"),
    placeholders: &["question", "history", "routes"],
};

/// Another plan after too little was found.
pub(crate) const REFINE: EmbeddedPrompt = EmbeddedPrompt {
    name: "planner_refine",
    text: include_str!("../prompts/planner_refine.md"),
    placeholders: &["question", "earlier_queries", "feedback"],
};

/// What becomes of a search that found too little, in the profile large.
pub(crate) const REVIEW: EmbeddedPrompt = EmbeddedPrompt {
    name: "planner_review",
    text: include_str!("../prompts/planner_review.md"),
    placeholders: &[
        "question",
        "earlier_queries",
        "evaluation",
        "missing",
        "score_min",
        "tools",
        "statuses",
    ],
};

/// The next action of a loop.
pub(crate) const ACT: EmbeddedPrompt = EmbeddedPrompt {
    name: "planner_act",
    text: include_str!("../prompts/planner_act.md"),
    placeholders: &["question", "steps", "tools", "left", "score_min"],
};
