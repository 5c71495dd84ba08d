//! The fake model and the stub index that the real stages use, and a wrapper that observes a stage. The model
//! understands a word or two of the question; it is never an LLM.

use crate::denials;
use crate::world::{Process, World};
use bus::{Bus, Stream};
use envelope::{Bucket, DocId, Exit, Passage, Payload, Role, Subject, Task, Usage};
use futures_util::future::BoxFuture;
use llm::{ChatModel, ChatReply, ChatRequest, Error};
use search::{SearchRequest, SearchResult, Searcher};
use stage::{ErasedStage, StepContext, StepOutput};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// How long an undisturbed call takes, in milliseconds.
const CALL_MS: std::ops::RangeInclusive<u64> = 20..=400;

/// The model.
pub(crate) struct FakeModel(pub Arc<World>);

impl FakeModel {
    /// Works for a time that counts against the turn.
    async fn work(&self, request: &ChatRequest, time: Duration) {
        self.0.ledger().take(Some(&request.turn), time);
        sleep(time).await;
    }

    async fn fail(&self, request: &ChatRequest) -> Result<(), Error> {
        let (w, rates) = (&self.0, self.0.rates());
        let retry_after = || Some(Duration::from_millis(w.rng().u64(200..4_000)));
        if w.strikes(rates.model_panic, "model panic") {
            // As a panic, but without its words on the terminal.
            std::panic::resume_unwind(Box::new("simulated"));
        }
        if w.strikes(rates.model_busy, "model busy") {
            let retry_after = retry_after();
            // Who holds a message pulls nothing meanwhile: everybody waits.
            w.ledger().take(None, retry_after.unwrap_or_default());
            return Err(Error::Overloaded { retry_after });
        }
        if w.strikes(rates.model_transient, "model transient") {
            return Err(Error::Unavailable {
                reason: "simulated".into(),
                retry_after: if w.rng().bool() { retry_after() } else { None },
            });
        }
        if w.strikes(rates.model_permanent, "model permanent") {
            return Err(Error::Refused {
                status: 400,
                message: "simulated".into(),
            });
        }
        if w.strikes(rates.model_timeout, "model timeout") {
            self.work(request, request.timeout).await;
            return Err(Error::TimedOut(request.timeout));
        }
        if w.strikes(rates.model_slow, "model slow") {
            let slow = Duration::from_millis(w.rng().u64(1_000..10_000));
            self.work(request, slow.min(request.timeout)).await;
        }
        Ok(())
    }
}

impl ChatModel for FakeModel {
    fn name(&self) -> &str {
        "fake"
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, Error>> {
        Box::pin(async move {
            self.0.ledger().calls += 1;
            self.fail(request).await?;
            let time = Duration::from_millis(self.0.rng().u64(CALL_MS));
            self.work(request, time).await;
            let garbage = self.0.rates().model_garbage;
            let text = if self.0.strikes(garbage, "model garbage") {
                "```json\n{\"relevant\": tru".to_owned()
            } else {
                said(request, self.0.plan.denies)
            };
            let usage = Usage {
                calls: 1,
                tokens_in: 200,
                tokens_out: 20,
                ..Usage::default()
            };
            Ok(ChatReply {
                text,
                model: "fake".into(),
                usage,
                tokens: Vec::new(),
            })
        })
    }
}

/// The undisturbed reply of the model; `denies` tells how it makes things up.
fn said(request: &ChatRequest, denies: bool) -> String {
    let question = llm::section::read(&request.user, "question").unwrap_or_default();
    let first_round = !question.contains("irrelevant");
    match request.role {
        Role::Planner => {
            let earlier = llm::section::read(&request.user, "earlier_queries");
            // A second plan is new, a third one no longer.
            let query = match earlier.map_or(0, |e| e.lines().count()) {
                0 => question.trim().to_owned(),
                _ => "the limit in other words".to_owned(),
            };
            if let Some(steps) = llm::section::read(&request.user, "steps") {
                return acted(question, steps);
            }
            if llm::section::read(&request.user, "evaluation").is_some() {
                return reviewed(question, &query);
            }
            format!(
                r#"{{"query":{},"keywords":["limit"],"route":"retrieve"}}"#,
                serde_json::json!(query)
            )
        }
        Role::Mapper => {
            let text = llm::section::read(&request.user, "text").unwrap_or_default();
            let fact = text.lines().last().unwrap_or_default().trim();
            let relevant =
                first_round && !(question.contains("second look") && text.contains("part 0"));
            let facts = if relevant { vec![fact] } else { vec![] };
            serde_json::json!({"relevant": relevant, "facts": facts}).to_string()
        }
        Role::Validator => judged(question),
        _ if question.contains("made up") => {
            let denial = denies.then(|| denials::denial(&request.user)).flatten();
            denial.unwrap_or_else(|| "The limit is 777 apples [1].".to_owned())
        }
        _ => {
            let facts =
                llm::section::read(&request.user, "facts").unwrap_or("[1] The limit holds.");
            let fact = facts
                .lines()
                .find(|l| !l.trim().is_empty())
                .unwrap_or_default();
            format!(
                "{} [1].",
                fact.trim_start_matches("[1]").trim().trim_end_matches('.')
            )
        }
    }
}

/// The large model's reply to a review: it reads on, in another way where the question asks for a second look, and
/// gives a useless reply to a question that asks for made-up things.
fn reviewed(question: &str, query: &str) -> String {
    let tool = match () {
        () if question.contains("made up") => "make_up",
        () if question.contains("second look") => "search_semantic",
        () => "search_text",
    };
    serde_json::json!({"status": "more", "next_tool_call": {"tool": tool, "args": {"query": query}}}).to_string()
}

/// The large model's action in a loop: it searches once and is done; where the question asks for a second look, it
/// looks without end; and where it asks for made-up things, it calls a tool that does not exist.
fn acted(question: &str, steps: &str) -> String {
    let done = steps.matches("Step ").count();
    let (tool, args) = match () {
        () if question.contains("made up") => ("make_up", serde_json::json!({})),
        () if question.contains("second look") && done % 2 == 1 => {
            let doc_id = format!("doc-{done}");
            (
                "get_document_metadata",
                serde_json::json!({ "doc_id": doc_id }),
            )
        }
        () if question.contains("second look") => {
            let query = format!("look {done} in other words");
            ("search_semantic", serde_json::json!({ "query": query }))
        }
        () if done == 0 => (
            "search_text",
            serde_json::json!({ "query": question.trim() }),
        ),
        // Over and over the same.
        () if question.contains("exactly") => (
            "search_text",
            serde_json::json!({ "query": question.trim() }),
        ),
        () => ("done", serde_json::json!({})),
    };
    serde_json::json!({"tool": tool, "args": args}).to_string()
}

/// The reply of the judging model: it believes everything that is made up, and wants more where the question asks for
/// a second look.
fn judged(question: &str) -> String {
    let sufficiency = match question.contains("second look") {
        true => "INSUFFICIENT",
        false => "SUFFICIENT",
    };
    format!(r#"{{"grounding":"GROUNDED","sufficiency":"{sufficiency}","reason":"So it is."}}"#)
}

/// The index.
pub(crate) struct FakeIndex(pub Arc<World>);

impl Searcher for FakeIndex {
    fn fetch<'a>(
        &'a self,
        _: &'a SearchRequest,
        ids: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<Passage>, search::Error>> {
        let found = ids.iter().filter_map(|id| looked_up(id)).collect();
        Box::pin(std::future::ready(Ok(found)))
    }

    fn search<'a>(
        &'a self,
        request: &'a SearchRequest,
    ) -> BoxFuture<'a, Result<SearchResult, search::Error>> {
        Box::pin(async move {
            if self
                .0
                .strikes(self.0.rates().search_failed, "search failed")
            {
                return Err(search::Error::Index("simulated".into()));
            }
            let found = match &request.query {
                query if query.contains("nobody write down") => 0,
                query if query.contains("exactly") => 1,
                // More than is read at once: a later round reads on.
                query if query.contains("other words") => 12,
                query => 1 + envelope::ids::fnv1a_64(query.as_bytes()) % 5,
            };
            let taken = found.min(request.top_k as u64);
            let mut passages: Vec<Passage> = (0..taken).map(passage).collect();
            if request.query.starts_with("look ") {
                // What a loop finds is long, and no step may carry it.
                for passage in &mut passages {
                    passage
                        .text
                        .push_str(&" Nothing else is said here.".repeat(150));
                }
            }
            Ok(SearchResult {
                total_hits: found,
                passages,
                ..SearchResult::default()
            })
        })
    }
}

fn passage(n: u64) -> Passage {
    Passage {
        front: String::new(),
        places: Vec::new(),
        bucket: Bucket::new("files").unwrap(),
        doc_id: DocId::new(format!("doc-{n}")).unwrap(),
        chunk_id: format!("doc-{n}.0"),
        title: "Limits".into(),
        source: format!("limits-{n}.txt"),
        page: None,
        line: 1,
        score: 1.0,
        text: format!(
            "This is part {n}.\nThe limit of item {n} is {} units.",
            10 + n
        ),
        metadata: Default::default(),
        found_by: Vec::new(),
    }
}

/// The passage that is fetched by its id.
fn looked_up(id: &str) -> Option<Passage> {
    let number = id.strip_prefix("doc-")?.strip_suffix(".0")?;
    number.parse().ok().map(passage)
}

/// A stage whose runs are recorded.
pub(crate) struct Watched {
    pub(crate) inner: Arc<dyn ErasedStage>,
    pub(crate) process: Arc<Process>,
}

impl Watched {
    /// The subject of the step, and that of its result.
    fn places(cx: &StepContext, task: &Task) -> (String, String) {
        let (shard, hop, turn) = (cx.header.shard, cx.header.hop, cx.header.turn.clone());
        let index = match &task.payload {
            Payload::Mapper(map) => Some(map.index),
            _ => None,
        };
        let step = Subject::Step {
            shard,
            role: cx.header.role,
            turn: turn.clone(),
            hop,
            index,
        };
        let result = match index {
            Some(index) => Subject::Part {
                shard,
                turn,
                hop,
                index,
            }
            .to_string(),
            None => envelope::subject::fence(shard, &turn, hop + 1),
        };
        (step.to_string(), result)
    }
}

impl ErasedStage for Watched {
    fn role(&self) -> Role {
        self.inner.role()
    }

    fn handle<'a>(
        &'a self,
        cx: &'a StepContext,
        task: Task,
    ) -> BoxFuture<'a, Result<StepOutput<Exit>, stage::Error>> {
        Box::pin(async move {
            let w = &self.process.world;
            let (step, result) = Self::places(cx, &task);
            let stored = w.bus.last(Stream::Steps(cx.header.shard), &result).await;
            let before = |at| at < cx.started_at;
            if cx.attempt > 1 && matches!(stored, Ok(Some(stored)) if before(stored.stored_at)) {
                w.ledger().paid_twice.push(step.clone());
            }
            w.ledger().started(&step);
            self.process
                .log(|| format!("run {step}, delivery {}", cx.attempt));
            let done = self.inner.handle(cx, task).await;
            if let Err(error) = &done {
                w.ledger().runs.entry(step).or_default().failed += 1;
                self.process.log(|| format!("run failed: {error}"));
            }
            done
        })
    }
}
