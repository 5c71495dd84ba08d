//! Reads what a question says about its answer and about documents, by the forms of English.
//!
//! These are rules without a model: a planner falls back on them when its model fails, and uses only them when there is
//! no model. They know how questions are worded and nothing about a corpus: only an index knows whether there is such a
//! column or such a company. *Not* here: what to search for.
//!
//! | module | what |
//! |---|---|
//! | `words` | a question as words |
//! | `class` | how many searches a question takes, and of which kind |
//! | `intent` | what is asked to be done |
//! | `form` | the wanted form of the answer, and whether the words themselves are searched for |
//! | `condition`, `named` | the conditions of a question, in words; the names among them |
//! | `topic` | the topics of a question |
//! | `scope` | whether one search can be expected to answer a question |

mod class;
pub(crate) mod condition;
mod form;
mod intent;
mod named;
mod scope;
mod topic;
pub(crate) mod words;

pub use class::Complexity;
pub use condition::{Comparator, ConditionValue, WordedCondition};
pub use form::Layout;
pub use intent::WordedIntent;
pub use scope::{QuestionScope, scope};

/// The reading of a question by rules.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QuestionReading {
    /// How many searches it takes, and of which kind.
    pub class: Complexity,
    /// What the question asks to be done.
    pub wanted: WordedIntent,
    /// The wanted form of the answer.
    pub layout: Layout,
    /// Whether the question asks for an answer without sources.
    pub declines_citations: bool,
    /// Whether the words themselves are searched for and not their meaning: a quotation or an identifier.
    pub is_literal: bool,
    /// The conditions of the question, at most `WORDED_CONDITIONS_MAX`.
    pub conditions: Vec<WordedCondition>,
    /// How many more conditions the question has.
    pub conditions_over: usize,
    /// The topics of the question, in a few words each.
    pub topics: Vec<String>,
}

/// Reads a question. Any text can be read; a text in which the rules recognise nothing is a simple question.
pub fn read(question: &str) -> QuestionReading {
    let words = words::split(question);
    let mut class = class::read(&words);
    let wanted = intent::read(&words, class);
    let is_list = || wanted == WordedIntent::List && !words[0].is_asking();
    if class == Complexity::MultiStep && (is_list() || intent::is_sum(&words)) {
        // One look at what documents there are answers it, however much has to hold for them.
        class = Complexity::Simple;
    }
    let (conditions, conditions_over) = condition::read(question, &words);
    QuestionReading {
        class,
        wanted,
        layout: form::layout(&words),
        declines_citations: form::declines_citations(&words),
        is_literal: form::is_literal(question, &words),
        topics: topic::read(&words, &conditions),
        conditions,
        conditions_over,
    }
}
