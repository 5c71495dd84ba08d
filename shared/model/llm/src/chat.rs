//! The interface of a chat model: one call, with its request and its reply.

use crate::likely::TokenProbability;
use envelope::{Class, Classify, Role, TenantId, TurnId, Usage};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use std::time::Duration;

/// A chat model.
pub trait ChatModel: Send + Sync + 'static {
    /// The name that answers are labelled with.
    fn name(&self) -> &str;
    /// Calls the model once. An implementation retries on other nodes by itself; dropping the future cancels the call.
    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, Error>>;

    /// Calls the model as [`chat`](ChatModel::chat) does, and passes the answer to `listener` while it is written. It
    /// is the same call of the same node, so it takes no longer, and the reply contains the whole answer.
    ///
    /// The listener gets only words of the answer: no reasoning, and nothing of a call that asks for JSON. If a call
    /// fails, the pieces that were passed are declared void before the error is returned. A model that does not write
    /// piece by piece passes nothing, which is the default implementation.
    fn chat_live<'a>(
        &'a self,
        request: &'a ChatRequest,
        listener: &'a Listener<'a>,
    ) -> BoxFuture<'a, Result<ChatReply, Error>> {
        let _ = listener;
        self.chat(request)
    }
}

/// Receives an answer while it is written. It must not block.
pub type Listener<'a> = dyn Fn(LivePiece<'_>) + Send + Sync + 'a;

/// A piece of an answer while it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LivePiece<'a> {
    /// How long the call will likely take, from now on. It comes before any word, if at all: a model that has not been
    /// measured promises nothing.
    Expected(Duration),
    /// The pieces so far are void, for example because the call is made again on another node. Never sent before the
    /// first piece.
    Anew,
    /// Further words.
    Text(&'a str),
}

/// A request to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatRequest {
    /// The role that calls: it chooses the model and labels the metrics.
    pub role: Role,
    /// The model to ask for instead of the configured one, where a turn overrides it.
    pub model: Option<String>,
    /// The turn of the call: its calls share a prompt prefix.
    pub turn: TurnId,
    /// The tenant of the call: tenants take turns where slots are scarce.
    pub tenant: TenantId,
    /// The system prompt; may be empty.
    pub system: String,
    /// The prompt, with its inputs in tagged sections.
    pub user: String,
    /// Most tokens of the answer.
    pub max_tokens: u32,
    /// How many of the likeliest tokens the node is to name for each token of the answer, with their probabilities:
    /// at most [`LIKELY_MAX`](crate::likely::LIKELY_MAX), 0 for none. A node that cannot answers without.
    pub likely: u8,
    /// The shape of the answer, when it is to be JSON.
    pub schema: Option<ReplySchema>,
    /// Most time for the call with all its retries.
    pub timeout: Duration,
}

impl ChatRequest {
    /// The model that is asked for, where `own` is the configured one.
    pub fn model_or<'a>(&'a self, own: &'a str) -> &'a str {
        self.model.as_deref().unwrap_or(own)
    }

    /// Refuses a request for another model than `own`, for implementations that have one model only.
    ///
    /// # Errors
    /// When the request names another one.
    pub fn is_for(&self, own: &str) -> Result<(), Error> {
        match self.model_or(own) {
            model if model == own => Ok(()),
            model => Err(Error::Refused {
                status: 404,
                message: format!("there is no model `{model}` here, only `{own}`"),
            }),
        }
    }
}

/// A JSON shape that a node is asked to keep to. What comes back is still checked.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplySchema {
    /// Its name.
    pub name: &'static str,
    /// JSON Schema without `oneOf`, unbounded arrays or look-arounds, which not all servers support.
    pub json: Value,
}

impl ReplySchema {
    /// The schema of a reply that is an object with these fields.
    pub fn new(name: &'static str, properties: Value) -> ReplySchema {
        let json = ReplySchema::object(properties);
        ReplySchema { name, json }
    }

    /// The schema of an object that has all of these fields and no other. Every field is required, because servers that
    /// enforce a schema strictly want that.
    pub fn object(properties: Value) -> Value {
        let fields = properties.as_object().into_iter();
        let required: Vec<&String> = fields.flat_map(|all| all.keys()).collect();
        let mut object =
            json!({"type": "object", "required": required, "additionalProperties": false});
        // Moved: the macro would copy it.
        object["properties"] = properties;
        object
    }
}

/// The reply of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatReply {
    /// The text.
    pub text: String,
    /// The model that wrote the text.
    pub model: String,
    /// The tokens of the call; estimated if the node does not report them.
    pub usage: Usage,
    /// The tokens of the text with their probabilities, thoughts included; empty if the request asked for none or
    /// the node does not say them.
    pub tokens: Vec<TokenProbability>,
}

/// Why a call has no reply.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The prompt is longer than the model's context.
    #[error("the prompt does not fit the context{}", limit.map(|n| format!(" of {n} tokens")).unwrap_or_default())]
    TooLong {
        /// The context of the model, if the node reported it.
        limit: Option<u32>,
    },
    /// Every node is busy.
    #[error("every node is busy")]
    Overloaded {
        /// How long to wait before the next call, where a node said so.
        retry_after: Option<Duration>,
    },
    /// No node could be reached, or all failed in a way that may be temporary.
    #[error("no node answered: {reason}")]
    Unavailable {
        /// The last failure.
        reason: String,
        /// How long to wait before the next call, where a node said so.
        retry_after: Option<Duration>,
    },
    /// The call took longer than this time limit.
    #[error("no answer within {0:?}")]
    TimedOut(Duration),
    /// A node refused the request permanently: wrong key, unknown model, or malformed request.
    #[error("refused with status {status}: {message}")]
    Refused {
        /// HTTP status.
        status: u16,
        /// What the node said, cut.
        message: String,
    },
    /// The node's answer is not what the protocol says.
    #[error("the answer cannot be read: {0}")]
    Protocol(String),
}

impl Classify for Error {
    fn class(&self) -> Class {
        match self {
            Error::TooLong { .. } => Class::TooLarge,
            Error::Overloaded { .. } => Class::Overloaded,
            Error::Unavailable { .. } | Error::TimedOut(_) | Error::Protocol(_) => Class::Transient,
            Error::Refused { .. } => Class::Permanent,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Error::TooLong { .. } => "model_context",
            Error::Overloaded { .. } => "model_overloaded",
            Error::Unavailable { .. } => "model_unavailable",
            Error::TimedOut(_) => "model_timeout",
            Error::Refused { .. } => "model_refused",
            Error::Protocol(_) => "model_protocol",
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Error::Overloaded { retry_after } | Error::Unavailable { retry_after, .. } => {
                *retry_after
            }
            _ => None,
        }
    }
}
