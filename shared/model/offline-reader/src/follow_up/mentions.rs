//! Finds the things that a text names: titles in quotation marks, runs of capitals, part numbers, and noun phrases
//! after "the". *Not* a recogniser of named entities: it uses capitals, neighbouring words and short lists.

use super::tokens::{self, Token};
use crate::vocabulary as words;

/// The longest name that stands in for a pronoun.
const BYTES_MAX: usize = 120;
/// The most mentions that are kept of one text.
const MENTIONS_MAX: usize = 24;

/// What a mention seems to be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Sort {
    Person,
    /// A company, a club, a band.
    Group,
    Place,
    /// A title in quotation marks.
    Work,
    /// A part or document number.
    Code,
    /// A name of an unknown kind.
    Name,
    /// A noun phrase.
    #[default]
    Thing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gender {
    She,
    He,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Mention {
    /// As written, without an article unless it is a noun phrase.
    pub(super) text: String,
    pub(super) sort: Sort,
    pub(super) gender: Option<Gender>,
    pub(super) plural: bool,
    /// Whether it opens its sentence.
    pub(super) subject: bool,
    /// The noun before it: "the album California" is a name behind "album".
    pub(super) noun: Option<String>,
}

impl Mention {
    pub(super) fn may_be_person(&self) -> bool {
        !self.plural && matches!(self.sort, Sort::Person | Sort::Name)
    }

    /// Whether the words of one are among those of the other.
    pub(super) fn overlaps(&self, name: &str) -> bool {
        shares_word(&self.text, name)
    }
}

/// Whether two names have a telling word in common.
pub(super) fn shares_word(a: &str, b: &str) -> bool {
    let lower: Vec<String> = text::words::runs(a).map(plain).collect();
    text::words::runs(b).any(|word| {
        let word = plain(word);
        word.len() > 2 && !words::is_grammar(&word) && lower.contains(&word)
    })
}

/// A word in lower case and without accents.
pub(super) fn plain(word: &str) -> String {
    match word.is_ascii() {
        true => word.to_ascii_lowercase(),
        false => text::unaccented(word).to_lowercase(),
    }
}

/// What `text` names, in order.
pub(super) fn read(text: &str) -> Vec<Mention> {
    let tokens = tokens::read(text);
    let mut mentions = Vec::new();
    let mut at = 0;
    while at < tokens.len() && mentions.len() < MENTIONS_MAX {
        let found = quoted(text, &tokens, at)
            .or_else(|| code(&tokens, at))
            .or_else(|| name(text, &tokens, at))
            .or_else(|| phrase(text, &tokens, at));
        match found {
            Some((mention, next)) => {
                if mention.text.len() <= BYTES_MAX {
                    mentions.push(mention);
                }
                at = next.max(at + 1);
            }
            None => at += 1,
        }
    }
    mentions
}

fn noun_before(tokens: &[Token<'_>], at: usize) -> Option<String> {
    let before = at.checked_sub(1).map(|at| &tokens[at])?;
    words::is_head(&before.lower).then(|| before.lower.clone())
}

/// A title in quotation marks of at most twelve words.
fn quoted(text: &str, tokens: &[Token<'_>], at: usize) -> Option<(Mention, usize)> {
    let marks = ['"', '“', '”'];
    let before = text[..tokens[at].start].chars().next_back()?;
    if !marks.contains(&before) {
        return None;
    }
    let rest = &text[tokens[at].start..];
    let len = rest.find(marks)?;
    let title = rest[..len].trim_end_matches([',', '.', ' ']);
    let next = at
        + tokens[at..]
            .iter()
            .take_while(|t| t.start < tokens[at].start + len)
            .count();
    if next - at > 12 || title.is_empty() {
        return None;
    }
    // A quotation of someone's words is no title.
    if !tokens[at].is_capital() {
        return None;
    }
    let mention = Mention {
        text: format!("\"{title}\""),
        sort: Sort::Work,
        subject: tokens[at].first,
        noun: noun_before(tokens, at),
        ..Mention::default()
    };
    Some((mention, next))
}

fn code(tokens: &[Token<'_>], at: usize) -> Option<(Mention, usize)> {
    let token = &tokens[at];
    token.is_code().then(|| {
        let mention = Mention {
            text: token.text.to_owned(),
            sort: Sort::Code,
            subject: token.first,
            noun: noun_before(tokens, at),
            ..Mention::default()
        };
        (mention, at + 1)
    })
}

/// A run of capitals with the small words that names have inside.
fn name(text: &str, tokens: &[Token<'_>], at: usize) -> Option<(Mention, usize)> {
    let opens = |t: &Token<'_>| {
        t.is_capital() && !words::is_grammar(&t.lower) && !words::is_calendar(&t.lower)
    };
    // "The" belongs to a name only inside a sentence.
    let article = tokens[at].lower == "the" && tokens[at].is_capital() && !tokens[at].first;
    let from = at + usize::from(article);
    let head = tokens.get(from).filter(|t| opens(t))?;
    let mut end = from + 1;
    while let Some(next) = joined(tokens, end, &opens) {
        end = next;
    }
    // A capital that opens a sentence is one only with company.
    let common = head.first && end == from + 1 && !head.clitic && !acts(tokens, end);
    if common {
        return None;
    }
    let run = &tokens[from..end];
    let start = if article {
        tokens[at].start
    } else {
        head.start
    };
    let mention = Mention {
        text: text[start..run[run.len() - 1].end].to_owned(),
        sort: sort_of(tokens, from, end),
        gender: gender_of(run, tokens.get(end..).unwrap_or_default()),
        plural: is_plural(tokens, from, end),
        subject: tokens[at].first
            || tokens[from].first
            || at.checked_sub(1).is_some_and(|b| tokens[b].first),
        noun: noun_before(tokens, at),
    };
    Some((mention, end))
}

/// Where a run of capitals goes on behind `end`, if it does.
fn joined(tokens: &[Token<'_>], end: usize, opens: &dyn Fn(&Token<'_>) -> bool) -> Option<usize> {
    let (last, next) = (tokens.get(end - 1)?, tokens.get(end)?);
    if last.closes && last.text.chars().count() > 1 || last.clitic || next.opens || next.first {
        return None;
    }
    if opens(next) || (next.is_number() && !next.is_year()) {
        return Some(end + 1);
    }
    let linking = ["of", "the", "de", "van", "von", "for", "&"].contains(&next.lower.as_str());
    let after = tokens.get(end + 1)?;
    let of_the = linking && after.lower == "the" && tokens.get(end + 2).is_some_and(opens);
    // "Feel This Free": inside a title small words have capitals, too.
    let titled = next.is_capital() && !next.first && opens(after);
    match () {
        () if titled && !next.closes => Some(end + 2),
        () if next.closes || next.is_number() => None,
        () if linking && opens(after) => Some(end + 2),
        () if of_the => Some(end + 3),
        () => None,
    }
}

/// Whether the token at `at` is a verb that a name stands before.
fn acts(tokens: &[Token<'_>], at: usize) -> bool {
    tokens.get(at).is_some_and(|t| {
        let past = t.lower.ends_with("ed") && t.lower.len() > 4;
        words::is_auxiliary(&t.lower)
            || words::is_past(&t.lower)
            || past
            || t.lower == "and"
            || t.lower == "also"
    })
}

fn sort_of(tokens: &[Token<'_>], from: usize, end: usize) -> Sort {
    let run = &tokens[from..end];
    let before = from
        .checked_sub(1)
        .map_or("", |at| tokens[at].lower.as_str());
    let named = |list: fn(&str) -> bool| run.iter().any(|t| list(&t.lower));
    match () {
        () if named(words::is_organised) => Sort::Group,
        () if words::is_title(before) => Sort::Person,
        () if words::is_female(&run[0].lower) || words::is_male(&run[0].lower) => Sort::Person,
        () if ["in", "at", "near"].contains(&before) => Sort::Place,
        () if words::is_group_head(before) => Sort::Group,
        () if before == "the" => Sort::Group,
        () => Sort::Name,
    }
}

fn gender_of(run: &[Token<'_>], after: &[Token<'_>]) -> Option<Gender> {
    let first = run[0].lower.as_str();
    let rest = after.iter().take_while(|t| !t.first);
    let pronoun = rest.take(12).find_map(|t| match t.lower.as_str() {
        "she" | "her" => Some(Gender::She),
        "he" | "his" => Some(Gender::He),
        _ => None,
    });
    match () {
        () if words::is_female(first) || ["mrs", "ms", "miss"].contains(&first) => {
            Some(Gender::She)
        }
        () if words::is_male(first) || first == "mr" => Some(Gender::He),
        () => pronoun,
    }
}

/// Names that are joined by "and", or that end like a plural after "the".
fn is_plural(tokens: &[Token<'_>], from: usize, end: usize) -> bool {
    let before = from
        .checked_sub(1)
        .map_or("", |at| tokens[at].lower.as_str());
    let last = &tokens[end - 1].lower;
    before == "the" && last.ends_with('s') && !last.ends_with("ss")
}

/// "The" or "a" and up to four words that are none of grammar.
fn phrase(text: &str, tokens: &[Token<'_>], at: usize) -> Option<(Mention, usize)> {
    let article = &tokens[at];
    if !["the", "a", "an", "my", "our"].contains(&article.lower.as_str()) || article.closes {
        return None;
    }
    let mut end = at + 1;
    while let Some(token) = tokens.get(end) {
        let inside = !words::is_grammar(&token.lower) && !token.opens && !token.first;
        if !inside || end - at > 4 || tokens[end - 1].closes && end > at + 1 {
            break;
        }
        end += 1;
        // The noun that a phrase is known by ends it, unless another one follows.
        let next = tokens.get(end);
        if words::is_head(&token.lower) && !next.is_some_and(|t| words::is_head(&t.lower)) {
            break;
        }
    }
    // A verb at the end is no noun: "the tool works".
    if end - at > 2 && tokens[end - 1].lower.ends_with("ed") {
        end -= 1;
    }
    let last = tokens[at + 1..end].last()?;
    let lower = &last.lower;
    let definite = article.lower.len() >= 3;
    let mention = Mention {
        text: if definite {
            text[article.start..last.end].to_owned()
        } else {
            format!("the {}", &text[tokens[at + 1].start..last.end])
        },
        sort: Sort::Thing,
        plural: lower.ends_with('s') && !lower.ends_with("ss"),
        subject: article.first,
        noun: Some(lower.clone()),
        ..Mention::default()
    };
    Some((mention, end))
}
