//! The gate: decides how much evidence is enough for an answer, and whether another round may look for more.
//!
//! *Not* here: the evidence, which `gather` compares with the gate.

use stage::StepContext;

/// How much is enough to answer from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Gate {
    /// How many passages have to be judged relevant; where there are fewer passages, all of them. Without a number, a
    /// question of one part needs one passage, and a question of several parts needs one for each part.
    pub(crate) min_relevant: Option<usize>,
    /// The least mean score of the passages of a search.
    pub(crate) score_min: f32,
    /// Whether at least one fact is needed. None is where the answer is composed from the passages themselves.
    pub(crate) wants_facts: bool,
}

/// The name of the limit that forbids another round, if one does.
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
