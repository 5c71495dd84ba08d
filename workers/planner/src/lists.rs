//! The limits on the lengths of a plan's lists, by the class of the model that writes it. Pure.
//!
//! A small model loses track in a long object, so it is asked for short lists.

use crate::options::Options;
use envelope::limits::SUB_QUERIES_MAX;
use envelope::{Profile, QuestionClass};

/// The most keywords, in any profile.
const KEYWORDS_MAX: usize = 32;

/// The limits of the lists of one plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ListLimits {
    pub(crate) keywords: usize,
    profile: Profile,
}

impl ListLimits {
    pub(crate) fn new(profile: Profile, options: &Options) -> ListLimits {
        let keywords = match profile {
            Profile::Small => options.keywords_max,
            Profile::Large => (options.keywords_max * 2).min(KEYWORDS_MAX),
        };
        ListLimits { keywords, profile }
    }

    /// The most sub-queries of a question of this class.
    pub(crate) fn sub_queries(&self, class: QuestionClass) -> usize {
        match (self.profile, class) {
            (Profile::Large, class) if class != QuestionClass::Simple => SUB_QUERIES_MAX,
            (_, class) => class.sub_queries().min(SUB_QUERIES_MAX),
        }
    }

    /// The longest reply, in tokens: longer lists take more.
    pub(crate) fn tokens(&self, options: &Options) -> u32 {
        match self.profile {
            Profile::Small => options.max_tokens,
            Profile::Large => options.max_tokens.saturating_mul(2),
        }
    }

    /// What a model is told beyond its prompt.
    pub(crate) fn note(&self) -> Option<String> {
        (self.profile == Profile::Large).then(|| {
            format!(
                "Lists may be long: up to {} keywords, and {SUB_QUERIES_MAX} sub-queries unless the class is \"simple\".",
                self.keywords
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_model_writes_more() {
        let options = Options::default();
        let of = |profile| {
            let limits = ListLimits::new(profile, &options);
            let classes = QuestionClass::ALL.map(|class| limits.sub_queries(class));
            (limits.keywords, classes, limits.tokens(&options))
        };
        let tokens = options.max_tokens;
        assert_eq!(of(Profile::Small), (6, [1, 2, 3, 2], tokens));
        assert_eq!(of(Profile::Large), (12, [1, 4, 4, 4], tokens * 2));
        let many = Options {
            keywords_max: 32,
            ..options.clone()
        };
        assert_eq!(ListLimits::new(Profile::Large, &many).keywords, 32);
        assert_eq!(ListLimits::new(Profile::Small, &many).note(), None);
    }
}
