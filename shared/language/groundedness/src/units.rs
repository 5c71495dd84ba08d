//! The units of numbers: what each unit measures, and its factor. *Not* here: how a number is parsed.

use std::collections::HashMap;
use std::sync::LazyLock;
use text::amounts::units::scales;

/// What a unit measures, and how many of the smallest it is. Numbers of different dimensions are never equal.
pub(crate) type Unit = (&'static str, f64);

/// The units by their forms. Made once for the process: it is data that never changes.
static BY_FORM: LazyLock<HashMap<&str, Unit>> = LazyLock::new(|| scales([words!(units)]));

/// The unit that a word is, as written.
pub(crate) fn unit(word: &str) -> Option<Unit> {
    // `M` is no metre, and `S` no second: one letter is compared as written.
    let lower = || BY_FORM.get(word.to_lowercase().as_str()).copied();
    let known = BY_FORM.get(word).copied();
    let is_lower = word.chars().all(char::is_lowercase);
    known.or_else(|| match is_lower || word.chars().count() <= 1 {
        true => None,
        false => lower(),
    })
}

/// An amount of money.
pub(crate) fn money(code: &'static str) -> Unit {
    (code, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_unit_has_a_number_and_is_known_by_its_forms() {
        let lines = words!(units).lines().filter(|line| !line.trim().is_empty());
        for line in lines {
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            let [measured, factor, forms @ ..] = &words[..] else {
                panic!("no unit: {line}");
            };
            let factor: f64 = factor.parse().expect(line);
            assert!(!forms.is_empty(), "{line}");
            for form in forms {
                assert_eq!(unit(form), Some((*measured, factor)), "{form}");
            }
        }
    }

    #[test]
    fn units_are_told_by_their_forms() {
        let seconds = |word| unit(word).map(|(_, factor)| factor);
        assert_eq!(seconds("Hours"), Some(3600.0));
        assert_eq!(seconds("mA"), Some(1e-3));
        assert_eq!(unit("M"), None);
        assert_eq!(unit("players"), None);
    }
}
