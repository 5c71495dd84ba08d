//! The embedded prompts of the planner. *Not* here: the values of their placeholders.

use llm::EmbeddedPrompt;

/// The prompt for a question that stands alone.
pub(crate) const FIRST: EmbeddedPrompt = EmbeddedPrompt {
    name: "planner",
    text: include_str!("../prompts/planner.md"),
    placeholders: &["question"],
};

/// The prompt for the choice of a bucket.
pub(crate) const BUCKET: EmbeddedPrompt = EmbeddedPrompt {
    name: "planner_bucket",
    text: include_str!("../prompts/planner_bucket.md"),
    placeholders: &["question", "buckets", "asked_before"],
};

/// The prompt for a question that leans on what was said before.
pub(crate) const FOLLOW_UP: EmbeddedPrompt = EmbeddedPrompt {
    name: "planner_follow_up",
    text: include_str!("../prompts/planner_follow_up.md"),
    placeholders: &["question", "history", "routes"],
};

/// The prompt for another plan after too little was found.
pub(crate) const REFINE: EmbeddedPrompt = EmbeddedPrompt {
    name: "planner_refine",
    text: include_str!("../prompts/planner_refine.md"),
    placeholders: &["question", "earlier_queries", "feedback"],
};

/// The prompt for the decision on a search that found too little, in the profile `large`.
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

/// The prompt for the next action of a loop.
pub(crate) const ACT: EmbeddedPrompt = EmbeddedPrompt {
    name: "planner_act",
    text: include_str!("../prompts/planner_act.md"),
    placeholders: &["question", "steps", "tools", "left", "score_min"],
};
