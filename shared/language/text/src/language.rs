//! The language of a text, and what the words of each language are like: which carry no content, their stems, and lists
//! of words from its file.
//!
//! A language is told by its script, and among those in Latin letters by frequent words. A text that shows nothing is
//! taken for English. Pure. *Not* a classifier for all languages: one that has no file here is taken for
//! the known one whose script or frequent words it shares, or for English.

mod detect;

use crate::{stop, words};
use frostem::{Algorithm, Stemmer};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Makes the languages, each with its code, its file and its stemmer.
macro_rules! languages {
    ($($name:ident $code:literal $stemmer:expr,)*) => {
        /// A language that Argosy has words of.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Language {
            /// The language of texts that show no other.
            English,
            $(#[doc = concat!("`", $code, "`")] $name,)*
        }

        impl Language {
            /// All of them, English first.
            pub const ALL: &[Language] = &[Language::English, $(Language::$name),*];

            /// Its code by ISO 639-1.
            #[cfg(test)]
            fn code(self) -> &'static str {
                match self {
                    Language::English => "en",
                    $(Language::$name => $code,)*
                }
            }

            fn file(self) -> &'static str {
                match self {
                    Language::English => crate::ENGLISH,
                    $(Language::$name => include_str!(concat!("../words/", $code, ".txt")),)*
                }
            }

            fn algorithm(self) -> Option<Algorithm> {
                match self {
                    Language::English => None,
                    $(Language::$name => $stemmer,)*
                }
            }
        }
    };
}

languages! {
    German "de" Some(Algorithm::German),
    French "fr" Some(Algorithm::French),
    Spanish "es" Some(Algorithm::Spanish),
    Italian "it" Some(Algorithm::Italian),
    Dutch "nl" Some(Algorithm::Dutch),
    Portuguese "pt" Some(Algorithm::Portuguese),
    Swedish "sv" Some(Algorithm::Swedish),
    Danish "da" Some(Algorithm::Danish),
    Turkish "tr" Some(Algorithm::Turkish),
    Russian "ru" Some(Algorithm::Russian),
    Arabic "ar" Some(Algorithm::Arabic),
    Chinese "zh" None,
    Japanese "ja" None,
    Korean "ko" None,
    Thai "th" None,
}

/// What the file of a language holds.
struct Words {
    lists: HashMap<&'static str, &'static str>,
    stop: HashSet<&'static str>,
    stemmer: Option<Stemmer>,
}

static WORDS: LazyLock<Vec<Words>> = LazyLock::new(|| {
    let words = Language::ALL.iter().map(|language| {
        let lists = crate::lists::all(language.file());
        let stop = match language {
            Language::English => words!(content_free),
            _ => lists.get("stop").copied().unwrap_or_default(),
        };
        Words {
            stop: stop.split_ascii_whitespace().collect(),
            stemmer: language.algorithm().map(Stemmer::new),
            lists,
        }
    });
    words.collect()
});

impl Language {
    /// The language of a text.
    pub fn of(text: &str) -> Language {
        detect::of(text)
    }

    fn words(self) -> &'static Words {
        &WORDS[self as usize]
    }

    /// A list of its file; empty where it has none of this name.
    pub fn list(self, name: &str) -> &'static str {
        self.words().lists.get(name).copied().unwrap_or_default()
    }

    /// Whether a lower-case word, as [`words::runs`] makes them, carries no content of its own.
    pub fn is_stop(self, word: &str) -> bool {
        let is_listed = |word: &str| self.words().stop.contains(word);
        match self {
            Language::English => stop::is_content_free(word),
            Language::Chinese | Language::Japanese => word.chars().all(|c| {
                let is_grammar = self == Language::Japanese && words::is_hiragana(c);
                is_grammar || !c.is_ascii() && is_listed(c.encode_utf8(&mut [0; 4]))
            }),
            _ => is_listed(word),
        }
    }

    /// Appends the stem of a lower-case word. The one of English is lighter than that of an index.
    pub fn push_stem(self, out: &mut String, word: &str) {
        match (self, &self.words().stemmer) {
            (Language::English, _) => words::push_stem(out, word),
            (_, Some(stemmer)) => out.push_str(&stemmer.stem(word)),
            (_, None) => out.push_str(word),
        }
    }

    /// The stem of a lower-case word.
    pub fn stem(self, word: &str) -> String {
        let mut stem = String::new();
        self.push_stem(&mut stem, word);
        stem
    }

    /// Whether it is written in Latin letters.
    pub fn is_latin(self) -> bool {
        self <= Language::Turkish
    }

    /// Whether its texts have no blanks between words, so that words are looked up letter by letter.
    pub fn has_no_blanks(self) -> bool {
        matches!(
            self,
            Language::Chinese | Language::Japanese | Language::Thai
        )
    }

    /// Whether it writes compound words in one: see [`crate::compounds`].
    pub fn has_compounds(self) -> bool {
        matches!(
            self,
            Language::German | Language::Dutch | Language::Swedish | Language::Danish
        )
    }

    /// Whether its nouns begin with a capital, so that a capital tells no name.
    pub fn has_capital_nouns(self) -> bool {
        self == Language::German
    }
}
