//! The reference to the best draft of a turn so far: the hop of the step that checked it, with its score. It does
//! *not* contain the text, which is read from that step if a later draft turns out to be worse.

use serde::{Deserialize, Serialize};

/// The score of a draft.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DraftScore {
    /// Every check of the rules was passed.
    pub grounded: bool,
    /// How far it is supported, 0 to 1.
    pub confidence: f32,
}

impl DraftScore {
    /// A grounded draft is better than one that is not; otherwise the one with more confidence is better.
    pub fn is_better_than(&self, other: &DraftScore) -> bool {
        match self.grounded == other.grounded {
            true => self.confidence > other.confidence,
            false => self.grounded,
        }
    }
}

/// A draft that was checked and kept, because a better one might follow.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct KeptDraft {
    /// Hop of the validator's step that carries it.
    pub hop: u16,
    /// The result of the check.
    #[serde(flatten)]
    pub score: DraftScore,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grounded_goes_before_confident() {
        let score = |grounded, confidence| DraftScore {
            grounded,
            confidence,
        };
        assert!(score(true, 0.1).is_better_than(&score(false, 0.9)));
        assert!(!score(false, 0.9).is_better_than(&score(true, 0.0)));
        assert!(score(true, 0.6).is_better_than(&score(true, 0.5)));
        assert!(!score(true, 0.5).is_better_than(&score(true, 0.5)));
    }
}
