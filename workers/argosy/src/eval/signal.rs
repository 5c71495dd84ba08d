//! What the scores of a search say about whether there is an answer: pure.
//!
//! Scores are only comparable within one search, so a signal has to make something of their shape
//! or rest on a scale that the searcher keeps. Which one tells best is measured, not assumed.

/// Passages that a signal looks at.
const LOOKED_AT: usize = 10;

/// A number made of the scores of one search; the higher, the likelier an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    /// The best score.
    Top,
    /// The best score over the number of words of the question: scores that add up over words grow
    /// with them.
    TopPerWord,
    /// The mean of the first ten.
    Mean,
    /// How far the best is above the mean of the first ten.
    Lead,
    /// The same as a share of the best.
    RelativeLead,
}

impl Signal {
    /// All of them; the first is the one that reports show.
    pub(super) const ALL: [Signal; 5] = [
        Signal::Top,
        Signal::TopPerWord,
        Signal::Mean,
        Signal::Lead,
        Signal::RelativeLead,
    ];

    /// Its name in reports.
    pub(super) fn name(self) -> &'static str {
        match self {
            Signal::Top => "top",
            Signal::TopPerWord => "top_per_word",
            Signal::Mean => "mean",
            Signal::Lead => "lead",
            Signal::RelativeLead => "relative_lead",
        }
    }

    /// The signal of the scores, best first, of a question of so many words; 0 for no scores.
    pub(super) fn of(self, scores: &[f32], words: usize) -> f64 {
        let Some(&top) = scores.first() else {
            return 0.0;
        };
        let looked_at = &scores[..scores.len().min(LOOKED_AT)];
        let sum: f64 = looked_at.iter().map(|s| f64::from(*s)).sum();
        let (top, mean) = (f64::from(top), sum / looked_at.len() as f64);
        match self {
            Signal::Top => top,
            Signal::TopPerWord => top / words.max(1) as f64,
            Signal::Mean => mean,
            Signal::Lead => top - mean,
            Signal::RelativeLead if top == 0.0 => 0.0,
            Signal::RelativeLead => (top - mean) / top,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_by_hand() {
        let of = |scores: &[f32]| Signal::ALL.map(|signal| signal.of(scores, 8));
        assert_eq!(of(&[4.0, 2.0]), [4.0, 0.5, 3.0, 1.0, 0.25]);
        assert_eq!(of(&[]), [0.0; 5]);
        assert_eq!(of(&[0.0]), [0.0; 5]);
        let mut eleven = vec![1.0; 10];
        eleven.push(-100.0);
        assert_eq!(of(&eleven), [1.0, 0.125, 1.0, 0.0, 0.0]);
    }
}
