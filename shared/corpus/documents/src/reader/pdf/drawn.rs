//! Letters that are drawn by instructions of their own (Type 3 fonts), as in papers that TeX made before outlines of its
//! fonts were common: each letter is a picture. Such a font says neither how large its letters are, nor often what they mean.
//!
//! Its unit is a dot of a printer, of which a letter may be forty wide, so by it all text of a page would be too small to be
//! seen; the width of the letters tells more. Letters are called by the character of their code, and of these names a reader
//! knows those of letters, and none of figures and signs. So where the letters of a page with a name have the codes of
//! ASCII, the others have them as well, and ligatures those of TeX (OT1). *Not* a mathematical font: its signs become
//! other characters, as with other readers.

use super::glyphs::Placed;

/// How much larger type is than its letters are wide, in the mean of a text.
const SIZES_A_LETTER: f64 = 2.0;
/// From here on, characters are as wide as their type is large.
const WIDE: char = '\u{2e80}';
/// Characters of private use: the code of a letter without a name, until it is known what codes are.
const UNNAMED: u32 = 0xf_0000;
/// Ligatures by their codes, from 11 on.
const LIGATURES: [&str; 5] = ["ff", "fi", "fl", "ffi", "ffl"];

/// What stands for a letter without a name; `None` where no such code has a meaning.
pub(super) fn unnamed(code: u32) -> Option<char> {
    let is_known = matches!(code, 11..=15 | 0x21..=0x7e);
    is_known.then(|| char::from_u32(UNNAMED + code))?
}

/// Gives letters without a name the text of their code, where codes are those of ASCII; else they go.
pub(super) fn name(glyphs: &mut Vec<Placed>, are_codes_letters: bool) {
    let code = |glyph: &Placed| {
        let code = glyph.text.chars().next()? as u32;
        code.checked_sub(UNNAMED).filter(|code| *code < 0x80)
    };
    glyphs.retain_mut(|glyph| {
        let Some(code) = code(glyph) else {
            return true;
        };
        glyph.text = match (code, char::from_u32(code)) {
            (11..=15, _) => LIGATURES[code as usize - 11].to_owned(),
            // A hyphen of two lengths, and quotes.
            (0x7b, _) => "\u{2013}".to_owned(),
            (0x7c, _) => "\u{2014}".to_owned(),
            (0x5c, _) => "\u{201c}".to_owned(),
            (0x22, _) => "\u{201d}".to_owned(),
            (_, Some(c)) => c.to_string(),
            (_, None) => return false,
        };
        are_codes_letters
    });
}

/// The size of these letters, of the whole page.
pub(super) fn size(glyphs: &[Placed]) -> f64 {
    let (mut width, mut count) = (0.0, 0.0);
    for glyph in glyphs.iter().filter(|glyph| glyph.size == 0.0) {
        if glyph.text.chars().all(char::is_alphanumeric) {
            width += glyph.end - glyph.start;
            count += match glyph.text.chars().next() {
                Some(WIDE..) => SIZES_A_LETTER,
                _ => 1.0,
            };
        }
    }
    match count > 0.0 {
        true => SIZES_A_LETTER * width / count,
        false => 1.0,
    }
}
