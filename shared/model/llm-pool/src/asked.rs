//! What a request asks of a node that not every node can do, and which part of that a node rejects.

use crate::constants::{TOKEN_BYTES_MAX, TOKENS_BYTES_MAX};
use crate::dialect::JsonDialect;

/// What a request asks for beyond a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) json: Option<JsonDialect>,
    /// So many of the likeliest tokens in the place of each token; 0 for none.
    pub(crate) likely: u8,
    /// Most tokens of the answer.
    pub(crate) tokens_max: u32,
}

/// What a node rejected of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rejected {
    Json(JsonDialect),
    Likely,
}

impl Asked {
    /// How many bytes longer an answer may be because of the probabilities in it: they take up far more than the text.
    pub(crate) fn bytes_more(self) -> usize {
        let token = match usize::from(self.likely) {
            0 => 0,
            likely => (1 + likely) * TOKEN_BYTES_MAX,
        };
        let tokens = self.tokens_max as usize;
        tokens.saturating_mul(token).min(TOKENS_BYTES_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_probabilities_make_an_answer_longer() {
        let asked = |likely, tokens_max| Asked {
            json: None,
            likely,
            tokens_max,
        };
        assert_eq!(asked(0, 512).bytes_more(), 0);
        assert_eq!(asked(4, 512).bytes_more(), 512 * 5 * TOKEN_BYTES_MAX);
        assert_eq!(asked(20, u32::MAX).bytes_more(), TOKENS_BYTES_MAX);
    }
}
