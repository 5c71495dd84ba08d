//! What is enough to answer from, and whether another round may look for more.
//!
//! *Not* what was found, which is held against it in `gather`.

use stage::StepContext;

/// What is enough to answer from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Gate {
    /// Passages that are said to be relevant; all of them where there are fewer. Without a number one is enough for a
    /// question of one part, and a question of several wants one for each of them.
    pub(crate) min_relevant: Option<usize>,
    /// Mean score of the passages of a search.
    pub(crate) score_min: f32,
    /// Whether a fact is wanted: it is not where the passages themselves are composed from.
    pub(crate) wants_facts: bool,
}

/// Which limit forbids another round, if one does.
pub(crate) fn round_refused(cx: &StepContext) -> Option<&'static str> {
    let limit = cx.case.round_refused();
    limit.or_else(|| (!cx.header.has_time_for_round(cx.now)).then_some("time"))
}

#[cfg(test)]
mod tests {
    use envelope::UnixMs;

    #[test]
    fn another_round_must_end_in_time() {
        let mut header = testkit::model::step(envelope::Role::Reducer, "?").header;
        (header.asked_at, header.deadline) = (UnixMs(0), UnixMs(100));
        for (round, now, enough) in [
            (0, 0, true),
            (0, 40, true),
            (0, 41, false),
            (1, 56, true),
            (1, 60, false),
            (0, 100, false),
            (0, 200, false),
        ] {
            header.round = round;
            assert_eq!(
                header.has_time_for_round(UnixMs(now)),
                enough,
                "round {round} at {now}"
            );
        }
    }
}
