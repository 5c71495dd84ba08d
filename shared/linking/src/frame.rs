//! Whether a question asks for documents, and for which: `list all invoices ...`, `how many 10-Ks ...`. Pure, by rule.
//!
//! The noun that a question is about is looked for first; what stands before it has to say that documents with it are
//! wanted. `What is a 10-K?` and `how long should invoices be kept?` ask for words.

use crate::dictionary::Dictionary;
use crate::fold;
use crate::form::is_explaining;
use crate::linked::Intent;
use crate::token::QuestionToken;
use std::ops::Range;

/// What a question asks for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Frame {
    /// What is asked for.
    pub intent: Intent,
    /// The tokens of the noun that it is about.
    pub subject: Option<Range<usize>>,
    /// The part of the corpus that the noun names.
    pub bucket: Option<String>,
}

/// Words for documents of any kind.
const ANY_DOCUMENT: &str =
    "document documents file files record records paper papers item items entry entries";

/// Words that begin a question for documents.
const ASKING: &str = "list show give find get fetch display enumerate which what pull bring name return export where \
    have has are is there search select need want see tell provide retrieve dig print present identify collect gather \
    extract supply look looking like";
const COUNTING: &str = "many count number tally quantity";
const ADDING: &str = "sum add total average mean altogether combined aggregate";
const COMPARING: &str =
    "compare compares compared comparing comparison versus vs difference contrast";

/// Words that may stand between those and the noun.
const BETWEEN: &str = "me us all the every each any of our those these up in by for to do does did we you i there only \
    just please amount value newest latest oldest earliest first last largest smallest biggest highest lowest \
    greatest cheapest dearest longest shortest top final recent most least new old current full complete whole entire \
    out my can could would will how on over both single";

/// What a question asks for, as far as its form tells. Where its form is none of those that are known, something that
/// is named beyond doubt (`is_evident`) tells that the noun is meant, too; so does a noun for many, or for one that is
/// known, where nothing is to be explained.
pub fn frame(tokens: &[QuestionToken], dictionary: &Dictionary, is_evident: bool) -> Frame {
    let nouns = nouns(tokens, dictionary);
    let mut sure = nouns.iter().filter(|noun| noun.is_sure);
    let is_explaining = is_explaining(tokens);
    let mut sure = sure.by_ref().filter(|_| !is_explaining);
    let asked_for = sure.find_map(|noun| Some((noun, asked(tokens, noun.at.start, dictionary)?)));
    let requested = || {
        let mut sure = nouns
            .iter()
            .filter(|noun| noun.is_sure && is_definite(tokens, noun));
        let noun = sure.next().filter(|_| !is_explaining)?;
        Some((noun, spoken(tokens)))
    };
    let spoken_of = || {
        let mut definite = nouns.iter().filter(|noun| !is_indefinite(tokens, noun));
        let noun = definite.next().or(nouns.first()).filter(|_| is_evident)?;
        // What only describes documents tells nothing of a question that wants words.
        (noun.is_sure || !is_explaining).then_some(())?;
        Some((noun, spoken(tokens)))
    };
    let Some((noun, intent)) = asked_for.or_else(requested).or_else(spoken_of) else {
        return Frame {
            intent: match spoken(tokens) {
                Intent::Compare => Intent::Compare,
                _ => Intent::Prose,
            },
            ..Frame::default()
        };
    };
    let is_many = |pair: &&[QuestionToken]| pair[0].lower == "how" && pair[1].lower == "many";
    let is_twofold = tokens.windows(2).filter(is_many).count() > 1;
    Frame {
        intent: if is_twofold { Intent::Compare } else { intent },
        subject: Some(noun.at.clone()),
        bucket: noun.bucket.clone(),
    }
}

/// What all of the words say that is asked for.
fn spoken(tokens: &[QuestionToken]) -> Intent {
    let says = |words: &str| tokens.iter().any(|token| is_of(&token.lower, words));
    match (says(COMPARING), says(COUNTING) || says(ADDING)) {
        (true, _) => Intent::Compare,
        (_, true) => Intent::Compute,
        _ => Intent::Documents,
    }
}

/// A word for documents.
struct Noun {
    at: Range<usize>,
    bucket: Option<String>,
    /// It is what documents are called, and not only a word that describes them.
    is_sure: bool,
}

/// The words for documents, in order: parts of the corpus, then kinds.
fn nouns(tokens: &[QuestionToken], dictionary: &Dictionary) -> Vec<Noun> {
    let mut nouns = Vec::new();
    for (find, is_sure) in [(noun as Find, true), (kind, true), (described, false)] {
        let mut at = 0;
        while at < tokens.len() {
            if let Some(length) = dictionary.column_name_at(tokens, at) {
                at += length;
                continue;
            }
            let Some((length, bucket)) = find(tokens, at, dictionary) else {
                at += 1;
                continue;
            };
            let at_noun = at..at + length;
            nouns.push(Noun {
                at: at_noun,
                bucket,
                is_sure,
            });
            at += length;
        }
    }
    nouns
}

/// `contracts`, `every contract`, `contract C-1042`: those that there are, or one that is known.
fn is_definite(tokens: &[QuestionToken], noun: &Noun) -> bool {
    let last = &tokens[noun.at.end - 1];
    let is_plural = |token: &QuestionToken| {
        let key = fold::key(&token.text);
        fold::singular(&key) != key && !text::stop::is_content_free(&token.lower)
    };
    let next = tokens.get(noun.at.end).filter(|_| !last.is_last);
    // `part lists` are of parts, too.
    let is_many = is_plural(last) || next.is_some_and(is_plural);
    let before = noun
        .at
        .start
        .checked_sub(1)
        .map(|before| tokens[before].lower.as_str());
    let is_all = before
        .is_some_and(|before| is_of(before, "the every each any all our this that no which what"));
    let behind = tokens.get(noun.at.end).filter(|_| !last.is_last);
    // `part list V-100`, `contract no. 12`
    let is_number_next = next
        .filter(|next| !next.is_last)
        .and_then(|_| tokens.get(noun.at.end + 1));
    let is_numbered = is_number_next.is_some_and(QuestionToken::has_digit)
        || behind.is_some_and(|behind| {
            behind.has_digit() || matches!(behind.lower.as_str(), "no" | "number" | "nr" | "#")
        });
    is_many || is_all || is_numbered
}

/// `a contract`: one of them, not those that there are.
fn is_indefinite(tokens: &[QuestionToken], noun: &Noun) -> bool {
    let before = noun
        .at
        .start
        .checked_sub(1)
        .map(|before| tokens[before].lower.as_str());
    matches!(before, Some("a" | "an" | "one"))
}

type Find = fn(&[QuestionToken], usize, &Dictionary) -> Found;
type Found = Option<(usize, Option<String>)>;

/// A word for all documents, or the name of a part of the corpus.
fn noun(tokens: &[QuestionToken], at: usize, dictionary: &Dictionary) -> Found {
    if is_of(&tokens[at].lower, ANY_DOCUMENT) {
        return Some((1, None));
    }
    let named = |length: usize| {
        let words = tokens.get(at..at + length)?.iter();
        let words: String = words.map(|token| token.text.as_str()).collect();
        let bucket = dictionary.bucket_named(&words)?;
        Some((length, Some(bucket.to_owned())))
    };
    let is_open = !tokens[at].is_last;
    named(1).or_else(|| named(2).filter(|_| is_open))
}

/// What a column calls documents.
fn kind(tokens: &[QuestionToken], at: usize, dictionary: &Dictionary) -> Found {
    let (length, key) = dictionary.longest_at(tokens, at)?;
    let mut entries = dictionary.with_key(&key);
    let kind =
        entries.find(|entry| dictionary.is_column(entry.column) && dictionary.is_kind(entry))?;
    let bucket = dictionary.column(kind.column).bucket.clone();
    Some((length, Some(bucket)))
}

/// A word that the columns of one part of the corpus alone are described with.
fn described(tokens: &[QuestionToken], at: usize, dictionary: &Dictionary) -> Found {
    let bucket = dictionary.bucket_described(&tokens[at].lower)?;
    Some((1, Some(bucket.to_owned())))
}

/// What is asked for about the noun at a token; `None` when it is only spoken of.
fn asked(tokens: &[QuestionToken], noun: usize, dictionary: &Dictionary) -> Option<Intent> {
    let mut opened = None;
    let mut at = noun;
    while let Some(before) = at.checked_sub(1) {
        let token = &tokens[before];
        if token.is_last {
            break;
        }
        let word = token.lower.as_str();
        let opens = [
            (COMPARING, Intent::Compare),
            (COUNTING, Intent::Compute),
            (ADDING, Intent::Compute),
            (ASKING, Intent::Documents),
        ];
        let opens = opens.iter().find(|(words, _)| is_of(word, words));
        match opens {
            // What comes first in the question says most: `compare the number of ...`.
            Some((_, intent)) => opened = stronger(opened, *intent),
            None if is_of(word, BETWEEN) => {}
            // `a list of contracts`, but not `a contract`.
            None if is_of(word, "a an") && before + 1 < noun => {}
            None if dictionary.is_column_word(word) => {}
            None => return None,
        }
        at = before;
    }
    opened
}

fn stronger(known: Option<Intent>, new: Intent) -> Option<Intent> {
    let rank = |intent| match intent {
        Intent::Prose => 0,
        Intent::Documents => 1,
        Intent::Compute => 2,
        Intent::Compare => 3,
    };
    match known {
        Some(known) if rank(known) >= rank(new) => Some(known),
        _ => Some(new),
    }
}

pub(crate) fn is_of(word: &str, words: &str) -> bool {
    words.split_ascii_whitespace().any(|known| known == word)
}
