//! Decides whether a mention is meant as a condition, and whether the words around it negate it. Pure, by rule.

use crate::dictionary::{ColumnId, KnownValue};
use crate::form::is_participle;
use crate::link::{Linker, Placed};
use crate::linked::Intent;
use crate::mention::{Mention, Named};
use crate::merge::Link;
use crate::token::{QuestionToken, TokenWords};
use text::{fold, is_of};

const WORD_MIN: usize = 4;
/// How many words before a mention are searched for a negation.
const NEGATED_WORDS_MAX: usize = 9;

impl Linker<'_> {
    /// Whether a value is meant as one, and not as the ordinary word that it also is.
    pub(crate) fn is_meant(&self, mention: &Mention, column: ColumnId, before: &[Placed]) -> bool {
        let tokens = &self.tokens[mention.at.clone()];
        let shown = self.dictionary.column(column);
        let is_kind = shown.is_kind();
        // `premises` do not mean a company called Premise.
        if is_kind && !self.is_asked_for() || !is_kind && self.is_common_plural(mention, column) {
            return false;
        }
        let has_digit = tokens.iter().any(QuestionToken::has_digit);
        if has_digit && self.is_asked_for() || self.is_evident(mention) {
            return true;
        }
        if !self.is_asked_for() || self.is_prose(Some(&shown.bucket)) {
            // The question compares names: `compare Acme and Bolt`.
            let is_compared = self.frame.intent == Intent::Compare && !is_kind;
            return is_compared && tokens.iter().all(QuestionToken::is_capital)
                || self.is_proper(mention, column);
        }
        let is_joined = self.link_before(mention.at.start) != Link::None
            && before.last().is_some_and(|before| before.column == column);
        // A value that documents write in small letters is not a name, so the question writes it in small letters, too.
        let is_word = shown.is_of_words() && tokens[0].lower.chars().count() >= WORD_MIN;
        tokens.len() > 1
            || is_word
            || tokens.iter().all(QuestionToken::is_name)
            || is_joined
            || self.is_led(mention.at.start)
            || self.is_followed(mention.at.end)
    }

    /// Whether a word in small letters is only the plural of the name of a company.
    fn is_common_plural(&self, mention: &Mention, column: ColumnId) -> bool {
        let ([token], Named::Value(known)) = (&self.tokens[mention.at.clone()], &mention.what)
        else {
            return false;
        };
        let is_company = |value: &KnownValue| {
            let mut words = value.text.rsplit(' ');
            words.next().is_some_and(fold::is_company_suffix) && words.next().is_some()
        };
        let mut named = self.dictionary.with_key(known);
        !token.is_capital()
            && fold::key(&token.text) != *known
            && named.any(|value| value.column == column && is_company(value))
    }

    /// Whether a word before a mention announces a value: `from`, `about`, or a word of a column's name.
    fn is_led(&self, at: usize) -> bool {
        let mut words = (1..=3).map_while(|back| self.word(at, back));
        let first = words.find(|word| !is_of(word, "the a an those"));
        first.is_some_and(|word| {
            is_of(word, words!(announcing))
                || is_participle(word)
                || self.dictionary.is_column_word(word)
        })
    }

    /// The conjunction between a mention and the words before it. A comma joins it to a mention.
    pub(crate) fn link_before(&self, at: usize) -> Link {
        for back in 1..=3 {
            match self.word(at, back) {
                Some("or" | "nor" | "and/or") => return Link::Or,
                Some("and" | "&") => return Link::And,
                // `and in 2023`
                Some(word)
                    if is_of(
                        word,
                        "in from by of with for on to during since not those the",
                    ) => {}
                _ => break,
            }
        }
        let is_behind = self.mentions.iter().any(|mention| mention.at.end == at);
        match is_behind && at > 0 && self.tokens[at - 1].is_last {
            true => Link::And,
            false => Link::None,
        }
    }

    /// The word behind a token, unless a punctuation mark stands between.
    fn word_behind(&self, end: usize) -> &str {
        if self.tokens[end - 1].is_last {
            ""
        } else {
            self.tokens.word(end)
        }
    }

    /// Whether the word behind a value says what kind of thing it is: `the freight department`, `cleaning contracts`.
    fn is_followed(&self, end: usize) -> bool {
        let subject = self.frame.subject.as_ref();
        subject.is_some_and(|subject| subject.start == end)
            || self.dictionary.is_column_word(self.word_behind(end))
    }

    pub(crate) fn is_evident(&self, mention: &Mention) -> bool {
        mention.is_evident(&self.tokens, self.dictionary)
    }

    pub(crate) fn is_asked_for(&self) -> bool {
        self.frame.subject.is_some() || self.is_evident_where
    }

    /// Whether words before a mention negate it: `not in`, `except those from`. A mention that a conjunction joins to a
    /// negated one is negated, too. Words behind a mention can also negate it: `Acme excluded`.
    pub(crate) fn is_negated(&self, number: usize, before: &[Placed]) -> bool {
        let (at, end) = (self.mentions[number].at.start, self.mentions[number].at.end);
        // `Acme aside` negates Acme, but `Acme, aside from Bolt` does not.
        if is_of(self.word_behind(end), words!(negating_behind))
            && !self.tokens.is(end + 1, "from for")
        {
            return true;
        }
        for back in 1..=NEGATED_WORDS_MAX {
            let Some(word) = self.word(at, back) else {
                return false;
            };
            let place = at - back;
            let is_near = |near: usize, words: &str| {
                self.word(at, near).is_some_and(|word| is_of(word, words))
            };
            // `no` in `bill no. 12` means `number`, but `but no 0805` negates.
            let is_number = back == 1 && word == "no" && self.tokens[at].has_digit();
            if is_number && !is_near(back + 1, "but have has") {
                return false;
            }
            // `the cost excluding tax of the invoices`
            let is_taxed = back > 1 && is_near(back - 1, words!(taxes));
            // `with any enclosure but IP65`
            let is_all_but = back == 1
                && word == "but"
                && (2..=4).any(|near| is_near(near, "any every all each anything everything"));
            // `NO` may be a country.
            let is_name = || {
                let mut before = before.iter();
                before.any(|one| self.mentions[one.mention].at.contains(&place))
            };
            if !is_taxed && (is_all_but || self.takes_back(place) && !is_name()) {
                return true;
            }
            let mut mentions = self.mentions[..number].iter();
            let inside = mentions.position(|mention| mention.at.contains(&place));
            let placed = before.iter();
            let placed = placed.filter(|placed| Some(placed.mention) == inside);
            let mut placed = placed.peekable();
            if placed.peek().is_some() {
                let is_joined = (1..back).any(|near| is_near(near, "and or nor and/or"));
                let is_listed = self.tokens[place].is_last && !self.is_subject_between(place, at);
                return (is_joined || is_listed) && placed.any(|placed| placed.is_negated);
            }
            // `except those already paid, from Acme`
            if self.tokens[place].is_last {
                return false;
            }
            // A verb may stand between the negation and the mention: `not issued by`.
            let may_stand_between = is_of(word, words!(beside_negation))
                || word.len() > 4 && is_participle(word)
                || self.dictionary.is_column_word(word)
                || self.is_of_taken_back(at, back);
            if !may_stand_between {
                return false;
            }
        }
        false
    }

    fn is_subject_between(&self, from: usize, to: usize) -> bool {
        let subject = self.frame.subject.as_ref();
        subject.is_some_and(|subject| from < subject.start && subject.end <= to)
    }

    /// Whether a word negates the mentions behind it.
    pub(crate) fn takes_back(&self, place: usize) -> bool {
        let word = self.tokens.word(place);
        // `Please save the bills` is an order.
        let subject = self.frame.subject.as_ref();
        let is_order = word == "save" && subject.is_none_or(|subject| place < subject.end);
        // `Is the voltage of HX-1 different from HX-2?` compares.
        let is_compared = self.tokens.back(place, 1) == "different"
            && self.tokens.is(0, "is are was were how does do");
        let before = place.wrapping_sub(1);
        let is_pair = self.tokens.says_any(before, words!(negating_pairs)) && !is_compared;
        // `total no. of invoices`
        let is_number = self.tokens.says(place, "no of");
        is_of(word, words!(negating)) && !is_order && !is_number || is_pair
    }

    /// Whether a word before a mention describes documents that are negated: `minus those for parts by Acme`. A
    /// punctuation mark ends the description.
    fn is_of_taken_back(&self, at: usize, back: usize) -> bool {
        let is_open = |place: &usize| !self.tokens[*place].is_last;
        let places = (0..at - back).rev().take(NEGATED_WORDS_MAX - back);
        let mut places = places.take_while(is_open);
        (at - back..at).all(|place| is_open(&place))
            && places.any(|place| {
                let is_told = self.tokens.is(place + 1, words!(taken_back))
                    || self.tokens.says(place + 1, "the ones");
                self.takes_back(place) && is_told
            })
    }

    fn is_mentioned(&self, place: usize) -> bool {
        let mut mentions = self.mentions.iter();
        mentions.any(|mention| mention.at.contains(&place))
    }

    /// The words behind a token that may say which column is meant, up to the next mention.
    pub(crate) fn words_behind(&self, end: usize) -> Vec<&str> {
        let behind = end..self.tokens.len().min(end + 3);
        let is_open = |place: &usize| !self.tokens[place - 1].is_last && !self.is_mentioned(*place);
        let behind = behind.take_while(is_open);
        let words = behind.flat_map(|place| self.tokens[place].lower.split('-'));
        words.collect()
    }

    /// The words before a token that may say which column is meant, back to the last mention.
    pub(crate) fn words_before(&self, at: usize) -> Vec<&str> {
        let before = (0..at).rev().take(8);
        let before = before.take_while(|place| !self.is_mentioned(*place));
        // `with a pay-by date`
        let words = before.flat_map(|place| self.tokens[place].lower.split('-').rev());
        words.collect()
    }

    pub(crate) fn word(&self, at: usize, back: usize) -> Option<&str> {
        let token = self.tokens.get(at.checked_sub(back)?)?;
        Some(&token.lower)
    }
}
