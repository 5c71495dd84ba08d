//! What a step ends with after its searches: the passages that were found, or a doubt because they are none, or too
//! few, or fit any question.

use crate::grounds::Grounds;
use crate::looking::Looked;
use crate::narrowing::Narrowing;
use crate::passages::leave_out_faint;
use crate::stage::{Error, Retriever};
use crate::unclear;
use envelope::hop::RetrieverExit;
use envelope::{After, Doubt, Fallback, Plan};
use search::SearchResult;
use stage::{StepContext, StepOutput};

impl Retriever {
    /// The exit after the searches: the passages, or a doubt. Those that conditions chose (`is_chosen`) are all read.
    pub(crate) fn exit(
        &self,
        cx: &StepContext,
        then: After,
        looked: Looked,
        is_chosen: bool,
    ) -> Result<StepOutput<RetrieverExit>, Error> {
        let Looked {
            plan,
            narrowing,
            told,
            ..
        } = looked;
        let mut found = looked.found.result;
        if found.passages.is_empty() {
            let doubt = narrowing.doubt(&cx.case, &found.unknown_fields, &found.unlike_fields);
            return Ok(match cx.case.read.is_empty() {
                true => unclear::back(doubt, "nothing found".into()),
                false => unclear::back(doubt, "nothing that was not read".into())
                    .with_fallback(Fallback::NoProgress),
            });
        }
        if let Some(doubt) = self.silent(cx, &plan, &narrowing, &told, &found) {
            return Ok(unclear::back(doubt, "the documents do not say".into()));
        }
        if let Some(back) = self.too_little(cx, &plan, then, &narrowing, &found) {
            return Ok(back);
        }
        let matched = narrowing.matched(&found.unknown_fields);
        let faint = match self.is_read_at_once(cx, then) && !is_chosen {
            true => leave_out_faint(&mut found.passages, self.options.read_share),
            false => 0,
        };
        let mut done = self.scatter(cx, plan, then, found, matched)?;
        if faint > 0 {
            let told = format!("; {faint} far below the best left out");
            done.decided.push_str(&told);
        }
        Ok(done)
    }

    /// The question back when the documents say too little of the question. A user who has just been asked is not
    /// asked again, and a later round has something to answer from.
    fn silent(
        &self,
        cx: &StepContext,
        plan: &Plan,
        narrowing: &Narrowing,
        looked_again: &str,
        found: &SearchResult,
    ) -> Option<Doubt> {
        let question = cx.case.question.best();
        let is_first = cx.case.scatters.is_empty() && cx.header.parent.is_none();
        // It reads every candidate: not where it can decide nothing.
        if !is_first || self.options.silent_below <= 0.0 {
            return None;
        }
        let grounds = Grounds::of(question, found);
        if !grounds.is_not_in_documents(&self.options) {
            return None;
        }
        Some(Doubt::NotInDocuments {
            query: question.to_owned(),
            missing: grounds.lacking,
            tried: tried(&plan.query, narrowing, looked_again),
        })
    }

    /// The question back when the words of the question fit too many passages. Nothing else may narrow it: no condition,
    /// no earlier question that it leans on, and no choice of the user, who may mean all that was chosen.
    fn too_little(
        &self,
        cx: &StepContext,
        plan: &Plan,
        then: After,
        narrowing: &Narrowing,
        found: &SearchResult,
    ) -> Option<StepOutput<RetrieverExit>> {
        let is_first = cx.case.scatters.is_empty() && cx.header.parent.is_none();
        let is_chosen = !cx.case.buckets.is_empty() || !narrowing.filter.0.is_empty();
        if !is_first || is_chosen || !plan.context.is_empty() {
            return None;
        }
        let (_, read) = self.counts(cx, then);
        let fitting = found.fitting.filter(|fitting| {
            fitting.share > self.options.unclear_above && fitting.passages > read as f32
        })?;
        Some(unclear::fits_all(cx, fitting))
    }
}

/// What was tried, for a user: the last query, its conditions, those that were given up for it, and how the searches
/// before it differed.
pub(crate) fn tried(query: &str, narrowing: &Narrowing, looked_again: &str) -> Vec<String> {
    let searched = format!("a search for `{query}`");
    let held = narrowing.filter.0.iter();
    let held = held.map(|condition| format!("with {condition}"));
    let given_up = narrowing.given_up().iter();
    let given_up = given_up.map(|condition| format!("without {condition}"));
    let again = looked_again.split("; ").filter(|told| !told.is_empty());
    let all = std::iter::once(searched).chain(held).chain(given_up);
    all.chain(again.map(str::to_owned)).collect()
}
