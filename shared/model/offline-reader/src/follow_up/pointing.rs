//! Replaces "this" and "that" by themselves, and "there", which mostly refer to something in the last answer.

use super::mentions::Sort;
use super::talk::Talk;
use super::tokens::{Edit, Token};
use crate::vocabulary as words;

/// An answer of at most so many words is itself what is pointed at.
const ANSWER_WORDS_MAX: usize = 4;

/// The edit for a bare "this" or "that".
pub(super) fn edit(talk: &Talk, tokens: &[Token<'_>]) -> Option<Edit> {
    let at = (0..tokens.len()).find(|&at| is_bare(tokens, at))?;
    let kept = |name: &str| tokens.iter().any(|t| t.is_capital() && t.text == name);
    let meant = target(talk).filter(|name| !kept(name))?;
    Some(Edit::of(&tokens[at], &tokens[at], meant))
}

/// Whether a "this" or "that" stands for a thing, and neither before a noun nor between clauses.
fn is_bare(tokens: &[Token<'_>], at: usize) -> bool {
    let token = &tokens[at];
    if !["this", "that"].contains(&token.lower.as_str()) {
        return false;
    }
    let before = at.checked_sub(1).map_or("", |at| tokens[at].lower.as_str());
    let opened = words::is_auxiliary(before) || words::is_preposition(before) || at == 0;
    // "Why was this", "what did this cause": nothing but a short end behind it.
    let left = tokens.len() - at - 1;
    let next = tokens.get(at + 1).map_or("", |t| t.lower.as_str());
    let ends = left == 0 || token.closes;
    let made = next.len() > 4 && next.ends_with("ed");
    // "After that" points at something that happened.
    let event = ["after", "before", "during", "since", "like"].contains(&before);
    opened && !event && (ends || words::is_predicate(next) || made || words::is_preposition(next))
}

fn target(talk: &Talk) -> Option<String> {
    let Some(turn) = talk.last() else {
        return talk
            .topic_name()
            .filter(|_| !talk.topic_is_person())
            .map(str::to_owned);
    };
    let named = |sort: fn(Sort) -> bool| {
        let found = turn
            .in_answer
            .iter()
            .find(|m| sort(m.sort) && !talk.is_topic(m));
        found.map(|m| m.text.clone())
    };
    named(|sort| matches!(sort, Sort::Work | Sort::Code))
        .or_else(|| super::others::whole(&turn.answer, ANSWER_WORDS_MAX))
}
