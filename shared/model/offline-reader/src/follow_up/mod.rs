//! Rewrites a follow-up question so that it stands alone.
//!
//! It uses rules and lists: pronouns are replaced by their referents, short questions are completed from the one
//! before, "the album" gets its name. It is *not* a language model and does not parse; where the rules are in doubt
//! the question stays as it was, because a wrong rewrite is worse than none.
//!
//! | module | what |
//! |---|---|
//! | `tokens` | a text as tokens with positions, and edits |
//! | `mentions` | the things that a text names |
//! | `topic` | the title of the conversation |
//! | `talk` | the conversation so far, and what a pronoun refers to |
//! | `pronouns` | edits for pronouns of people and things |
//! | `pointing` | edits for "this" and "that" by themselves |
//! | `names` | shortened names, and nouns that refer back |
//! | `about` | questions without a name, tied to the topic |
//! | `others` | excludes what was just answered from a question for more |
//! | `ellipsis` | fragments, completed from the question before |
//! | `subject` | the subject of a question with a verb of its own |

mod about;
mod ellipsis;
mod mentions;
mod names;
mod others;
mod pointing;
mod pronouns;
mod subject;
mod talk;
mod tokens;
mod topic;

use talk::Talk;
use tokens::{Edit, Token};
use topic::Topic;

/// The most exchanges that are looked back at.
const EXCHANGES_MAX: usize = 10;
/// A longer question says itself what it is about, in bytes.
const QUESTION_BYTES_MAX: usize = 600;

/// One question and its answer.
#[derive(Debug, Clone, Copy)]
pub struct PastExchange<'a> {
    /// As it was asked.
    pub question: &'a str,
    /// As it was answered.
    pub answer: &'a str,
}

/// A follow-up question made to stand alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowUp {
    /// The question, so that it can be understood by itself.
    pub question: String,
    /// Words that were added, for weighing in a search and for the trail.
    pub added: Vec<String>,
}

/// Rewrites `question` by the exchanges `before` it, oldest first. `None` when the question stands alone. `topic` is
/// the title of the conversation, if it has one.
pub fn rewrite(
    topic: Option<&str>,
    before: &[PastExchange<'_>],
    question: &str,
) -> Option<FollowUp> {
    let topic = topic.and_then(Topic::read);
    if topic.is_none() && before.is_empty() {
        return None;
    }
    let mut talk = Talk::new(topic);
    let skipped = before.len().saturating_sub(EXCHANGES_MAX);
    for exchange in &before[skipped..] {
        let asked = resolve(&mut talk, exchange.question);
        talk.hear(
            asked.as_deref().unwrap_or(exchange.question),
            exchange.answer,
        );
    }
    let rewritten = resolve(&mut talk, question)?;
    let added = added(question, &rewritten);
    (!added.is_empty()).then_some(FollowUp {
        question: rewritten,
        added,
    })
}

/// A question with everything in it that it needs; `None` when it has it.
fn resolve(talk: &mut Talk, question: &str) -> Option<String> {
    if question.len() > QUESTION_BYTES_MAX {
        return None;
    }
    let tokens = tokens::read(question);
    let Some(filled) = ellipsis::filled(talk, question, &tokens) else {
        return pieced(talk, question, &tokens);
    };
    let tokens = tokens::read(&filled);
    let pieced = pieced(talk, &filled, &tokens);
    Some(pieced.unwrap_or(filled))
}

/// A question with its pronouns, names and open ends made up for.
fn pieced(talk: &mut Talk, question: &str, tokens: &[Token<'_>]) -> Option<String> {
    let mut edits = pronouns::edits(talk, tokens);
    edits.extend(names::written_out(talk, tokens));
    edits.extend(names::pointed(talk, tokens));
    edits.extend(pointing::edit(talk, tokens));
    let mut tail = Vec::new();
    if edits.is_empty() {
        match about::about(talk, question, tokens) {
            Some(about::Tie::Owner(edit)) => edits.push(edit),
            Some(about::Tie::Tail(words)) => tail.push(words),
            None => {}
        }
    }
    if others::asks_for_more(tokens)
        && let Some(had) = others::had(talk, tokens)
    {
        // "Besides the topic's terms" says what it is about, too.
        if talk.topic_name().is_some_and(|name| had.starts_with(name)) {
            tail.clear();
        }
        tail.push(format!("besides {had}"));
    }
    if edits.is_empty() && tail.is_empty() {
        return None;
    }
    let end = end_of(question, tokens);
    edits.extend(tail.into_iter().map(|words| Edit {
        start: end,
        end,
        with: format!(" {words}"),
    }));
    Some(tokens::apply(question, edits))
}

/// Where words are put behind a question: before its mark.
fn end_of(question: &str, tokens: &[Token<'_>]) -> usize {
    let from = tokens.last().map_or(0, |token| token.end);
    let mark = question[from..].find(['?', '.', '!']);
    mark.map_or(question.trim_end().len(), |at| from + at)
}

/// The words of `rewritten` that `question` lacks, in order.
fn added(question: &str, rewritten: &str) -> Vec<String> {
    let mut had: Vec<String> = text::words::runs(question).map(str::to_lowercase).collect();
    let mut added = Vec::new();
    for word in text::words::runs(rewritten) {
        let lower = word.to_lowercase();
        match had.iter().position(|had| *had == lower) {
            Some(at) => drop(had.swap_remove(at)),
            None => added.push(word.to_owned()),
        }
    }
    added
}

#[cfg(test)]
mod tests;
