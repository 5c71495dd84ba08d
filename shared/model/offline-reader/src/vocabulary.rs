//! The closed lists of words that the rules use, which stand in `words.txt`.

use std::collections::HashSet;
use std::sync::LazyLock;
use text::months;

/// The file of the lists.
const FILE: &str = include_str!("../words.txt");

/// Groups of words that stand for one another, a group in each line.
pub(crate) const SYNONYMS: &str = text::list(FILE, "synonyms");
/// Number words with their digits, one in each line.
pub(crate) const NUMBER_DIGITS: &str = text::list(FILE, "number_digits");

/// Functions that tell whether a word is in the list of the same name.
macro_rules! lists {
    ($($name:ident)*) => {$(
        pub(crate) fn $name(word: &str) -> bool {
            const LIST: &str = text::list(FILE, stringify!($name));
            static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| LIST.split_ascii_whitespace().collect());
            WORDS.contains(word)
        }
    )*};
}

lists! {
    is_generic is_labelled is_asking is_led_by is_comparison is_bound is_time_unit is_day is_number_word is_amount
    is_currency is_before_place is_reason is_joining is_comparing is_extension is_near is_back is_grammar is_the
    is_auxiliary is_question_word is_preposition is_group_head is_work_head is_thing_head is_past is_predicate is_female
    is_male is_organised is_weekday is_small_number is_small is_title is_opening is_verb_too is_part
}

/// Whether a word is a part of a date, which is no name.
pub(crate) fn is_calendar(word: &str) -> bool {
    months::ENGLISH.contains(&word) || is_weekday(word)
}

/// Whether a word is a noun that points back when it follows "the" or "this".
pub(crate) fn is_head(word: &str) -> bool {
    is_group_head(word) || is_work_head(word) || is_thing_head(word)
}
