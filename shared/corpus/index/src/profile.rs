//! Cuts what a document is called, and what a question says, into the pieces that are compared.
//!
//! File names write `CORVANE2018Q3`, questions `Corvane's Q3 of FY18`. So names are cut at case changes, digits and
//! signs, neighbouring pieces are joined as well (`Best Buy` is called `BESTBUY`), and a year of two digits behind letters
//! has its long form. A time of a question has the forms of names. *No* list of words, and nothing that is true of one
//! language only. Pure.

use crate::index::stems;
use crate::times::{Calendar, NamedTime, times};
use envelope::ChunkRecord;
use serde_json::Value;
use std::collections::BTreeSet;
use tantivy::tokenizer::TextAnalyzer;
use text::{stop, unify, words};

/// The first character of initials in the index, which no word has.
const INITIALS_MARK: char = '~';
/// How many words initials stand for.
const INITIALS: std::ops::RangeInclusive<usize> = 2..=5;
/// How many characters of a first chunk may name the document by words whose initials are its name as well.
const NAMED_WITHIN: usize = 400;
/// Pieces of one name, and of one question, that are looked at.
const PIECES_MAX: usize = 64;
/// Characters of a metadata value that is a name; a longer one is a text.
const NAME_CHARS_MAX: usize = 120;
/// Digits of a hash.
const HASH_DIGITS_MIN: usize = 8;
/// Letters before a year of two digits, as in `FY18`.
const YEAR_LETTERS_MAX: usize = 3;

/// A piece of a name: letters, or digits; two or three characters where no blanks stand between words.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    text: String,
    /// Which word it is part of.
    word: usize,
    /// Whether it is such a group of characters, which overlaps with its neighbours.
    is_group: bool,
    /// Whether it begins with a capital.
    is_capital: bool,
}

/// A part of a question that may name a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unit {
    /// As it is compared with what documents are called; the first form is that of the question.
    pub(crate) forms: Vec<String>,
    /// The pieces of the question that it consists of, by bits.
    pub(crate) pieces: u64,
    /// Its pieces as the stems of a text.
    pub(crate) stems: Vec<String>,
    /// What initials are compared with, if it is written in capitals.
    pub(crate) initials: Option<String>,
    /// Whether it has a digit: numbers are compared as they are.
    pub(crate) is_number: bool,
    /// Whether it is a word that means nothing by itself.
    pub(crate) is_content_free: bool,
    /// Whether it is a group of characters, where no blanks stand between words: it may be no word.
    pub(crate) is_group: bool,
}

/// The terms for what its path calls a document.
pub(crate) fn of_path(head: &ChunkRecord, analyzer: &mut TextAnalyzer) -> BTreeSet<String> {
    let mut terms = BTreeSet::new();
    let path = head.source.strip_suffix(&head.ext).unwrap_or(&head.source);
    for part in path.split('/') {
        add_names(&pieces(&unify(part)), analyzer, &mut terms);
    }
    terms
}

/// The terms for what its title and the short values of its metadata call a document.
pub(crate) fn of_title(head: &ChunkRecord, analyzer: &mut TextAnalyzer) -> BTreeSet<String> {
    let mut terms = BTreeSet::new();
    add_names(&pieces(&unify(&head.title)), analyzer, &mut terms);
    for value in head.metadata.values() {
        add_value(value, analyzer, &mut terms);
    }
    terms
}

fn add_value(value: &Value, analyzer: &mut TextAnalyzer, terms: &mut BTreeSet<String>) {
    match value {
        Value::String(text) if text.len() <= NAME_CHARS_MAX => {
            add_names(&pieces(&unify(text)), analyzer, terms);
        }
        Value::Number(number) => add_names(&pieces(&number.to_string()), analyzer, terms),
        Value::Array(items) => items
            .iter()
            .for_each(|item| add_value(item, analyzer, terms)),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Object(_) => {}
    }
}

/// The terms for the words of a document's first chunk.
pub(crate) fn front(head: &ChunkRecord, analyzer: &mut TextAnalyzer) -> BTreeSet<String> {
    let pieces = pieces(&unify(&head.text));
    let mut terms: BTreeSet<String> = stems(analyzer, &unify(&head.text)).into_iter().collect();
    for piece in &pieces {
        terms.extend(stem(analyzer, &piece.text));
    }
    let are_one_name = |a: &Piece, b: &Piece| a.is_capital && b.is_capital && b.word - a.word <= 1;
    let named: String = head.text.chars().take(NAMED_WITHIN).collect();
    for run in self::pieces(&unify(&named)).chunk_by(are_one_name) {
        for words in INITIALS.flat_map(|length| run.windows(length)) {
            let letters: Vec<char> = words.iter().filter_map(|p| p.text.chars().next()).collect();
            terms.insert(marked(letters.iter()));
        }
    }
    terms
}

/// Each piece, each whole word, each two neighbouring pieces as one, and initials.
fn add_names(pieces: &[Piece], analyzer: &mut TextAnalyzer, terms: &mut BTreeSet<String>) {
    for piece in pieces {
        terms.extend(stem(analyzer, &piece.text));
        terms.extend(without_zeros(&piece.text));
    }
    for word in pieces.chunk_by(|a, b| a.word == b.word) {
        terms.extend(stem(analyzer, &joined(word)));
        terms.extend(long_year(word));
    }
    for two in pieces.windows(2).filter(|two| are_joined(two)) {
        terms.extend(stem(analyzer, &joined(two)));
    }
    terms.extend(initials(pieces));
}

/// What a question may name a document by.
pub(crate) fn units(
    question: &str,
    analyzer: &mut TextAnalyzer,
    is_idle: impl Fn(&str) -> bool,
) -> Vec<Unit> {
    let pieces = all_pieces(question, PIECES_MAX);
    let mut units: Vec<Unit> = Vec::new();
    let mut add = |some: &[Piece], at: usize, analyzer: &mut TextAnalyzer| {
        let text = joined(some);
        let Some(form) = stem(analyzer, &text) else {
            return;
        };
        let is_number = text.bytes().any(|byte| byte.is_ascii_digit());
        let is_short =
            INITIALS.contains(&text.chars().count()) && text.chars().all(char::is_uppercase);
        let mut forms = vec![form];
        forms.extend(long_year(some));
        forms.extend(without_zeros(&text));
        units.push(Unit {
            forms,
            pieces: (0..some.len()).fold(0, |bits, n| bits | 1 << (at + n)),
            stems: some
                .iter()
                .filter_map(|piece| stem(analyzer, &piece.text))
                .collect(),
            initials: is_short
                .then(|| marked(text.to_lowercase().chars().collect::<Vec<_>>().iter())),
            is_number,
            is_content_free: stop::is_content_free(&text.to_lowercase()),
            is_group: !are_joined(some),
        });
    };
    for (at, piece) in pieces.iter().enumerate() {
        if !is_idle(&piece.text) {
            add(std::slice::from_ref(piece), at, analyzer);
        }
        let is_first = at == 0 || pieces[at - 1].word != piece.word;
        let word = pieces[at..]
            .iter()
            .take_while(|other| other.word == piece.word)
            .count();
        if is_first && word > 2 {
            add(&pieces[at..at + word], at, analyzer);
        }
        if pieces.get(at..at + 2).is_some_and(are_joined) {
            add(&pieces[at..at + 2], at, analyzer);
        }
    }
    for time in times(question).iter().filter(|time| time.is_meant) {
        units.extend(of_time(time, question, &pieces, analyzer));
    }
    units
}

/// What a time is called in names, whatever the question calls it: `Q3`, `2019-08`, `20190812`. Neighbouring pieces of a
/// name are joined, so `2019-08-12` is called `201908` and `0812`, too.
fn of_time(
    time: &NamedTime,
    question: &str,
    pieces: &[Piece],
    analyzer: &mut TextAnalyzer,
) -> Vec<Unit> {
    let count = |until: usize| {
        self::pieces(&unify(&question[..until]))
            .len()
            .min(pieces.len())
    };
    let stands = count(time.stands.start)..count(time.stands.end);
    let mut unit = |forms: Vec<String>, is_part: &dyn Fn(&Piece) -> bool| {
        let of = stands.clone().filter(|at| is_part(&pieces[*at]));
        Unit {
            forms,
            pieces: of.clone().fold(0, |bits, at| bits | 1 << at),
            stems: of
                .filter_map(|at| stem(analyzer, &pieces[at].text))
                .collect(),
            initials: None,
            is_number: true,
            is_content_free: false,
            is_group: false,
        }
    };
    let is_year = |piece: &Piece| piece.text.len() == 4 && is_digits(&piece.text);
    let month =
        |year: i32, month: u8| vec![format!("{year}{month:02}"), format!("{month:02}{year}")];
    match time.is {
        // The year is a name by itself.
        Calendar::Quarter(_, n) => vec![unit(vec![format!("q{n}")], &|piece| !is_year(piece))],
        Calendar::Month(year, n) => vec![unit(month(year, n), &|_| true)],
        Calendar::Day(day) => {
            let (year, of_year, of_month) = (day.year(), u8::from(day.month()), day.day());
            let in_month = [
                format!("{of_year:02}{of_month:02}"),
                format!("{of_month:02}{of_year:02}"),
            ];
            let number = of_month.to_string();
            let is_day = |piece: &Piece| piece.text.trim_start_matches('0') == number;
            vec![
                unit(vec![format!("{year}{}", in_month[0])], &|_| true),
                unit(in_month.to_vec(), &is_day),
                unit(month(year, of_year), &|piece| !is_day(piece)),
            ]
        }
    }
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The pieces of a text, at most so many.
fn all_pieces(text: &str, most: usize) -> Vec<Piece> {
    let mut all = pieces(&unify(text));
    all.truncate(most);
    all
}

/// Whether neighbouring pieces may be one word.
fn are_joined(pieces: &[Piece]) -> bool {
    !pieces.iter().any(|piece| piece.is_group)
}

/// The pieces of a name.
fn pieces(name: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let words = name
        .split(|c: char| !words::is_word_char(c))
        .filter(|word| !word.is_empty())
        .flat_map(words::by_script);
    for word in words {
        let n = pieces.last().map_or(0, |last| last.word + 1);
        if word.starts_with(words::is_cut) {
            let groups = words::pieces(word).zip(n..);
            pieces.extend(groups.map(|(group, word)| Piece {
                text: group.to_owned(),
                word,
                is_group: true,
                is_capital: false,
            }));
            continue;
        }
        let chars: Vec<char> = word.chars().collect();
        let is_whole = is_hash(word);
        let mut from = 0;
        for at in 1..=chars.len() {
            if at == chars.len() || !is_whole && is_cut(&chars, from, at) {
                pieces.push(Piece {
                    text: chars[from..at].iter().collect(),
                    word: n,
                    is_group: false,
                    is_capital: chars[from].is_uppercase(),
                });
                from = at;
            }
        }
    }
    pieces
}

/// Whether a word is hexadecimal, with letters and digits: it is a number, and its parts mean nothing.
fn is_hash(word: &str) -> bool {
    word.len() >= HASH_DIGITS_MIN
        && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Whether a piece that began at `from` ends before `at`: `dateOf`, `PDFReport`, `2018Q3`, `Corvane2018`. One letter
/// stays with the digits behind it: `Q3`, `v2`.
fn is_cut(chars: &[char], from: usize, at: usize) -> bool {
    let (before, here) = (chars[at - 1], chars[at]);
    match (before.is_numeric(), here.is_numeric()) {
        (true, false) => true,
        (false, true) => at - from > 1,
        (true, true) => false,
        (false, false) => {
            let next_is_small = chars.get(at + 1).is_some_and(|next| next.is_lowercase());
            here.is_uppercase() && (before.is_lowercase() || next_is_small && before.is_uppercase())
        }
    }
}

fn joined(pieces: &[Piece]) -> String {
    pieces.iter().map(|piece| piece.text.as_str()).collect()
}

fn stem(analyzer: &mut TextAnalyzer, text: &str) -> Option<String> {
    stems(analyzer, text).into_iter().next()
}

/// `16` for `0016`.
fn without_zeros(text: &str) -> Option<String> {
    let number = text.trim_start_matches('0');
    let is_shorter = !number.is_empty() && number.len() < text.len() && is_digits(text);
    is_shorter.then(|| number.to_owned())
}

/// `2018` for `FY18`: letters and then two digits. Quarters have one digit (`Q3`).
fn long_year(word: &[Piece]) -> Option<String> {
    let [letters, year] = word else { return None };
    let is_short = letters.text.chars().count() <= YEAR_LETTERS_MAX
        && letters.text.chars().all(char::is_alphabetic);
    let are_two = year.text.len() == 2 && is_digits(&year.text);
    (is_short && are_two).then(|| format!("20{}", year.text))
}

/// The initials of the first words of a name, for each number of them.
fn initials(pieces: &[Piece]) -> Vec<String> {
    let words = pieces
        .iter()
        .take_while(|piece| !piece.is_group && piece.text.chars().all(char::is_alphabetic));
    let letters: Vec<char> = words
        .filter_map(|piece| piece.text.chars().next())
        .collect();
    let lengths = INITIALS.filter(|length| *length <= letters.len());
    lengths
        .map(|length| marked(letters[..length].iter()))
        .collect()
}

fn marked<'a>(letters: impl Iterator<Item = &'a char>) -> String {
    let letters: String = letters.flat_map(|c| c.to_lowercase()).collect();
    format!("{INITIALS_MARK}{letters}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::analyzer;

    fn cut(name: &str) -> String {
        let pieces = pieces(name);
        let texts: Vec<&str> = pieces.iter().map(|piece| piece.text.as_str()).collect();
        texts.join(" ")
    }

    #[test]
    fn names_are_cut_where_case_and_digits_change() {
        let cases = [
            ("CORVANE2018Q3_10K", "CORVANE 2018 Q3 10 K"),
            ("pump-manual-v2.3_de", "pump manual v2 3 de"),
            ("AnnualReport(Harrow & Finch)", "Annual Report Harrow Finch"),
            ("PDFReport", "PDF Report"),
            ("3R", "3 R"),
            ("QX-7706B", "QX 7706 B"),
            ("Müller2019", "Müller 2019"),
            ("議事録_製造会議2024", "議事 事録 製造 造会 会議 2024"),
        ];
        for (name, wanted) in cases {
            assert_eq!(cut(name), wanted, "{name}");
        }
    }

    fn head(source: &str, title: &str, text: &str) -> ChunkRecord {
        let record = serde_json::json!({
            "v": 1, "tenant": "default", "bucket": "b", "doc_id": "d", "n": 0, "of": 1, "hash": "h",
            "source": source, "title": title, "ext": "pdf", "text": text,
        });
        serde_json::from_value(record).unwrap()
    }

    #[test]
    fn a_name_has_its_pieces_pairs_and_initials() {
        let head = head("BESTBUY_FY18_0042.pdf", "Harbour Peak Instruments", "");
        let mut names = of_path(&head, &mut analyzer());
        names.extend(of_title(&head, &mut analyzer()));
        for term in [
            "bestbuy",
            "fy18",
            "2018",
            "0042",
            "42",
            "harbourpeak",
            "~hpi",
            "~hp",
        ] {
            assert!(names.contains(term), "{term} of {names:?}");
        }
        assert!(!names.contains("pdf"), "an extension is no name");
    }

    #[test]
    fn a_question_has_units_of_one_and_two_pieces() {
        let units = units("What did Best Buy earn in FY18?", &mut analyzer(), |word| {
            word == "did"
        });
        let forms: Vec<&String> = units.iter().flat_map(|unit| &unit.forms).collect();
        for form in ["best", "bestbuy", "fy18", "2018"] {
            assert!(
                forms.iter().any(|known| *known == form),
                "{form} of {forms:?}"
            );
        }
        assert!(!forms.iter().any(|form| *form == "did"));
    }

    #[test]
    fn a_time_is_called_as_in_names() {
        for (question, said, name) in [
            (
                "sales in the third quarter of 2018",
                "q3",
                "CORVANE2018Q3.pdf",
            ),
            (
                "the minutes of August 2019",
                "201908",
                "minutes-2019-08-12.md",
            ),
            (
                "the minutes of 12 August 2019",
                "20190812",
                "20190812_minutes.md",
            ),
            (
                "the minutes of 12 August 2019",
                "0812",
                "minutes-2019-08-12.md",
            ),
            (
                "Protokoll vom 12. August 2019",
                "1208",
                "Protokoll 12.08.2019.md",
            ),
        ] {
            let units = units(question, &mut analyzer(), |_| false);
            let names = of_path(&head(name, "", ""), &mut analyzer());
            let unit = units
                .iter()
                .find(|unit| unit.forms.iter().any(|form| form == said));
            assert!(
                unit.is_some_and(|unit| unit.pieces > 0),
                "{question}: {units:?}"
            );
            assert!(names.contains(said), "{said} of {names:?}");
        }
    }
}
