//! Numbers as lists and pages count: digits, letters and Roman numerals.

/// Largest number in Roman digits, and in letters; larger ones are written in digits.
const ROMAN_MAX: u32 = 3_999;
const LETTERS_MAX: u32 = 26 * 20;
const ROMAN_VALUES: [u32; 13] = [1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1];
const ROMAN_DIGITS: &str = "m cm d cd c xc l xl x ix v iv i";

/// A number in the style of this first number: `a`, `A`, `i`, `I`; others are digits.
pub(super) fn number(number: u32, first: char) -> String {
    let text = match first.to_ascii_lowercase() {
        'a' if (1..=LETTERS_MAX).contains(&number) => {
            let letter = char::from(b'a' + ((number - 1) % 26) as u8);
            letter.to_string().repeat((number as usize - 1) / 26 + 1)
        }
        'i' if number <= ROMAN_MAX => {
            let (mut left, mut text) = (number, String::new());
            for (value, digit) in ROMAN_VALUES.into_iter().zip(ROMAN_DIGITS.split(' ')) {
                text.push_str(&digit.repeat((left / value) as usize));
                left %= value;
            }
            text
        }
        _ => number.to_string(),
    };
    if first.is_ascii_uppercase() {
        text.to_uppercase()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_each_style() {
        assert_eq!(number(12, '1'), "12");
        assert_eq!(number(1994, 'i'), "mcmxciv");
        assert_eq!(number(4, 'I'), "IV");
        assert_eq!(number(26, 'a'), "z");
        assert_eq!(number(28, 'A'), "BB");
        assert!(number(u32::MAX, 'a').len() + number(u32::MAX, 'i').len() < 100);
    }
}
