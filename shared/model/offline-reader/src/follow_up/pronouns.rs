//! Replaces the pronouns of a question by what they refer to.

use super::mentions::shares_word;
use super::talk::{Class, Talk, class_of, is_owned};
use super::tokens::{Edit, Token};
use crate::vocabulary as words;

/// The edits that put names in the place of pronouns. Only the first pronoun of a kind is replaced:
/// the rest is understood.
pub(super) fn edits(talk: &mut Talk, tokens: &[Token<'_>]) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut done: Vec<Class> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let owned = is_owned(tokens.get(at + 1), token.closes);
        let Some((class, owns)) = class_of(&token.lower, owned) else {
            continue;
        };
        if done.contains(&class) || explained(tokens, at, class) {
            continue;
        }
        done.push(class);
        if class == Class::It && is_empty_it(tokens, at) {
            continue;
        }
        let Some(meant) = talk.referent(class) else {
            continue;
        };
        let said = |t: &Token<'_>| t.text == meant || t.is_capital() && shares_word(&meant, t.text);
        if tokens[..at].iter().any(said) {
            continue;
        }
        talk.bind(class, &meant);
        let with = if owns { possessive(&meant) } else { meant };
        edits.push(Edit::of(token, token, with));
    }
    edits
}

/// Whether the question itself says, before the pronoun, who is meant.
fn explained(tokens: &[Token<'_>], at: usize, class: Class) -> bool {
    let before = &tokens[..at];
    let is_name = |t: &Token<'_>| t.is_capital() && !t.first && !words::is_grammar(&t.lower);
    let opening = before.iter().position(is_name);
    let named = opening.is_some_and(|at| at > 0 && words::is_auxiliary(&tokens[at - 1].lower));
    match class {
        Class::She | Class::He => named,
        Class::They => named || before.iter().any(|t| t.lower == "people"),
        Class::It => named,
    }
}

/// "How long did it take", "is it true that": no thing is meant.
fn is_empty_it(tokens: &[Token<'_>], at: usize) -> bool {
    let next = tokens.get(at + 1).map_or("", |t| t.lower.as_str());
    let after = tokens.get(at + 2).map_or("", |t| t.lower.as_str());
    match next {
        "true" | "possible" | "likely" | "important" => true,
        "take" | "mean" => after == "to" || tokens.get(at + 3).is_some_and(|t| t.lower == "to"),
        _ => false,
    }
}

pub(super) fn possessive(name: &str) -> String {
    match name.strip_suffix('"') {
        Some(title) => format!("{title}\"'s"),
        None => format!("{name}'s"),
    }
}
