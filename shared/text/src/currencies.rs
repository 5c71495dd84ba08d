//! The words, codes and signs of currencies. *Not* here: how an amount is parsed; the forms differ by use.

/// Words for currencies with their ISO codes, in lower case. Longest first.
pub const WORDS: [(&str, &str); 39] = [
    ("united states dollars", "USD"),
    ("united states dollar", "USD"),
    ("euro currency", "EUR"),
    ("pound sterling", "GBP"),
    ("swiss franc", "CHF"),
    ("us dollars", "USD"),
    ("us dollar", "USD"),
    ("u.s dollars", "USD"),
    ("american dollars", "USD"),
    ("pounds sterling", "GBP"),
    ("american dollar", "USD"),
    ("uk pounds", "GBP"),
    ("uk pound", "GBP"),
    ("british pounds", "GBP"),
    ("swiss francs", "CHF"),
    ("japanese yen", "JPY"),
    ("canadian dollars", "CAD"),
    ("australian dollars", "AUD"),
    ("dollars", "USD"),
    ("dollar", "USD"),
    ("bucks", "USD"),
    ("euros", "EUR"),
    ("euro", "EUR"),
    ("pounds", "GBP"),
    ("pound", "GBP"),
    ("sterling", "GBP"),
    ("quid", "GBP"),
    ("francs", "CHF"),
    ("yen", "JPY"),
    ("zloty", "PLN"),
    ("zlotys", "PLN"),
    ("kronor", "SEK"),
    ("kroner", "NOK"),
    ("rupees", "INR"),
    ("renminbi", "CNY"),
    ("yuan", "CNY"),
    ("forints", "HUF"),
    ("forint", "HUF"),
    ("koruna", "CZK"),
];

/// ISO codes that are written before or after an amount.
pub const CODES: [&str; 16] = [
    "USD", "EUR", "GBP", "CHF", "JPY", "CAD", "AUD", "PLN", "SEK", "NOK", "DKK", "INR", "CNY",
    "HUF", "CZK", "NZD",
];

/// Signs with the ISO code that they mostly stand for.
pub const SIGNS: [(char, &str); 5] = [
    ('$', "USD"),
    ('€', "EUR"),
    ('£', "GBP"),
    ('¥', "JPY"),
    ('₹', "INR"),
];

/// The ISO code that a word is, in capital or in small letters, but not with only its first letter in capitals, as at
/// the beginning of a sentence.
pub fn code(word: &str) -> Option<&'static str> {
    let is_of_one = |is_case: fn(&u8) -> bool| word.bytes().all(|byte| is_case(&byte));
    let is_one_case = is_of_one(u8::is_ascii_uppercase) || is_of_one(u8::is_ascii_lowercase);
    if word.len() != 3 || !is_one_case {
        return None;
    }
    CODES
        .into_iter()
        .find(|code| code.eq_ignore_ascii_case(word))
}

/// The ISO codes of currencies.
pub fn codes() -> impl Iterator<Item = &'static str> {
    CODES.into_iter()
}
