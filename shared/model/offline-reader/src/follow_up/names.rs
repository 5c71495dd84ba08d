//! Completes shortened names, and nouns that refer back: "Nixon" becomes "Richard Nixon", "the band" gets the name of
//! the band.

use super::mentions::{Mention, Sort};
use super::talk::Talk;
use super::tokens::{Edit, Token};
use crate::vocabulary as words;

/// A title of more words is not put in the place of one of them.
const WORDS_MAX: usize = 4;

/// The edit that writes the topic out where the question has only a part of its name.
pub(super) fn written_out(talk: &Talk, tokens: &[Token<'_>]) -> Option<Edit> {
    let topic = talk.topic.as_ref()?;
    // A question that nothing came before says as much as its asker thought it needs.
    talk.last()?;
    let parts = topic.words();
    let is_part = |t: &Token<'_>| {
        let whole = text::words::runs(&t.lower).all(|run| parts.iter().any(|part| part == run));
        whole && !words::is_grammar(&t.lower)
    };
    let at = tokens.iter().position(is_part)?;
    let len = tokens[at..].iter().take_while(|t| is_part(t)).count();
    let run = &tokens[at..at + len];
    // A name cut short keeps its end or its beginning; a word from the middle is just a word.
    let said: Vec<&str> = run
        .iter()
        .flat_map(|t| text::words::runs(&t.lower))
        .collect();
    let (first, last) = (parts.first()?, parts.last()?);
    let edge = said.first() == Some(&first.as_str()) || said.last() == Some(&last.as_str());
    let short = said.len() < parts.len() && parts.len() <= WORDS_MAX;
    // Words of a title that have no capital of their own are words of the language.
    let capital = run.iter().any(Token::is_capital) || talk.topic_is_person();
    if !edge || !short || !capital || run.iter().any(|t| is_common(&t.lower)) {
        return None;
    }
    let before = at.checked_sub(1).map(|at| &tokens[at]);
    // Part of another name, unless only a title of a person stands before it.
    let in_name = |t: &Token<'_>| t.is_capital() && !t.first && !words::is_grammar(&t.lower);
    let after = tokens.get(at + len);
    if before.is_some_and(in_name) || after.is_some_and(|t| in_name(t) && !t.opens) {
        return None;
    }
    let article =
        before.filter(|t| t.lower == "the" && topic.name.to_lowercase().starts_with("the "));
    let first = article.unwrap_or(&run[0]);
    Some(Edit::of(first, &run[len - 1], topic.name.clone()))
}

fn is_common(word: &str) -> bool {
    words::is_head(word) || words::is_calendar(word)
}

/// The edit that gives "the band", "this album" or the like its name.
pub(super) fn pointed(talk: &Talk, tokens: &[Token<'_>]) -> Option<Edit> {
    if named_elsewhere(talk, tokens) {
        return None;
    }
    tokens.iter().enumerate().find_map(|(at, token)| {
        let article = ["the", "this", "that"].contains(&token.lower.as_str());
        let noun = tokens.get(at + 1).filter(|_| article)?;
        let next = tokens.get(at + 2).filter(|_| !noun.closes);
        // "the band members", "the album California", "the song of the year" say more themselves.
        let says_more = next.is_some_and(|t| t.lower == "of" || t.is_capital() || is_noun_like(t));
        if !words::is_head(&noun.lower) || says_more || noun.clitic || noun.is_capital() {
            return None;
        }
        Some(Edit::of(token, noun, name_of(talk, noun)?))
    })
}

/// Whether a word behind a noun makes one thing with it: "the band name", but not "did the band tour".
fn is_noun_like(token: &Token<'_>) -> bool {
    let word = token.lower.as_str();
    words::is_head(word) && !words::is_verb_too(word) || words::is_part(word)
}

/// Whether the question names the topic by itself.
fn named_elsewhere(talk: &Talk, tokens: &[Token<'_>]) -> bool {
    let Some(topic) = &talk.topic else {
        return false;
    };
    let parts = topic.words();
    tokens
        .iter()
        .any(|t| parts.contains(&t.lower) && !words::is_head(&t.lower))
}

/// What a noun that points back means, with the noun itself where it is a name.
fn name_of(talk: &Talk, noun: &Token<'_>) -> Option<String> {
    let behind = |name: String| format!("the {} {name}", noun.text);
    let noun = noun.lower.as_str();
    // Something longer that ends in the same word, or a name that was said with it.
    let longer = |m: &Mention| {
        m.sort == Sort::Thing && m.noun.as_deref() == Some(noun) && m.text.split(' ').count() > 2
    };
    let said_with = |m: &Mention| m.sort != Sort::Thing && m.noun.as_deref() == Some(noun);
    if let Some(name) = talk.latest(said_with) {
        return Some(behind(name));
    }
    let one = !noun.ends_with('s') || noun == "series";
    if words::is_work_head(noun) && one {
        let work = |m: &Mention| m.sort == Sort::Work;
        if let Some(name) = talk.latest(work) {
            return Some(behind(name));
        }
    }
    if words::is_group_head(noun) && !talk.topic_is_person() {
        return talk.topic_name().map(|name| behind(name.to_owned()));
    }
    talk.latest(longer)
}
