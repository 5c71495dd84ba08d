//! What a model is told if the plan wants an answer in another form than prose. Pure. *Not* here: a table from columns,
//! which no model writes ([`table`](crate::table)).

use envelope::{AnswerForm, FanOut};

/// The form that the plans of a question want: the first one that is not prose. A later plan only looks for what is
/// missing.
pub(crate) fn wanted(evidence: &[FanOut]) -> AnswerForm {
    let mut forms = evidence.iter().map(|round| round.scatter.plan.form);
    let other = forms.find(|form| *form != AnswerForm::Prose);
    other.unwrap_or_default()
}

/// Adds to a system prompt what the form wants.
pub(crate) fn add(system: &mut String, form: AnswerForm) {
    if let Some(note) = note(form) {
        system.push_str("\n\n");
        system.push_str(note);
    }
}

/// The section of the prompt; `None` for prose, which the prompts themselves ask for. Each line or row is checked like
/// a sentence, so each one has marks of its own.
fn note(form: AnswerForm) -> Option<&'static str> {
    match form {
        AnswerForm::Prose => None,
        AnswerForm::List => Some(
            "Write the answer as a bulleted list: a line that begins with \"- \" for each item, with its numbers in brackets at the end, as in [1].",
        ),
        AnswerForm::Table => Some(
            "Write the answer as a Markdown table: a header row, then a row for each item, with its numbers in brackets in the last cell, as in [1].",
        ),
        AnswerForm::Csv => Some(
            "Write the answer as CSV: a header line, then a line for each item, with its numbers in brackets in the last field, as in [1].",
        ),
    }
}
