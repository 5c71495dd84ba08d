//! A stubbed model and a canned index, for measuring the fleet itself. They answer nothing: a run
//! with them is a run of messages.

use argosy::roles::Collaborators;
use envelope::{Bucket, DocId, Passage, Role, Usage};
use futures_util::future::BoxFuture;
use llm::{ChatModel, ChatReply, ChatRequest};
use search::{Request, SearchResult, Searcher};
use std::sync::Arc;
use std::time::Duration;

/// Passages of a stubbed search, as in the peers' workload.
const PASSAGES: u32 = 5;
/// Characters of each.
const PASSAGE_CHARS: usize = 1_000;

/// A model that waits and says what the stage can read.
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
                Role::Mapper => r#"{"relevant":true,"facts":["The notice period is 90 days."]}"#,
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
            })
        })
    }
}

/// An index that finds the same passages for everybody.
struct CannedSearch {
    delay: Duration,
    passages: Vec<Passage>,
}

impl Searcher for CannedSearch {
    fn search<'a>(
        &'a self,
        _request: &'a Request,
    ) -> BoxFuture<'a, Result<SearchResult, search::Error>> {
        Box::pin(async move {
            if !self.delay.is_zero() {
                tokio::time::sleep(self.delay).await;
            }
            Ok(SearchResult {
                passages: self.passages.clone(),
                total_hits: self.passages.len() as u64,
                ..SearchResult::default()
            })
        })
    }
}

/// How long the stubs take.
#[derive(Debug, Clone, Copy)]
pub struct Stub {
    /// The model.
    pub model: Duration,
    /// The index.
    pub search: Duration,
}

impl Stub {
    /// The collaborators of a measured process.
    pub fn collaborators(self) -> Collaborators {
        Collaborators {
            model: Arc::new(StubModel { delay: self.model }),
            searcher: Arc::new(CannedSearch {
                delay: self.search,
                passages: (0..PASSAGES).filter_map(passage).collect(),
            }),
            caught_up: None,
            conversations: None,
            embedder: None,
            catalog: Arc::new(search::NoCatalog),
        }
    }
}

fn passage(n: u32) -> Option<Passage> {
    let text = "The notice period is 90 days. ";
    Some(Passage {
        bucket: Bucket::new("contracts").ok()?,
        doc_id: DocId::new(format!("stub-{n}")).ok()?,
        chunk_id: format!("stub-{n}.0"),
        title: "A stubbed contract".into(),
        source: format!("contracts/stub-{n}.md"),
        page: None,
        line: 1,
        score: 1.0 - f32::from(u8::try_from(n).ok()?) / 10.0,
        text: text.repeat(PASSAGE_CHARS.div_ceil(text.len())),
        metadata: Default::default(),
        found_by: Vec::new(),
    })
}
