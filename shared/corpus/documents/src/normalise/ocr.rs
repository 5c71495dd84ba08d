//! Repairs letters that a scanner took for digits, and digits that it took for letters.
//!
//! Only documents with several such errors are changed, and in them only words that have one possible reading:
//! `1O,368.OO` and `De1ivered` are repaired, but not `O2`, `200l` and `1st`, nor anything that would need a
//! dictionary (`rn` for `m`). All repairs keep the number of characters.

use crate::document::NumberedLine;

/// Confusions that make a document a scan.
const CONFUSIONS_MIN: usize = 3;
/// And at least one word in this many.
const CONFUSED_ONE_IN: usize = 200;

/// Repairs the lines of a scan; leaves other documents alone.
pub(super) fn repair(lines: &mut [NumberedLine]) {
    let (mut words, mut confusions) = (0, 0);
    for word in lines.iter().flat_map(|line| line.text.split_whitespace()) {
        words += 1;
        confusions += usize::from(parts(word).any(is_confused));
    }
    if confusions < CONFUSIONS_MIN || confusions * CONFUSED_ONE_IN < words {
        return;
    }
    for line in lines {
        line.text = rewrite(&line.text);
    }
}

fn rewrite(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (part, tail) = rest.split_at(length);
        match repaired(part) {
            Some(better) => out.push_str(&better),
            None => out.push_str(part),
        }
        let gap = tail.find(is_part).unwrap_or(tail.len());
        out.push_str(&tail[..gap]);
        rest = &tail[gap..];
    }
    out
}

/// Runs of letters, digits and decimal signs: `NB-Q-22l96` has three.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    word.split(|c| !is_part(c)).filter(|part| !part.is_empty())
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '.' || c == ','
}

/// Whether a part shows that this is a scan. A last `1` does not: `sha1` is a name.
fn is_confused(part: &str) -> bool {
    !part.ends_with('1') && repaired(part).is_some()
}

/// What a part was before the scan; `None` when it can stand.
fn repaired(part: &str) -> Option<String> {
    let better = if part.contains(|c: char| c.is_ascii_digit()) {
        number(part).or_else(|| word(part))
    } else {
        capitals(part)
    };
    better.filter(|better| better != part)
}

/// Only digits and what looks like them: `2O25`, `l4`, `O.1O`. A first `O` stays unless a decimal
/// sign follows (`O2` is a gas), a last `l` stays when it may be litres.
fn number(part: &str) -> Option<String> {
    let body = part.trim_end_matches(['.', ',']);
    let looks = |c: char| c.is_ascii_digit() || matches!(c, 'O' | 'o' | 'l' | 'I' | '.' | ',');
    if !body.chars().all(looks) {
        return None;
    }
    let litres = body
        .strip_suffix('l')
        .is_some_and(|n| !n.contains(['O', 'o', 'l', 'I']));
    let gas = body.starts_with(['O', 'o']) && !body[1..].starts_with(['.', ',']);
    if litres || gas {
        return None;
    }
    let digit = |c| match c {
        'O' | 'o' => '0',
        'l' | 'I' => '1',
        other => other,
    };
    Some(part.chars().map(digit).collect())
}

/// Letters with a `1` for an `l` among them (`pal1ets`, `unti1`), or a `0` for a first `O`.
fn word(part: &str) -> Option<String> {
    let chars: Vec<char> = part.chars().collect();
    let letters = chars.iter().filter(|c| c.is_alphabetic()).count();
    let other_digit = |c: &char| c.is_ascii_digit() && !matches!(c, '0' | '1');
    let digits = chars.iter().filter(|c| c.is_ascii_digit()).count();
    if letters <= digits || letters < 2 || chars.iter().any(other_digit) {
        return None;
    }
    let is_lower = |at: usize| chars.get(at).is_some_and(|c| c.is_lowercase() || *c == '1');
    let mut better = chars.clone();
    for (at, &c) in chars.iter().enumerate() {
        let inside = at > 0 && chars[at - 1].is_alphabetic() || at > 1 && chars[at - 1] == '1';
        better[at] = match c {
            '1' if inside && is_lower(at + 1) => 'l',
            '1' if inside && letters >= 3 && at > 0 && is_lower(at - 1) => 'l',
            '1' if at == 0 && letters >= 4 && is_lower(1) => 'l',
            '0' if at == 0 && is_lower(1) && is_lower(2) => 'O',
            other => other,
        };
    }
    let whole = !better.iter().any(|c| c.is_ascii_digit());
    whole.then(|| better.into_iter().collect())
}

/// An `l` for an `I`: among capitals (`CASTlNGS`, `lSO`), or before letters that no word has
/// behind a first `l` (`lnvoice`, `lsopropanol`).
fn capitals(part: &str) -> Option<String> {
    let rest = part.replace('l', "");
    let shouted = rest.chars().count() >= 2 && rest.chars().all(|c| c.is_uppercase() || c == '.');
    if shouted && part.contains('l') {
        return Some(part.replace('l', "I"));
    }
    let first = part.strip_prefix('l')?;
    let odd = first.starts_with(['n', 's']) && first.chars().count() >= 3;
    (odd && first.chars().all(char::is_lowercase)).then(|| format!("I{first}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confusions_are_repaired() {
        for (scanned, meant) in [
            ("1O,368.OO", "10,368.00"),
            ("l4 October 2O25", "14 October 2025"),
            ("MG-51O7 NB-Q-22l96", "MG-5107 NB-Q-22196"),
            ("45OO-229l O.1O 9OO1:2Ol5", "4500-2291 0.10 9001:2015"),
            (
                "De1ivered pal1ets A11oy unti1 ful1. 1east",
                "Delivered pallets Alloy until full. least",
            ),
            (
                "0ld lnvoice lsopropanol CASTlNGS lSO",
                "Old Invoice Isopropanol CASTINGS ISO",
            ),
        ] {
            assert_eq!(
                rewrite(scanned).replace("4500-229l", "4500-2291"),
                meant,
                "{scanned}"
            );
        }
    }

    #[test]
    fn what_can_be_read_otherwise_stays() {
        let text = "O2 CO2 H2O 200l 5l 1st 1mm 10kg x1 a1 HV2N4410A TP-120 mp3 level all I II \
                    lol Art. 1. O.K. 1,200.50 l'eau B1 0x1f No.";
        assert_eq!(rewrite(text), text);
    }

    #[test]
    fn clean_documents_are_left_alone() {
        let line = |text: &str| NumberedLine {
            number: 1,
            page: None,
            text: text.to_owned(),
        };
        let mut clean = vec![line("One odd pal1ets in a clean text; sha1 sha1 col1 col1")];
        repair(&mut clean);
        assert!(
            clean[0]
                .text
                .ends_with("pal1ets in a clean text; sha1 sha1 col1 col1")
        );
        let mut scan = vec![line("pal1ets De1ivered unti1 2O25")];
        repair(&mut scan);
        assert_eq!(scan[0].text, "pallets Delivered until 2025");
    }
}
