//! Letters that are drawn by instructions of their own (Type 3 fonts), as in papers that TeX made before outlines of its
//! fonts were common: each letter is a picture. Such a font says neither how large its letters are, nor often what they mean.
//!
//! Its unit is a dot of a printer, of which a letter may be forty wide, so by it all text of a page would be too small to be
//! seen; the width of the letters tells more. Letters are called by the character of their code, and of these names a reader
//! knows those of letters, and none of figures and signs. So where the letters of a page with a name have the codes of
//! ASCII, the others have them as well, and ligatures those of TeX (OT1). *Not* the signs of mathematical fonts, nor the
//! dashes and quotes of others: they become the characters of ASCII with their codes, as with other readers.

use super::glyphs::Placed;
use std::collections::HashMap;

/// How much larger type is than its small letters are wide, in the mean of a text.
const SIZES_A_LETTER: f64 = 2.0;
/// Characters of private use: the code of a letter without a name, until it is known what codes are.
const UNNAMED: u32 = 0x10_f000;
/// Ligatures by their codes, from 11 on.
const LIGATURES: [&str; 5] = ["ff", "fi", "fl", "ffi", "ffl"];

/// What stands for a letter without a name; `None` where no such code has a meaning.
pub(super) fn unnamed(code: u32) -> Option<char> {
    let is_known = matches!(code, 11..=15 | 0x21..=0x7e);
    is_known.then(|| char::from_u32(UNNAMED + code))?
}

/// Gives letters without a name the text of their code, where codes are those of ASCII; else they go.
pub(super) fn name(glyphs: &mut Vec<Placed>, are_codes_ascii: bool) {
    glyphs.retain_mut(|glyph| {
        let first = glyph.text.chars().next().unwrap_or_default();
        let Some(code) = u32::from(first).checked_sub(UNNAMED) else {
            return true;
        };
        match (code, char::from_u32(code)) {
            (11..=15, _) => glyph.text = LIGATURES[code as usize - 11].to_owned(),
            (..0x80, Some(c)) => glyph.text = c.to_string(),
            _ => return true,
        }
        are_codes_ascii
    });
}

/// Gives letters of a font that is too small to be seen (its size is below 0 here) the size that their widths tell, which is one
/// for all letters of such a size. Where that is too small as well, they go, unless they are to be `kept`.
pub(super) fn resize(glyphs: &mut Vec<Placed>, smallest: f64, kept: bool) {
    let key = |size: f64| (size * 1_000.0).round() as i64;
    let mut widths: HashMap<i64, [(f64, f64); 2]> = HashMap::new();
    for glyph in glyphs.iter().filter(|glyph| glyph.size < 0.0) {
        let letters = widths.entry(key(glyph.size)).or_default();
        let is_small = glyph.text.chars().all(char::is_lowercase);
        if is_small || glyph.text.chars().all(char::is_alphanumeric) {
            let (width, count) = &mut letters[usize::from(!is_small)];
            *width += (glyph.end - glyph.start).abs();
            *count += 1.0;
        }
    }
    glyphs.retain_mut(|glyph| {
        if glyph.size >= 0.0 {
            return true;
        }
        let [small, others] = widths.get(&key(glyph.size)).copied().unwrap_or_default();
        let (width, count) = if small.1 > 0.0 { small } else { others };
        // Without a width nothing is known.
        glyph.size = match width > 0.0 {
            true => SIZES_A_LETTER * width / count,
            false => 1.0,
        };
        kept || glyph.size >= smallest
    });
}
