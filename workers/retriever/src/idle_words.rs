//! Decides whether the leftover words of a question, those in no condition and no column, tell which documents are
//! meant.
//!
//! `Rustle up the invoices of 2024` asks for a list of all invoices of the year: its leftover words, `rustle up`, are
//! idle. In `the invoices of 2024 about pumps` the leftover words matter. The crate `linking` finds words that may be
//! idle, by their position in the question. This module decides whether they are: it looks at the topics in the plan,
//! and searches the documents for the words. Words are *not* ignored silently: the answer says so.

use envelope::{Plan, QuestionIntent, SearchStrategy};
use search::{SearchRequest, Searcher};

/// The reason why words of a question were ignored, for the text of the answer; `None` if the words have a meaning.
pub async fn idle_because(
    searcher: &dyn Searcher,
    plan: &Plan,
    request: SearchRequest,
    words: &[String],
) -> Result<Option<&'static str>, search::Error> {
    // What no search looks for, none can miss.
    let mut said = words.iter().flat_map(|run| run.split_whitespace());
    if said.all(text::stop::is_unsearched) {
        return Ok(None);
    }
    if are_no_topic(plan, words) {
        return Ok(Some("by the plan they are not what the question is about"));
    }
    let is_unsaid = is_unsaid(searcher, request, &words.join(" ")).await?;
    Ok(is_unsaid.then_some("no document says them"))
}

/// Whether no document that `request` may find says any of the words.
pub(crate) async fn is_unsaid(
    searcher: &dyn Searcher,
    request: SearchRequest,
    words: &str,
) -> Result<bool, search::Error> {
    let request = SearchRequest {
        query: words.to_owned(),
        keywords: Vec::new(),
        context: None,
        strategy: SearchStrategy::Keyword,
        fetch_k: 1,
        top_k: 1,
        ..request
    };
    let found = searcher.search(&request).await?;
    Ok(found.failed.is_empty() && found.total_hits == 0)
}

/// Whether a model's plan says that documents are wanted and what for, and names none of the words. A plan by rules
/// has no topics.
fn are_no_topic(plan: &Plan, words: &[String]) -> bool {
    let is_of_documents = matches!(plan.intent, QuestionIntent::List | QuestionIntent::Compute);
    let topics: Vec<String> = plan.topics.iter().flat_map(|topic| stems(topic)).collect();
    let mut said = words.iter().flat_map(|run| stems(run));
    is_of_documents && !topics.is_empty() && !said.any(|word| topics.contains(&word))
}

fn stems(said: &str) -> Vec<String> {
    let words = said.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words
        .map(|word| text::words::stem(&word.to_lowercase()))
        .collect()
}
