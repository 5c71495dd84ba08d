//! A sentence with its passages, and what was done to it.

/// What was changed in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mutation {
    /// Nothing: it is true.
    None,
    /// A number that stands in no passage.
    NumberNowhere,
    /// A date that stands in no passage.
    DateNowhere,
    /// A name that stands in no passage.
    NameNowhere,
    /// The unit, the currency or the scale of a number.
    Unit,
    /// A number that a passage has for something else.
    NumberElsewhere,
    /// A date that a passage has for something else.
    DateElsewhere,
    /// A name that a passage has for something else.
    NameElsewhere,
    /// Two names of the sentence stand in each other's place.
    NamesSwapped,
    /// At least for at most, before for after.
    Comparator,
    /// A negation more or less.
    Negation,
    /// A sentence of a document that is not among the passages.
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

/// Which rewordings a case has: those of test are not seen while thresholds are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MutationSplit {
    /// A third of the documents, to choose thresholds by.
    Dev,
    /// The rest, to report.
    Test,
}

/// A sentence with its passages.
#[derive(Debug, Clone, PartialEq)]
pub struct MutationCase {
    /// What was changed.
    pub mutation: Mutation,
    /// Which rewordings it has.
    pub split: MutationSplit,
    /// The sentence as an answer has it.
    pub sentence: String,
    /// As the document has it.
    pub original: String,
    /// The rewordings, by name.
    pub rewordings: Vec<&'static str>,
    /// Its passages; one of them says it, if any does.
    pub passages: Vec<String>,
}
