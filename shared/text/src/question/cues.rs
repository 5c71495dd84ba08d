//! The words that show the class of a question. *Not* here: the rules that use them, which are in `class`.

/// Words that hold things against each other, whatever the form of the question.
pub(super) const COMPARING: [&str; 10] = [
    "compare",
    "compares",
    "comparing",
    "comparison",
    "differ",
    "difference",
    "differences",
    "differs",
    "versus",
    "vs",
];
/// Words that do so in a question that is answered by yes or no.
pub(super) const LIKENESS: [&str; 28] = [
    "agree",
    "agrees",
    "agreement",
    "compared",
    "contrast",
    "align",
    "aligned",
    "alike",
    "aligns",
    "alternatively",
    "both",
    "contradict",
    "contradicts",
    "different",
    "differently",
    "disagree",
    "equally",
    "identical",
    "likewise",
    "opposed",
    "respectively",
    "same",
    "similar",
    "similarly",
    "unlike",
    "whereas",
    "while",
    "outperform",
];
/// Words that put one clause against another.
pub(super) const AGAINST: [&str; 11] = [
    "aligned",
    "both",
    "compared",
    "contrast",
    "manner",
    "same",
    "similar",
    "similarly",
    "unlike",
    "whereas",
    "while",
];
/// Those of them that are heard between two clauses.
pub(super) const CLAUSES: [&str; 7] = [
    "compared",
    "contrast",
    "similar",
    "similarly",
    "unlike",
    "whereas",
    "while",
];
/// Words of degree and order, beside those that end in `er` and `est`.
pub(super) const DEGREE: [&str; 7] = ["first", "last", "less", "long", "more", "most", "still"];
/// Words with the endings of degree that have none.
pub(super) const NO_DEGREE: [&str; 28] = [
    "after",
    "answer",
    "chapter",
    "character",
    "computer",
    "customer",
    "enter",
    "ever",
    "father",
    "forest",
    "her",
    "interest",
    "letter",
    "member",
    "mother",
    "never",
    "november",
    "number",
    "october",
    "offer",
    "order",
    "other",
    "over",
    "paper",
    "quarter",
    "september",
    "under",
    "water",
];
/// Words of steadiness over time, and of its lack.
pub(super) const STEADINESS: [&str; 10] = [
    "changed",
    "consistency",
    "consistent",
    "inconsistency",
    "inconsistent",
    "remain",
    "remained",
    "shifted",
    "unchanged",
    "evolved",
];
/// The same as a noun, behind one of these words: `any change`, and not `may I change it`.
pub(super) const A_CHANGE: [&str; 4] = ["change", "changes", "shift", "shifts"];
pub(super) const BEFORE_NOUN: [&str; 5] = ["a", "any", "in", "no", "the"];
/// What has come of time.
pub(super) const CHANGED: [&str; 16] = [
    "changed",
    "declined",
    "decreased",
    "developed",
    "evolution",
    "evolved",
    "fallen",
    "grown",
    "increased",
    "progressed",
    "risen",
    "shifted",
    "timeline",
    "trend",
    "trends",
    "unchanged",
];
/// What may also be done or had: a change over time where the question names a stretch of it.
pub(super) const CHANGE: [&str; 10] = [
    "change", "changes", "changing", "decline", "decrease", "develop", "evolve", "grow",
    "increase", "remained",
];
/// Words of a stretch of time.
pub(super) const STRETCH: [&str; 6] = ["between", "from", "over", "since", "until", "years"];
/// Words that set events in order.
pub(super) const ORDER: [&str; 9] = [
    "after",
    "before",
    "earlier",
    "later",
    "previous",
    "previously",
    "prior",
    "subsequent",
    "subsequently",
];
/// Words that open a preface of time.
pub(super) const PREFACE: [&str; 6] = ["after", "before", "between", "following", "since", "until"];
/// Words inside a question that open a description.
pub(super) const DESCRIBING: [&str; 8] = [
    "that", "which", "who", "whom", "whose", "where", "when", "what",
];
/// Words between a thing and what tells which one it is.
pub(super) const OF: [&str; 11] = [
    "about", "as", "at", "by", "for", "from", "in", "of", "on", "to", "with",
];
