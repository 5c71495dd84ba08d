//! One call as the pool sees it: the request, how the reply is read, and the outcomes of its attempts.
//!
//! *Not* here: making the call ([`crate::pool`]).

use crate::asked::{Asked, Rejected};
use crate::balance::{Ask, NodeId};
use crate::cut::PerWord;
use crate::dialect::JsonDialect;
use crate::failure::Failure;
use crate::node::{Body, Node};
use crate::options::Options;
use crate::streaming::DraftStream;
use crate::wire::{self, Answer};
use envelope::Role;
use llm::ChatRequest;
use llm::likely::LIKELY_MAX;
use std::sync::atomic::Ordering;
use tokio::time::Instant;

/// What one call is about.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    pub(crate) role: Role,
    pub(crate) ask: Ask<'a>,
    pub(crate) until: Instant,
    /// The strongest dialect for this call, where its attempts have found one for it alone.
    pub(crate) dialect: Option<JsonDialect>,
    /// Whether its attempts have found, for it alone, that no node is to be asked for probabilities.
    pub(crate) refuses_likely: bool,
    pub(crate) work: Work<'a>,
    /// The listener of the answer while it is written, if there is one.
    pub(crate) stream: Option<&'a DraftStream<'a>>,
}

/// What is sent, and how the answer is read.
#[derive(Clone, Copy)]
pub(crate) enum Work<'a> {
    Chat(&'a ChatRequest),
    /// A body as it is; `read` looks at the answer and keeps what it wants of it.
    Post {
        path: &'a str,
        body: &'a [u8],
        read: &'a (dyn Fn(&[u8]) -> Result<(), Failure> + Sync),
    },
}

/// What the tries of one call came to so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tried {
    pub(crate) nodes: Vec<NodeId>,
    /// The nodes where it would fail again.
    pub(crate) never: Vec<NodeId>,
    /// The longest context that it did not fit, in tokens.
    pub(crate) longer_than: u32,
    /// How another model than that of the pool is asked for JSON, once a node has rejected a stronger way.
    pub(crate) dialect: Option<JsonDialect>,
    /// Whether a node has rejected that such a model is asked for probabilities.
    pub(crate) refuses_likely: bool,
}

impl Tried {
    /// What is asked for next.
    pub(crate) fn ask<'a>(&'a self, job: &Job<'a>) -> Ask<'a> {
        Ask {
            tried: &self.nodes,
            never: &self.never,
            longer_than: self.longer_than,
            ..job.ask
        }
    }

    /// A node rejected this of a call for another model than that of the pool.
    pub(crate) fn rejected(&mut self, rejected: Rejected) {
        match rejected {
            Rejected::Json(asked) => self.dialect = self.dialect.max(asked.weaker()),
            Rejected::Likely => self.refuses_likely = true,
        }
    }

    /// The next attempt of the call: with the nodes that failed, and the dialect found so far.
    pub(crate) fn next<'a>(&'a self, job: &Job<'a>) -> Job<'a> {
        Job {
            ask: self.ask(job),
            dialect: self.dialect,
            refuses_likely: self.refuses_likely,
            ..*job
        }
    }
}

/// What came of it: an answer of a chat, nothing of a post.
pub(crate) type Came = Option<Answer>;

impl<'a> Job<'a> {
    /// One of which no attempt was made, and to which nobody listens.
    pub(crate) fn new(role: Role, ask: Ask<'a>, until: Instant, work: Work<'a>) -> Job<'a> {
        Job {
            role,
            ask,
            until,
            dialect: None,
            refuses_likely: false,
            work,
            stream: None,
        }
    }
}

impl Job<'_> {
    pub(crate) fn path(&self) -> &str {
        match &self.work {
            Work::Chat(_) => "chat/completions",
            Work::Post { path, .. } => path,
        }
    }

    pub(crate) fn request(&self) -> Option<&ChatRequest> {
        match &self.work {
            Work::Chat(request) => Some(request),
            Work::Post { .. } => None,
        }
    }

    /// Whether it asks for another model than that of the pool, as a replay may: its outcome says nothing about how
    /// the nodes serve their own.
    pub(crate) fn is_foreign(&self) -> bool {
        self.request()
            .is_some_and(|request| request.model.is_some())
    }

    /// What it asks of this node, by what is known of the node.
    pub(crate) fn asked(&self, node: &Node) -> Asked {
        let Some(request) = self.request() else {
            return Asked::default();
        };
        let own = node.dialect.get();
        let dialect = self.dialect.map_or(own, |known| known.max(own));
        let refuses = self.refuses_likely || node.refuses_likely.load(Ordering::Relaxed);
        Asked {
            json: request.schema.as_ref().map(|_| dialect),
            likely: match refuses {
                true => 0,
                false => request.likely.min(LIKELY_MAX),
            },
            tokens_max: request.max_tokens,
        }
    }

    pub(crate) fn body(&self, options: &Options, asked: Asked) -> Vec<u8> {
        let Options {
            model,
            temperature,
            stream,
            ..
        } = options;
        match &self.work {
            Work::Chat(request) => wire::request(
                request.model_or(model),
                *temperature,
                request,
                asked,
                *stream,
            ),
            Work::Post { body, .. } => body.to_vec(),
        }
    }

    /// Reads what came of it at a node that counts its tokens like this.
    pub(crate) fn read(
        &self,
        body: Body,
        asked: Asked,
        per_word: &PerWord,
    ) -> Result<Came, Failure> {
        // Another model counts in its own way.
        let unknown = PerWord::default();
        let per_word = if self.is_foreign() {
            &unknown
        } else {
            per_word
        };
        match (&self.work, body) {
            (Work::Chat(request), Body::Whole(body)) => {
                wire::answer(&body, request, asked, per_word).map(Some)
            }
            (Work::Chat(request), Body::Streamed(streamed)) => {
                wire::streamed(*streamed, request, per_word).map(Some)
            }
            (Work::Post { read, .. }, Body::Whole(body)) => read(&body).map(|()| None),
            (Work::Post { .. }, Body::Streamed(_)) => Err(Failure::Garbled {
                reason: "a stream came where none was asked for".into(),
            }),
        }
    }
}
