//! Rewords sentences without changing their meaning. Each rewording returns `None` if it does not apply to the
//! sentence.

use crate::case::MutationSplit;
use crate::find::{dates, month, names, words};
use crate::lists::{
    COMPANIES, CONTRACTIONS, FRONTED, NUMBERS, SMALL, SYNONYMS_DEV, SYNONYMS_TEST, TAILS,
};
use std::ops::Range;
use text::months;
use text::sentences::cited;

/// The fewest words that remain when the end of a sentence is dropped.
const HEAD_MIN: usize = 8;
/// The most rewordings of one sentence.
const REWORDINGS_MAX: usize = 2;

/// A sentence, and the passage that states it.
pub(crate) struct Wording<'a> {
    pub(crate) sentence: &'a str,
    pub(crate) passage: &'a str,
}

/// A rewording by its name.
type Rewording = (&'static str, fn(&Wording<'_>) -> Option<String>);

const DEV: &[Rewording] = &[
    ("number in digits", number_in_digits),
    ("no thousands separator", ungrouped),
    ("contraction", contracted),
    ("synonym", synonym_dev),
    ("short month", short_month),
];

const TEST: &[Rewording] = &[
    ("date in another order", date_order),
    ("unit in words", unit_words),
    ("contraction undone", expanded),
    ("synonym", synonym_test),
    ("clause in front", fronted),
    ("tail dropped", dropped),
    ("legal form", legal_form),
    ("two sentences merged", merged),
];

/// The sentence in other words, by one or two rewordings of its side; `None` where none applies.
pub(crate) fn reword(
    wording: &Wording<'_>,
    split: MutationSplit,
    random: &mut fastrand::Rng,
) -> Option<(String, Vec<&'static str>)> {
    let mut all: Vec<&Rewording> = match split {
        MutationSplit::Dev => DEV.iter().collect(),
        MutationSplit::Test => TEST.iter().collect(),
    };
    random.shuffle(&mut all);
    let mut sentence = wording.sentence.to_owned();
    let mut applied = Vec::new();
    for (name, rewording) in all {
        let next = rewording(&Wording {
            sentence: &sentence,
            passage: wording.passage,
        });
        if let Some(next) = next.filter(|next| *next != sentence) {
            sentence = next;
            applied.push(*name);
        }
        if applied.len() == REWORDINGS_MAX {
            break;
        }
    }
    (!applied.is_empty()).then_some((sentence, applied))
}

/// `text` with a part replaced.
pub(crate) fn replaced(text: &str, at: Range<usize>, with: &str) -> String {
    [&text[..at.start], with, &text[at.end..]].concat()
}

/// The place of words in a text, as whole words and outside quotations.
pub(crate) fn place(text: &str, wanted: &str) -> Option<Range<usize>> {
    let lower = text.to_ascii_lowercase();
    let wanted = wanted.to_ascii_lowercase();
    let is_inside = |c: Option<char>| {
        c.is_some_and(|c| c.is_alphanumeric() || c == '-' || c == '\'' || c == '’')
    };
    let mut places = lower
        .match_indices(wanted.as_str())
        .map(|(at, found)| at..at + found.len());
    places.find(|at| {
        let is_part = is_inside(text[..at.start].chars().next_back())
            || is_inside(text[at.end..].chars().next());
        !is_part && !is_quoted(text, at.start)
    })
}

/// Whether a place is inside a quotation.
pub(crate) fn is_quoted(text: &str, at: usize) -> bool {
    let before = &text[..at];
    before.matches('"').count() % 2 == 1
        || before.matches('“').count() > before.matches('”').count()
}

/// `with`, beginning in the same case as the text there.
fn cased(text: &str, at: &Range<usize>, with: &str) -> String {
    match text[at.clone()].starts_with(char::is_uppercase) {
        true => capitalised(with),
        false => with.to_owned(),
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    let first: String = chars
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect();
    first + chars.as_str()
}

/// The beginning of a sentence as it would stand inside one: a word that `text` has with a capital letter elsewhere
/// is a name.
fn lowered(sentence: &str, text: &str) -> String {
    let first = sentence.split(' ').next().unwrap_or_default();
    let behind = sentence[first.len()..].trim_start();
    let inside = |at: usize| {
        text[..at]
            .trim_end()
            .ends_with(|c: char| c.is_lowercase() || c == ',')
    };
    let is_name = text.match_indices(first).any(|(at, _)| inside(at))
        || behind.starts_with(char::is_uppercase);
    let is_word = first.chars().skip(1).all(char::is_lowercase);
    match SMALL.contains(&first) || is_word && !is_name {
        true => first.to_lowercase() + &sentence[first.len()..],
        false => sentence.to_owned(),
    }
}

fn exchanged(sentence: &str, pairs: &[(&str, &str)]) -> Option<String> {
    pairs.iter().find_map(|(from, to)| {
        // A capital inside a sentence is part of a name.
        let is_name = |at: &Range<usize>| {
            at.start > 0 && sentence[at.clone()].starts_with(char::is_uppercase)
        };
        let at = place(sentence, from).filter(|at| !is_name(at))?;
        let with = cased(sentence, &at, to);
        Some(replaced(sentence, at, &with))
    })
}

fn synonym_dev(wording: &Wording<'_>) -> Option<String> {
    exchanged(wording.sentence, SYNONYMS_DEV)
}

fn synonym_test(wording: &Wording<'_>) -> Option<String> {
    exchanged(wording.sentence, SYNONYMS_TEST)
}

fn contracted(wording: &Wording<'_>) -> Option<String> {
    exchanged(wording.sentence, CONTRACTIONS)
}

fn expanded(wording: &Wording<'_>) -> Option<String> {
    let sentence = wording.sentence.replace('’', "'");
    // `that's` may be `that has`: those that deny say one thing only.
    let denying = CONTRACTIONS
        .iter()
        .filter(|(_, short)| short.ends_with("n't"));
    let pairs: Vec<(&str, &str)> = denying.map(|(full, short)| (*short, *full)).collect();
    exchanged(&sentence, &pairs)
}

fn number_in_digits(wording: &Wording<'_>) -> Option<String> {
    NUMBERS.iter().zip(2..).find_map(|(word, number)| {
        let at = place(wording.sentence, word).filter(|at| at.start > 0)?;
        Some(replaced(wording.sentence, at, &number.to_string()))
    })
}

fn ungrouped(wording: &Wording<'_>) -> Option<String> {
    let is_group = |word: &str| {
        word.contains(',')
            && word
                .chars()
                .all(|c| c.is_ascii_digit() || ",.$€£".contains(c))
    };
    let words = words(wording.sentence);
    let word = words.iter().find(|word| is_group(word.text))?;
    Some(replaced(
        wording.sentence,
        word.at.clone(),
        &word.text.replace(',', ""),
    ))
}

fn short_month(wording: &Wording<'_>) -> Option<String> {
    let sentence = wording.sentence;
    let date = dates(sentence)
        .into_iter()
        .find(|date| date.month.is_some() && date.day.is_some())?;
    let words = words(&sentence[date.at.clone()]);
    let word = words
        .iter()
        .find(|word| month(word.text).is_some() && word.text.len() > 4)?;
    let at = date.at.start + word.at.start..date.at.start + word.at.end;
    let short = format!("{}.", &word.text[..3]);
    Some(replaced(sentence, at, &short))
}

fn date_order(wording: &Wording<'_>) -> Option<String> {
    let sentence = wording.sentence;
    let date = dates(sentence)
        .into_iter()
        .find(|date| date.month.is_some() && date.day.is_some())?;
    let (month, day) = (date.month?, date.day?);
    let name = capitalised(months::ENGLISH[month - 1]);
    let written = &sentence[date.at.clone()];
    let other = match (date.year, written.starts_with(|c: char| c.is_ascii_digit())) {
        (Some(year), false) if day % 2 == 0 => format!("{year}-{month:02}-{day:02}"),
        (Some(year), false) => format!("{day} {name} {year}"),
        (Some(year), true) => format!("{name} {day}, {year}"),
        (None, false) => format!("{day} {name}"),
        (None, true) => format!("{name} {day}"),
    };
    Some(replaced(sentence, date.at, &other))
}

fn unit_words(wording: &Wording<'_>) -> Option<String> {
    let sentence = wording.sentence;
    let words = words(sentence);
    for (place, word) in words.iter().enumerate() {
        let text = word.text;
        let behind = words.get(place + 1).map_or("", |word| word.text);
        let is_number = |text: &str| {
            !text.is_empty()
                && text
                    .chars()
                    .all(|c| c.is_ascii_digit() || c == ',' || c == '.')
        };
        if let Some(number) = text.strip_suffix('%').filter(|number| is_number(number)) {
            return Some(replaced(
                sentence,
                word.at.clone(),
                &format!("{number} percent"),
            ));
        }
        if let Some(number) = text.strip_prefix('$').filter(|number| is_number(number)) {
            let scaled = matches!(behind, "million" | "billion") && word.marks.is_empty();
            let end = if scaled {
                words[place + 1].at.end
            } else {
                word.at.end
            };
            let scale = if scaled {
                format!(" {behind}")
            } else {
                String::new()
            };
            return Some(replaced(
                sentence,
                word.at.start..end,
                &format!("{number}{scale} dollars"),
            ));
        }
        if let Some(number) = text.strip_suffix("bn") {
            return Some(replaced(
                sentence,
                word.at.clone(),
                &format!("{number} billion"),
            ));
        }
        if text == "EUR" && is_number(behind) {
            let number = behind.strip_suffix(".00").unwrap_or(behind);
            return Some(replaced(
                sentence,
                word.at.start..words[place + 1].at.end,
                &format!("€{number}"),
            ));
        }
        if behind == "months" && matches!(text, "12" | "24" | "36" | "48" | "60") {
            let years = text.parse::<u32>().ok()? / 12;
            let unit = if years == 1 { "year" } else { "years" };
            return Some(replaced(
                sentence,
                word.at.start..words[place + 1].at.end,
                &format!("{years} {unit}"),
            ));
        }
    }
    None
}

fn fronted(wording: &Wording<'_>) -> Option<String> {
    let body = wording.sentence.strip_suffix('.')?;
    if body.contains(['"', '“', ';', ':', '(', '—', ',']) {
        return None;
    }
    let words: Vec<&str> = body.split(' ').collect();
    let at = words.iter().position(|word| FRONTED.contains(word))?;
    if at < 5 || words.len() - at < 4 {
        return None;
    }
    let head = lowered(&words[..at].join(" "), wording.passage);
    Some(format!("{}, {head}.", capitalised(&words[at..].join(" "))))
}

fn dropped(wording: &Wording<'_>) -> Option<String> {
    let sentence = wording.sentence;
    let (at, _) = sentence.rmatch_indices(", ").find(|(at, _)| {
        let tail = sentence[at + 2..].split(' ').next().unwrap_or_default();
        TAILS.contains(&tail)
    })?;
    let head = &sentence[..at];
    let is_long = head.split(' ').count() >= HEAD_MIN && head.len() * 2 >= sentence.len();
    // The last comma may be one of a list, or of a clause that the head needs.
    let is_list = head.matches(',').count() > 0 && sentence[at + 2..].starts_with("and ");
    let is_open = is_quoted(sentence, at) || head.matches('(').count() != head.matches(')').count();
    let is_needed = head.starts_with(|c: char| c.is_uppercase())
        && FRONTED
            .iter()
            .any(|word| head.to_lowercase().starts_with(word))
        && !head.contains(',');
    (is_long && !is_list && !is_open && !is_needed).then(|| format!("{head}."))
}

fn legal_form(wording: &Wording<'_>) -> Option<String> {
    let sentence = wording.sentence;
    for form in [" Inc.", " Ltd.", " Ltd", " Corp.", " LLC", " GmbH", " plc"] {
        if let Some(at) = sentence
            .find(form)
            .filter(|at| !sentence[at + form.len()..].starts_with(char::is_alphanumeric))
        {
            let is_end = at + form.len() == sentence.len();
            return Some(replaced(
                sentence,
                at..at + form.len(),
                if is_end { "." } else { "" },
            ));
        }
    }
    let named = names(sentence).into_iter().find(|name| {
        COMPANIES.contains(&name.text)
            && sentence[name.at.end..].starts_with(' ')
            && !is_quoted(sentence, name.at.start)
    })?;
    Some(replaced(
        sentence,
        named.at.clone(),
        &format!("{} Inc.", named.text),
    ))
}

fn merged(wording: &Wording<'_>) -> Option<String> {
    let body = wording
        .sentence
        .strip_suffix('.')
        .filter(|body| !body.contains(['"', '“', ':', ';']))?;
    let spans = cited::spans(wording.passage);
    let of = |at: usize| {
        spans
            .get(at)
            .map_or("", |span| &wording.passage[span.clone()])
    };
    // The sentence may have been reworded: what begins alike is it.
    let head: String = wording.sentence.chars().take(24).collect();
    let at = (0..spans.len()).find(|at| of(*at).starts_with(&head))?;
    let next = of(at + 1);
    let count = next.split(' ').count();
    let is_whole = next.ends_with('.')
        && next.starts_with(char::is_uppercase)
        && !next.contains(['"', '“', '\n', '”', '…', ':', '#', '|']);
    (is_whole && (5..=25).contains(&count))
        .then(|| format!("{body}, and {}", lowered(next, wording.passage)))
}
