//! The retriever's step: it searches, relaxes the conditions, searches again and fits the results into a message. The
//! step calls all other asynchronous code of the crate.

use crate::derived::DerivedFilter;
use crate::known::lacking;
use crate::linked_search::LinkedResult;
use crate::narrowing::Narrowing;
use crate::options::Options;
use crate::passages::fit;
use crate::shares::{self, NamedLists};
use crate::tables::Tabled;
use crate::unclear;
use crate::unread::UnreadSearcher;
use crate::worded;
use envelope::hop::RetrieverExit;
use envelope::{
    After, Class, Classify, CodecError, Fallback, Filter, FilterMatch, Mode, Passage, Plan, Role,
    Scatter, Search,
};
use futures_util::future::join;
use linking::{Intent, LinkedQuestion};
use llm::SetupError;
use search::{QueryContext, ReadAfter, SearchRequest, SearchResult, Searcher, narrow};
use stage::{Stage, StepContext, StepOutput};
use std::sync::Arc;
use std::time::Duration;

/// The longest wait of one delivery for an index that is behind: a time, and a part of the time that is left.
const BEHIND_WAIT_MAX: Duration = Duration::from_secs(5);
const BEHIND_WAIT_PART: u32 = 8;
/// The delivery that searches an index although it is behind; the deliveries before it may have come to other
/// replicas.
pub(crate) const BEHIND_ATTEMPT: u16 = 3;

/// Why there are no passages.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A passage cannot be written as JSON.
    #[error("passage not encodable: {0}")]
    Encode(#[from] CodecError),
}

impl Classify for Error {
    fn class(&self) -> Class {
        Class::Bug
    }

    fn code(&self) -> &'static str {
        "passage_encoding"
    }
}

/// The retriever.
pub struct Retriever {
    pub(crate) searcher: Arc<dyn Searcher>,
    pub(crate) options: Options,
}

/// What was read out of a question.
struct Understood {
    derived: DerivedFilter,
    /// Whether only documents for which the conditions hold are searched.
    is_strict: bool,
    /// What is told of it in the trail.
    said: String,
    /// What is told of it to the user.
    fallbacks: Vec<Fallback>,
}

impl Retriever {
    /// Makes a retriever over `searcher`. It fails when the options are invalid.
    pub fn new(searcher: Arc<dyn Searcher>, options: Options) -> Result<Self, SetupError> {
        options.validate()?;
        Ok(Retriever { searcher, options })
    }

    async fn retrieve(&self, cx: &StepContext, search: Search) -> stage::StepResult<RetrieverExit> {
        let Search { plan, then, fetch } = search;
        if then == After::Review {
            return match fetch.is_empty() {
                true => self.act(cx, plan).await,
                false => self.look_at(cx, plan, &fetch).await,
            };
        }
        if fetch.is_empty() {
            return self.understand(cx, plan, then).await;
        }
        match self.known(cx, &plan, &fetch).await? {
            Ok(done) => Ok(done),
            Err(why) => {
                let mut done = self.understand(cx, plan, then).await?;
                done.decided = format!("{why}; {}", done.decided);
                Ok(done)
            }
        }
    }

    /// Reads conditions on documents out of the question, and answers it by a table, or by passages that are searched
    /// for, unless it is still open what is meant.
    async fn understand(
        &self,
        cx: &StepContext,
        mut plan: Plan,
        then: After,
    ) -> stage::StepResult<RetrieverExit> {
        let linked = self.linked(cx).await?;
        if let Some(done) = unclear::asked_back(cx, &linked) {
            return Ok(done);
        }
        let derived = DerivedFilter::of(&linked);
        let mut said = derived.told();
        let (why, fallback) = match self.tabled(cx, &plan, &linked, &derived).await? {
            Tabled::Done(mut done) => {
                done.conditions = LinkedResult::of_table(&derived).map(Box::new);
                done.decided.push_str(&said);
                return Ok(*done);
            }
            Tabled::Not(why, fallback) => (why, fallback),
        };
        let unread = linked.unread.iter().map(|(said, why)| {
            let (said, why) = (said.clone(), (*why).to_owned());
            Fallback::ConditionUnread { said, why }
        });
        let fallbacks = fallback.into_iter().chain(unread).collect();
        // What a table cannot answer is asked of what documents say, too; but who was asked which documents are meant,
        // and has said so, means those.
        let is_strict = derived.is_strict && why.is_empty() || is_chosen(cx, &plan, &linked);
        said.push_str(&why);
        // A user who names the bucket needs no guess.
        let mut conditions = cx.case.filter.0.iter();
        let is_chosen = !cx.case.buckets.is_empty() || conditions.any(|one| one.field == "bucket");
        let is_first = cx.header.round == 0;
        if linked.fits_no_bucket && plan.bucket_hints.is_empty() && !is_chosen && is_first {
            said.push_str("; in all buckets: none fits better");
        }
        // A table is of what the question says, not of what a planner guesses.
        let derived = derived.with_hints(&plan.bucket_hints);
        if is_strict {
            plan.filter = derived.joined().and(plan.filter);
        }
        let places = self.places(cx).await?;
        plan.filter = plan.filter.and(places);
        let understood = Understood {
            derived,
            is_strict,
            said,
            fallbacks,
        };
        self.find(cx, plan, then, understood).await
    }

    /// Searches for passages until some are found. The documents that the question names have their share of them.
    async fn find(
        &self,
        cx: &StepContext,
        plan: Plan,
        then: After,
        of: Understood,
    ) -> stage::StepResult<RetrieverExit> {
        let (derived, is_strict, mut said) = (of.derived, of.is_strict, of.said);
        let narrowing = Narrowing::of(&cx.case, &plan, self.options.relax_max);
        let searcher = UnreadSearcher::over(&self.searcher, &cx.case.read);
        let request = self.request(cx, &plan, then, narrowing.filter.clone(), None);
        // Where a condition may be given up, what is named waits for the search that keeps or gives it up.
        let at_once = !is_strict && !narrowing.has_guesses();
        let named = async {
            match at_once {
                true => shares::search(&*searcher, &request, &derived, &self.options).await,
                false => Ok(NamedLists::default()),
            }
        };
        let (looked, named) = join(self.look(cx, then, plan, narrowing), named).await;
        let mut looked = looked?;
        let mut understood = LinkedResult::of(&derived);
        understood.filter = looked.narrowing.derived();
        // Where all that is found satisfies the conditions, and where sides have scores of their own, all is read.
        let mut is_chosen = is_strict;
        if !is_strict {
            let filter = looked.narrowing.filter.clone();
            let request = self.request(cx, &looked.plan, then, filter, None);
            // A further search is under other conditions, or for other words.
            let named = match at_once && looked.searches == 1 {
                true => named,
                false => shares::search(&*searcher, &request, &derived, &self.options).await,
            };
            let found = &mut looked.found.result;
            match named {
                Ok(named) => {
                    is_chosen = named.has_sides();
                    (*found, understood.shared) =
                        shares::merge(std::mem::take(found), named, request.top_k, &self.options);
                    said.push_str(&shares::told(&understood.shared));
                }
                Err(error) => said = format!("{said}; no share of the list ({})", error.code()),
            }
        }
        let told = told(&looked.found.found, looked.plan.sub_queries.len());
        let (again, searches) = (looked.told.clone(), looked.searches);
        let found = &looked.found.result;
        let mut fallbacks = std::mem::take(&mut looked.fallbacks);
        fallbacks.extend(of.fallbacks);
        fallbacks.extend(looked.narrowing.fallbacks(&found.unknown_fields));
        fallbacks.extend(found.failed.iter().map(|leg| Fallback::SearchedWithout {
            leg: leg.as_str().into(),
        }));
        let failed = looked.found.failed.iter().cloned();
        fallbacks.extend(failed.map(|query| Fallback::SubQueryFailed { query }));
        let mut done = self.exit(cx, then, looked, is_chosen)?;
        done.decided = format!("{again}{}{told}{said}", done.decided);
        done.usage.searches = searches;
        done.conditions = understood.conditions().map(Box::new);
        done.fallbacks.splice(0..0, fallbacks);
        Ok(done)
    }

    /// The passages of known chunks if they hold what the question asks for, or else why they do not. They are
    /// fetched again, because the user who asks now may not be allowed to read them, and documents change.
    async fn known(
        &self,
        cx: &StepContext,
        plan: &Plan,
        chunks: &[String],
    ) -> Result<Result<StepOutput<RetrieverExit>, String>, Error> {
        let after = self.after(cx);
        let filter = cx.case.filter.clone();
        let request = self.request(cx, plan, After::Generate, filter, after);
        let passages = match self.searcher.fetch(&request, chunks).await {
            Ok(passages) => passages,
            Err(error) => {
                let code = error.code();
                return Ok(Err(format!("the known passages not fetched ({code})")));
            }
        };
        if passages.len() < chunks.len() {
            let gone = chunks.len() - passages.len();
            return Ok(Err(format!(
                "{gone} of {} known passages not there under these conditions",
                chunks.len()
            )));
        }
        let found = SearchResult {
            total_hits: passages.len() as u64,
            passages,
            ..SearchResult::default()
        };
        let mut done = self.scatter(
            cx,
            plan.clone(),
            After::Generate,
            found,
            FilterMatch::Matched,
        )?;
        let RetrieverExit::Found(scatter) = &done.out else {
            return Ok(Err("no known passage".into()));
        };
        let lacks = lacking(cx.case.question.best(), &scatter.passages);
        if !lacks.is_empty() {
            return Ok(Err(format!(
                "the known passages lack `{}`",
                lacks.join("`, `")
            )));
        }
        done.decided = format!("known: {}", done.decided);
        Ok(Ok(done))
    }

    /// What the question says about documents.
    async fn linked(&self, cx: &StepContext) -> Result<LinkedQuestion, search::Error> {
        if !self.options.linking {
            return Ok(LinkedQuestion::default());
        }
        let question = cx.case.question.best();
        let Some(today) = linking::days::of_unix_ms(cx.started_at.0) else {
            return Ok(LinkedQuestion::default());
        };
        let principal = cx.header.principal();
        self.searcher.link(&principal, question, today).await
    }

    /// The places that the question names, as conditions that are given up when nothing satisfies them.
    async fn places(&self, cx: &StepContext) -> Result<Filter, search::Error> {
        let columns = &self.options.location_columns;
        if columns.is_empty() {
            return Ok(Filter::default());
        }
        let question = cx.case.question.best();
        let principal = cx.header.principal();
        let places = self.searcher.places(&principal, question, columns);
        places.await
    }

    /// The position in the corpus that the question wants the index to have reached.
    pub(crate) fn after(&self, cx: &StepContext) -> Option<ReadAfter> {
        (cx.case.min_seq > 0).then(|| ReadAfter {
            sequence: cx.case.min_seq,
            wait: BEHIND_WAIT_MAX.min(cx.time_left() / BEHIND_WAIT_PART),
        })
    }

    pub(crate) fn request(
        &self,
        cx: &StepContext,
        plan: &Plan,
        then: After,
        filter: Filter,
        after: Option<ReadAfter>,
    ) -> SearchRequest {
        let (fetch_k, top_k) = self.counts(cx, then);
        let leans = !plan.context.is_empty() && self.options.context_weight > 0.0;
        SearchRequest {
            principal: cx.header.principal(),
            buckets: cx.case.buckets.clone(),
            filter,
            query: plan.query.clone(),
            keywords: plan.keywords.clone(),
            context: leans.then(|| QueryContext {
                text: plan.context.clone(),
                weight: self.options.context_weight,
            }),
            strategy: plan.strategy,
            fetch_k,
            top_k,
            after,
        }
    }

    /// Whether all passages go into one prompt, which takes the longer the more they are.
    pub(crate) fn is_read_at_once(&self, cx: &StepContext, then: After) -> bool {
        then == After::Generate && cx.case.mode != Mode::Simple
    }

    /// How many candidates are fetched, and how many passages are kept.
    pub(crate) fn counts(&self, cx: &StepContext, then: After) -> (usize, usize) {
        let options = &self.options;
        match (then, cx.case.mode) {
            (After::Map | After::Review, _) => (options.fetch_k, options.map_max),
            (After::Generate, Mode::Agentic | Mode::Loop) => (options.fetch_k, options.read_max),
            (After::Generate, Mode::Simple) => (options.simple_k, options.simple_max),
        }
    }

    pub(crate) fn scatter(
        &self,
        cx: &StepContext,
        plan: Plan,
        after: After,
        mut found: SearchResult,
        matched: FilterMatch,
    ) -> Result<StepOutput<RetrieverExit>, Error> {
        if let Some(chars) = self.options.context_chars {
            for passage in &mut found.passages {
                let asked = asked_of(&plan, passage);
                narrow(passage, &asked, chars);
            }
        }
        let (_, top_k) = self.counts(cx, after);
        let (passages, trimmed) = fit(found.passages, top_k)?;
        let repeated = match found.repeated {
            0 => String::new(),
            count => format!(", {count} that repeat others left out"),
        };
        let counted = counted(passages.len() as u64, found.total_hits);
        let decided = format!("{counted}{repeated}");
        let scatter = Scatter {
            after,
            plan,
            passages,
            matched,
            total_hits: found.total_hits,
        };
        let mut done = StepOutput::new(RetrieverExit::Found(Box::new(scatter)), decided);
        if trimmed > 0 {
            done = done.with_fallback(Fallback::PassagesTrimmed { count: trimmed });
        }
        Ok(done)
    }
}

/// How many passages are taken of how many. Passages that only vectors found do not count as matches.
fn counted(taken: u64, matching: u64) -> String {
    let noun = |n| if n == 1 { "passage" } else { "passages" };
    match taken <= matching {
        true => format!("{taken} of {matching} {}", noun(matching)),
        false => format!("{taken} {}, {matching} by words", noun(taken)),
    }
}

/// The query that a passage was found for, in words.
fn asked_of(plan: &Plan, passage: &Passage) -> String {
    let places = passage.found_by.iter();
    let parts = places.filter_map(|place| plan.sub_queries.get(usize::from(*place)));
    let parts: Vec<&str> = parts.map(String::as_str).collect();
    match parts.is_empty() {
        true => plan.query.clone(),
        false => parts.join(" "),
    }
}

/// How many passages each sub-query found, or how many sub-queries of a plan were not searched for.
fn told(found: &[Option<usize>], planned: usize) -> String {
    match (found.is_empty(), planned) {
        (true, 0) => return String::new(),
        (true, 1) => return "; 1 sub-query not searched for".into(),
        (true, _) => return format!("; {planned} sub-queries not searched for"),
        (false, _) => {}
    }
    let told = found.iter().map(|found| match found {
        Some(count) => count.to_string(),
        None => "failed".into(),
    });
    let told: Vec<String> = told.collect();
    format!("; by sub-query: {}", told.join(", "))
}

impl Stage for Retriever {
    type In = Search;
    type Out = RetrieverExit;
    const ROLE: Role = Role::Retriever;

    async fn run(&self, cx: &StepContext, search: Search) -> stage::StepResult<RetrieverExit> {
        self.retrieve(cx, search).await
    }
}

/// Whether a question is about all documents that satisfy conditions, and its user has replied to a question back.
fn is_chosen(cx: &StepContext, plan: &Plan, linked: &LinkedQuestion) -> bool {
    cx.header.parent.is_some()
        && worded::asks_of_all(plan, cx.case.question.best())
        && matches!(linked.intent, Intent::Documents | Intent::Compute)
}

#[cfg(test)]
mod tests;
