//! The same for languages other than English, by the lists in their files: phrases that ask for a kind of answer, and words
//! that such an answer holds.

use super::{Wants, has_name};
use crate::bag::Bag;
use crate::question::is_year;
use text::{Language, is_of};

/// Lists of phrases, those first that others are a part of, each with what it asks for.
const ASKING: [(&str, Wants); 6] = [
    ("asks_duration", Wants::Duration),
    ("asks_date", Wants::Date),
    ("asks_money", Wants::Money),
    ("asks_who", Wants::Who),
    ("asks_count", Wants::Count(String::new())),
    ("asks_amount", Wants::Amount),
];

/// Signs of money, whatever the language, and words for it.
const MONEY_SIGNS: [char; 9] = ['€', '$', '£', '¥', '￥', '₩', '₽', '₺', '฿'];
const MONEY_WORDS: [&str; 5] = ["eur", "usd", "chf", "gbp", "kr"];

/// Words within which a question in a language with blanks says what it asks for. Later on the same words join clauses: `cuando`,
/// `qui`, `hvis`.
const OPENING_WORDS: usize = 5;

/// Characters from which on an ending may follow a word.
const LONG: usize = 5;
/// Words between a number and what it counts, at most.
const NEAR: usize = 4;

/// The kind of answer that a question in lower case wants.
pub(super) fn read(lower: &str, language: Language) -> Wants {
    let text = spaced(lower, language);
    let opening = match language.has_no_blanks() || language == Language::Korean {
        true => text.clone(),
        false => {
            let words = text.split_ascii_whitespace().take(OPENING_WORDS);
            format!(" {} ", words.collect::<Vec<_>>().join(" "))
        }
    };
    let asks = |list: &str| {
        let phrases = language.list(list).split(',');
        let mut phrases = phrases.map(|phrase| joined(phrase, language));
        phrases.any(|phrase| !phrase.trim().is_empty() && opening.contains(&phrase))
    };
    let wants = ASKING.into_iter().find(|(list, _)| asks(list));
    let wants = match wants {
        Some((list, Wants::Count(_))) => Some((list, counted(list, &text, language))),
        other => other,
    };
    // Nouns of money are the last parts of longer words: `Kaltmiete`, `月租金`.
    let mut nouns = language.list("money_nouns").split_ascii_whitespace();
    let is_told = |noun: &str| match language.has_no_blanks() || language == Language::Korean {
        true => text.contains(noun),
        false => text.contains(&format!("{noun} ")),
    };
    match wants.map_or(Wants::Any, |(_, wants)| wants) {
        Wants::Amount | Wants::Any if nouns.any(is_told) => Wants::Money,
        wants => wants,
    }
}

/// The count of what is named behind the words that ask for it.
fn counted(list: &str, text: &str, language: Language) -> Wants {
    let phrases = language
        .list(list)
        .split(',')
        .map(|phrase| joined(phrase, language));
    let behind = phrases.filter_map(|phrase| text.split_once(&phrase).map(|(_, behind)| behind));
    let mut words = behind.flat_map(str::split_ascii_whitespace);
    let thing = words
        .find(|word| !language.is_stop(word))
        .unwrap_or_default();
    Wants::Count(language.stem(thing))
}

/// Whether a text holds that kind of answer.
pub(super) fn met_by(wants: &Wants, text: &str, words: Bag<'_>) -> bool {
    let language = words.language();
    let lower = text.to_lowercase();
    let spaced = spaced(&lower, language);
    let has = |list: &str| {
        let mut all = language
            .list(list)
            .split_ascii_whitespace()
            .flat_map(|word| word.split('/'));
        all.any(|word| match word.chars().count() {
            // An ending may follow: `liradır`.
            LONG.. => spaced.contains(joined(word, language).trim_end()),
            _ => spaced.contains(&joined(word, language)),
        })
    };
    let has_number = || lower.contains(char::is_numeric) || has("number_words");
    let has_money = || {
        let is_sign = |word: &&str| spaced.contains(&format!(" {word} "));
        lower.contains(MONEY_SIGNS) || MONEY_WORDS.iter().any(is_sign) || has("money_words")
    };
    match wants {
        Wants::Any => true,
        Wants::Date => {
            words.runs().any(is_year) || has("months") || has("day_words") || has_clock(&lower)
        }
        Wants::Amount => has_number(),
        Wants::Count(thing) => has_number() && has_count(words, thing),
        Wants::Money => has_number() && has_money(),
        Wants::Duration => {
            has("time_units") && (has_number() || has("articles")) || has("each_time")
        }
        Wants::Who => has_name(text),
        Wants::Place | Wants::Reason => false,
    }
}

/// Whether a number stands near what is counted.
fn has_count(words: Bag<'_>, thing: &str) -> bool {
    let language = words.language();
    let is_number = |at: usize| {
        let run = words.run(at);
        run.contains(char::is_numeric) || is_of(run, language.list("number_words"))
    };
    let near = |at: usize| (at.saturating_sub(NEAR)..words.len()).take(2 * NEAR + 1);
    (0..words.len()).any(|at| words.key(at) == thing && near(at).any(is_number))
}

/// A time of day, or a date in digits.
fn has_clock(lower: &str) -> bool {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let between = |signs: &[char]| {
        let places = lower.match_indices(signs);
        let inside = places.filter(|(at, _)| {
            is_digit(lower[..*at].chars().next_back()) && is_digit(lower[at + 1..].chars().next())
        });
        inside.count()
    };
    // One of these alone is in a number or in a part number.
    between(&[':']) > 0 || between(&['.', '/', '-']) > 1
}

/// The words of a text between single blanks, with one on each side; where there are none, the text as it is.
fn spaced(lower: &str, language: Language) -> String {
    if language.has_no_blanks() {
        return lower.to_owned();
    }
    let words = lower.split(|c: char| !text::words::is_word_char(c) && c != '\'');
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    format!(" {} ", words.join(" "))
}

/// A phrase as it is looked for there. What is asked in Korean is followed by endings.
fn joined(phrase: &str, language: Language) -> String {
    let words: Vec<&str> = phrase.split_ascii_whitespace().collect();
    match language {
        _ if language.has_no_blanks() => words.concat(),
        Language::Korean => words.join(" "),
        _ => format!(" {} ", words.join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bag::Words;
    use crate::lexicon::Lexicon;

    #[test]
    fn the_kind_of_answer_is_read_in_other_languages() {
        for (question, wants) in [
            ("Wie hoch ist die Kaltmiete?", Wants::Money),
            ("Wie hoch ist der Turm?", Wants::Amount),
            (
                "Wie viele Schlüssel hat die Mieterin?",
                Wants::Count("schlussel".into()),
            ),
            ("Wie lange ist die Kündigungsfrist?", Wants::Duration),
            ("Wer hat den Vertrag unterschrieben?", Wants::Who),
            (
                "Hvad sker der med aftalen, hvis lejen ikke betales?",
                Wants::Any,
            ),
            ("À quelle date expire le contrat ?", Wants::Date),
            ("¿Cuánto cuesta la revisión?", Wants::Money),
            ("冷却水の点検はいつ?", Wants::Date),
            ("冷却水多久检查一次?", Wants::Duration),
            ("계약은 언제 끝납니까?", Wants::Date),
        ] {
            assert_eq!(
                read(&question.to_lowercase(), Language::of(question)),
                wants,
                "{question}"
            );
        }
    }

    #[test]
    fn it_is_seen_in_their_sentences() {
        let lexicon = Lexicon::new();
        for (wants, yes, no) in [
            (
                Wants::Date,
                "Der Vertrag endet am 3. Mai.",
                "Der Vertrag endet bald.",
            ),
            (
                Wants::Duration,
                "Le préavis est de trois mois.",
                "Le préavis est dans le bail.",
            ),
            (Wants::Money, "月租金为3200元。", "月租金由甲方支付。"),
            (
                Wants::Amount,
                "ポンプの重さは九キロです。",
                "ポンプは重いです。",
            ),
        ] {
            let met = |text: &str| {
                let mut words = Words::new(&lexicon, Language::of(text));
                words.add(text);
                met_by(&wants, text, words.all())
            };
            assert!(met(yes), "{yes}");
            assert!(!met(no), "{no}");
        }
    }
}
