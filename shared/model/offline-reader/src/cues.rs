//! Tells what kind of answer a question wants, and whether a sentence could be such an answer.

mod foreign;

use super::bag::Bag;
use super::lexicon::Lexicon;
use super::question::is_year;
use super::vocabulary::{
    is_amount, is_before_place, is_currency, is_day, is_number_word, is_reason, is_time_unit,
};
use text::{Language, months, stop, words};

/// The kind of answer that is wanted.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Wants {
    /// A date or time of day.
    Date,
    /// An amount, a share, a measure.
    Amount,
    /// An amount of money.
    Money,
    /// How many of something: the key of what is counted.
    Count(String),
    /// A span of time.
    Duration,
    /// A person or organisation.
    Who,
    /// A place.
    Place,
    /// A reason.
    Reason,
    /// Nothing in particular.
    Any,
}

impl Wants {
    /// Reads the kind out of a question in lower case.
    pub(super) fn read(lexicon: &Lexicon, lower: &str, language: Language) -> Wants {
        if language != Language::English {
            return foreign::read(lower, language);
        }
        let runs: Vec<&str> = words::runs(lower).collect();
        let has = |word: &str| runs.contains(&word);
        let pair = |a: &str, b: &str| runs.windows(2).any(|w| w == [a, b]);
        let counted = runs
            .windows(3)
            .find(|w| w[..2] == ["how", "many"])
            .map(|w| w[2]);
        match counted {
            Some(unit) if is_time_unit(unit) => return Wants::Duration,
            Some(thing) => return Wants::Count(lexicon.key(thing, language)),
            None => {}
        }
        let which = |thing: &str| pair("what", thing) || pair("which", thing);
        let any = |words: &[&str]| words.iter().any(|word| has(word));
        match () {
            () if pair("how", "long") || pair("how", "often") => Wants::Duration,
            () if any(&["interval", "period"]) && !any(&["who", "why"]) => Wants::Duration,
            () if asks_when(&runs) || has("deadline") => Wants::Date,
            () if ["date", "year", "day"].iter().any(|thing| which(thing)) => Wants::Date,
            () if pair("date", "of") || pair("due", "date") => Wants::Date,
            () if any(&["who", "whom", "whose"]) || which("person") => Wants::Who,
            () if has("where") || which("city") || which("country") => Wants::Place,
            () if has("why") || any(&["cause", "caused", "reason"]) => Wants::Reason,
            () if any(&["cost", "price", "charge", "fee", "paid", "surcharge"]) => Wants::Money,
            () if has("total") && any(&["invoice", "bill"]) => Wants::Money,
            () if pair("how", "much") || amount_noun(&runs) => Wants::Amount,
            () => Wants::Any,
        }
    }

    /// Whether `text` holds that kind of answer; true for `Any`.
    /// `words` are those of `text`.
    pub(super) fn met_by(&self, text: &str, words: Bag<'_>) -> bool {
        if words.language() != Language::English {
            return foreign::met_by(self, text, words);
        }
        match self {
            Wants::Any => true,
            Wants::Date => has_date(text, words),
            Wants::Amount => has_number(words),
            Wants::Money => has_money(text, words),
            Wants::Count(thing) => has_count(words, thing),
            Wants::Duration => has_duration(words),
            Wants::Who => has_name(text),
            Wants::Place => has_place(text),
            Wants::Reason => has_reason(words),
        }
    }

    /// Whether a sentence without that kind can hardly be the answer.
    pub(super) fn is_strict(&self) -> bool {
        !matches!(self, Wants::Who | Wants::Place | Wants::Reason | Wants::Any)
    }
}

/// "When" that opens a question or one of its clauses; inside one it only joins two clauses.
fn asks_when(runs: &[&str]) -> bool {
    let opens = |at: usize| at == 0 || matches!(runs[at - 1], "and" | "since" | "until" | "from");
    (0..runs.len()).any(|at| runs[at] == "when" && opens(at))
}

fn amount_noun(runs: &[&str]) -> bool {
    let asks = runs.iter().any(|r| matches!(*r, "what" | "which"));
    asks && runs.iter().any(|r| is_amount(r))
}

fn numeric(run: &str) -> bool {
    run.starts_with(|c: char| c.is_ascii_digit()) || is_number_word(run)
}

fn has_number(words: Bag<'_>) -> bool {
    words.runs().any(numeric)
}

/// A currency with a number near it, or a number with two decimals.
fn has_money(text: &str, words: Bag<'_>) -> bool {
    let named = words.runs().any(is_currency);
    let decimal = text.as_bytes().windows(4).any(|w| {
        w[0].is_ascii_digit() && w[1] == b'.' && w[2].is_ascii_digit() && w[3].is_ascii_digit()
    });
    has_number(words) && (named || decimal || text.contains(['€', '$', '£']))
}

fn has_date(text: &str, words: Bag<'_>) -> bool {
    let clock = || {
        let bytes = text.as_bytes();
        bytes.windows(4).any(|w| {
            w[0].is_ascii_digit() && w[1] == b':' && w[2].is_ascii_digit() && w[3].is_ascii_digit()
        })
    };
    let month = |run: &str| run != "may" && months::number(run, 3..=3).is_some();
    let in_may = |at: usize| {
        let (a, b) = (words.run(at - 1), words.run(at));
        a == "may" && numeric(b) || b == "may" && numeric(a)
    };
    words.runs().any(|r| is_year(r) || month(r) || is_day(r))
        || (1..words.len()).any(in_may)
        || clock()
}

fn has_duration(words: Bag<'_>) -> bool {
    let unit = |at: usize| is_time_unit(words.run(at));
    let near = |at: usize| (at + 1..words.len()).take(3).any(unit);
    (0..words.len()).any(|at| numeric(words.run(at)) && near(at))
}

fn has_count(words: Bag<'_>, thing: &str) -> bool {
    let near = |at: usize| (at.saturating_sub(4)..words.len()).take(9);
    let close = |at: usize| near(at).any(|at| words.key(at) == thing);
    (0..words.len()).any(|at| numeric(words.run(at)) && close(at))
}

/// Two neighbouring capitals, or one inside a sentence.
fn has_name(text: &str) -> bool {
    let tokens: Vec<&str> = text.split_whitespace().collect();
    let capital = |token: &str| {
        let word = token.trim_matches(|c: char| !c.is_alphanumeric());
        word.starts_with(char::is_uppercase) && !stop::is_content_free(&word.to_lowercase())
    };
    tokens
        .windows(2)
        .any(|w| capital(w[1]) && !w[0].ends_with(['.', '?', '!']))
}

fn has_place(text: &str) -> bool {
    let tokens: Vec<&str> = text.split_whitespace().collect();
    tokens.windows(2).any(|w| {
        let next = w[1].starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
        let the = matches!(w[1], "the" | "a");
        is_before_place(&w[0].to_lowercase()) && (next || the)
    })
}

fn has_reason(words: Bag<'_>) -> bool {
    words.runs().any(is_reason)
        || (1..words.len()).any(|at| words.run(at - 1) == "due" && words.run(at) == "to")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bag::Words;

    fn wants(text: &str) -> Wants {
        Wants::read(&Lexicon::new(), &text.to_lowercase(), Language::of(text))
    }

    #[test]
    fn reads_the_kind_of_answer() {
        assert_eq!(wants("When does it end?"), Wants::Date);
        assert_eq!(wants("How many days of notice?"), Wants::Duration);
        assert_eq!(
            wants("How many drawings are there?"),
            Wants::Count("draw".into())
        );
        assert_eq!(wants("Who signed it?"), Wants::Who);
        assert_eq!(wants("What is the maximum voltage?"), Wants::Amount);
        assert_eq!(wants("Describe the process."), Wants::Any);
    }

    #[test]
    fn sees_it_in_a_sentence() {
        let lexicon = Lexicon::new();
        for (wants, yes, no) in [
            (Wants::Date, "It ends on 3 May.", "You may end it."),
            (Wants::Date, "Start: 2026-01-05", "It starts soon."),
            (
                Wants::Duration,
                "within thirty (30) calendar days",
                "every day",
            ),
            (Wants::Who, "It was signed by Ada Byron.", "It was signed."),
            (Wants::Amount, "5 V", "some volts"),
            (Wants::Money, "EUR 12", "12 days"),
            (Wants::Count("item".into()), "12 large items", "12 dogs"),
            (Wants::Place, "It stands in Bremen.", "It stands."),
        ] {
            let met = |text: &str| {
                let mut words = Words::new(&lexicon, Language::of(text));
                words.add(text);
                wants.met_by(text, words.all())
            };
            assert!(met(yes), "{yes}");
            assert!(!met(no), "{no}");
        }
    }
}
