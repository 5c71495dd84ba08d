//! Plain retrieval-augmented generation, as the baseline: one search, one ordinary prompt, one call.

use super::question::AnswerQuestion;
use crate::Error;
use crate::measure::request;
use envelope::{Passage, Role, TenantId, TurnId};
use llm::{ChatModel, ChatRequest};
use search::Searcher;
use std::time::Duration;

/// Longest answer, in tokens.
const TOKENS_MAX: u32 = 160;
/// Most time for the call, which a slow machine may need for seven passages.
const TIMEOUT: Duration = Duration::from_secs(300);

const SYSTEM: &str = "Answer the question from the passages, in one or two short sentences. Give names, numbers and dates as the \
                      passages write them. If the passages do not answer it, say: The documents do not say.";
/// The same without passages.
const CLOSED: &str =
    "Answer the question in one or two short sentences. If you do not know, say: I do not know.";

/// The best passages of a question, as a retriever searches.
pub(super) async fn passages(
    searcher: &dyn Searcher,
    question: &AnswerQuestion,
    count: usize,
) -> Result<Vec<Passage>, Error> {
    let found = searcher.search(&request(&question.text, count)).await;
    let found = found.map_err(|error| Error::Question {
        id: question.id.clone(),
        error,
    })?;
    Ok(found.passages)
}

/// The answer of a model that is shown these passages, or none; `None` where the call failed.
pub(super) async fn answer(
    model: &dyn ChatModel,
    question: &AnswerQuestion,
    passages: Option<&[Passage]>,
) -> Option<String> {
    let shown = passages.unwrap_or_default().iter().enumerate();
    let shown = shown.map(|(n, one)| format!("[{}] {}\n{}\n\n", n + 1, one.title, one.text));
    let user = format!("{}Question: {}", shown.collect::<String>(), question.text);
    let request = ChatRequest {
        role: Role::Reducer,
        model: None,
        turn: TurnId::again(&question.id),
        tenant: TenantId::default_tenant(),
        system: if passages.is_some() { SYSTEM } else { CLOSED }.into(),
        user,
        max_tokens: TOKENS_MAX,
        likely: 0,
        schema: None,
        timeout: TIMEOUT,
    };
    let reply = model.chat(&request).await.ok()?;
    Some(reply.text.trim().to_owned())
}
