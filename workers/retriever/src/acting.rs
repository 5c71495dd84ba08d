//! Carries out one action of a loop: a search exactly as the model asked for it, or a look at a document.
//!
//! *Not* here: further searches, and giving conditions up. The model sees the results and chooses the next action,
//! and a search that finds nothing does not end the loop.

use crate::narrowing::Narrowing;
use crate::stage::Retriever;
use envelope::hop::RetrieverExit;
use envelope::{After, Fallback, FilterMatch, Plan};
use search::SearchResult;
use stage::StepContext;

impl Retriever {
    /// Makes a search that passes over what was read.
    pub(crate) async fn act(
        &self,
        cx: &StepContext,
        plan: Plan,
    ) -> stage::StepResult<RetrieverExit> {
        let narrowing = Narrowing::of(&cx.case, &plan, 0);
        let (found, behind) = self
            .search_current(cx, &plan, After::Review, &narrowing)
            .await?;
        let result = found.result;
        let mut fallbacks = narrowing.fallbacks(&result.unknown_fields);
        fallbacks.extend(behind);
        let failed = result.failed.iter();
        fallbacks.extend(failed.map(|leg| Fallback::SearchedWithout {
            leg: leg.as_str().into(),
        }));
        let matched = match result.passages.is_empty() {
            true => FilterMatch::Empty,
            false => narrowing.matched(&result.unknown_fields),
        };
        let found_nothing = match (matched == FilterMatch::Empty, result.read_before) {
            (false, _) => None,
            (true, 0) => Some("nothing found"),
            (true, _) => Some("nothing that was not read"),
        };
        let mut done = self.scatter(cx, plan, After::Review, result, matched)?;
        if let Some(told) = found_nothing {
            done.decided = told.to_owned();
        }
        done.usage.searches = 1;
        done.fallbacks.splice(0..0, fallbacks);
        Ok(done)
    }

    /// Fetches what documents say of themselves, by their first chunks, without the text, which the model did not ask
    /// for.
    pub(crate) async fn look_at(
        &self,
        cx: &StepContext,
        plan: Plan,
        chunks: &[String],
    ) -> stage::StepResult<RetrieverExit> {
        let filter = cx.case.filter.clone();
        let request = self.request(cx, &plan, After::Review, filter, self.after(cx));
        let mut passages = self.searcher.fetch(&request, chunks).await?;
        for passage in &mut passages {
            passage.text.clear();
        }
        let told = match passages.len() {
            0 => "no such document",
            _ => "what the document says of itself",
        };
        let matched = match passages.is_empty() {
            true => FilterMatch::Empty,
            false => FilterMatch::Matched,
        };
        let found = SearchResult {
            passages,
            ..SearchResult::default()
        };
        let mut done = self.scatter(cx, plan, After::Review, found, matched)?;
        done.decided = told.to_owned();
        Ok(done)
    }
}

#[cfg(test)]
#[path = "acting_tests.rs"]
mod tests;
