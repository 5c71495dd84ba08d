//! A fake model with the replies that a test scripts, and a made-up step to call it in. It understands nothing and
//! is never an LLM.

use envelope::{
    Bucket, Case, DocId, Header, Passage, QuestionText, Role, TenantId, TurnId, UnixMs, Usage,
};
use llm::{BoxFuture, ChatModel, ChatReply, ChatRequest, Error, Listener, LivePiece};
use stage::StepContext;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A call that a test makes: of turn `t1`, with no schema, and with more time than any test takes.
pub fn request(role: Role, user: impl Into<String>) -> ChatRequest {
    ChatRequest {
        role,
        model: None,
        turn: id(TurnId::new("t1")),
        tenant: TenantId::default_tenant(),
        system: "Be brief.".into(),
        user: user.into(),
        max_tokens: 64,
        likely: 0,
        schema: None,
        timeout: Duration::from_secs(20),
    }
}

/// A fake reply: the text, or the error.
pub type FakeReply = Result<String, Error>;

/// A fake [`ChatModel`]: its replies come from a queue or a closure, and it keeps its requests.
pub struct ScriptedModel {
    script: Script,
    /// What it sends to a live listener before each answer: pieces, and `None` where it begins again.
    aloud: Vec<Option<&'static str>>,
    requests: Mutex<Vec<ChatRequest>>,
}

enum Script {
    Queue(Mutex<VecDeque<FakeReply>>),
    Closure(Box<dyn Fn(&ChatRequest) -> FakeReply + Send + Sync>),
}

impl ScriptedModel {
    /// Answers with `texts`, one after the other, and then fails as unavailable.
    pub fn saying<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Arc<Self> {
        Self::queue(texts.into_iter().map(|text| Ok(text.into())))
    }

    /// Fails once with `error`, and then as unavailable.
    pub fn failing(error: Error) -> Arc<Self> {
        Self::queue([Err(error)])
    }

    /// Answers with `answers`, one after the other, and then fails as unavailable.
    pub fn queue(answers: impl IntoIterator<Item = FakeReply>) -> Arc<Self> {
        let answers = answers.into_iter().collect();
        Self::with(Script::Queue(Mutex::new(answers)))
    }

    /// Answers with what `answer` makes of the request.
    pub fn answering(
        answer: impl Fn(&ChatRequest) -> FakeReply + Send + Sync + 'static,
    ) -> Arc<Self> {
        Self::with(Script::Closure(Box::new(answer)))
    }

    /// Every request so far, oldest first.
    pub fn requests(&self) -> Vec<ChatRequest> {
        let requests = self.requests.lock();
        requests.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Answers with `answers`, one after the other, and sends these pieces to a live listener before each answer;
    /// `None` begins anew.
    pub fn aloud(
        pieces: impl IntoIterator<Item = Option<&'static str>>,
        answers: impl IntoIterator<Item = FakeReply>,
    ) -> Arc<Self> {
        let answers = Mutex::new(answers.into_iter().collect());
        Arc::new(ScriptedModel {
            script: Script::Queue(answers),
            aloud: pieces.into_iter().collect(),
            requests: Mutex::default(),
        })
    }

    fn with(script: Script) -> Arc<Self> {
        Arc::new(ScriptedModel {
            script,
            aloud: Vec::new(),
            requests: Mutex::default(),
        })
    }

    fn answer(&self, request: &ChatRequest) -> FakeReply {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests.push(request.clone());
        drop(requests);
        match &self.script {
            Script::Closure(answer) => answer(request),
            Script::Queue(answers) => {
                let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
                answers.pop_front().unwrap_or_else(|| {
                    Err(Error::Unavailable {
                        reason: "the script is at its end".into(),
                        retry_after: None,
                    })
                })
            }
        }
    }
}

impl ChatModel for ScriptedModel {
    fn name(&self) -> &str {
        "scripted"
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, Error>> {
        Box::pin(async move {
            let text = self.answer(request)?;
            // Four characters a token: the rule of thumb that nodes without a count are read with.
            let tokens_in = (request.system.len() + request.user.len()) as u64 / 4;
            let usage = Usage {
                calls: 1,
                tokens_in,
                tokens_out: text.len() as u64 / 4,
                ..Usage::default()
            };
            Ok(ChatReply {
                text,
                model: self.name().into(),
                usage,
                tokens: Vec::new(),
            })
        })
    }

    fn chat_live<'a>(
        &'a self,
        request: &'a ChatRequest,
        listener: &'a Listener<'a>,
    ) -> BoxFuture<'a, Result<ChatReply, Error>> {
        for piece in &self.aloud {
            listener(piece.map_or(LivePiece::Anew, LivePiece::Text));
        }
        self.chat(request)
    }
}

/// The context of a first delivery to `role` in a made-up turn `t1` that asks `question`: begun at second 1, due at
/// second 61, with the whole budget.
pub fn step(role: Role, question: &str) -> StepContext {
    let header = Header {
        deadline: UnixMs(61_000),
        ..Header::of(id(TurnId::new("t1")), role, 1, UnixMs(1_000))
    };
    let case = Case {
        question: QuestionText {
            original: question.into(),
            rewritten: None,
        },
        ..Case::default()
    };
    StepContext {
        header,
        case,
        attempt: 1,
        started_at: UnixMs(1_000),
        now: UnixMs(1_000),
        clock: Default::default(),
        seed: 7,
        live: Default::default(),
    }
}

/// A made-up passage: piece 0 of document `name`, from the file `<name>.txt`.
pub fn passage(name: &str, text: &str) -> Passage {
    Passage {
        front: String::new(),
        places: Vec::new(),
        bucket: id(Bucket::new("files")),
        doc_id: id(DocId::new(name)),
        chunk_id: format!("{name}.0"),
        title: format!("About {name}"),
        source: format!("{name}.txt"),
        page: None,
        line: 1,
        score: 1.0,
        text: text.into(),
        metadata: Default::default(),
        found_by: Vec::new(),
    }
}

fn id<T, E: std::fmt::Display>(made: Result<T, E>) -> T {
    made.unwrap_or_else(|error| panic!("a test wants an id that cannot be: {error}"))
}
