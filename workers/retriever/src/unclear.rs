//! Asks the user back before any search, if a question that asks for documents is ambiguous. The reason is that a
//! list of the wrong documents looks as exact as one of the right ones. *Not* for questions about the contents of
//! documents: an ambiguous condition only costs a share of the list there, and the trail records it.

use crate::worded;
use envelope::Doubt;
use envelope::hop::RetrieverExit;
use linking::{Intent, LinkedQuestion};
use stage::{StepContext, StepOutput};

/// The question back, if there is one. A user who has just been asked is not asked again.
pub(crate) fn asked_back(
    cx: &StepContext,
    linked: &LinkedQuestion,
) -> Option<StepOutput<RetrieverExit>> {
    let is_for_documents = matches!(linked.intent, Intent::Documents | Intent::Compute);
    let is_first = cx.header.parent.is_none() && cx.header.round == 0;
    if !is_for_documents || !is_first {
        return None;
    }
    let query = || cx.case.question.best().to_owned();
    if let Some((one, other)) = linked.contradictory.first() {
        let reason = format!("nothing satisfies both `{one}` and `{other}`");
        let decided = reason.clone();
        let query = query();
        return Some(back(Doubt::Unclear { query, reason }, decided));
    }
    let open = linked.ambiguous.iter().find(|one| one.is_of_columns)?;
    let columns = open.options.iter().map(|column| worded::column(column));
    let doubt = Doubt::Ambiguous {
        query: query(),
        said: open.said.clone(),
        columns: columns.collect(),
    };
    let decided = format!("`{}` fits {}", open.said, open.options.join(", "));
    Some(back(doubt, decided))
}

fn back(doubt: Doubt, decided: String) -> StepOutput<RetrieverExit> {
    StepOutput::new(RetrieverExit::NothingFound(doubt), decided)
}
