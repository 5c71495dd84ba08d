//! A model with scripted replies for each role. If no scripted reply fits, it replies like the offline reader. It
//! never calls a language model.

use super::case::ScriptedReply;
use envelope::Usage;
use llm::{BoxFuture, ChatModel, ChatReply, ChatRequest, Error};
use offline_reader::OfflineReader;
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};

/// The name that its replies are labelled with.
const NAME: &str = "scripted";

/// A model with scripted replies.
#[derive(Default)]
pub struct ScriptedChat {
    replies: Mutex<Vec<ScriptedReply>>,
    offline: OfflineReader,
}

impl ScriptedChat {
    /// A model without scripted replies.
    pub fn new() -> Arc<ScriptedChat> {
        Arc::default()
    }

    /// Sets the next replies. Returns the earlier ones that no call has used.
    pub fn says(&self, replies: Vec<ScriptedReply>) -> Vec<ScriptedReply> {
        let mut left = self.replies.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *left, replies)
    }

    /// The first reply that fits a request, used once more.
    fn taken(&self, request: &ChatRequest) -> Option<ScriptedReply> {
        let mut replies = self.replies.lock().unwrap_or_else(PoisonError::into_inner);
        let fits =
            |one: &ScriptedReply| one.role == request.role && request.user.contains(&one.when);
        let at = replies.iter().position(fits)?;
        let taken = replies[at].clone();
        match taken.times {
            0 | 1 => drop(replies.remove(at)),
            times => replies[at].times = times - 1,
        }
        Some(taken)
    }
}

impl ChatModel for ScriptedChat {
    fn name(&self) -> &str {
        NAME
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, Error>> {
        let Some(reply) = self.taken(request) else {
            return self.offline.chat(request);
        };
        Box::pin(std::future::ready(said(reply.says, request)))
    }
}

fn said(says: Option<Value>, request: &ChatRequest) -> Result<ChatReply, Error> {
    let text = match says {
        Some(Value::String(text)) => text,
        Some(object) => object.to_string(),
        None => {
            return Err(Error::Refused {
                status: 400,
                message: "it was written down that the call fails".into(),
            });
        }
    };
    // Four characters a token: the rule of thumb that nodes without a count are read with.
    let tokens_in = (request.system.len() + request.user.len()) as u64 / 4;
    Ok(ChatReply {
        model: NAME.into(),
        usage: Usage {
            calls: 1,
            tokens_in,
            tokens_out: text.len() as u64 / 4,
            ..Usage::default()
        },
        text,
        tokens: Vec::new(),
    })
}
