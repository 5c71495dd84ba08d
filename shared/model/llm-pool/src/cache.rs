//! Caches the replies of map calls: a passage that the same model has read for the same question, with the same prompt,
//! is not read again.
//!
//! It serves a redelivered map step, a question that is asked twice, and a second round over the same passages. The
//! key is everything that the answer depends on, so nothing has to be invalidated. *Not* shared between processes
//! and not kept over a restart.

use envelope::{Role, Usage};
use llm::{BoxFuture, ChatModel, ChatReply, ChatRequest, Error, Listener};
use lru::LruCache;
use prometheus::IntCounter;
use serde::{Deserialize, Serialize};
use settings::TimeSpan;
use sha2::{Digest, Sha256};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use telemetry::Registry;
use tokio::time::Instant;

/// What is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Answers of map calls that are kept, some half a KiB each. Default 4,096; 0 for none, at most
    /// 1,000,000.
    pub entries: usize,
    /// How long one is kept. Default `1h`.
    pub max_age: TimeSpan,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            entries: 4_096,
            max_age: TimeSpan::from_hours(1),
        }
    }
}

type Key = [u8; 32];

/// What is counted of the look-ups of a model: hits, and misses.
pub(crate) fn lookups(
    registry: &Registry,
    model: &str,
) -> Result<[IntCounter; 2], telemetry::Error> {
    let lookups = registry.counter(
        "argosy_llm_cache_lookups_total",
        "Map calls that were looked up in the cache of earlier answers.",
        &["model", "result"],
    )?;
    Ok(["hit", "miss"].map(|result| lookups.with_label_values(&[model, result])))
}

/// A [`ChatModel`] that caches the map calls of another one.
pub struct CachingModel {
    model: Arc<dyn ChatModel>,
    options: Options,
    kept: Mutex<LruCache<Key, (Instant, ChatReply)>>,
    hits: IntCounter,
    misses: IntCounter,
}

impl CachingModel {
    /// Wraps `model` in a cache of its map calls, with metrics in `registry`. Returns `model` itself if the cache is
    /// switched off.
    ///
    /// # Errors
    /// When the metrics cannot be registered.
    pub fn over(
        model: Arc<dyn ChatModel>,
        options: Options,
        registry: &Registry,
    ) -> Result<Arc<dyn ChatModel>, telemetry::Error> {
        let Some(entries) = NonZeroUsize::new(options.entries) else {
            return Ok(model);
        };
        let [hits, misses] = lookups(registry, model.name())?;
        Ok(Arc::new(CachingModel {
            hits,
            misses,
            kept: Mutex::new(LruCache::new(entries)),
            options,
            model,
        }))
    }

    fn kept(&self) -> MutexGuard<'_, LruCache<Key, (Instant, ChatReply)>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look(&self, key: &Key) -> Option<ChatReply> {
        let mut kept = self.kept();
        let (at, reply) = kept.get(key)?;
        if at.elapsed() > self.options.max_age.duration() {
            kept.pop(key);
            return None;
        }
        // Nothing was spent this time.
        Some(ChatReply {
            usage: Usage::default(),
            ..reply.clone()
        })
    }

    async fn ask(&self, request: &ChatRequest) -> Result<ChatReply, Error> {
        if request.role != Role::Mapper {
            return self.model.chat(request).await;
        }
        let key = key(self.model.name(), request);
        if let Some(reply) = self.look(&key) {
            self.hits.inc();
            return Ok(reply);
        }
        self.misses.inc();
        let reply = self.model.chat(request).await?;
        if is_worth_keeping(request, &reply.text) {
            self.kept().put(key, (Instant::now(), reply.clone()));
        }
        Ok(reply)
    }
}

impl ChatModel for CachingModel {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, Error>> {
        Box::pin(self.ask(request))
    }

    /// What may be kept comes all at once, so nothing of it is told.
    fn chat_live<'a>(
        &'a self,
        request: &'a ChatRequest,
        listener: &'a Listener<'a>,
    ) -> BoxFuture<'a, Result<ChatReply, Error>> {
        match request.role {
            Role::Mapper => self.chat(request),
            _ => self.model.chat_live(request, listener),
        }
    }
}

/// What cannot be read as it was asked for may come out better the next time.
fn is_worth_keeping(request: &ChatRequest, text: &str) -> bool {
    request.schema.is_none() || llm::json::read_object(text).is_some()
}

/// The prompt contains question, passage and the words around them, so nothing else is needed. The tenant is part
/// of the key, so that the time of an answer never reveals what another tenant asked.
fn key(model: &str, request: &ChatRequest) -> Key {
    let schema = request
        .schema
        .as_ref()
        .map(|schema| schema.json.to_string());
    let parts = [
        request.model_or(model),
        request.tenant.as_str(),
        &request.system,
        &request.user,
        schema.as_deref().unwrap_or_default(),
        &request.max_tokens.to_string(),
        &request.likely.to_string(),
    ];
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::{TenantId, TurnId};
    use llm::TokenProbability;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    /// Counts its calls and says the number, as an object where one is asked for the second time.
    #[derive(Default)]
    struct Counting(AtomicUsize);

    impl ChatModel for Counting {
        fn name(&self) -> &str {
            "counting"
        }
        fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, Error>> {
            let n = self.0.fetch_add(1, Ordering::Relaxed);
            let text = match &request.schema {
                Some(_) if n > 0 => format!(r#"{{"n":{n}}}"#),
                _ => n.to_string(),
            };
            Box::pin(std::future::ready(Ok(ChatReply {
                text,
                model: "counting".into(),
                usage: Usage {
                    calls: 1,
                    ..Usage::default()
                },
                tokens: vec![TokenProbability::default(); request.likely.into()],
            })))
        }
    }

    fn request(user: &str) -> ChatRequest {
        ChatRequest {
            system: "s".into(),
            ..testkit::model::request(Role::Mapper, user)
        }
    }

    fn cached(entries: usize) -> Arc<dyn ChatModel> {
        let options = Options {
            entries,
            ..Options::default()
        };
        CachingModel::over(Arc::new(Counting::default()), options, &Registry::new()).unwrap()
    }

    async fn said(model: &Arc<dyn ChatModel>, request: &ChatRequest) -> (String, u64) {
        let reply = model.chat(request).await.unwrap();
        (reply.text, u64::from(reply.usage.calls))
    }

    #[tokio::test(start_paused = true)]
    async fn the_same_map_call_is_made_once_while_it_is_young() {
        let model = cached(8);
        assert_eq!(said(&model, &request("a")).await, ("0".into(), 1));
        let mut other_turn = request("a");
        other_turn.turn = TurnId::new("t2").unwrap();
        assert_eq!(said(&model, &other_turn).await, ("0".into(), 0));
        tokio::time::advance(Duration::from_secs(3_601)).await;
        assert_eq!(said(&model, &request("a")).await, ("1".into(), 1));
    }

    #[tokio::test]
    async fn whatever_the_answer_depends_on_makes_it_another_call() {
        let model = cached(64);
        let changes: [fn(&mut ChatRequest); 7] = [
            |r| r.model = Some("large".into()),
            |r| r.user = "b".into(),
            |r| (r.system, r.user) = ("sa".into(), String::new()),
            |r| r.max_tokens = 10,
            |r| r.likely = 5,
            |r| r.tenant = TenantId::new("other").unwrap(),
            |r| {
                r.schema = Some(llm::ReplySchema {
                    name: "x",
                    json: serde_json::json!({}),
                });
            },
        ];
        said(&model, &request("a")).await;
        for (n, change) in (1..).zip(changes) {
            let mut request = request("a");
            change(&mut request);
            let (text, calls) = said(&model, &request).await;
            assert!(calls == 1 && text.contains(&n.to_string()), "{text}");
        }
    }

    #[tokio::test]
    async fn an_answer_is_kept_with_its_probabilities() {
        let model = cached(8);
        let mut asked = request("a");
        asked.likely = 2;
        let first = model.chat(&asked).await.unwrap().tokens;
        let second = model.chat(&asked).await.unwrap();
        assert_eq!((first.len(), second.usage.calls), (2, 0));
        assert_eq!(second.tokens, first);
    }

    #[tokio::test]
    async fn what_is_not_the_json_that_was_asked_for_is_not_kept() {
        let model = cached(8);
        let mut asked = request("a");
        asked.schema = Some(llm::ReplySchema {
            name: "x",
            json: serde_json::json!({}),
        });
        assert_eq!(said(&model, &asked).await, ("0".into(), 1));
        let readable = r#"{"n":1}"#.to_owned();
        assert_eq!(said(&model, &asked).await, (readable.clone(), 1));
        assert_eq!(said(&model, &asked).await, (readable, 0));
    }

    #[tokio::test]
    async fn other_roles_and_no_entries_are_asked_each_time() {
        let model = cached(8);
        let mut planning = request("a");
        planning.role = Role::Planner;
        said(&model, &planning).await;
        assert_eq!(said(&model, &planning).await.0, "1");
        let none = cached(0);
        said(&none, &request("a")).await;
        assert_eq!(said(&none, &request("a")).await.0, "1");
    }
}
