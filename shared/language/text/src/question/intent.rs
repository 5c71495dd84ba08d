//! Recognises what a question asks to be done: state a fact, list things, summarise, compare or calculate.

use super::words::QuestionWord;
use crate::is_of;
use crate::token::TokenWords;
use envelope::{QuestionClass, QuestionIntent};

/// What is wanted of a question of a class.
pub(super) fn read(words: &[QuestionWord<'_>], class: QuestionClass) -> QuestionIntent {
    if is_number(words) {
        return QuestionIntent::Compute;
    }
    if words.has(words!(shortening)) {
        return QuestionIntent::Summarize;
    }
    if class == QuestionClass::Comparative {
        return QuestionIntent::Compare;
    }
    match class != QuestionClass::Temporal && is_list(words) {
        true => QuestionIntent::List,
        false => QuestionIntent::Qa,
    }
}

/// Whether all things of a kind are asked for.
pub(super) fn is_list(words: &[QuestionWord<'_>]) -> bool {
    let polite = "can could me please us would you";
    let mut rest = words.iter().skip_while(|word| word.is(polite));
    let Some(first) = rest.next() else {
        return false;
    };
    let next: Vec<&QuestionWord<'_>> = rest.filter(|word| !word.is(polite)).take(4).collect();
    let all = next.iter().any(|word| word.is(words!(all)));
    if first.is("enumerate list") {
        return !next.is_empty();
    }
    if first.is(words!(intent_requesting)) {
        return all || next.iter().take(3).any(|word| word.word == "list") || plural(&next);
    }
    first.is("what which") && plural(&next)
}

/// Whether the first thing that is named is several: `which invoices`, `show open orders`.
fn plural(words: &[&QuestionWord<'_>]) -> bool {
    let stops = |word: &QuestionWord<'_>| word.is_auxiliary() || word.is(words!(stopping));
    let named = words.iter().take_while(|word| !stops(word)).take(3);
    named.into_iter().any(|word| is_plural(&word.word))
}

fn is_plural(word: &str) -> bool {
    let ends = word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    is_of(word, words!(plurals)) || ends && word.len() > 3
}

/// Whether a number is asked for that is worked out: counted, added, subtracted.
fn is_number(words: &[QuestionWord<'_>]) -> bool {
    let shares = words.has("% percent percentage percentages");
    if words.has_pair("how", "many") {
        return !(shares || is_stated(words)) || words.has(words!(difference));
    }
    words.has_pair("number amount", "of") && words.has(words!(extremes))
        || counts_more(words)
        || words.first().is_some_and(|word| word.is(words!(reckoning)))
        || adds_up(words)
}

/// Whether one number out of all documents of a kind is asked for, and nothing besides: `what is the sum of the amounts
/// of the contracts with Acme`, `total of all invoices by month`.
pub(super) fn is_sum(words: &[QuestionWord<'_>]) -> bool {
    let opens = words.first().is_some_and(|word| word.is(words!(adding))) || opens_with_sum(words);
    let is_more = |two: &[QuestionWord<'_>]| two[0].is("and or") && !two[1].is_name();
    let is_described = |word: &QuestionWord<'_>| word.is(words!(describing));
    opens
        && is_number(words)
        && !words.windows(2).any(is_more)
        && !words.iter().skip(2).any(is_described)
}

/// `what is the average …`, `what's the sum …`
fn opens_with_sum(words: &[QuestionWord<'_>]) -> bool {
    let mut rest = words.iter().skip(1);
    let first = rest.find(|word| !word.is("are is the was were"));
    words.first().is_some_and(|word| word.word == "what")
        && first.is_some_and(|word| word.is(words!(adding)))
}

/// `the total of all invoices`, `the average price of the pumps`; `the total of the invoice` stands in it. No document
/// states `the sum of` something: it has a `total`.
fn adds_up(words: &[QuestionWord<'_>]) -> bool {
    let Some(at) = words.iter().position(|word| word.is(words!(adding))) else {
        return false;
    };
    let is_of = words.get(at + 1).is_some_and(|word| word.word == "of");
    if is_of && opens_with_sum(words) && words[at].word != "total" {
        return true;
    }
    let after = &words[at + 1..];
    let mut of = after.iter().enumerate();
    let of = of.find(|(_, word)| word.is("across all for in of over"));
    let several = of.is_some_and(|(of, joins)| {
        let behind = after[of + 1..].iter();
        let mut things = behind.filter(|word| !word.is("the our my")).take(3);
        let is_several = |word: &QuestionWord<'_>| word.is(words!(all)) || is_plural(&word.word);
        joins.word == "all" || things.any(is_several)
    });
    words.has_pair("how", "much") || several
}

/// `how many days is the notice period`, `how many months of guarantee`: it stands in a document as it is.
fn is_stated(words: &[QuestionWord<'_>]) -> bool {
    let graded = words.iter().any(|word| word.word.ends_with("est"));
    let stated = |three: &[QuestionWord<'_>]| {
        three[0].word == "many"
            && three[1].is(words!(asked_units))
            && three[2].is("are is of was were")
    };
    !graded && words.windows(3).any(stated)
}

/// `which has more members, A or B?`
fn counts_more(words: &[QuestionWord<'_>]) -> bool {
    let polar = words.first().is_some_and(QuestionWord::is_auxiliary);
    let more = |at: &usize| words.is(*at, "fewer fewest more most");
    let mut at = (0..words.len()).filter(more);
    words.has("or than")
        && at.any(|at| polar && words.back(at, 1) == "there" || counted(&words[at + 1..]))
}

/// Whether things that can be counted come first, in the same clause.
fn counted(words: &[QuestionWord<'_>]) -> bool {
    for word in words.iter().take(3) {
        if is_plural(&word.word) {
            return true;
        }
        if word.closes() {
            return false;
        }
    }
    false
}
