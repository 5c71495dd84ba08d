//! Looks up values, columns and buckets by the words of a question. Pure.

use super::described;
use super::is_year;
use super::signatures::{self, Part, is_one_edit};
use super::{ColumnId, Dictionary, FEW, KnownColumn, KnownValue, VALUE_WORDS_MAX};
use crate::token::QuestionToken;
use text::{fold, is_of};

/// The fewest letters of a word that a scanner may have misread, or that has a capital and may be misspelt.
const DISTINCT_MIN: usize = 6;
/// The fewest letters of a word without a capital that may be misspelt. Shorter ones are too often different words.
const MISSPELT_MIN: usize = 9;
const MISSPELT_WORDS_MAX: usize = 4;

impl Dictionary {
    /// The bucket that a word names, in the singular or the plural.
    pub(crate) fn bucket_named(&self, word: &str) -> Option<&str> {
        let key = fold::singular(&fold::key(word));
        self.buckets.get(&key)?.as_deref()
    }

    /// The bucket with documents of this tenant that has a word as a synonym in its schema, in the singular or the plural.
    pub(crate) fn bucket_also_called(&self, word: &str) -> Option<&str> {
        let bucket = self.synonyms.get(&described::key(word))?.as_ref()?;
        let named = self.buckets.get(&described::key(bucket))?.as_ref();
        (named == Some(bucket)).then_some(bucket)
    }

    pub(crate) fn bucket_called(&self, word: &str) -> Option<&str> {
        let named = self.bucket_named(word);
        named.or_else(|| self.bucket_also_called(word))
    }

    pub(crate) fn is_column_word(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// Other keys that a scanner may have misread as this one, or this one as them.
    pub(crate) fn confused_with(&self, key: &str) -> impl Iterator<Item = &str> {
        let skeleton = fold::skeleton(key);
        let keys = self.signatures.get(Part::Skeleton, &skeleton).iter();
        let keys = keys.map(|id| &*self.keys[*id as usize].text);
        keys.filter(move |other| *other != key && fold::skeleton(other) == skeleton)
    }

    /// The only key that is one edit away. If there are several, it is the only one among them with the same letters.
    fn misspelt(&self, key: &str) -> Option<&str> {
        let mut near: Vec<(u32, bool)> = Vec::new();
        for (part, text) in signatures::parts_near(key) {
            for id in self.signatures.get(part, &text) {
                let is_known = near.iter().any(|(known, _)| known == id);
                if !is_known && is_one_edit(key, &self.keys[*id as usize].text) {
                    near.push((*id, part == Part::Letters));
                }
            }
        }
        let best = match near.as_slice() {
            [one] => Some(one),
            several => {
                let mut turned = several.iter().filter(|(_, is_turned)| *is_turned);
                turned.next().filter(|_| turned.next().is_none())
            }
        };
        best.map(|(id, _)| &*self.keys[*id as usize].text)
    }

    /// Whether a value is a document type, such as invoice or credit note.
    pub(crate) fn is_kind(&self, value: &KnownValue) -> bool {
        let column = self.column(value.column);
        column.is_kind() || column.distinct <= FEW && column.says(&value.text)
    }

    /// Whether a value may be a document type in a bucket without a schema, because its column has few values and the
    /// value is a word for papers.
    pub(crate) fn may_be_kind(&self, value: &KnownValue) -> bool {
        let column = self.column(value.column);
        !self.is_described(&column.bucket)
            && !column.is_named()
            && column.has_few_values()
            && !column.is_naming()
            && is_paper(&value.text)
    }

    /// The only bucket whose column descriptions have a word, or whose document types end with it.
    pub(crate) fn bucket_described(&self, word: &str) -> Option<&str> {
        self.nouns.get(&fold::singular(word))?.as_deref()
    }

    /// All columns, or those of one bucket.
    pub fn columns<'a>(
        &'a self,
        bucket: Option<&'a str>,
    ) -> impl Iterator<Item = (ColumnId, &'a KnownColumn)> {
        let ids = (0..).map(ColumnId);
        let all = ids.zip(&self.columns);
        let all = all.filter(move |(_, column)| column.is_in(bucket));
        all.filter(|(id, _)| self.is_column(*id))
    }

    pub(super) fn key_id(&self, key: &str) -> Option<u32> {
        let mut ids = self.signatures.get(Part::Whole, key).iter().copied();
        ids.find(|id| *self.keys[*id as usize].text == *key)
    }

    /// The values with this key.
    pub fn with_key(&self, key: &str) -> impl Iterator<Item = &KnownValue> + use<'_> {
        let key = self.key_id(key).map(|id| &self.keys[id as usize]);
        let places = key.into_iter().flat_map(|key| &key.values);
        places.map(|place| &self.values[*place as usize])
    }

    /// The values of a column with a key.
    pub(crate) fn values_of(
        &self,
        key: &str,
        column: ColumnId,
    ) -> impl Iterator<Item = &KnownValue> + use<'_> {
        let values = self.with_key(key);
        values.filter(move |value| value.column == column)
    }

    pub(crate) fn with_acronym(
        &self,
        letters: &str,
    ) -> impl Iterator<Item = &KnownValue> + use<'_> {
        let letters = letters.to_owned();
        let places = self.signatures.get(Part::Acronym, &letters).iter();
        let values = places.map(|place| &self.values[*place as usize]);
        values.filter(move |value| fold::acronym(&value.text).as_deref() == Some(&letters))
    }

    /// The number of tokens, two or more, that are the whole name of a column: `contract value` is not a contract.
    pub(crate) fn column_name_at(&self, tokens: &[QuestionToken], at: usize) -> Option<usize> {
        let says = |name: &&Vec<String>| {
            let mut words = name.iter().zip(&tokens[at..]);
            name.len() <= tokens.len() - at && words.all(|(word, token)| *word == token.lower)
        };
        let named = self.by_first_word.get(&tokens[at].lower)?.iter();
        named.filter(says).map(Vec::len).max()
    }

    /// A document type with its words in another order: `invoices from a supplier` are supplier invoices.
    fn turned_kind_at(&self, tokens: &[QuestionToken], at: usize) -> Option<(usize, String)> {
        let word = |at: usize| tokens.get(at).map_or("", |token| token.lower.as_str());
        let is_joined = matches!(word(at + 1), "of" | "from" | "by")
            && !tokens[at].is_last
            && !tokens[at + 1].is_last;
        let article = usize::from(matches!(word(at + 2), "a" | "an" | "the" | "our"));
        let last = tokens.get(at + 2 + article).filter(|_| is_joined)?;
        let one = |token: &QuestionToken| fold::singular(&fold::key(&token.text));
        let key = format!("{}{}", one(last), one(&tokens[at]));
        let mut kinds = self.with_key(&key).filter(|value| self.is_kind(value));
        kinds.next().map(|_| (3 + article, key.clone()))
    }

    /// The longest value that begins at a token, as its number of tokens and its key. The value may be in the singular
    /// or the plural. A legal form behind it is not included.
    pub(crate) fn longest_at(
        &self,
        tokens: &[QuestionToken],
        at: usize,
    ) -> Option<(usize, String)> {
        let mut key = String::new();
        let turned = self.turned_kind_at(tokens, at);
        let mut longest: Option<(usize, String)> = None;
        let mut is_joined = false;
        for (length, token) in (1..=VALUE_WORDS_MAX).zip(&tokens[at..]) {
            if length == 1 && is_joining(token) && !is_article_of_name(tokens, at) {
                return None;
            }
            let part = fold::key(&token.text);
            if part.is_empty() {
                break;
            }
            key.push_str(&part);
            let one = fold::singular(&key);
            let many = format!("{key}s");
            let mut forms = [&key, &one, &many].into_iter();
            let known = forms.find(|key| self.key_id(key).is_some());
            let letters = key.chars().count();
            let scanned = || {
                let is_distinct = letters >= DISTINCT_MIN;
                self.confused_with(&key).next().filter(|_| is_distinct)
            };
            let misspelt = || {
                let is_name = tokens[at].is_capital() && letters >= DISTINCT_MIN;
                // A number with one character more or less is another number and not a misspelt one.
                let is_number = key.contains(|c: char| c.is_ascii_digit());
                let may_be = (is_name || letters >= MISSPELT_MIN)
                    && length <= MISSPELT_WORDS_MAX
                    && !is_number
                    && !is_joining(token);
                may_be.then(|| self.misspelt(&key))?
            };
            // A value that reaches across a punctuation mark has to match exactly.
            let found = known.map(String::as_str);
            // `Acme Group` is Acme, and not the misread `Acme Gr0up`.
            let is_suffix = longest.is_some() && fold::is_company_suffix(&token.text);
            let alike = || {
                let is_like = !is_joined && !is_suffix;
                is_like.then(|| scanned().or_else(misspelt)).flatten()
            };
            if let Some(found) = found.or_else(alike) {
                // `Acme 2018`, which only a path has, is the company Acme and a year.
                let is_field = |key: &str| {
                    let mut values = self.with_key(key);
                    values.any(|value| !self.column(value.column).is_named())
                };
                let is_year = is_year(&token.text);
                let is_split =
                    |(_, known): &(usize, String)| is_year && is_field(known) && !is_field(found);
                if !longest.as_ref().is_some_and(is_split) {
                    longest = Some((length, found.to_owned()));
                }
            } else if length == 1
                && is_acronym(&token.text)
                && self.with_acronym(&key).next().is_some()
            {
                longest = Some((length, key.clone()));
            }
            if token.is_last && !token.is_joint {
                break;
            }
            is_joined |= token.is_joint;
        }
        // `invoices from suppliers` are supplier invoices and no others.
        match (&turned, &longest) {
            (Some((words, _)), Some((fewer, _))) if words > fewer => turned,
            (Some(_), None) => turned,
            _ => longest,
        }
    }
}

/// Whether a token is a function word, with which no value begins, unless it is written as an acronym: `IT`.
fn is_joining(token: &QuestionToken) -> bool {
    // `modules of grade A`; the capital says that it is no article.
    let is_letter = token.text == "A" && !token.is_first;
    is_of(&token.lower, words!(words))
        && !is_letter
        && !(token.text.len() > 1 && is_acronym(&token.text))
}

/// Whether a token is an article that belongs to a name: it does in `The Courier`, but not in `The age of 16`.
fn is_article_of_name(tokens: &[QuestionToken], at: usize) -> bool {
    let is_article = matches!(tokens[at].lower.as_str(), "the" | "a" | "an");
    let next = tokens.get(at + 1);
    is_article && next.is_some_and(|next| next.is_capital() || next.has_digit())
}

/// Whether a value denotes papers, by its last word or by the number of a form: `40-F`.
pub(crate) fn is_paper(value: &str) -> bool {
    let mut words = value.rsplit(|c: char| c.is_whitespace() || c == '_');
    let last = words.next().unwrap_or_default();
    let last = fold::singular(&last.to_lowercase());
    let is_form = last.len() <= FORM_BYTES_MAX
        && last.starts_with(|c: char| c.is_ascii_digit())
        && last.contains('-')
        && last.ends_with(char::is_alphabetic);
    is_form || is_of(&last, words!(find_papers)) || is_of(&last, words!(books))
}

/// The most bytes of the number of a form: `497-AD`.
const FORM_BYTES_MAX: usize = 6;

fn is_acronym(word: &str) -> bool {
    word.chars().all(char::is_uppercase)
}
