//! Asks the user back, if a question that asks for documents is ambiguous, or if a question says too little to be
//! answered from any passage.
//!
//! The first before any search, because a list of the wrong documents looks as exact as one of the right ones. *Not* for
//! questions about the contents of documents: an ambiguous condition only costs a share of the list there, and the trail
//! records it.
//!
//! The second by the words of the question: if they stood in passages independently of each other, such a share of all
//! passages would have all of them ([`Fitting`]). Where that is large, chance decides what is read:
//! `And the other one?`. It needs no list of words, and no model (ADR 0024).

use crate::worded;
use envelope::Doubt;
use envelope::hop::RetrieverExit;
use linking::{Intent, LinkedQuestion};
use search::Fitting;
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

/// The question back if the words of the question fit so many passages.
pub(crate) fn fits_all(cx: &StepContext, fitting: Fitting) -> StepOutput<RetrieverExit> {
    let share = fitting.share * 100.0;
    let reason = format!("its words fit {share:.0} % of all passages");
    let decided = reason.clone();
    let query = cx.case.question.best().to_owned();
    back(Doubt::Unclear { query, reason }, decided)
}

/// Asks back, or says that there is nothing, because of a doubt.
pub(crate) fn back(doubt: Doubt, decided: String) -> StepOutput<RetrieverExit> {
    StepOutput::new(RetrieverExit::NothingFound(doubt), decided)
}
