//! Records every call of a model in a file, and answers a call that is in the file from it. So a run goes on where it
//! was cut off, and is repeated without a model.
//!
//! A call is the same if its role, model, prompts, length, schema and number of likeliest tokens are. The day on which it is made does not count.
//! A reply comes with the time that it took when it was recorded, which is the time that is reported.

use crate::Error;
use envelope::{Role, Usage};
use futures_util::future::BoxFuture;
use llm::{ChatModel, ChatReply, ChatRequest, TokenProbability};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How a prompt says what day it is.
const TODAY_IS: &str = "Today is ";
/// What a recording calls the model whose name it does not have.
const NOBODY: &str = "recorded";

/// A call, as the file has it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct RecordedCall {
    key: String,
    role: Role,
    model: String,
    /// The reply, or why there is none.
    reply: Result<String, String>,
    tokens_in: u64,
    tokens_out: u64,
    /// When it began, in milliseconds since 1970, and how long it took.
    began: u64,
    ms: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tokens: Vec<RecordedToken>,
}

/// A token of a reply with the logarithm of its probability, and the likeliest in its place.
type RecordedToken = (String, f32, Vec<(String, f32)>);

/// A call of a question.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) role: Role,
    pub(super) prompt: String,
    pub(super) tokens_in: u64,
    pub(super) tokens_out: u64,
    pub(super) began: u64,
    pub(super) ms: u64,
}

/// The calls of a run.
#[derive(Clone)]
pub(super) struct Recording {
    path: Option<PathBuf>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    known: HashMap<String, RecordedCall>,
    file: Option<File>,
    /// Why a call was not written down.
    failed: Option<std::io::Error>,
    /// Those since [`Recording::taken`].
    calls: Vec<Call>,
}

impl Recording {
    /// The recording in a file, to which calls are added; without a file none is kept.
    pub(super) fn open(path: Option<&Path>) -> Result<Recording, Error> {
        let mut state = State::default();
        if let Some(path) = path {
            let failed = |error| Error::File {
                path: path.to_owned(),
                error,
            };
            let text = match std::fs::read_to_string(path) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
                read => read.map_err(failed)?,
            };
            // The last line may be cut off.
            let lines = text
                .lines()
                .filter_map(|line| serde_json::from_str(line).ok());
            state.known = lines
                .map(|call: RecordedCall| (call.key.clone(), call))
                .collect();
            let file = OpenOptions::new().create(true).append(true).open(path);
            let mut file = file.map_err(failed)?;
            if !text.is_empty() && !text.ends_with('\n') {
                writeln!(file).map_err(failed)?;
            }
            state.file = Some(file);
        }
        Ok(Recording {
            path: path.map(Path::to_owned),
            state: Arc::new(Mutex::new(state)),
        })
    }

    /// The calls since the last time, in the order in which they ended.
    pub(super) fn taken(&self) -> Vec<Call> {
        std::mem::take(&mut self.state().calls)
    }

    /// Whether every call was written down.
    ///
    /// # Errors
    /// When one was not; the file is named.
    pub(super) fn written(&self) -> Result<(), Error> {
        match (self.state().failed.take(), &self.path) {
            (Some(error), Some(path)) => Err(Error::File {
                path: path.clone(),
                error,
            }),
            _ => Ok(()),
        }
    }

    /// A model whose calls are recorded. Without `model`, only what is recorded is answered.
    pub(super) fn over(&self, model: Option<Arc<dyn ChatModel>>) -> Arc<dyn ChatModel> {
        let recorded = || {
            self.state()
                .known
                .values()
                .next()
                .map(|call| call.model.clone())
        };
        let name = match &model {
            Some(model) => model.name().to_owned(),
            None => recorded().unwrap_or_else(|| NOBODY.to_owned()),
        };
        Arc::new(RecordingModel {
            name,
            model,
            recording: self.clone(),
        })
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in a call that was made, and writes it down.
    fn add(&self, call: RecordedCall, request: &ChatRequest) {
        let mut state = self.state();
        if let Some(file) = &mut state.file {
            let line = serde_json::to_string(&call).unwrap_or_default();
            if let Err(error) = writeln!(file, "{line}") {
                state.failed = Some(error);
            }
        }
        state.calls.push(Call::of(&call, request));
        state.known.insert(call.key.clone(), call);
    }
}

impl Call {
    fn of(call: &RecordedCall, request: &ChatRequest) -> Call {
        Call {
            role: call.role,
            prompt: request.user.clone(),
            tokens_in: call.tokens_in,
            tokens_out: call.tokens_out,
            began: call.began,
            ms: call.ms,
        }
    }
}

struct RecordingModel {
    name: String,
    model: Option<Arc<dyn ChatModel>>,
    recording: Recording,
}

impl ChatModel for RecordingModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn chat<'a>(
        &'a self,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<ChatReply, llm::Error>> {
        Box::pin(self.answer(request))
    }
}

impl RecordingModel {
    async fn answer(&self, request: &ChatRequest) -> Result<ChatReply, llm::Error> {
        let key = key(request, request.model_or(&self.name));
        // A failed call is made again, where there is a model.
        let is_final = |call: &&RecordedCall| call.reply.is_ok() || self.model.is_none();
        let known = self
            .recording
            .state()
            .known
            .get(&key)
            .filter(is_final)
            .cloned();
        if let Some(call) = known {
            self.recording.state().calls.push(Call::of(&call, request));
            return call.reply();
        }
        let Some(model) = &self.model else {
            let path = self.recording.path.as_deref().unwrap_or(Path::new(""));
            return Err(llm::Error::Unavailable {
                reason: format!(
                    "the call of the {} is not in `{}`",
                    request.role,
                    path.display()
                ),
                retry_after: None,
            });
        };
        let began = SystemTime::now();
        let reply = model.chat(request).await;
        let call = RecordedCall::of(key, request, &self.name, began, &reply);
        // A call that a full queue refused says nothing of the model.
        if !matches!(reply, Err(llm::Error::Overloaded { .. })) {
            self.recording.add(call, request);
        }
        reply
    }
}

impl RecordedCall {
    fn of(
        key: String,
        request: &ChatRequest,
        name: &str,
        began: SystemTime,
        reply: &Result<ChatReply, llm::Error>,
    ) -> RecordedCall {
        let usage = reply.as_ref().map(|reply| reply.usage).unwrap_or_default();
        let tokens = reply.iter().flat_map(|reply| &reply.tokens);
        let tokens = tokens.map(|t| (t.text.clone(), t.log, t.others.clone()));
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        RecordedCall {
            key,
            role: request.role,
            model: reply.as_ref().map_or(name, |reply| &reply.model).to_owned(),
            reply: match reply {
                Ok(reply) => Ok(reply.text.clone()),
                Err(error) => Err(error.to_string()),
            },
            tokens_in: usage.tokens_in,
            tokens_out: usage.tokens_out,
            began: millis(began.duration_since(UNIX_EPOCH).unwrap_or_default()),
            ms: millis(began.elapsed().unwrap_or_default()),
            tokens: tokens.collect(),
        }
    }

    fn tokens(&self) -> Vec<TokenProbability> {
        let tokens = self.tokens.iter().cloned();
        let tokens = tokens.map(|(text, log, others)| TokenProbability { text, log, others });
        tokens.collect()
    }

    fn reply(&self) -> Result<ChatReply, llm::Error> {
        match &self.reply {
            Ok(text) => Ok(ChatReply {
                text: text.clone(),
                model: self.model.clone(),
                usage: Usage {
                    calls: 1,
                    tokens_in: self.tokens_in,
                    tokens_out: self.tokens_out,
                    ..Usage::default()
                },
                tokens: self.tokens(),
            }),
            Err(reason) => Err(llm::Error::Unavailable {
                reason: reason.clone(),
                retry_after: None,
            }),
        }
    }
}

/// What makes a call the same. The number of likeliest tokens has no place in it where none are asked for, so that the
/// keys of recordings without probabilities stay as they are.
fn key(request: &ChatRequest, model: &str) -> String {
    let schema = request.schema.as_ref().map(|schema| &schema.json);
    let mut all = serde_json::json!([
        request.role,
        model,
        undated(&request.system),
        undated(&request.user),
        request.max_tokens,
        schema
    ]);
    if let (Some(all), 1..) = (all.as_array_mut(), request.likely) {
        all.push(request.likely.into());
    }
    let hash = Sha256::digest(all.to_string());
    hash.iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// A prompt without the day that it says it is.
fn undated(text: &str) -> String {
    let mut parts = text.split(TODAY_IS);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| {
        let end = part.find(['.', ';', '\n']).unwrap_or(part.len());
        all + TODAY_IS + &part[end..]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::{TenantId, TurnId};

    struct Echo;

    impl ChatModel for Echo {
        fn name(&self) -> &str {
            "echo"
        }

        fn chat<'a>(
            &'a self,
            request: &'a ChatRequest,
        ) -> BoxFuture<'a, Result<ChatReply, llm::Error>> {
            let reply = match request.user.as_str() {
                "late" => Err(llm::Error::TimedOut(Duration::from_secs(9))),
                user => Ok(ChatReply {
                    text: user.to_uppercase(),
                    model: "echo".into(),
                    usage: Usage {
                        calls: 1,
                        tokens_in: 7,
                        tokens_out: 2,
                        ..Usage::default()
                    },
                    tokens: (0..usize::from(request.likely)).map(token).collect(),
                }),
            };
            Box::pin(std::future::ready(reply))
        }
    }

    /// The n-th token of a reply.
    fn token(n: usize) -> TokenProbability {
        TokenProbability {
            text: format!(" {n}"),
            log: -0.1 * n as f32,
            others: vec![("~".into(), -2.3)],
        }
    }

    fn request(user: &str) -> ChatRequest {
        ChatRequest {
            role: Role::Reducer,
            model: None,
            turn: TurnId::again("x"),
            tenant: TenantId::default_tenant(),
            system: String::new(),
            user: user.into(),
            max_tokens: 9,
            likely: 0,
            schema: None,
            timeout: Duration::from_secs(1),
        }
    }

    #[tokio::test]
    async fn what_is_recorded_is_answered_without_a_model() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calls.jsonl");
        let first = Recording::open(Some(&path)).unwrap();
        let model = first.over(Some(Arc::new(Echo)));
        let asked = request("Today is 1 May 2026; say hello");
        let reply = model.chat(&asked).await.unwrap();
        model.chat(&request("late")).await.unwrap_err();
        first.written().unwrap();
        let calls = first.taken();
        assert_eq!((calls.len(), calls[0].tokens_in), (2, 7));
        // The last line is cut off.
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{text}{{\"key\": ")).unwrap();

        let again = Recording::open(Some(&path)).unwrap();
        let model = again.over(None);
        assert_eq!(model.name(), "echo");
        let tomorrow = request("Today is 2 May 2026; say hello");
        assert_eq!(model.chat(&tomorrow).await.unwrap(), reply);
        assert_eq!(again.taken()[0].began, calls[0].began);
        let late = model.chat(&request("late")).await.unwrap_err().to_string();
        assert!(late.contains("9s"), "{late}");
        let error = model.chat(&request("else")).await.unwrap_err().to_string();
        assert!(
            error.contains("the call of the reducer is not in"),
            "{error}"
        );
    }

    #[tokio::test]
    async fn probabilities_are_recorded_for_the_call_that_asked_for_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calls.jsonl");
        let asked = |likely| ChatRequest {
            likely,
            ..request("hello")
        };
        let model = Recording::open(Some(&path)).unwrap();
        let model = model.over(Some(Arc::new(Echo)));
        let without = model.chat(&asked(0)).await.unwrap();
        let with = model.chat(&asked(3)).await.unwrap();
        assert_eq!((without.tokens.len(), with.tokens.len()), (0, 3));
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert!(!lines[0].contains("tokens\":"), "{text}");
        assert!(lines[1].ends_with(r#","tokens":[[" 0",-0.0,[["~",-2.3]]],[" 1",-0.1,[["~",-2.3]]],[" 2",-0.2,[["~",-2.3]]]]}"#), "{text}");

        let again = Recording::open(Some(&path)).unwrap().over(None);
        assert_eq!(again.chat(&asked(0)).await.unwrap(), without);
        assert_eq!(again.chat(&asked(3)).await.unwrap(), with);
        again.chat(&asked(4)).await.unwrap_err();
    }

    /// Recordings are repeated years later.
    #[test]
    fn a_call_without_probabilities_has_the_key_that_it_always_had() {
        assert_eq!(
            key(&request("hello"), "echo"),
            "c0853910f661605e4a7074296529dde2"
        );
    }

    #[tokio::test]
    async fn a_call_that_is_not_written_down_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calls.jsonl");
        let recording = Recording::open(Some(&path)).unwrap();
        recording.state().file = Some(File::open(&path).unwrap());
        let model = recording.over(Some(Arc::new(Echo)));
        model.chat(&request("hello")).await.unwrap();
        let error = recording.written().unwrap_err().to_string();
        assert!(error.contains("calls.jsonl"), "{error}");
    }
}
