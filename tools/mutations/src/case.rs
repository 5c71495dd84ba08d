//! A test case: a sentence with its passages, and the change that was made in the sentence.

/// The change that was made in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mutation {
    /// No change: the sentence is true.
    None,
    /// A number is replaced by one that stands in no passage.
    NumberNowhere,
    /// A date is replaced by one that stands in no passage.
    DateNowhere,
    /// A name is replaced by one that stands in no passage.
    NameNowhere,
    /// The unit, the currency or the scale of a number is replaced.
    Unit,
    /// A number is replaced by one that a passage states of something else.
    NumberElsewhere,
    /// A date is replaced by one that a passage states of something else.
    DateElsewhere,
    /// A name is replaced by one that a passage states of something else.
    NameElsewhere,
    /// Two names of the sentence are exchanged.
    NamesSwapped,
    /// A comparison is turned round: at least becomes at most, before becomes after.
    Comparator,
    /// A negation is added or removed.
    Negation,
    /// The sentence is of a document that is not among the passages.
    Added,
}

impl Mutation {
    /// All of them.
    pub const ALL: [Mutation; 12] = [
        Mutation::None,
        Mutation::NumberNowhere,
        Mutation::DateNowhere,
        Mutation::NameNowhere,
        Mutation::Unit,
        Mutation::NumberElsewhere,
        Mutation::DateElsewhere,
        Mutation::NameElsewhere,
        Mutation::NamesSwapped,
        Mutation::Comparator,
        Mutation::Negation,
        Mutation::Added,
    ];

    /// As a label.
    pub fn as_str(self) -> &'static str {
        match self {
            Mutation::None => "none",
            Mutation::NumberNowhere => "number_nowhere",
            Mutation::DateNowhere => "date_nowhere",
            Mutation::NameNowhere => "name_nowhere",
            Mutation::Unit => "unit",
            Mutation::NumberElsewhere => "number_elsewhere",
            Mutation::DateElsewhere => "date_elsewhere",
            Mutation::NameElsewhere => "name_elsewhere",
            Mutation::NamesSwapped => "names_swapped",
            Mutation::Comparator => "comparator",
            Mutation::Negation => "negation",
            Mutation::Added => "added",
        }
    }
}

/// The set of rewordings that a case uses. Nobody looks at the test set while thresholds are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MutationSplit {
    /// A third of the documents, for choosing thresholds.
    Dev,
    /// The rest, for reporting.
    Test,
}

/// A sentence with its passages.
#[derive(Debug, Clone, PartialEq)]
pub struct MutationCase {
    /// The change.
    pub mutation: Mutation,
    /// The set of its rewordings.
    pub split: MutationSplit,
    /// The sentence as it is in the answer.
    pub sentence: String,
    /// The sentence as it is in the document.
    pub original: String,
    /// The names of its rewordings.
    pub rewordings: Vec<&'static str>,
    /// Its passages; one of them states the sentence, if any does.
    pub passages: Vec<String>,
}
