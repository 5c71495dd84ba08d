//! Rewrites questions for more: "What else" and "any other teams" get the words "besides" and what has just been
//! answered.

use super::mentions::{Mention, Sort, shares_word};
use super::pronouns::possessive;
use super::talk::Talk;
use super::tokens::{self, Token};
use crate::vocabulary as words;

/// An answer of at most so many words is what the question asks for more of.
const ANSWER_WORDS_MAX: usize = 6;
/// The most words of what belongs to the topic.
const OWN_WORDS_MAX: usize = 2;
/// How many answers back that is looked for.
const TURNS_BACK: usize = 2;

/// Whether a question asks for more of the same.
pub(super) fn asks_for_more(tokens: &[Token<'_>]) -> bool {
    let says = |word: &str| tokens.iter().any(|t| t.lower == word);
    let each_other = tokens
        .windows(2)
        .any(|w| w[0].lower == "each" && w[1].lower == "other");
    let already = ["besides", "than", "aside", "except", "apart"]
        .into_iter()
        .any(says);
    (says("other") || says("else") || says("another") || says("others")) && !already && !each_other
}

/// What a question that asks for more already has.
pub(super) fn had(talk: &Talk, tokens: &[Token<'_>]) -> Option<String> {
    let said = |name: &str| {
        let told = |t: &&Token<'_>| !words::is_grammar(&t.lower);
        tokens
            .iter()
            .filter(told)
            .any(|t| shares_word(name, t.text))
    };
    let turn = talk
        .turns
        .iter()
        .rev()
        .take(TURNS_BACK)
        .find(|turn| tells(&turn.answer))?;
    let named = |wanted: fn(&Mention) -> bool| {
        let found = turn
            .in_answer
            .iter()
            .find(|m| wanted(m) && !talk.is_topic(m));
        found.map(|m| m.text.clone())
    };
    let more = wanted(tokens);
    let had = match more {
        More::People => named(|m| m.sort == Sort::Person || m.sort == Sort::Name),
        More::Works => named(|m| m.sort == Sort::Work)
            .or_else(|| named(|m| m.sort == Sort::Name && m.noun.is_some())),
        More::Groups => {
            named(|m| m.sort == Sort::Group).or_else(|| named(|m| m.sort == Sort::Name))
        }
        More::Any => named(|m| m.sort == Sort::Work || m.sort == Sort::Code),
        More::Said => None,
    };
    let had = match more {
        More::Said => talked_of(talk),
        _ => had.or_else(|| whole(&turn.answer, ANSWER_WORDS_MAX)),
    };
    had.filter(|name| !said(name))
}

/// What of the topic was asked about: "the Corvane agreement's notice period".
fn talked_of(talk: &Talk) -> Option<String> {
    let owner = possessive(talk.topic_name()?);
    talk.turns.iter().rev().find_map(|turn| {
        let at = turn.asked.find(&owner)?;
        let rest = &turn.asked[at + owner.len()..];
        let tokens = tokens::read(rest);
        let own = tokens
            .iter()
            .take_while(|t| !words::is_grammar(&t.lower))
            .take(OWN_WORDS_MAX);
        let closed = tokens
            .iter()
            .position(|t| t.closes)
            .map_or(usize::MAX, |at| at + 1);
        let end = own.take(closed).last()?.end;
        Some(format!("{owner}{}", &rest[..end]))
    })
}

/// What more is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum More {
    People,
    Works,
    Groups,
    /// Whatever can be had more of.
    Any,
    /// More of what the conversation is about: nothing in particular was had.
    Said,
}

fn wanted(tokens: &[Token<'_>]) -> More {
    let says = |list: &[&str]| tokens.iter().any(|t| list.contains(&t.lower.as_str()));
    let noun = |list: fn(&str) -> bool| tokens.iter().any(|t| list(&t.lower));
    match () {
        () if says(&[
            "who", "whom", "anyone", "anybody", "someone", "people", "members",
        ]) =>
        {
            More::People
        }
        () if says(&["article", "interesting", "tell", "know"]) => More::Said,
        () if noun(words::is_work_head) => More::Works,
        () if noun(words::is_group_head) || says(&["teams", "bands", "groups", "firms"]) => {
            More::Groups
        }
        () => More::Any,
    }
}

/// Whether an answer says anything.
fn tells(answer: &str) -> bool {
    let lower = answer.to_lowercase();
    let nothing = ["i don't know", "i do not know", "no answer", "not stated"];
    !nothing
        .into_iter()
        .any(|nothing| lower.starts_with(nothing))
}

/// An answer that is short enough to be taken whole.
pub(super) fn whole(answer: &str, words_max: usize) -> Option<String> {
    let line = text::one_line(answer);
    let line = line.trim_matches(|c: char| !c.is_alphanumeric() && c != '"');
    let tokens = tokens::read(line);
    let first = tokens.first()?;
    let starts = !words::is_opening(&first.lower);
    let verb = tokens.iter().any(|t| words::is_auxiliary(&t.lower));
    (tokens.len() <= words_max && starts && tells(line) && !verb).then(|| line.to_owned())
}
