//! Splits one question into several that are searched for separately: the sides of a comparison, and clauses about
//! different things.
//!
//! The rules are shallow and deterministic: they look at conjunctions and at how many words are between them. *Not* a
//! parser. A split is sometimes wrong; the whole question is searched for as well, so a bad part costs a search and
//! hides nothing.

use super::question::{Kind, bare, clauses, is_year, joined, kind_of};
use super::vocabulary::{is_comparing, is_joining};
use envelope::limits::{SUB_QUERIES_MAX, SUB_QUERY_CHARS_MAX};
use text::Language;

/// A clause of fewer telling words is part of its neighbour.
const CLAUSE_WORDS_MIN: usize = 4;
/// Most tokens between two things that are held against each other.
const GAP_MAX: usize = 7;
/// Most telling words among them: "the Delta pump and the Epsilon pump".
const GAP_TELLING_MAX: usize = 2;
/// Most terms that a clause which names nothing takes over from the one before it.
const INHERITED_MAX: usize = 4;
/// Tokens within which a quotation has to end to be one.
const QUOTED_MAX: usize = 30;
/// Words between two things that are always held against each other.
const OPPOSING: [&str; 4] = ["or", "than", "versus", "vs"];

/// The parts of `question`; empty when it is a simple question.
pub fn sub_queries(question: &str) -> Vec<String> {
    let parts = match told_apart(question) {
        parts if parts.len() >= 2 => parts,
        _ => held_against(question),
    };
    let fits = |part: &String| (1..=SUB_QUERY_CHARS_MAX).contains(&part.chars().count());
    let mut parts: Vec<String> = parts.into_iter().filter(fits).collect();
    parts.dedup();
    parts.truncate(SUB_QUERIES_MAX);
    match parts.len() {
        0 | 1 => Vec::new(),
        _ => parts,
    }
}

/// One token of a question.
struct Token<'a> {
    raw: &'a str,
    kind: Option<Kind>,
}

impl Token<'_> {
    fn is_telling(&self) -> bool {
        self.kind.is_some_and(|kind| kind != Kind::Generic)
    }

    fn word(&self) -> String {
        bare(self.raw).to_lowercase()
    }

    fn closes(&self) -> bool {
        self.raw.ends_with([',', ';', '?', ':', '.'])
    }
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let raw = text.split_whitespace().enumerate();
    raw.map(|(at, raw)| Token {
        raw,
        kind: kind_of(bare(raw), Language::English, at == 0),
    })
    .collect()
}

/// A stretch of tokens.
struct Clause {
    from: usize,
    to: usize,
    telling: usize,
}

/// The clauses of a question, when it has several that say something.
fn told_apart(question: &str) -> Vec<String> {
    let asked: Vec<&str> = clauses(question);
    if asked.len() > 1 {
        return inherited(asked.iter().map(|clause| tokens(clause)).collect());
    }
    let tokens = tokens(question);
    let mut all = merged(&tokens, cut(&tokens));
    while all.len() > SUB_QUERIES_MAX {
        let pairs = all.windows(2).map(|two| two[0].telling + two[1].telling);
        let Some((at, _)) = pairs.enumerate().min_by_key(|(_, telling)| *telling) else {
            break;
        };
        let gone = all.remove(at + 1);
        all[at].to = gone.to;
        all[at].telling += gone.telling;
    }
    let mut rest = tokens;
    let mut parts = Vec::new();
    for clause in all.iter().rev() {
        parts.push(rest.split_off(clause.from));
    }
    parts.reverse();
    inherited(parts)
}

/// Cuts before joining words and behind commas, outside of quotations.
fn cut(tokens: &[Token<'_>]) -> Vec<usize> {
    let mut cuts = Vec::new();
    let mut quoted_to = 0;
    for (at, token) in tokens.iter().enumerate() {
        if at >= quoted_to {
            quoted_to = quotation_end(&tokens[at..]).map_or(at, |length| at + length);
        }
        let inside = at + 1 < quoted_to;
        let joins = is_joining(&token.word());
        if joins && !inside && at > 0 {
            cuts.push(at);
        }
        if token.closes() && !inside {
            cuts.push(at + 1);
        }
    }
    cuts
}

/// How many tokens a quotation has that begins here.
fn quotation_end(tokens: &[Token<'_>]) -> Option<usize> {
    const QUOTES: [(char, char); 4] = [('"', '"'), ('\'', '\''), ('“', '”'), ('‘', '’')];
    let first = tokens.first()?.raw.chars().next()?;
    let (_, close) = QUOTES.into_iter().find(|(open, _)| *open == first)?;
    let ends = |token: &Token<'_>| {
        let text = token.raw.trim_end_matches([',', ';', '?', ':', '.']);
        text.ends_with(close) && text.chars().count() > 1
    };
    let end = tokens.iter().take(QUOTED_MAX).position(ends)?;
    Some(end + 1)
}

/// Stretches between cuts; one that says little belongs to its neighbour.
fn merged(tokens: &[Token<'_>], mut cuts: Vec<usize>) -> Vec<Clause> {
    cuts.push(tokens.len());
    cuts.dedup();
    let mut all: Vec<Clause> = Vec::new();
    let mut from = 0;
    for to in cuts {
        let telling = tokens[from..to].iter().filter(|t| t.is_telling()).count();
        match all.last_mut() {
            Some(last) if last.telling < CLAUSE_WORDS_MIN || telling < CLAUSE_WORDS_MIN => {
                last.to = to;
                last.telling += telling;
            }
            _ => all.push(Clause { from, to, telling }),
        }
        from = to;
    }
    all
}

/// The texts of clauses. One that names nothing is about what the one before it names.
fn inherited(clauses: Vec<Vec<Token<'_>>>) -> Vec<String> {
    let mut names: Vec<&str> = Vec::new();
    let mut parts = Vec::new();
    for clause in clauses {
        let words: Vec<&str> = clause
            .iter()
            .map(|token| token.raw)
            .skip_while(|raw| is_joining(&bare(raw).to_lowercase()))
            .collect();
        let own: Vec<&str> = clause
            .iter()
            .filter(|token| is_thing(token.kind, bare(token.raw)))
            .map(|token| bare(token.raw))
            .collect();
        let said = words.join(" ");
        let said = said.trim_end_matches([',', ';', ':', '?', '.']);
        if own.is_empty() {
            let about = [said].into_iter().chain(names.iter().copied());
            parts.push(about.collect::<Vec<_>>().join(" "));
        } else {
            parts.push(said.to_owned());
            names = own;
            names.truncate(INHERITED_MAX);
        }
    }
    parts
}

/// Whether it can be one of several things that are held against each other.
fn is_thing(kind: Option<Kind>, text: &str) -> bool {
    let specific = matches!(kind, Some(Kind::Identifier | Kind::Name | Kind::Label));
    specific || kind == Some(Kind::Number) && is_year(text)
}

/// A thing that a question names: tokens `from..to`.
#[derive(Clone, Copy)]
struct Thing {
    from: usize,
    to: usize,
    kind: Kind,
}

/// The question once for each of the things that it holds against each other, with the others left
/// out: "the price of A and B" is "the price of A" and "the price of B".
fn held_against(question: &str) -> Vec<String> {
    let tokens = tokens(question);
    let compares = tokens.iter().any(|t| is_comparing(&t.word()))
        || tokens.first().is_some_and(|t| t.word() == "which");
    let things = things(&tokens);
    let mut chain: Vec<Thing> = Vec::new();
    for thing in things {
        let opposed = |last: &Thing| {
            let gap = &tokens[last.to..thing.from];
            last.kind == thing.kind && is_joined(&tokens[last.to - 1], gap, thing.kind, compares)
        };
        if chain.last().is_some_and(opposed) {
            chain.push(thing);
        } else if chain.len() < 2 {
            chain = vec![thing];
        } else {
            break;
        }
    }
    if chain.len() < 2 {
        chain = sides(&tokens).map_or(chain, Vec::from);
    }
    chain.truncate(SUB_QUERIES_MAX);
    let (Some(first), Some(last)) = (chain.first(), chain.last()) else {
        return Vec::new();
    };
    let (head, tail) = (&tokens[..first.from], &tokens[last.to..]);
    let without = |thing: &Thing| {
        let own = &tokens[thing.from..thing.to];
        let words = head.iter().chain(own).chain(tail);
        let words = words.map(|token| bare(token.raw)).filter(|w| !w.is_empty());
        words.collect::<Vec<_>>().join(" ")
    };
    chain.iter().map(without).collect()
}

/// The words on both sides of a `versus`, whatever they are: `cooling at low vs full load`.
fn sides(tokens: &[Token<'_>]) -> Option<[Thing; 2]> {
    let at = tokens
        .iter()
        .position(|token| OPPOSING[2..].contains(&token.word().as_str()))?;
    let side = |from: usize| {
        let kind = tokens.get(from)?.kind?;
        let to = from + 1;
        Some(Thing { from, to, kind })
    };
    let articles = tokens[at + 1..]
        .iter()
        .take_while(|token| token.kind.is_none())
        .count();
    Some([side(at.checked_sub(1)?)?, side(at + 1 + articles)?])
}

fn things(tokens: &[Token<'_>]) -> Vec<Thing> {
    let raw: Vec<&str> = tokens.iter().map(|token| token.raw).collect();
    let mut things: Vec<Thing> = Vec::new();
    let mut from = 0;
    while from < tokens.len() {
        let (kind, count) = joined(&raw[from..]);
        let kind = kind.or(tokens[from].kind);
        let to = from + count;
        let goes_on =
            |last: &Thing| last.to == from && last.kind == Kind::Name && !tokens[from - 1].closes();
        match things.last_mut().filter(|last| goes_on(last)) {
            Some(last) if kind == Some(Kind::Name) => last.to = to,
            _ => {
                if let Some(kind) = kind.filter(|k| is_thing(Some(*k), bare(raw[from]))) {
                    things.push(Thing { from, to, kind });
                }
            }
        }
        from = to;
    }
    things
}

/// Whether what stands between two things holds them against each other.
fn is_joined(before: &Token<'_>, gap: &[Token<'_>], kind: Kind, compares: bool) -> bool {
    if gap.is_empty() {
        return before.raw.ends_with(',') && (compares || kind != Kind::Name);
    }
    let says = |token: &&Token<'_>| token.is_telling() && !is_joining(&token.word());
    let telling = gap.iter().filter(says).count();
    if gap.len() > GAP_MAX || telling > GAP_TELLING_MAX {
        return false;
    }
    let has = |words: &[&str]| gap.iter().any(|t| words.contains(&t.word().as_str()));
    match kind {
        Kind::Name => {
            has(&OPPOSING[1..]) || compares && has(&["and", "or", "with", "to", "compared"])
        }
        _ => has(&OPPOSING) || has(&["and"]) || compares && has(&["with", "to", "compared"]),
    }
}

#[cfg(test)]
#[path = "parts_tests.rs"]
mod tests;
