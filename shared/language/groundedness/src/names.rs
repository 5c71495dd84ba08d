//! Finds the names in a sentence: runs of capitalised words, except a word that has its capital only because the
//! sentence begins with it. *Not* here: what a name refers to.

use crate::reading::{Sentence, Token};
use std::ops::Range;
use text::{fold, is_of, months};

/// The names of a sentence as runs of its tokens, without legal forms at their ends.
pub(crate) fn of(sentence: &Sentence) -> Vec<Range<usize>> {
    let tokens = &sentence.tokens;
    // Where nearly every word has a capital, it says nothing.
    let all = sentence.content().count();
    let capitals = sentence.content().filter(|token| token.is_capital).count();
    if all >= 4 && capitals * 10 > all * 8 {
        return Vec::new();
    }
    let mut names: Vec<Range<usize>> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let is_opened = at > 0 && token.is_quoted && !tokens[at - 1].is_quoted;
        if !is_name(token, is_opened) {
            continue;
        }
        match names.last_mut() {
            Some(last) if last.end == at && !token.is_parted && !is_owner(&tokens[at - 1]) => {
                last.end = at + 1;
            }
            _ => names.push(at..at + 1),
        }
    }
    for name in &mut names {
        let is_form = |at: usize| fold::is_legal_form(&tokens[at].word.lower);
        while name.len() > 1 && is_form(name.end - 1) {
            name.end -= 1;
        }
    }
    names
}

/// Whether a name ends with a possessive: `ESPN's Jeff Passan` has two names.
fn is_owner(token: &Token) -> bool {
    token.at.len() > token.word.lower.len()
}

fn is_name(token: &Token, is_opened: bool) -> bool {
    let word = &token.word;
    let lower = &*word.lower;
    if !token.is_capital || token.is_value || !word.is_content() || lower.len() < 2 {
        return false;
    }
    if months::ENGLISH.contains(&lower) || is_of(lower, words!(no_names)) {
        return false;
    }
    // A beginning has a capital whatever it is; and so has a term that a text defines.
    match token.is_first || is_opened {
        true => word.is_seen_capital.get() && !word.is_seen_small.get(),
        false => word.is_seen_capital.get() || !word.is_seen_small.get(),
    }
}
