//! Recognises the class of a question by its form. The class says how many searches the question takes, and of which
//! kind.
//!
//! The rules know forms of English questions: alternatives, words of comparison, contrasting clauses, words of time
//! and change, nested descriptions. *Not* a parser, and the rules know nothing about what the words mean.

use super::words::QuestionWord;
use crate::token::TokenWords;
use envelope::QuestionClass;

/// From how many words on a question is more than one thing, whatever its form.
const LONG_WORDS: usize = 14;
/// From how many words on a question that describes what it asks for takes two steps.
const DESCRIBED_WORDS: usize = 10;
/// From how many words on a question is a story, and its words of degree are not what it asks.
const CHOICE_WORDS_MAX: usize = 30;
/// Most words of the last of several alternatives.
const ALTERNATIVE_WORDS_MAX: usize = 12;

/// The class of a question.
pub(super) fn read(words: &[QuestionWord<'_>]) -> QuestionClass {
    let is_polar = is_polar(words);
    if has_alternatives(words, is_polar) && !is_dated(words) {
        return QuestionClass::Comparative;
    }
    if is_over_time(words, is_polar) {
        return QuestionClass::Temporal;
    }
    if is_comparison(words, is_polar) {
        return QuestionClass::Comparative;
    }
    match takes_steps(words) {
        true => QuestionClass::MultiStep,
        false => QuestionClass::Simple,
    }
}

/// Whether it is answered by yes or no: an auxiliary opens it, or the clause behind a preface.
fn is_polar(words: &[QuestionWord<'_>]) -> bool {
    if words.first().is_some_and(QuestionWord::is_auxiliary) {
        return true;
    }
    if words.iter().take(2).any(QuestionWord::is_asking) {
        return false;
    }
    let behind = words.windows(2).filter(|pair| pair[0].closes());
    let mut main = behind.map(|pair| &pair[1]);
    let main = main.find(|word| word.is_auxiliary() || word.is_asking());
    main.is_some_and(QuestionWord::is_auxiliary)
}

/// Whether it names a day, a month of a year or a time of the day.
fn is_dated(words: &[QuestionWord<'_>]) -> bool {
    words.iter().enumerate().any(|(at, word)| {
        let mut behind = words.iter().skip(at + 1).take(2);
        let is_dated = word.is_month() && behind.any(QuestionWord::is_year);
        word.is_iso_day() || word.is_time_of_day() || is_dated
    })
}

/// An order of events, or a change.
fn is_over_time(words: &[QuestionWord<'_>], is_polar: bool) -> bool {
    let opens = words.first().is_some_and(|word| word.is(words!(preface)));
    if opens && is_dated(words) || is_polar && (opens || is_dated(words)) {
        return true;
    }
    if is_polar {
        let steady =
            words.has(words!(steadiness)) || words.has_pair(words!(before_noun), words!(a_change));
        return !words.has(words!(against)) && (steady || words.has(words!(order)));
    }
    let is_over_time = words.has_phrase("over time");
    let asks = words.iter().take(2).any(|word| word.is("how what"));
    let times = words.iter().filter(|word| word.is_time()).count();
    let is_stretch = times > 0 && words.has(words!(stretch)) || times > 1;
    let is_short = asks && words.len() <= LONG_WORDS;
    is_over_time
        || words.has(words!(changed)) && (is_short || is_stretch)
        || words.has(words!(change)) && is_stretch
        || words.has_phrase("before and after")
}

/// Whether a word tells a degree or a place in an order.
fn is_degree(word: &QuestionWord<'_>) -> bool {
    let graded = |ending: &str| word.word.len() > ending.len() + 2 && word.word.ends_with(ending);
    word.is(words!(degree))
        || (graded("er") || graded("est")) && !word.is(words!(no_degree)) && !word.is_capital()
}

/// Whether it offers things to choose from: `which is older, A or B?`
fn has_alternatives(words: &[QuestionWord<'_>], is_polar: bool) -> bool {
    let opens = |word: &QuestionWord<'_>| word.is_asking() && word.word != "how";
    if words.len() > CHOICE_WORDS_MAX || !is_polar && !words.iter().any(opens) {
        return false;
    }
    let Some(at) = words.iter().rposition(|word| word.is("or vs versus")) else {
        return is_choice_of_and(words);
    };
    let (before, after) = (&words[..at], &words[at + 1..]);
    let is_bound = after.first().is_none_or(|word| word.is(words!(bound)));
    if at == 0 || is_bound || after.len() > ALTERNATIVE_WORDS_MAX {
        return false;
    }
    let stops = |word: &QuestionWord<'_>| word.raw.ends_with([',', ':', ';', '-']);
    let mut listed = before.iter().rev().take(ALTERNATIVE_WORDS_MAX).skip(1);
    words.iter().any(is_degree) || !is_polar && listed.any(stops)
}

/// `who was born first out of A and B?`
fn is_choice_of_and(words: &[QuestionWord<'_>]) -> bool {
    let Some(at) = words.iter().rposition(|word| word.word == "and") else {
        return false;
    };
    let opened = words[..at].iter().rposition(|word| word.is("between of"));
    let asks = words.first().is_some_and(|word| word.is("who which"));
    let names = words.get(at + 1).is_some_and(|word| word.is_capital());
    asks && names
        && opened.is_some_and(|from| at - from <= 6 && words[..from].iter().any(is_degree))
        && words.len() - at <= ALTERNATIVE_WORDS_MAX / 2
}

fn is_comparison(words: &[QuestionWord<'_>], is_polar: bool) -> bool {
    if is_polar {
        let says = words.has(words!(comparing)) || words.has(words!(likeness));
        let says = says || is_degree_than(words) || asks_twice(words);
        return says && !is_check_of_each(words);
    }
    let asks = words.iter().take(2).any(|word| word.is("how what"));
    let compares = words.has(words!(comparing)) || asks && words.has("compared");
    compares && words.len() <= CHOICE_WORDS_MAX || is_degree_than(words)
}

/// Two questions for yes or no in one: `does A say so, and does B?`
fn asks_twice(words: &[QuestionWord<'_>]) -> bool {
    words
        .windows(3)
        .any(|three| three[0].closes() && three[1].is("and or") && three[2].is_auxiliary())
}

/// `longer than that of B`, and not `longer than 5 days`.
fn is_degree_than(words: &[QuestionWord<'_>]) -> bool {
    words
        .windows(3)
        .any(|three| is_degree(&three[0]) && three[1].word == "than" && !three[2].has_digit())
}

/// `are A and B both C?` takes a look at each, and holds neither against the other.
fn is_check_of_each(words: &[QuestionWord<'_>]) -> bool {
    let opens = words.first().is_some_and(QuestionWord::is_auxiliary);
    let joined = words.iter().take(LONG_WORDS).any(|word| word.word == "and");
    opens && joined && words.len() <= LONG_WORDS + 4 && !words.has(words!(clauses))
}

/// Whether one thing has to be known to ask for the next.
fn takes_steps(words: &[QuestionWord<'_>]) -> bool {
    let inner = words.get(2..).unwrap_or_default();
    let described = inner.iter().any(|word| word.is(words!(describing)));
    let of = words.iter().filter(|word| word.is(words!(cues_of))).count();
    let steps = words.has("step-by-step steps procedure protocol");
    let each = is_check_of_each(words) && words.has("both same");
    steps
        || each
        || words.len() >= LONG_WORDS
        || described
        || words.len() >= DESCRIBED_WORDS && of >= 1
}
