//! A stub model and a stub index, for measuring the fleet itself. They give no real answers, so a run with them
//! measures messages. For questions of several rounds the index has one list of passages per round, and only the
//! passages of the last round help.

use argosy::roles::Collaborators;
use envelope::{Bucket, DocId, Passage, Role, Usage};
use futures_util::future::BoxFuture;
use llm::{ChatModel, ChatReply, ChatRequest};
use search::{SearchRequest, SearchResult, Searcher};
use std::sync::Arc;
use std::time::Duration;

/// The passages of a stubbed search.
const PASSAGES: u32 = 5;
/// The characters of each passage.
const PASSAGE_CHARS: usize = 1_000;
/// The text of a passage that helps, and of one that does not.
const HELPFUL: &str = "The notice period is 90 days. ";
const BESIDE: &str = "The parties meet once a year. ";

/// A model that waits, and then replies with what the stage can read.
struct StubModel {
    delay: Duration,
}

impl ChatModel for StubModel {
    fn name(&self) -> &str {
        "stub"
    }

    fn chat<'a>(
        &'a self,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<ChatReply, llm::Error>> {
        Box::pin(async move {
            if !self.delay.is_zero() {
                tokio::time::sleep(self.delay).await;
            }
            let text = match request.role {
                Role::Planner => {
                    r#"{"keywords":["notice","period"],"file_filter":null,"source_hint":null}"#
                }
                Role::Mapper if request.user.contains(HELPFUL) => {
                    r#"{"relevant":true,"facts":["The notice period is 90 days."]}"#
                }
                Role::Mapper => r#"{"relevant":false,"facts":[]}"#,
                _ => "The notice period is 90 days [1].",
            };
            let usage = Usage {
                calls: 1,
                tokens_in: 300,
                tokens_out: 20,
                ..Usage::default()
            };
            Ok(ChatReply {
                text: text.into(),
                model: "stub".into(),
                usage,
                tokens: Vec::new(),
            })
        })
    }
}

/// An index that finds the same passages for every query, as many as are asked for.
struct CannedSearch {
    delay: Duration,
    passages: Vec<Passage>,
}

impl Searcher for CannedSearch {
    fn search<'a>(
        &'a self,
        request: &'a SearchRequest,
    ) -> BoxFuture<'a, Result<SearchResult, search::Error>> {
        Box::pin(async move {
            if !self.delay.is_zero() {
                tokio::time::sleep(self.delay).await;
            }
            let wanted = self.passages.iter().take(request.top_k);
            Ok(SearchResult {
                passages: wanted.cloned().collect(),
                total_hits: self.passages.len() as u64,
                ..SearchResult::default()
            })
        })
    }
}

/// How long the stubs take, and how many rounds a question has.
#[derive(Debug, Clone, Copy)]
pub struct Stub {
    /// How long the model takes.
    pub model: Duration,
    /// How long the index takes.
    pub search: Duration,
    /// The number of rounds until something helps, from 1.
    pub rounds: u8,
}

impl Stub {
    /// The passages of every round, in order.
    fn passages(self) -> impl Iterator<Item = Passage> {
        let beside = PASSAGES * u32::from(self.rounds.saturating_sub(1));
        let text = move |n| if n < beside { BESIDE } else { HELPFUL };
        (0..beside + PASSAGES).filter_map(move |n| passage(n, text(n)))
    }

    /// The collaborators of a measured process.
    pub fn collaborators(self) -> Collaborators {
        Collaborators {
            model: Arc::new(StubModel { delay: self.model }),
            searcher: Arc::new(CannedSearch {
                delay: self.search,
                passages: self.passages().collect(),
            }),
            caught_up: None,
            conversations: None,
            embedder: None,
            catalog: Arc::new(search::NoCatalog),
        }
    }
}

fn passage(n: u32, text: &str) -> Option<Passage> {
    Some(Passage {
        front: String::new(),
        places: Vec::new(),
        bucket: Bucket::new("contracts").ok()?,
        doc_id: DocId::new(format!("stub-{n}")).ok()?,
        chunk_id: format!("stub-{n}.0"),
        title: "A stubbed contract".into(),
        source: format!("contracts/stub-{n}.md"),
        page: None,
        line: 1,
        score: 1.0 - f32::from(u8::try_from(n).ok()?) / 100.0,
        text: text.repeat(PASSAGE_CHARS.div_ceil(text.len())),
        metadata: Default::default(),
        found_by: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_passages_of_the_last_round_help() {
        for rounds in [1, 3] {
            let stub = Stub {
                model: Duration::ZERO,
                search: Duration::ZERO,
                rounds,
            };
            let all: Vec<Passage> = stub.passages().collect();
            assert_eq!(all.len(), usize::from(rounds) * PASSAGES as usize);
            let helps = all.iter().map(|one| one.text.contains(HELPFUL));
            assert_eq!(helps.clone().filter(|helps| *helps).count(), 5);
            assert!(helps.rev().take(5).all(|helps| helps));
            let lengths: Vec<usize> = all.iter().map(|one| one.text.len()).collect();
            assert!(lengths.iter().all(|length| *length == lengths[0]));
        }
    }
}
