//! Decides whether a question asks for documents, and for which: `list all invoices ...`, `how many 10-Ks ...`. Pure,
//! by rule.
//!
//! The code first looks for the noun that the question is about. The words before the noun then have to say that such
//! documents are wanted. `What is a 10-K?` and `how long should invoices be kept?` ask for an explanation and not for
//! documents.

use crate::dictionary::{Dictionary, KnownValue};
use crate::form::{is_choosing, is_explaining, is_order, is_participle};
use crate::linked::Intent;
use crate::token::{QuestionToken, TokenWords};
use std::ops::Range;
use text::stop::is_content_free;
use text::{fold, is_of};

/// What a question asks for.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Frame {
    pub(crate) intent: Intent,
    pub(crate) subject: Option<Range<usize>>,
    pub(crate) bucket: Option<String>,
}

const NAME_WORDS_MAX: usize = 5;
const SYNONYM_WORDS_MAX: usize = 4;

/// What the question asks for, as far as its form tells. If the form is not a known one, the noun still counts in two
/// cases. It counts if it is plural or definite and nothing is to be explained, and it counts if the question names
/// something beyond doubt (`is_evident`).
pub(crate) fn frame(tokens: &[QuestionToken], dictionary: &Dictionary, is_evident: bool) -> Frame {
    let nouns = nouns(tokens, dictionary);
    let is_explaining = is_explaining(tokens);
    let sure = || nouns.iter().filter(|noun| noun.is_sure && !is_explaining);
    let asked_for = sure().find_map(|noun| Some((noun, asked(tokens, noun.at.start, dictionary)?)));
    let requested = || {
        Some((
            sure().find(|noun| is_definite(tokens, noun))?,
            spoken(tokens),
        ))
    };
    let spoken_of = || {
        // `the record for most goals` is not a document, and neither is `to file a lawsuit`.
        let is_known = |noun: &&Noun| {
            let bucket = noun.bucket.as_deref();
            bucket.is_some_and(|bucket| noun.is_name || dictionary.is_described(bucket))
        };
        // `a contract` is any contract and not one of the corpus.
        let is_definite = |noun: &&Noun| !is_of(tokens.back(noun.at.start, 1), "a an one");
        let mut known = nouns.iter().filter(is_known);
        let noun = known.clone().find(is_definite).or_else(|| known.next());
        // A word that only describes documents says nothing about a question that asks for an explanation.
        let noun = noun.filter(|noun| is_evident && (noun.is_sure || !is_explaining))?;
        Some((noun, spoken(tokens)))
    };
    let Some((noun, intent)) = asked_for.or_else(requested).or_else(spoken_of) else {
        // Without a known noun, an order for something that is named beyond doubt asks for documents, too.
        let is_order = is_evident && !is_explaining && is_order(tokens);
        let intent = match spoken(tokens) {
            Intent::Compare => Intent::Compare,
            _ if is_order => Intent::Documents,
            _ => Intent::Prose,
        };
        return Frame {
            intent,
            ..Frame::default()
        };
    };
    let how_many = (0..tokens.len()).filter(|at| tokens.says(*at, "how many"));
    let is_twofold = how_many.count() > 1;
    let is_beside = intent == Intent::Compute && tokens.has("versus vs");
    Frame {
        intent: match is_twofold || is_beside || is_choosing(tokens) {
            true => Intent::Compare,
            false => intent,
        },
        subject: Some(noun.at.clone()),
        bucket: noun.bucket.clone(),
    }
}

fn spoken(tokens: &[QuestionToken]) -> Intent {
    match () {
        () if tokens.has(words!(frame_comparing)) => Intent::Compare,
        () if tokens.has(words!(counting)) || tokens.has(words!(adding)) => Intent::Compute,
        () => Intent::Documents,
    }
}

struct Noun {
    at: Range<usize>,
    bucket: Option<String>,
    /// Whether it is a name for the documents, and not only a word that describes them.
    is_sure: bool,
    /// Whether it is the name of a bucket, or a noun for documents of any kind.
    is_name: bool,
}

type Find = fn(&[QuestionToken], usize, &Dictionary) -> Found;
type Found = Option<(usize, Option<String>)>;

/// The nouns for documents: first the names of buckets, then document types, then words of descriptions.
fn nouns(tokens: &[QuestionToken], dictionary: &Dictionary) -> Vec<Noun> {
    let mut nouns: Vec<Noun> = Vec::new();
    for (find, is_sure, is_name) in [
        (noun as Find, true, true),
        (kind, true, false),
        (synonym, true, true),
        (described, false, false),
    ] {
        // A synonym counts only if nothing else names a bucket.
        if is_name && nouns.iter().any(|noun| noun.bucket.is_some()) {
            continue;
        }
        let mut at = 0;
        while at < tokens.len() {
            if let Some(length) = dictionary.column_name_at(tokens, at) {
                at += length;
            } else if let Some((length, bucket)) = find(tokens, at, dictionary) {
                let at_noun = at..at + length;
                at += length;
                if !is_verb(tokens, &at_noun) {
                    nouns.push(Noun {
                        at: at_noun,
                        bucket,
                        is_sure,
                        is_name,
                    });
                }
            } else {
                at += 1;
            }
        }
    }
    // `audit reports` does not contain the noun `reports` where the whole is the name.
    let whole: Vec<Range<usize>> = nouns.iter().map(|noun| noun.at.clone()).collect();
    let is_part = |one: &Range<usize>, of: &Range<usize>| {
        one.len() < of.len() && of.start <= one.start && one.end <= of.end
    };
    nouns.retain(|noun| !whole.iter().any(|other| is_part(&noun.at, other)));
    nouns
}

/// Whether a word is a verb, or part of an idiom, and no noun: `I have to report the total`, `side by side`.
fn is_verb(tokens: &[QuestionToken], at: &Range<usize>) -> bool {
    let is_told = tokens.back(at.start, 1) == "to" && tokens.is(at.end, words!(filed));
    let is_twice = tokens.word(at.end) == "by" && tokens.word(at.end + 1) == tokens.word(at.start);
    at.len() == 1 && (is_told || is_twice)
}

/// Whether a noun is plural, numbered or behind a word such as `every`: `contracts`, `every contract`, `contract
/// C-1042`.
fn is_definite(tokens: &[QuestionToken], noun: &Noun) -> bool {
    let last = &tokens[noun.at.end - 1];
    let is_plural = |token: &QuestionToken| {
        let key = fold::key(&token.text);
        fold::singular(&key) != key && !is_content_free(&token.lower)
    };
    let next = tokens.get(noun.at.end).filter(|_| !last.is_last);
    // `part lists` is plural in its second word.
    let is_many = is_plural(last) || next.is_some_and(is_plural);
    // `the 2023 agreement`, `the Acme agreement`
    let is_name = |token: &&QuestionToken| {
        let is_inner = !token.is_last && !token.is_first;
        noun.bucket.is_some() && is_inner && (token.is_capital() || token.has_digit())
    };
    let names = tokens[..noun.at.start].iter().rev().take_while(is_name);
    let before = tokens.back(noun.at.start, 1 + names.count().min(NAME_WORDS_MAX));
    let is_all = is_of(before, words!(definite)) || is_of(before, words!(most));
    // `part list V-100`, `contract no. 12`
    let third = tokens.get(noun.at.end + 1);
    let is_numbered = next.is_some_and(|next| {
        next.has_digit()
            || is_of(&next.lower, "no number nr #")
            || !next.is_last && third.is_some_and(QuestionToken::has_digit)
    });
    is_many || is_all || is_numbered
}

/// A noun for documents of any kind, or the name of a bucket.
fn noun(tokens: &[QuestionToken], at: usize, dictionary: &Dictionary) -> Found {
    let word = &tokens[at].lower;
    if is_of(word, words!(any_document)) {
        return Some((1, dictionary.bucket_also_called(word).map(str::to_owned)));
    }
    let named = |length: usize| {
        let words = tokens.get(at..at + length)?.iter();
        let words: String = words.map(|token| token.text.as_str()).collect();
        Some((length, Some(dictionary.bucket_named(&words)?.to_owned())))
    };
    let longer = || named(2).or_else(|| named(3));
    named(1).or_else(|| longer().filter(|_| !tokens[at].is_last))
}

fn synonym(tokens: &[QuestionToken], at: usize, dictionary: &Dictionary) -> Found {
    let named = |length: usize| {
        let words = tokens.get(at..at + length)?;
        let is_open = words[..length - 1].iter().all(|token| !token.is_last);
        let words: String = words.iter().map(|token| token.text.as_str()).collect();
        let bucket = dictionary.bucket_also_called(&words).filter(|_| is_open)?;
        Some((length, Some(bucket.to_owned())))
    };
    (1..=SYNONYM_WORDS_MAX).rev().find_map(named)
}

/// A document type that a column holds. Where no schema describes the columns, a column called `category` may hold
/// topics. Its values count only where the words around them say that documents are meant.
fn kind(tokens: &[QuestionToken], at: usize, dictionary: &Dictionary) -> Found {
    let (length, key) = dictionary.longest_at(tokens, at)?;
    let is_known = |entry: &&KnownValue| {
        dictionary.is_column(entry.column)
            && (dictionary.is_kind(entry) || dictionary.may_be_kind(entry))
    };
    let mut kinds = dictionary.with_key(&key).filter(is_known);
    let kind = kinds.next()?;
    let is_open = !dictionary.is_kind(kind);
    let column = dictionary.column(kind.column);
    let bucket = column.bucket.clone();
    // A type that several buckets have names none of them.
    let is_shared = kinds.any(|other| dictionary.column(other.column).bucket != bucket);
    let at_kind = at..at + length;
    let said = tokens[at_kind.clone()].iter();
    let said = said.map(|token| fold::key(&token.text));
    let is_many = said.collect::<String>() != fold::name_key(&kind.text);
    let is_told = || !(is_open || column.is_topic()) || is_pointed_at(tokens, &at_kind);
    let is_noun = dictionary.is_described(&bucket)
        || is_many && (!is_open || is_counted(tokens, &at_kind))
        || tokens.is(at_kind.end, words!(any_document))
        || is_head(tokens, &at_kind) && is_told();
    is_noun.then_some((length, Some(bucket).filter(|_| !is_shared)))
}

/// Whether words before a plural noun say that there are such documents: `how many yearbooks`, `list all yearbooks`.
fn is_counted(tokens: &[QuestionToken], at: &Range<usize>) -> bool {
    let before = tokens.back(at.start, 1);
    is_head(tokens, at) && (before.is_empty() || is_of(before, words!(counted_before)))
}

/// Whether words are the head of their noun phrase: they are in `the proxy statement by Acme`, but not in `which
/// technology company`.
fn is_head(tokens: &[QuestionToken], at: &Range<usize>) -> bool {
    let is_open = !tokens[at.end - 1].is_last;
    let Some(next) = tokens.get(at.end).filter(|_| is_open) else {
        return true;
    };
    let word = next.lower.as_str();
    // The verb `ending` describes the noun in `agreement ending in May`; `sports betting platform` has no such verb.
    let goes_on = |token: &QuestionToken| {
        token.is_capital() || token.has_digit() || is_content_free(&token.lower)
    };
    let is_verb = is_participle(word)
        && (!word.ends_with("ing") || next.is_last || tokens.get(at.end + 1).is_none_or(goes_on));
    goes_on(next) || is_verb || is_of(word, words!(frame_behind))
}

/// Whether the words before a noun, or a number behind it, say that one of the documents is meant: `which agreement`,
/// `find the agreement`, `the latest agreement`, `the 2023 agreement`, `agreement no. 4`. `The technology` alone may be
/// anything.
fn is_pointed_at(tokens: &[QuestionToken], at: &Range<usize>) -> bool {
    let back = |back: usize| tokens.back(at.start, back);
    let is_numbered = || {
        let behind = tokens[at.end..].iter().take(2);
        let mut behind = behind.skip_while(|token| is_of(&token.lower, "no nr number"));
        !tokens[at.end - 1].is_last && behind.next().is_some_and(QuestionToken::has_digit)
    };
    let is_year = |word: &str| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    match back(1) {
        "the" => {
            is_of(back(2), words!(looking))
                || is_of(back(2), "for at")
                    && is_of(back(3), "looking look search searching asking")
                || (back(3), back(2)) == ("where", "is")
        }
        before => is_of(before, words!(pointing)) || is_year(before) || is_numbered(),
    }
}

/// A word that occurs in the column descriptions of one bucket alone.
fn described(tokens: &[QuestionToken], at: usize, dictionary: &Dictionary) -> Found {
    let bucket = dictionary.bucket_described(&tokens[at].lower)?;
    Some((1, Some(bucket.to_owned())))
}

/// What the question asks about the noun at a token; `None` if the question only mentions it. Of several words that ask
/// the strongest wins: `compare the number of ...` compares.
fn asked(tokens: &[QuestionToken], noun: usize, dictionary: &Dictionary) -> Option<Intent> {
    let mut opened: Vec<Intent> = Vec::new();
    for at in (0..noun).rev().take_while(|at| !tokens[*at].is_last) {
        let word = tokens.word(at);
        match () {
            () if is_of(word, words!(frame_comparing)) => opened.push(Intent::Compare),
            () if is_of(word, words!(counting)) => opened.push(Intent::Compute),
            () if is_of(word, words!(adding)) => opened.push(Intent::Compute),
            () if is_of(word, words!(frame_asking)) => opened.push(Intent::Documents),
            () if is_of(word, words!(between)) || word.parse::<u16>().is_ok() => {}
            // An article may stand in `a list of contracts`, but not right before the noun: `a contract`.
            () if is_of(word, "a an") && at + 1 < noun => {}
            () if dictionary.is_column_word(word) => {}
            () => return None,
        }
    }
    opened.into_iter().max()
}
