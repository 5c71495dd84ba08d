//! The conversation worker's step: it reads the events of a log and makes a history of them.

use crate::recall::{self, Recalled};
use conversation_log::{ConversationKey, EventSource, exchanges};
use envelope::hop::ConversationExit;
use envelope::{Class, Classify, Fallback, History, Recall, Role};
use stage::{Stage, StepContext, StepOutput};
use std::sync::Arc;

/// Why nothing can be recalled.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The step belongs to no conversation.
    #[error("a recall without a conversation")]
    NoConversation,
    /// The log no longer holds what a reply goes on with, and the reply by itself would be another question.
    #[error("the question back that this answers is no longer kept")]
    NothingToResume,
}

impl Classify for Error {
    fn class(&self) -> Class {
        match self {
            Error::NoConversation => Class::Bug,
            Error::NothingToResume => Class::Permanent,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Error::NoConversation => "no_conversation",
            Error::NothingToResume => "clarification_gone",
        }
    }
}

/// The conversation worker.
pub struct Conversation {
    source: Arc<dyn EventSource>,
}

impl Conversation {
    /// Makes a conversation worker that reads events from `source`.
    pub fn new(source: Arc<dyn EventSource>) -> Self {
        Conversation { source }
    }
}

impl Stage for Conversation {
    type In = Recall;
    type Out = ConversationExit;
    const ROLE: Role = Role::Conversation;

    async fn run(&self, cx: &StepContext, recall: Recall) -> stage::StepResult<ConversationExit> {
        let conversation = cx.header.conversation.clone();
        let key = ConversationKey {
            tenant: cx.header.tenant.clone(),
            conversation: conversation.ok_or(Error::NoConversation)?,
        };
        let said = exchanges::read(&*self.source, &key, &recall::places(&recall)).await?;
        let Recalled {
            history,
            resumed,
            gone,
        } = recall::read(&recall, said);
        if recall.answers.is_some() && resumed.is_none() {
            return Err(Error::NothingToResume.into());
        }
        let decided = decided(&history, resumed.is_some());
        let mut done = StepOutput::new(ConversationExit::Recalled { history, resumed }, decided);
        let trimmed = |turns| Fallback::ConversationTrimmed { turns };
        done.fallbacks.extend(recall.turns_kept.map(trimmed));
        if gone > 0 {
            done.fallbacks.push(Fallback::HistoryGone { count: gone });
        }
        Ok(done)
    }
}

fn decided(history: &History, resumes: bool) -> String {
    let mut words = match history.len() {
        0 => "nothing was said before".to_owned(),
        1 => "1 exchange before".to_owned(),
        n => format!("{n} exchanges before"),
    };
    if history.left_out > 0 {
        words.push_str(&format!(", {} left out", history.left_out));
    }
    if resumes {
        words.push_str(", answers a question back");
    }
    words
}

#[cfg(test)]
#[path = "stage_tests.rs"]
mod tests;
