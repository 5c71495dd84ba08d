//! The sides of the corpus.

use crate::words::{Words, dev, extra, fifth, fourth, sixth, test, third};

/// A side: what is tuned is tuned on [`Half::Dev`] and the further ones, and measured on [`Half::Test`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Half {
    /// For tuning, and for every run of CI.
    Dev,
    /// For measuring.
    Test,
    /// For tuning, too, in other words than dev: what only dev has shall not be taken for what people say.
    Extra,
    /// In the words of a clerk who keeps books, written without sight of the linker or of test.
    Third,
    /// In the words of an analyst of procurement and compliance, written without sight of them, too.
    Fourth,
    /// In the words of an office manager who types into a search box, written without sight of them, too.
    Fifth,
    /// In the words of a project engineer and a buyer, written without sight of them, too; nobody tunes on it.
    Sixth,
}

impl Half {
    /// The two that figures are given for.
    pub const ALL: [Half; 2] = [Half::Dev, Half::Test];

    /// The further ones.
    pub(crate) const FURTHER: [Half; 5] = [
        Half::Extra,
        Half::Third,
        Half::Fourth,
        Half::Fifth,
        Half::Sixth,
    ];

    /// The word on a command line and in ids.
    pub const fn as_str(self) -> &'static str {
        match self {
            Half::Dev => "dev",
            Half::Test => "test",
            Half::Extra => "extra",
            Half::Third => "third",
            Half::Fourth => "fourth",
            Half::Fifth => "fifth",
            Half::Sixth => "sixth",
        }
    }

    /// The side of a word.
    pub fn parse(word: &str) -> Option<Half> {
        let all = Half::ALL.into_iter().chain(Half::FURTHER);
        all.into_iter().find(|half| half.as_str() == word)
    }

    /// The seed that figures are given for.
    pub const fn seed(self) -> u64 {
        match self {
            Half::Dev => 20_250_611,
            Half::Test => 20_240_229,
            Half::Extra => 20_230_817,
            Half::Third => 20_220_411,
            Half::Fourth => 20_251_103,
            Half::Fifth => 20_240_715,
            Half::Sixth => 20_230_926,
        }
    }

    pub(crate) const fn words(self) -> &'static Words {
        match self {
            Half::Dev => &dev::WORDS,
            Half::Test => &test::WORDS,
            Half::Extra => &extra::WORDS,
            Half::Third => &third::WORDS,
            Half::Fourth => &fourth::WORDS,
            Half::Fifth => &fifth::WORDS,
            Half::Sixth => &sixth::WORDS,
        }
    }
}
