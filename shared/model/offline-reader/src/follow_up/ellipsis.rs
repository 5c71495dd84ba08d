//! Completes questions that leave most words out, from the question before: "Why?", "What about X?", "And in 2024?",
//! "Any sisters?".

use super::subject;
use super::talk::Talk;
use super::tokens::{self, Edit, Token};
use crate::vocabulary as words;

/// A fragment of more words is a question of its own.
const WORDS_MAX: usize = 8;

/// The whole question that a fragment stands for; `None` when `text` is no fragment.
pub(super) fn filled(talk: &Talk, text: &str, read: &[Token<'_>]) -> Option<String> {
    let last = &talk.last()?.asked;
    let before = tokens::read(last);
    if before.len() < 3 || read.is_empty() || read.len() > WORDS_MAX + 3 {
        return None;
    }
    if is_anything_else(read) {
        return anything_else(last, &before);
    }
    if let Some(rest) = bare_question_word(text, read) {
        return Some(why(rest, last, &before));
    }
    let fragment = fragment(read)?;
    let part = &text[fragment[0].start..fragment[fragment.len() - 1].end];
    put_in(fragment, part, last, &before)
}

/// "Why?", "When exactly?", "For how long?": words that ask, and nothing asked about.
fn bare_question_word<'a>(text: &'a str, read: &[Token<'_>]) -> Option<&'a str> {
    let from =
        usize::from(read.len() > 1 && ["and", "but", "so"].contains(&read[0].lower.as_str()));
    let read = &read[from..];
    let asks = read
        .iter()
        .position(|t| words::is_question_word(&t.lower))?;
    let led = asks == 0 || asks == 1 && words::is_preposition(&read[0].lower);
    let rest = read[asks + 1..].iter().all(|t| words::is_small(&t.lower));
    let first = read.first()?;
    let last = read.last()?;
    (led && rest && read.len() <= 3).then(|| &text[first.start..last.end])
}

/// A question word before the question that it is asked of.
fn why(asked: &str, last: &str, before: &[Token<'_>]) -> String {
    let asked = capital(asked.strip_suffix(" so").unwrap_or(asked));
    let mark = last.trim_end().trim_end_matches(['?', '.', '!']);
    let yes_or_no = words::is_auxiliary(&before[0].lower);
    let wh = before
        .iter()
        .take(3)
        .position(|t| ["when", "where", "why", "how"].contains(&t.lower.as_str()));
    let verb = |at: usize| {
        before
            .get(at)
            .is_some_and(|t| words::is_auxiliary(&t.lower))
    };
    let inverted = wh.and_then(|at| match before[at].lower.as_str() {
        // "How much did" and "how often does" have a word more.
        "how" if verb(at + 2) => Some(at + 1),
        _ => verb(at + 1).then_some(at),
    });
    match inverted {
        _ if yes_or_no => format!("{asked} {}?", small(&mark[before[0].start..])),
        Some(at) => format!("{asked} {}?", &mark[before[at + 1].start..]),
        None => format!(
            "{asked}, with regard to {}?",
            small(&mark[before[0].start..])
        ),
    }
}

fn is_anything_else(read: &[Token<'_>]) -> bool {
    let said: Vec<&str> = read.iter().map(|t| t.lower.as_str()).collect();
    matches!(
        said[..],
        ["anything", "else"]
            | ["what", "else"]
            | ["and", "what", "else"]
            | ["any", "others"]
            | ["who", "else"]
    )
}

/// "What did she invent?" becomes "What else did she invent?".
fn anything_else(last: &str, before: &[Token<'_>]) -> Option<String> {
    let first = &before[0];
    let asks = ["what", "who", "which", "where"].contains(&first.lower.as_str());
    let said = before
        .iter()
        .any(|t| t.lower == "else" || t.lower == "other");
    let next = before.get(1)?;
    (asks && !said && words::is_auxiliary(&next.lower) || first.lower == "who").then(|| {
        format!(
            "{} else{}",
            &last[first.start..first.end],
            &last[first.end..]
        )
    })
}

/// The words that a fragment puts in: those behind "what about" or "and", if there is no verb.
fn fragment<'a, 't>(read: &'a [Token<'t>]) -> Option<&'a [Token<'t>]> {
    let said: Vec<&str> = read.iter().map(|t| t.lower.as_str()).collect();
    let opening = match said[..] {
        ["and" | "but" | "so" | "or", "what" | "how", "about", ..] => 3,
        ["what" | "how", "about", ..] => 2,
        ["and" | "but" | "or", ..] => 1,
        ["any", ..] => 0,
        [first, ..] if words::is_preposition(first) => 0,
        _ => return None,
    };
    let rest = &read[opening..];
    let verb = rest.iter().any(|t| {
        words::is_auxiliary(&t.lower) && t.lower != "may" || words::is_question_word(&t.lower)
    });
    let pointing = rest.len() == 1 && words::is_grammar(&rest[0].lower);
    (!rest.is_empty() && rest.len() <= WORDS_MAX && !verb && !pointing).then_some(rest)
}

/// The last question with the fragment in the place of what is like it, or behind it.
fn put_in(fragment: &[Token<'_>], part: &str, last: &str, before: &[Token<'_>]) -> Option<String> {
    let like = same_frame(fragment, before)
        .or_else(|| same_kind(fragment, before))
        .or_else(|| same_head(fragment, before));
    if like.is_none()
        && is_article(&fragment[0])
        && let Some(asked) = subject::asked_of(part, last, before)
    {
        return Some(asked);
    }
    if let Some((from, to)) = like.or_else(|| asked_for(fragment, before)) {
        let edit = Edit::of(&before[from], &before[to - 1], part.to_owned());
        return Some(tokens::apply(last, vec![edit]));
    }
    if words::is_preposition(&fragment[0].lower) {
        let mark = last.trim_end().trim_end_matches(['?', '.', '!']);
        return Some(format!("{mark} {part}?"));
    }
    None
}

/// The same words with one of them changed: "a family of 4" and "a family of 5", "in May" and "in
/// June". The longest such run, of two words and more.
fn same_frame(fragment: &[Token<'_>], before: &[Token<'_>]) -> Option<(usize, usize)> {
    let len = fragment.len();
    if len < 2 || before.len() < len {
        return None;
    }
    let differing = |at: usize| {
        let pairs = fragment.iter().zip(&before[at..at + len]);
        pairs
            .filter(|(a, b)| a.lower != b.lower)
            .collect::<Vec<_>>()
    };
    let at = (0..=before.len() - len).rev().find(|&at| {
        let apart = differing(at);
        // Two plain words make a frame only between others: "the power" is not "the collector".
        let framed = |t: &Token<'_>| len > 2 || kind(t) != Kind::Word;
        apart.len() == 1 && alike(apart[0].0, apart[0].1) && framed(apart[0].1)
    })?;
    Some((at, at + len))
}

/// Whether two words are of one kind, and neither is one of grammar.
fn alike(a: &Token<'_>, b: &Token<'_>) -> bool {
    let telling = |t: &Token<'_>| !words::is_grammar(&t.lower) || number(t);
    telling(a) && telling(b) && kind(a) == kind(b)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Year,
    Number,
    Code,
    Month,
    Name,
    Word,
}

fn number(token: &Token<'_>) -> bool {
    token.is_number() || words::is_small_number(&token.lower)
}

fn kind(token: &Token<'_>) -> Kind {
    match () {
        () if token.is_year() => Kind::Year,
        () if number(token) => Kind::Number,
        () if token.is_code() => Kind::Code,
        () if words::is_calendar(&token.lower) => Kind::Month,
        () if token.is_capital() && !token.first => Kind::Name,
        () => Kind::Word,
    }
}

/// A year for a year, a code for a code, a name for a name; articles and prepositions aside.
fn same_kind(fragment: &[Token<'_>], before: &[Token<'_>]) -> Option<(usize, usize)> {
    let own = fragment
        .iter()
        .position(|t| !words::is_grammar(&t.lower) || number(t))?;
    // "What about Berlin" opens no sentence: its capital is a name's.
    let wanted = match kind(&fragment[own]) {
        Kind::Word if fragment[own].is_capital() => Kind::Name,
        kind => kind,
    };
    if wanted == Kind::Word {
        return None;
    }
    let is_like =
        |t: &Token<'_>| kind(t) == wanted && !(wanted == Kind::Name && words::is_grammar(&t.lower));
    let mut end = before.iter().rposition(is_like)? + 1;
    let mut start = end - 1;
    while wanted == Kind::Name
        && start > 0
        && is_like(&before[start - 1])
        && !before[start - 1].closes
    {
        start -= 1;
    }
    if wanted == Kind::Name {
        end = subject::noun_behind(&fragment[own..], before, start, end);
    }
    // What stands before the word in both goes with it: "in 2023" and "in 2024", "the".
    let mut led = own;
    while led > 0 && start > 0 && leads_alike(&fragment[led - 1], &before[start - 1]) {
        led -= 1;
        start -= 1;
    }
    // "Of the", said once more, is not said twice.
    let covered = led == 0 || !words::is_preposition(&fragment[0].lower);
    covered.then_some((start, end))
}

fn leads_alike(a: &Token<'_>, b: &Token<'_>) -> bool {
    let both = |list: fn(&str) -> bool| list(&a.lower) && list(&b.lower);
    both(words::is_preposition) || both(words::is_the)
}

/// "For two" where the question before says "for" something else.
fn same_head(fragment: &[Token<'_>], before: &[Token<'_>]) -> Option<(usize, usize)> {
    let first = &fragment[0].lower;
    if !words::is_preposition(first) {
        return None;
    }
    let at = before.iter().rposition(|t| t.lower == *first && !t.first)?;
    let rest = before[at + 1..].iter();
    let len = rest
        .take_while(|t| !words::is_preposition(&t.lower) && !words::is_auxiliary(&t.lower))
        .count();
    (len > 0 && len <= 4).then_some((at, at + 1 + len))
}

/// "And the power?" after "What is the voltage of it?": what is asked for gives way.
fn asked_for(fragment: &[Token<'_>], before: &[Token<'_>]) -> Option<(usize, usize)> {
    let any = ["any", "a", "an"].contains(&fragment[0].lower.as_str());
    let place = |wanted: &dyn Fn(&Token<'_>) -> bool| {
        let at = before.iter().position(|t| wanted(t) && !t.closes)?;
        let len = before[at + 1..]
            .iter()
            .take_while(|t| !words::is_grammar(&t.lower))
            .count();
        (len > 0).then_some((at, at + 1 + len))
    };
    match () {
        () if any => place(&|t| ["any", "a", "an"].contains(&t.lower.as_str())),
        () if is_article(&fragment[0]) => place(&is_article),
        () => None,
    }
}

fn is_article(t: &Token<'_>) -> bool {
    ["the", "its", "their", "his", "her"].contains(&t.lower.as_str())
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

/// An opening auxiliary or question word in lower case; a name keeps its capital.
fn small(text: &str) -> String {
    let word = text.split(' ').next().unwrap_or_default().to_lowercase();
    let grammar = words::is_auxiliary(&word) || words::is_question_word(&word);
    match text.chars().next() {
        Some(first) if grammar => first.to_lowercase().chain(text.chars().skip(1)).collect(),
        _ => text.to_owned(),
    }
}
