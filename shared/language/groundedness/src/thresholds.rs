//! The thresholds of a verdict and the weights of a score, with the origin of each figure.

/// How many features a sentence has.
pub(crate) const COUNT: usize = 9;

/// The thresholds of a verdict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// A sentence with a lower score is unsupported, 0 to 1. The default flags 5 of 100 unmarked sentences in answers to
    /// questions of the dev third of RAGTruth, by their words alone.
    pub supported_min: f32,
    /// A window is near-verbatim when it contains this share of the weight of a sentence's words, 0 to 1. Only such a
    /// window contradicts.
    pub aligned_min: f32,
    /// A value or a name belongs to something else if another sentence fits better to the words around it than every
    /// sentence that has it, by this margin or more, 0 to 1.
    pub binding_margin: f32,
}

impl Default for Thresholds {
    fn default() -> Self {
        Thresholds {
            supported_min: 0.7,
            aligned_min: 0.75,
            binding_margin: 0.25,
        }
    }
}

/// How much each figure of a sentence speaks against it, with what speaks against any; the figures are those of
/// `features::FEATURES`. Fitted to the dev third of RAGTruth by `argosy eval groundedness --path DIR --fit`, which counts
/// a sentence of an answer to a question three times, of a summary 1.5 times, of a described object half.
pub(crate) const SENTENCE_WEIGHTS: (f32, [f32; COUNT]) = (
    -4.437,
    [
        1.439, 1.274, 0.169, 1.383, 1.439, 0.552, 0.544, 0.986, -0.154,
    ],
);

/// The same for an answer, of `features::ANSWER_FEATURES`: fitted by that command to the answers to questions.
pub(crate) const ANSWER_WEIGHTS: (f32, [f32; 4]) = (-7.275, [3.113, 1.089, 0.154, 1.131]);

/// What tells a contrary from a confirmation, of `features::CONTRAST_FEATURES`: fitted by that command to the claims that
/// SciFact calls dev.
pub(crate) const CONTRAST_WEIGHTS: (f32, [f32; 3]) = (-1.341, [1.901, 1.391, 0.534]);
