//! "What else", "any other teams": besides what has just been answered.

use super::mentions::{Mention, Sort, shares_word};
use super::talk::Talk;
use super::tokens::{self, Token};
use super::vocabulary as words;

/// An answer of at most so many words is what the question asks for more of.
const ANSWER_WORDS_MAX: usize = 6;
/// How many answers back that is looked for.
const TURNS_BACK: usize = 2;

/// Whether a question asks for more of the same.
pub(super) fn asks_for_more(tokens: &[Token<'_>]) -> bool {
    let says = |word: &str| tokens.iter().any(|t| t.lower == word);
    let each_other = tokens.windows(2).any(|w| w[0].lower == "each" && w[1].lower == "other");
    let already = ["besides", "than", "aside", "except", "apart"].into_iter().any(says);
    (says("other") || says("else") || says("another") || says("others")) && !already && !each_other
}

/// What a question that asks for more already has.
pub(super) fn had(talk: &Talk, tokens: &[Token<'_>]) -> Option<String> {
    let said = |name: &str| tokens.iter().any(|t| !words::is_grammar(&t.lower) && shares_word(name, t.text));
    let turns = talk.turns.iter().rev().take(TURNS_BACK);
    let found = turns.filter(|turn| tells(&turn.answer)).find_map(|turn| {
        whole(&turn.answer).or_else(|| {
            let named = |sort: fn(Sort) -> bool| {
                let wanted = |m: &&Mention| sort(m.sort) && !talk.is_topic(m);
                turn.in_answer.iter().find(wanted).map(|m| m.text.clone())
            };
            named(|sort| sort == Sort::Work).or_else(|| named(|sort| sort != Sort::Thing))
        })
    });
    found.filter(|name| !said(name))
}

/// Whether an answer says anything.
fn tells(answer: &str) -> bool {
    let lower = answer.to_lowercase();
    let nothing = ["i don't know", "i do not know", "no answer", "not stated"];
    !nothing.into_iter().any(|nothing| lower.starts_with(nothing))
}

/// An answer that is short enough to be taken whole.
fn whole(answer: &str) -> Option<String> {
    let line = text::one_line(answer);
    let line = line.trim_matches(|c: char| !c.is_alphanumeric() && c != '"');
    let tokens = tokens::read(line);
    let first = tokens.first()?;
    let starts = !["yes", "no", "he", "she", "they", "it", "i", "in", "on", "and", "but"].contains(&first.lower.as_str());
    let verb = tokens.iter().any(|t| words::is_auxiliary(&t.lower));
    (tokens.len() <= ANSWER_WORDS_MAX && starts && !verb).then(|| line.to_owned())
}
