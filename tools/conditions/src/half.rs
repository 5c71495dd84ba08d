//! The splits of the generated corpus (dev, test and others, also called sides), each with words and patterns of its
//! own.

use crate::words::{Words, dev, extra, fifth, fourth, seventh, sixth, test, third};

/// A split of the generated corpus. Settings are tuned on [`Half::Dev`] and the further splits except
/// [`Half::Sixth`], and measured on [`Half::Test`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Half {
    /// The split for tuning, and for every run of CI.
    Dev,
    /// The split for measuring.
    Test,
    /// Another split for tuning, with other words than dev, so that settings do not depend on the peculiarities of
    /// dev.
    Extra,
    /// A split in the words of a clerk who keeps books. Its author had seen neither the linker nor `Test`.
    Third,
    /// A split in the words of an analyst of procurement and compliance, who had not seen them either.
    Fourth,
    /// A split in the words of an office manager who types into a search box. Its author had not seen them either.
    Fifth,
    /// A split in the words of a project engineer and a buyer. Its author had not seen them either, and nothing is
    /// tuned on it.
    Sixth,
    /// A split in the words of an auditor, a procurement officer and a project manager. Its author had seen neither
    /// the linker nor any other split but dev and fifth. It was read after its first figures had been taken.
    Seventh,
}

impl Half {
    /// The two splits with the targets.
    pub const ALL: [Half; 2] = [Half::Dev, Half::Test];

    /// The further sides.
    pub(crate) const FURTHER: [Half; 6] = [
        Half::Extra,
        Half::Third,
        Half::Fourth,
        Half::Fifth,
        Half::Sixth,
        Half::Seventh,
    ];

    /// The name on a command line and in ids.
    pub const fn as_str(self) -> &'static str {
        match self {
            Half::Dev => "dev",
            Half::Test => "test",
            Half::Extra => "extra",
            Half::Third => "third",
            Half::Fourth => "fourth",
            Half::Fifth => "fifth",
            Half::Sixth => "sixth",
            Half::Seventh => "seventh",
        }
    }

    /// The split with that name.
    pub fn parse(word: &str) -> Option<Half> {
        let all = Half::ALL.into_iter().chain(Half::FURTHER);
        all.into_iter().find(|half| half.as_str() == word)
    }

    /// The seed for which figures are given.
    pub const fn seed(self) -> u64 {
        match self {
            Half::Dev => 20_250_611,
            Half::Test => 20_240_229,
            Half::Extra => 20_230_817,
            Half::Third => 20_220_411,
            Half::Fourth => 20_251_103,
            Half::Fifth => 20_240_715,
            Half::Sixth => 20_230_926,
            Half::Seventh => 20_220_531,
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
            Half::Seventh => &seventh::WORDS,
        }
    }
}
