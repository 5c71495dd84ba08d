//! Maps characters that look alike to one form. *Not* a cleaning of text: nothing is removed.

use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{UnicodeNormalization, is_nfkc};

/// The NFKC form of a text, except for characters whose plain form would change a number.
pub fn unify(text: &str) -> String {
    if is_nfkc(text) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(is_kept) {
        out.extend(rest[..at].nfkc());
        let kept = rest[at..].chars().next().map_or(0, char::len_utf8);
        out.push_str(&rest[at..at + kept]);
        rest = &rest[at + kept..];
    }
    out.extend(rest.nfkc());
    out
}

/// Superscripts, subscripts and fractions: `5½` is not `51/2`. And the micro sign, which people
/// type and NFKC makes a Greek letter of.
fn is_kept(c: char) -> bool {
    matches!(c, '²' | '³' | '¹' | 'µ' | '¼'..='¾' | '\u{2070}'..='\u{209f}' | '\u{2150}'..='\u{215f}' | '\u{2189}')
}

/// A text without accents: for comparing words, because people leave accents out when they type.
pub fn unaccented(text: &str) -> String {
    match text.is_ascii() {
        true => text.to_owned(),
        false => text.nfd().filter(|c| !is_combining_mark(*c)).collect(),
    }
}
