//! The offline reader: a deterministic, extractive stand-in behind the model contract.
//!
//! With no model configured the fleet still answers: with keywords instead of a plan, sentences instead of
//! extracted facts, cited sentences instead of a written answer. It is *not* a language model and is never called
//! one: answers are labelled [`NAME`], it writes no sentence of its own about the documents, and it reads nothing
//! of a prompt but its tagged sections.
//!
//! | module | what |
//! |---|---|
//! | `vocabulary` | closed lists of words |
//! | `lexicon` | words that mean the same |
//! | `question` | what a question asks for, and what an answer must mention |
//! | `units` | a passage as sentences, table rows and fields |
//! | `bag` | the words of a passage |
//! | `cues` | what kind of answer a sentence could be |
//! | `score` | how well a sentence answers |
//! | `parts` | splits a question into several |
//! | `follow_up` | rewrites a follow-up question so that it stands alone |
//! | `plan`, `map`, `reduce`, `clarify` | what each role writes |

mod bag;
mod clarify;
mod cues;
mod fitted;
pub mod follow_up;
mod lexicon;
mod map;
mod parts;
mod plan;
mod question;
mod reduce;
mod score;
mod units;
mod vocabulary;

use envelope::{CLARIFIED, Role, Usage};
use lexicon::Lexicon;
use llm::{BoxFuture, ChatModel, ChatReply, ChatRequest, Error, section, tokens};
pub use parts::sub_queries;

/// The name that answers of the offline reader are labelled with.
pub const NAME: &str = "offline-extractive";

/// The offline reader. Cheap to ask: well under a millisecond of work per call.
#[derive(Debug)]
pub struct OfflineReader {
    lexicon: Lexicon,
}

impl Default for OfflineReader {
    fn default() -> Self {
        Self::new()
    }
}

impl OfflineReader {
    /// Builds its word tables.
    pub fn new() -> Self {
        OfflineReader {
            lexicon: Lexicon::new(),
        }
    }

    /// Answers a prompt of `role` from its tagged sections, in at most about `max_tokens` tokens. `None` when the
    /// prompt lacks a section that prompts of the role have, or when the role has no prompts.
    pub fn answer(&self, role: Role, user: &str, max_tokens: u32) -> Option<String> {
        // Between a question and its clarification stand words that the user did not write.
        let question = section::read(user, "question")?;
        // Its parts are read out of it here anyway.
        let question = question.split("<parts>").next().unwrap_or(question);
        let question = question.replace(CLARIFIED, " ");
        let question = question.as_str();
        match role {
            Role::Planner if section::read(user, "evaluation").is_some() => {
                let earlier = section::read(user, "earlier_queries").unwrap_or_default();
                Some(plan::review(&self.lexicon, question, earlier))
            }
            Role::Planner => Some(match section::read(user, "history") {
                Some(history) => {
                    let routes = section::read(user, "routes").unwrap_or_default();
                    plan::write_follow_up(&self.lexicon, question, history, routes)
                }
                None => {
                    let earlier = section::read(user, "earlier_queries");
                    plan::write(&self.lexicon, question, earlier)
                }
            }),
            Role::Mapper => {
                let text = section::read(user, "text")?;
                Some(map::write(&self.lexicon, question, text, max_tokens))
            }
            // It writes no sentence of its own, and so knows of nothing to do.
            Role::Reducer if section::read(user, "answer").is_some() => Some("none".into()),
            Role::Reducer => {
                // A question that leans on others is given with its meaning.
                let question = section::read(question, "meaning").unwrap_or(question);
                match section::read(user, "facts") {
                    Some(facts) => Some(reduce::gather(&self.lexicon, question, facts, max_tokens)),
                    None => {
                        let passages = section::read(user, "passages")?;
                        Some(reduce::generate(
                            &self.lexicon,
                            question,
                            passages,
                            max_tokens,
                        ))
                    }
                }
            }
            Role::Clarifier => {
                let has = |tag| section::read(user, tag);
                Some(match (has("reason"), has("failed")) {
                    (Some(reason), _) => clarify::unclear(question, reason),
                    (None, Some(failed)) => clarify::ungrounded(question, failed),
                    (None, None) => {
                        let narrowed_by = has("narrowed_by").unwrap_or_default();
                        clarify::write(&self.lexicon, question, narrowed_by)
                    }
                })
            }
            // It writes for these four; whatever else asks is told that there is no answer.
            _ => None,
        }
    }
}

/// The role whose prompt this is, by its sections: for a server that gets only the prompt.
pub fn role_of(user: &str) -> Option<Role> {
    let has = |tag| section::read(user, tag).is_some();
    match () {
        () if !has("question") => None,
        () if has("text") => Some(Role::Mapper),
        () if has("passages") && has("answer") => Some(Role::Validator),
        () if has("facts") || has("passages") || has("answer") => Some(Role::Reducer),
        () if has("narrowed_by") || has("reason") || has("failed") => Some(Role::Clarifier),
        () => Some(Role::Planner),
    }
}

impl ChatModel for OfflineReader {
    fn name(&self) -> &str {
        NAME
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, Error>> {
        Box::pin(async move {
            request.is_for(NAME)?;
            let answer = self.answer(request.role, &request.user, request.max_tokens);
            let text = answer.ok_or_else(|| Error::Refused {
                status: 400,
                message: format!(
                    "the offline reader knows no {} prompt without its tagged sections",
                    request.role
                ),
            })?;
            let read = tokens::estimate(&request.system) + tokens::estimate(&request.user);
            let usage = Usage {
                calls: 1,
                tokens_in: u64::from(read),
                tokens_out: u64::from(tokens::estimate(&text)),
                ..Usage::default()
            };
            Ok(ChatReply {
                text,
                model: NAME.to_owned(),
                usage,
                tokens: Vec::new(),
            })
        })
    }
}

#[cfg(test)]
mod gold_tests;
#[cfg(test)]
mod tests;
