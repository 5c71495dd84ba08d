//! Reads what a question says about its answer, by the forms of English.
//!
//! These are rules without a model: a planner falls back on them when its model fails, and uses only them when there is
//! no model. They know how questions are worded and nothing about a corpus. The words for what they read are those of a
//! plan. *Not* here: what to search for, and the conditions on documents, which `linking` reads.
//!
//! | module | what |
//! |---|---|
//! | `words` | a question as words |
//! | `class` | how many searches a question takes, and of which kind |
//! | `intent` | what is asked to be done |
//! | `form` | the wanted form of the answer, and whether the words themselves are searched for |
//! | `scope` | whether one search can be expected to answer a question |

mod class;
mod form;
mod intent;
mod scope;
pub(crate) mod words;

pub use scope::{QuestionScope, scope};

use envelope::{AnswerForm, QuestionClass, QuestionIntent};

/// The reading of a question by rules.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QuestionReading {
    /// How many searches it takes, and of which kind.
    pub class: QuestionClass,
    /// What the question asks to be done.
    pub intent: QuestionIntent,
    /// The wanted form of the answer.
    pub form: AnswerForm,
    /// Whether the question asks for an answer without sources.
    pub declines_citations: bool,
    /// Whether the words themselves are searched for and not their meaning: a quotation or an identifier.
    pub is_literal: bool,
}

/// Reads a question. Any text can be read; a text in which the rules recognise nothing is a simple question.
pub fn read(question: &str) -> QuestionReading {
    let words = words::split(question);
    let mut class = class::read(&words);
    let intent = intent::read(&words, class);
    let is_list = || intent == QuestionIntent::List && !words[0].is_asking();
    if class == QuestionClass::MultiStep && (is_list() || intent::is_sum(&words)) {
        // One look at what documents there are answers it, however much has to hold for them.
        class = QuestionClass::Simple;
    }
    QuestionReading {
        class,
        intent,
        form: form::form(&words),
        declines_citations: form::declines_citations(&words),
        is_literal: form::is_literal(question, &words),
    }
}
