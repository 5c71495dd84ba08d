//! Decides whether a mention is meant as a condition, and whether the words around it negate it. Pure, by rule.

use crate::dictionary::{ColumnId, KnownValue};
use crate::form::is_participle;
use crate::link::{Linker, Placed};
use crate::linked::Intent;
use crate::mention::{Mention, Named};
use crate::merge::Link;
use crate::token::QuestionToken;
use text::fold;
use text::is_of;

/// The fewest letters of a single word in small letters that can be meant as a value.
const WORD_MIN: usize = 4;
/// How many words before a mention are searched for a negation.
const NEGATED_WORDS_MAX: usize = 9;
/// Pairs of words that negate together.
const NEGATING_PAIRS: [(&str, &str); 17] = [
    ("other", "than"),
    ("rather", "than"),
    ("apart", "from"),
    ("aside", "from"),
    ("save", "for"),
    ("all", "but"),
    ("anything", "but"),
    ("anyone", "but"),
    ("any", "but"),
    ("everything", "but"),
    ("everyone", "but"),
    ("setting", "aside"),
    ("different", "from"),
    ("with", "exception"),
    ("exception", "of"),
    ("exclusion", "of"),
    ("instead", "of"),
];

impl Linker<'_> {
    /// Whether a value is meant as one, and not as the ordinary word that it also is.
    pub(crate) fn is_meant(&self, mention: &Mention, column: ColumnId, before: &[Placed]) -> bool {
        let tokens = &self.tokens[mention.at.clone()];
        let shown = self.dictionary.column(column);
        if shown.is_kind() && !self.is_asked_for() {
            return false;
        }
        // `premises` do not mean a company called Premise.
        if !shown.is_kind() && self.is_common_plural(mention, column) {
            return false;
        }
        if tokens.iter().any(QuestionToken::has_digit) && self.is_asked_for() {
            return true;
        }
        if self.is_evident(mention) {
            return true;
        }
        if !self.is_asked_for() || self.is_prose(Some(&shown.bucket)) {
            // The question compares names: `compare Acme and Bolt`.
            let is_compared = self.frame.intent == Intent::Compare && !shown.is_kind();
            return is_compared && tokens.iter().all(QuestionToken::is_capital)
                || self.is_proper(mention, column);
        }
        let joined = self.is_listed(mention.at.start)
            && before.last().is_some_and(|before| before.column == column);
        let is_capital = tokens
            .iter()
            .all(|token| token.is_capital() && !token.is_first);
        // A value that documents write in small letters is not a name, so the question writes it in small letters, too.
        let is_word = shown.is_of_words() && tokens[0].lower.chars().count() >= WORD_MIN;
        tokens.len() > 1
            || is_word
            || is_capital
            || joined
            || self.is_led(mention.at.start)
            || self.is_followed(mention.at.end)
    }

    /// Whether a word in small letters is only the plural of the name of a company.
    fn is_common_plural(&self, mention: &Mention, column: ColumnId) -> bool {
        let [token] = &self.tokens[mention.at.clone()] else {
            return false;
        };
        let key = fold::key(&token.text);
        let Named::Value(known) = &mention.what else {
            return false;
        };
        let named = self.dictionary.with_key(known);
        let mut names = named.filter(|value| value.column == column);
        let is_company = |value: &&KnownValue| {
            let mut words = value.text.rsplit(' ');
            words.next().is_some_and(fold::is_company_suffix) && words.next().is_some()
        };
        !token.is_capital() && key != *known && names.any(|value| is_company(&value))
    }

    /// Whether a word before a mention announces a value: `from`, `about`, or a word of a column's name.
    pub(crate) fn is_led(&self, at: usize) -> bool {
        let leads = "from by of with for in at on to about held except excluding without not under covering concerning \
            regarding re via as called named titled labelled marked tagged booked charged issued made supplied sold \
            produced manufactured against between involving mentioning per through within like is are was equals = \
            owned signed than but that where";
        let mut words = (1..=3).map_while(|back| self.word(at, back));
        let first = words.find(|word| !matches!(*word, "the" | "a" | "an" | "those"));
        first.is_some_and(|word| {
            is_of(word, leads) || is_participle(word) || self.dictionary.is_column_word(word)
        })
    }

    /// Whether `and`, `or` or a comma joins a mention to the words before it.
    fn is_listed(&self, at: usize) -> bool {
        self.link_before(at) != Link::None
    }

    /// The conjunction between a mention and the words before it.
    pub(crate) fn link_before(&self, at: usize) -> Link {
        let between = "in from by of with for on to during since not those the";
        for back in 1..=3 {
            match self.word(at, back) {
                Some("or" | "nor" | "and/or") => return Link::Or,
                Some("and" | "&") => return Link::And,
                // `and in 2023`
                Some(word) if is_of(word, between) => {}
                _ => break,
            }
        }
        let is_behind = self.mentions.iter().any(|mention| mention.at.end == at);
        match at
            .checked_sub(1)
            .is_some_and(|before| self.tokens[before].is_last)
            && is_behind
        {
            true => Link::And,
            false => Link::None,
        }
    }

    /// Whether the word behind a value says what kind of thing it is: `the freight department`, `cleaning contracts`.
    fn is_followed(&self, end: usize) -> bool {
        let is_subject = self
            .frame
            .subject
            .as_ref()
            .is_some_and(|subject| subject.start == end);
        let next = self
            .tokens
            .get(end)
            .filter(|_| !self.tokens[end - 1].is_last);
        is_subject || next.is_some_and(|next| self.dictionary.is_column_word(&next.lower))
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
        let at = self.mentions[number].at.start;
        let end = self.mentions[number].at.end;
        let behind = self
            .tokens
            .get(end)
            .filter(|_| !self.tokens[end - 1].is_last);
        // `Acme aside` negates Acme, but `Acme, aside from Bolt` does not.
        let is_open = self
            .tokens
            .get(end + 1)
            .is_some_and(|next| matches!(next.lower.as_str(), "from" | "for"));
        if behind.is_some_and(|word| is_of(&word.lower, words!(negating_behind))) && !is_open {
            return true;
        }
        for back in 1..=NEGATED_WORDS_MAX {
            let Some(word) = self.word(at, back) else {
                return false;
            };
            let place = at - back;
            let previous = self.word(at, back + 1).unwrap_or_default();
            // `no` in `bill no. 12` means `number`, but `but no 0805` negates.
            let is_number = back == 1 && word == "no" && self.tokens[at].has_digit();
            if is_number && !is_of(previous, "but have has") {
                return false;
            }
            // `the cost excluding tax of the invoices`
            let is_taxed = back > 1
                && self
                    .word(at, back - 1)
                    .is_some_and(|next| is_of(next, words!(taxes)));
            // `with any enclosure but IP65`
            let mut quantified = (2..=4).filter_map(|near| self.word(at, near));
            let is_all_but = back == 1
                && word == "but"
                && quantified.any(|word| is_of(word, "any every all each anything everything"));
            // `NO` may be a country.
            let is_name = before
                .iter()
                .any(|one| self.mentions[one.mention].at.contains(&place));
            if (self.takes_back(place) && !is_name || is_all_but) && !is_taxed {
                return true;
            }
            let mut mentions = self.mentions[..number].iter();
            let is_placed = |inside: &usize| before.iter().any(|one| one.mention == *inside);
            let inside = mentions.position(|mention| mention.at.contains(&place));
            if let Some(inside) = inside.filter(is_placed) {
                let mut between = (1..back).filter_map(|near| self.word(at, near));
                let is_joined = between.any(|word| matches!(word, "and" | "or" | "nor" | "and/or"));
                let is_subject_between = self
                    .frame
                    .subject
                    .as_ref()
                    .is_some_and(|subject| place < subject.start && subject.end <= at);
                let is_listed = self.tokens[place].is_last && !is_subject_between;
                let mut placed = before.iter().filter(|placed| placed.mention == inside);
                return (is_joined || is_listed) && placed.any(|placed| placed.is_negated);
            }
            // `except those already paid, from Acme`
            if self.tokens[place].is_last {
                return false;
            }
            // A verb may stand between the negation and the mention: `not issued by`.
            let is_verb = word.len() > 4 && is_participle(word);
            if !is_of(word, words!(beside_negation))
                && !is_verb
                && !self.dictionary.is_column_word(word)
                && !self.is_of_taken_back(at, back)
            {
                return false;
            }
        }
        false
    }

    /// Whether a word negates the mentions behind it.
    pub(crate) fn takes_back(&self, place: usize) -> bool {
        let word = self.tokens[place].lower.as_str();
        let before = place
            .checked_sub(1)
            .map_or("", |before| self.tokens[before].lower.as_str());
        // `Please save the bills` is an order.
        let is_order = word == "save"
            && self
                .frame
                .subject
                .as_ref()
                .is_none_or(|subject| place < subject.end);
        // `Is the voltage of HX-1 different from HX-2?` compares.
        let first = self.tokens.first().map_or("", |token| token.lower.as_str());
        let is_compared = before == "different" && is_of(first, "is are was were how does do");
        let is_pair = NEGATING_PAIRS.contains(&(before, word)) && !is_compared;
        // `total no. of invoices`
        let next = self.tokens.get(place + 1);
        let is_number = word == "no" && next.is_some_and(|next| next.lower == "of");
        is_of(word, words!(negating)) && !is_order && !is_number || is_pair
    }

    /// Whether a word before a mention describes documents that are negated: `minus those for parts by Acme`. A
    /// punctuation mark ends the description.
    fn is_of_taken_back(&self, at: usize, back: usize) -> bool {
        let word = |place: usize| self.tokens[place].lower.as_str();
        let places = (0..at - back).rev().take(NEGATED_WORDS_MAX - back);
        let mut places = places.take_while(|place| !self.tokens[*place].is_last);
        let is_open = self.tokens[at - back..at]
            .iter()
            .all(|token| !token.is_last);
        is_open
            && places.any(|place| {
                let is_told = is_of(word(place + 1), words!(taken_back))
                    || (word(place + 1), word(place + 2)) == ("the", "ones");
                self.takes_back(place) && is_told
            })
    }

    /// The words behind a token that may say which column is meant, up to the next mention.
    pub(crate) fn words_behind(&self, end: usize) -> Vec<&str> {
        let mut words = Vec::new();
        for place in end..self.tokens.len().min(end + 3) {
            let is_named = self
                .mentions
                .iter()
                .any(|mention| mention.at.contains(&place));
            if self.tokens[place - 1].is_last || is_named {
                break;
            }
            words.extend(self.tokens[place].lower.split('-'));
        }
        words
    }

    /// The words before a token that may say which column is meant, back to the last mention.
    pub(crate) fn words_before(&self, at: usize) -> Vec<&str> {
        let mut words = Vec::new();
        for back in 1..=8 {
            let Some(place) = at.checked_sub(back) else {
                break;
            };
            if self
                .mentions
                .iter()
                .any(|mention| mention.at.contains(&place))
            {
                break;
            }
            // `with a pay-by date`
            words.extend(self.tokens[place].lower.split('-').rev());
        }
        words
    }

    pub(crate) fn word(&self, at: usize, back: usize) -> Option<&str> {
        let token = self.tokens.get(at.checked_sub(back)?)?;
        Some(&token.lower)
    }
}
