//! Ties questions without a name and without a pronoun to the topic of the conversation.

use super::pronouns::possessive;
use super::talk::Talk;
use super::tokens::{Edit, Token};
use crate::vocabulary as words;

/// How a question is tied to the topic.
#[derive(Debug, PartialEq)]
pub(super) enum Tie {
    /// "The members" become the topic's.
    Owner(Edit),
    /// Words to go behind it.
    Tail(String),
}

/// What ties a question to the topic; `None` when it names something itself.
pub(super) fn about(talk: &Talk, text: &str, tokens: &[Token<'_>]) -> Option<Tie> {
    let topic = talk.topic.as_ref()?;
    let parts = topic.words();
    let named = |t: &Token<'_>| {
        let capital = t.is_capital()
            && !t.first
            && !words::is_grammar(&t.lower)
            && !words::is_calendar(&t.lower);
        let own = t.clitic
            || t.is_code()
            || text::words::runs(&t.lower).any(|run| parts.iter().any(|p| p == run));
        capital || own
    };
    if text.contains(['"', '“']) || tokens.iter().any(named) {
        return None;
    }
    if let Some(word) = preposition(tokens) {
        return Some(Tie::Tail(format!("{word} {}", topic.name)));
    }
    let owned = |t: &&Token<'_>| t.lower == "the" && !t.closes && t.end < text.trim_end().len();
    let article = tokens.iter().find(owned)?;
    let owner = Edit::of(article, article, possessive(&topic.name));
    Some(Tie::Owner(owner))
}

/// How the topic is tied to a question, by the way that it opens.
fn preposition(tokens: &[Token<'_>]) -> Option<&'static str> {
    let says = |word: &str| tokens.iter().any(|t| t.lower == word);
    let pointed = |t: &&Token<'_>| t.lower == "the" && !t.closes;
    match () {
        () if says("happened") || says("happen") || says("happens") => Some("to"),
        () if says("these") || says("this") && !says("article") => None,
        () if says("article") => Some("on"),
        () if says("tell") || says("else") => Some("about"),
        () if says("anything") || says("interesting") => Some("about"),
        () if tokens.iter().any(|t| pointed(&t)) => None,
        () if tokens
            .windows(2)
            .any(|w| words::is_auxiliary(&w[0].lower) && w[1].lower == "there") =>
        {
            Some("for")
        }
        () if says("other") => Some("for"),
        () => None,
    }
}
