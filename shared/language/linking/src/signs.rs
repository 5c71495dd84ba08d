//! Tells values apart that differ by a sign alone: `C++` and `C#`, `A` and `A-`, `1.5` and `15`. Pure.
//!
//! Keys leave signs out, so that a name is found in whatever way it is written. This module does *not* compare letters.

use text::fold;

/// Leaves out values that differ from what is said by a sign alone. If no document has the value with a sign that is
/// said, none is meant.
pub(crate) fn leave_out_others(forms: &mut Vec<String>, said: &str) {
    let (plain, signed) = (fold::name_key(said), key(said));
    let is_same = |form: &String| key(form) == signed;
    // `Canal` may be short for `Canal+`, where nothing else is called so; `15` is not short for `1.5`.
    let has_sign = signed != plain || said.contains(|c: char| c.is_ascii_digit());
    if !has_sign && !forms.iter().any(is_same) {
        return;
    }
    forms.retain(|form| is_same(form) || fold::name_key(form) != plain);
    if forms.is_empty() {
        forms.push(said.to_owned());
    }
}

/// The key of a value with its signs. A mark before three digits parts thousands, and `#` before a number says only
/// that it is one.
fn key(value: &str) -> String {
    let letters: Vec<char> = value.chars().collect();
    let is_digit = |at: usize| letters.get(at).is_some_and(char::is_ascii_digit);
    let mut kept = String::new();
    for (at, c) in letters.iter().enumerate() {
        let is_between = at > 0 && is_digit(at - 1) && is_digit(at + 1);
        let is_of_thousands = (1..=3).all(|behind| is_digit(at + behind)) && !is_digit(at + 4);
        let behind = letters[at + 1..].iter().find(|c| !c.is_whitespace());
        match c {
            '.' | ',' if is_between && is_of_thousands => {}
            ',' if is_between => kept.push('.'),
            '#' if behind.is_some_and(char::is_ascii_digit) => {}
            // `Canal +`
            '+' | '#' => {
                kept.truncate(kept.trim_end().len());
                kept.push(*c);
            }
            _ => kept.push(*c),
        }
    }
    fold::value_key(&kept)
}
