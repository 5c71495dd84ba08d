//! Renders a manuscript as a scanned text, with the typical confusions of optical character recognition.
//!
//! The error rate is that of a good scan, in which 98 to 99 of 100 characters are right (Holley, "How Good Can It
//! Get?", D-Lib Magazine 15, 2009). Here, one to two of a hundred characters of running text are wrong. Values have
//! fewer errors, because a person who knows that `l` may be `1` has to be able to read what a question asks for. The
//! front matter has no errors, because it is typed in.

use super::{front_matter, interleaved};
use crate::dice::Dice;
use crate::manuscript::Manuscript;

/// How often a scanner errs, in a thousand cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ScanNoise {
    /// Words without a value that have one confusion. At six letters a word, a rate of 100 makes 1.7 % of the
    /// characters wrong.
    words: usize,
    /// Labels of six characters or more that have one confusion.
    labels: usize,
    /// Names that have one confusion.
    names: usize,
    /// Digits `0` and `1` inside a number that are read as `O` and `l`, two in a value at most.
    digits: usize,
    /// Blanks between words without a value that are doubled.
    blanks: usize,
}

/// The rates.
const NOISE: ScanNoise = ScanNoise {
    words: 100,
    labels: 80,
    names: 250,
    digits: 250,
    blanks: 60,
};

/// Confusions of letters, one for one, so that a name differs in one letter.
const LETTERS: [(char, char); 4] = [('l', '1'), ('i', 'l'), ('e', 'c'), ('o', '0')];
/// The shortest name that is confused; a shorter one would become unrecognisable.
const NAME_CHARS_MIN: usize = 8;
/// The shortest label that is confused; shorter ones are only found exactly.
const LABEL_CHARS_MIN: usize = 6;
/// Words that every scan shows its nature with, so that code which repairs digits recognises a scan.
const GIVEAWAYS: &str =
    "Stamped by the mai1room, unti1 paid; co1lected and de1ivered, fi1ed on the she1f.";

pub(super) fn render(paper: &Manuscript, dice: &mut Dice) -> String {
    let mut out = front_matter(&paper.front, Some(&paper.title));
    for (label, value) in &paper.labelled {
        let label = match label.len() >= LABEL_CHARS_MIN && dice.permille(NOISE.labels) {
            true => confused(label, dice),
            false => label.clone(),
        };
        out.push_str(&format!("{label}: {}\n", value_read(value, dice)));
    }
    out.push('\n');
    for text in interleaved(paper) {
        out.push_str(&running(&text, dice));
        out.push('\n');
    }
    for (article, quantity) in &paper.lines {
        out.push_str(&running(&format!("{quantity} x {article}"), dice));
        out.push('\n');
    }
    out.push_str(GIVEAWAYS);
    out.push('\n');
    out
}

/// A value as it is read: in numbers, a zero or a one becomes a letter, and in long names one letter is wrong.
fn value_read(value: &str, dice: &mut Dice) -> String {
    if value.contains(|c: char| c.is_ascii_digit()) {
        return digits_read(value, dice);
    }
    match value.len() >= NAME_CHARS_MIN && dice.permille(NOISE.names) {
        true => confused(value, dice),
        false => value.to_owned(),
    }
}

/// Replaces only digits inside a run of digits: at its ends such a letter may be a unit or a gas.
fn digits_read(value: &str, dice: &mut Dice) -> String {
    let signs: Vec<char> = value.chars().collect();
    let is_digit = |at: Option<&char>| at.is_some_and(char::is_ascii_digit);
    let mut out = String::new();
    let mut changed = 0;
    for (at, &sign) in signs.iter().enumerate() {
        let inside = at > 0 && is_digit(signs.get(at - 1)) && is_digit(signs.get(at + 1));
        let other = match sign {
            '0' => Some('O'),
            '1' => Some('l'),
            _ => None,
        };
        match other.filter(|_| inside && changed < 2 && dice.permille(NOISE.digits)) {
            Some(other) => {
                out.push(other);
                changed += 1;
            }
            None => out.push(sign),
        }
    }
    out
}

/// Running text with some words confused and some blanks doubled.
fn running(text: &str, dice: &mut Dice) -> String {
    let mut out = String::new();
    for word in text.split(' ') {
        if !out.is_empty() {
            out.push_str(if dice.permille(NOISE.blanks) {
                "  "
            } else {
                " "
            });
        }
        match dice.permille(NOISE.words) {
            true => out.push_str(&confused(word, dice)),
            false => out.push_str(word),
        }
    }
    out
}

/// A word with one letter, not the first, read as another; unchanged where it has no letter to confuse.
fn confused(text: &str, dice: &mut Dice) -> String {
    let letters: Vec<char> = text.chars().collect();
    let other = |sign: char| {
        LETTERS
            .iter()
            .find(|(from, _)| *from == sign)
            .map(|(_, to)| *to)
    };
    let places: Vec<usize> = (1..letters.len())
        .filter(|at| other(letters[*at]).is_some())
        .collect();
    if places.is_empty() {
        return text.to_owned();
    }
    let place = *dice.pick(&places);
    let read = |(at, &sign): (usize, &char)| other(sign).filter(|_| at == place).unwrap_or(sign);
    letters.iter().enumerate().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_text_has_one_to_two_of_a_hundred_characters_wrong() {
        let mut dice = Dice::new(1, "scan");
        let text = "Questions about this paper are answered by our bookkeeping. The scope covers design and sales.";
        let (mut wrong, mut all) = (0, 0);
        for _ in 0..300 {
            let read = running(text, &mut dice).replace("  ", " ");
            wrong += text
                .chars()
                .zip(read.chars())
                .filter(|(a, b)| a != b)
                .count();
            all += text.chars().count();
        }
        let permille = wrong * 1_000 / all;
        assert!((10..=20).contains(&permille), "{permille}");
    }

    #[test]
    fn values_stay_within_a_sign_or_two() {
        let mut dice = Dice::new(1, "scan");
        for value in [
            "EUR 10,110.00",
            "5 March 2010",
            "HM-51010",
            "Castellan Optics Ltd",
            "K Ltd",
        ] {
            for _ in 0..200 {
                let read = value_read(value, &mut dice);
                let pairs = value.chars().zip(read.chars());
                let changed = pairs.filter(|(a, b)| a != b).count();
                assert_eq!(read.chars().count(), value.chars().count());
                assert!(changed <= if value.contains('0') { 2 } else { 1 }, "{read}");
            }
        }
        assert_eq!(value_read("K Ltd", &mut dice), "K Ltd");
    }
}
