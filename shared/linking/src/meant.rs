//! Whether a mention is meant as one, and whether the words before it take it back. Pure, by rule.

use crate::dictionary::ColumnId;
use crate::frame::is_of;
use crate::link::{Linker, Placed};
use crate::linked::Intent;
use crate::mention::Mention;
use crate::merge::Link;
use crate::token::QuestionToken;

/// Fewest letters of a word that is a value.
const WORD_MIN: usize = 4;
/// How far before a mention a word may stand that takes it back.
const NEGATED_WORDS_MAX: usize = 7;
const NEGATING: &str = "not no none nothing nobody non except excepting excluding exclude excludes excluded without minus \
    barring bar omitting omit omits ignoring ignore disregarding disregard skipping skip dropping nor neither isn't aren't \
    don't doesn't didn't weren't wasn't haven't hasn't cannot can't won't never besides leaving unless outside sans less";
/// Two words that do so together.
const NEGATING_PAIRS: [(&str, &str); 16] = [
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
    ("instead", "of"),
];
/// Words that may stand between such a word and what it takes back.
const BESIDE_NEGATION: &str = "from by of with for in at on to about held those the any ones one and or under a an that \
    which are is were was be been being issued made it its their whose has have having all anything everything out \
    those them they we us our you including booked charged signed sent dated";
/// Words behind a value that take it back: `Acme excluded`.
const NEGATING_BEHIND: &str = "excluded excepted exempted omitted aside apart notwithstanding";

impl Linker<'_> {
    /// Whether a value is meant as one, and not as the word that it is, too.
    pub(crate) fn is_meant(&self, mention: &Mention, column: ColumnId, before: &[Placed]) -> bool {
        let tokens = &self.tokens[mention.at.clone()];
        let shown = self.dictionary.column(column);
        if shown.is_kind() && !self.is_asked_for() {
            return false;
        }
        if tokens.iter().any(QuestionToken::has_digit) && self.is_asked_for() {
            return true;
        }
        if self.is_evident(mention) {
            return true;
        }
        if !self.is_asked_for() || self.is_prose(Some(&shown.bucket)) {
            // Names side by side: `compare Acme and Bolt`.
            let is_compared = self.frame.intent == Intent::Compare && !shown.is_kind();
            return is_compared && tokens.iter().all(QuestionToken::is_capital)
                || self.is_proper(mention, column);
        }
        let joined = self.is_listed(mention.at.start)
            && before.last().is_some_and(|before| before.column == column);
        let is_capital = tokens
            .iter()
            .all(|token| token.is_capital() && !token.is_first);
        // What documents write in small letters is no name, and is said as it is.
        let is_word = shown.is_of_words() && tokens[0].lower.chars().count() >= WORD_MIN;
        tokens.len() > 1
            || is_word
            || is_capital
            || joined
            || self.is_led(mention.at.start)
            || self.is_followed(mention.at.end)
    }

    /// Whether a word before a value says that one comes: `from`, `about`, the name of a column.
    pub(crate) fn is_led(&self, at: usize) -> bool {
        let leads = "from by of with for in at on to about held except excluding without not under covering concerning \
            regarding re via as called named titled labelled marked tagged booked charged issued made supplied sold \
            produced manufactured against between involving mentioning per through within like is are was equals = \
            owned signed than but that where";
        let mut words = (1..=3).map_while(|back| self.word(at, back));
        let first = words.find(|word| !matches!(*word, "the" | "a" | "an" | "those"));
        first.is_some_and(|word| is_of(word, leads) || self.dictionary.is_column_word(word))
    }

    /// Whether `and`, `or` or a comma joins a mention to what stands before it.
    fn is_listed(&self, at: usize) -> bool {
        self.link_before(at) != Link::None
    }

    /// What joins a mention to what stands before it.
    pub(crate) fn link_before(&self, at: usize) -> Link {
        let between = "in from by of with for on to during since not those the";
        for back in 1..=3 {
            match self.word(at, back) {
                Some("or" | "nor") => return Link::Or,
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

    /// Whether the word behind a value says what it is: `the freight department`, `cleaning contracts`.
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

    /// Whether words before a mention take it back: `not in`, `except those from`; what is joined to such a mention is
    /// taken back with it. So do words behind it: `Acme excluded`.
    pub(crate) fn is_negated(&self, number: usize, before: &[Placed]) -> bool {
        let at = self.mentions[number].at.start;
        let end = self.mentions[number].at.end;
        let behind = self
            .tokens
            .get(end)
            .filter(|_| !self.tokens[end - 1].is_last);
        // `Acme aside`, but not `Acme, aside from Bolt`.
        let is_open = self
            .tokens
            .get(end + 1)
            .is_some_and(|next| matches!(next.lower.as_str(), "from" | "for"));
        if behind.is_some_and(|word| is_of(&word.lower, NEGATING_BEHIND)) && !is_open {
            return true;
        }
        for back in 1..=NEGATED_WORDS_MAX {
            let Some(word) = self.word(at, back) else {
                return false;
            };
            let place = at - back;
            let pair = (self.word(at, back + 1).unwrap_or_default(), word);
            // `bill no. 12`
            if back == 1 && word == "no" && self.tokens[at].has_digit() {
                return false;
            }
            if is_of(word, NEGATING) || NEGATING_PAIRS.contains(&pair) {
                return true;
            }
            let mut mentions = self.mentions[..number].iter();
            if let Some(inside) = mentions.position(|mention| mention.at.contains(&place)) {
                let mut between = (1..back).filter_map(|near| self.word(at, near));
                let is_joined = between.any(|word| matches!(word, "and" | "or" | "nor"));
                let is_listed = self.tokens[place].is_last;
                let mut placed = before.iter().filter(|placed| placed.mention == inside);
                return (is_joined || is_listed) && placed.any(|placed| placed.is_negated);
            }
            // Verbs may stand between: `not issued by`.
            let is_verb = word.len() > 4 && (word.ends_with("ed") || word.ends_with("ing"));
            if !is_of(word, BESIDE_NEGATION) && !is_verb && !self.dictionary.is_column_word(word) {
                return false;
            }
        }
        false
    }

    /// The words behind a token that may say which column is meant, up to the next thing that is named.
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
            words.push(self.tokens[place].lower.as_str());
        }
        words
    }

    /// The words before a token that may say which column is meant, back to the last thing that was named.
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
            words.push(self.tokens[place].lower.as_str());
        }
        words
    }

    pub(crate) fn word(&self, at: usize, back: usize) -> Option<&str> {
        let token = self.tokens.get(at.checked_sub(back)?)?;
        Some(&token.lower)
    }
}
