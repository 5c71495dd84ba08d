//! The sentences that tell a user about the fallbacks of a turn. They are for people; programs read the trail.

use crate::trail::Fallback;

/// What a user should know of a fallback, if anything.
pub(crate) fn notice(fallback: &Fallback) -> Option<String> {
    Some(match fallback {
        Fallback::NoHistory => {
            "What was said before could not be read; the question was taken by itself.".into()
        }
        Fallback::HistoryGone { count } => format!(
            "{count} of the earlier questions and answers are no longer kept; the question was read without them."
        ),
        Fallback::ConversationTrimmed { turns } => format!(
            "Of this conversation only the last {turns} turns are kept; begin another one to keep all of both."
        ),
        Fallback::FilterRelaxed {
            condition,
            read: false,
        } => {
            format!("Nothing matched with {condition}, so I searched without it.")
        }
        Fallback::FilterRelaxed {
            condition,
            read: true,
        } => {
            format!("Everything that matches with {condition} had been read, so I searched on without it.")
        }
        Fallback::FilterUnknownField { field } => {
            format!("The documents have no field `{field}`; that condition was left out.")
        }
        Fallback::ConditionUnread { said, why } => {
            format!("`{said}` is no condition here ({why}); these are not only documents that satisfy it.")
        }
        Fallback::ManyDocuments { documents } => {
            format!("{documents} documents are meant; the answer is from the passages that fit best, and not from all of them.")
        }
        Fallback::SearchedWithout { leg } if leg == "reranker" => {
            "The reranker failed; the passages are in the order of the built-in one.".into()
        }
        Fallback::SearchedWithout { leg } => {
            format!("The search by {leg} failed; these are the passages of the rest of it.")
        }
        Fallback::SearchedBehind { .. } => {
            "The newest documents were not searched: the index had not taken them in yet.".into()
        }
        Fallback::SubQueryFailed { query } => {
            format!(
                "The search for `{query}` failed; these are the passages of the other searches."
            )
        }
        Fallback::PartsMissing { indexes } => {
            format!(
                "{} of the passages found could not be read in time.",
                indexes.len()
            )
        }
        Fallback::PartsFailed { indexes } => {
            format!(
                "{} of the passages found could not be read: each try failed.",
                indexes.len()
            )
        }
        Fallback::Caveat { missing } if missing.is_empty() => {
            "The documents say little about this; treat the answer with care.".into()
        }
        Fallback::Caveat { missing } => {
            format!("The documents say little about this ({missing}); treat the answer with care.")
        }
        Fallback::NoProgress => "A further search found nothing that had not been read.".into(),
        Fallback::MarksAdded { .. } => {
            "The model named no source; the sources shown are those whose facts are worded most alike."
                .into()
        }
        Fallback::SubQueriesUnanswered { queries } => {
            format!("The answer does not say: {}.", queries.join("; "))
        }
        Fallback::ActionItemsFailed => {
            "What is to be done could not be listed; the answer may say it.".into()
        }
        Fallback::ReduceDefault => {
            "No model could be asked; these are the facts as they were found.".into()
        }
        Fallback::BasicRag { role } => {
            format!("The {role} stage was not available; this is a plain retrieve-and-answer.")
        }
        Fallback::EarlierDraft { .. } => {
            "What was written after a further look was no better; this is the better of the drafts.".into()
        }
        Fallback::Unvalidated => "This answer could not be checked against its sources.".into(),
        Fallback::Unjudged { .. } => {
            "No model has judged this answer; it was checked by rules alone.".into()
        }
        Fallback::BudgetSpent { limit } => format!("The budget of {limit} was spent."),
        Fallback::PlanDefault
        | Fallback::PlanFieldsDefaulted { .. }
        | Fallback::CallRefused { .. }
        | Fallback::ReviewDefault
        | Fallback::SubQueriesTrimmed { .. }
        | Fallback::PassagesTrimmed { .. }
        | Fallback::MapDefault
        | Fallback::MapSalvaged
        | Fallback::FactsUnsupported { .. }
        | Fallback::FactsTrimmed { .. }
        | Fallback::QuotesReplaced { .. }
        | Fallback::Stricter
        // The verdict reports these; the user need not know of a draft that is written again.
        | Fallback::SentencesUnsupported { .. }
        | Fallback::SentencesContradicted { .. }
        | Fallback::SentencesCut { .. }
        | Fallback::AnswerWithheld
        | Fallback::ClarifyDefault
        | Fallback::Unknown => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_is_not_told_as_late() {
        let indexes = vec![0, 2];
        let failed = notice(&Fallback::PartsFailed {
            indexes: indexes.clone(),
        });
        assert!(failed.is_some_and(|told| told.contains("each try failed")));
        let missing = notice(&Fallback::PartsMissing { indexes });
        assert!(missing.is_some_and(|told| told.contains("in time")));
    }
}
