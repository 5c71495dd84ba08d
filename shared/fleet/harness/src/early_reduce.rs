//! Reduces early: as soon as the stored facts cover the question, the reducer's step is created without waiting for
//! the remaining maps.
//!
//! The step is the same that the last mapper would create, so it does not matter which of the two comes first.
//! Reducing early is an optimisation: it is off unless configured, and when it fails, the join creates the step.

use crate::cancel_registry::Fanout;
use crate::join::{self, JoinError};
use crate::step::Step;
use crate::worker::Worker;
use bus::{CoreMessage, Stream};
use envelope::{Findings, Part, PartResult, Passage, Payload, Scatter, Subject, subject};

/// Up to so many parts it is looked at each of them, beyond at every eighth: looking reads all parts.
const LOOK_ALWAYS: u64 = 8;

/// Whether it is worth looking when so many of `of` parts are there.
fn is_worth_it(parts: u64, of: u16, least: usize) -> bool {
    let enough = parts >= least as u64 && parts < u64::from(of);
    enough && (parts <= LOOK_ALWAYS || parts.is_multiple_of(LOOK_ALWAYS))
}

/// Whether at least `least` passages have facts, and every sub-query of the plan has found one of them.
/// What was searched for as a whole only cannot be told apart: then a plan with sub-queries is never
/// covered.
pub(crate) fn is_covered(scatter: &Scatter, parts: &[Option<Part>], least: usize) -> bool {
    let found: Vec<&Passage> = scatter
        .passages
        .iter()
        .zip(parts)
        .filter(|(_, part)| part.as_ref().is_some_and(has_facts))
        .map(|(passage, _)| passage)
        .collect();
    let has = |query: usize| {
        let by = |of: &u8| usize::from(*of) == query;
        found.iter().any(|passage| passage.found_by.iter().any(by))
    };
    found.len() >= least && (0..scatter.plan.sub_queries.len()).all(has)
}

fn has_facts(part: &Part) -> bool {
    matches!(&part.result, PartResult::Findings(found) if tells(found))
}

/// Whether findings add to what is covered.
pub(crate) fn tells(findings: &Findings) -> bool {
    findings.counts() && !findings.facts.is_empty()
}

impl Worker {
    /// Creates the reducer's step when the stored parts cover the question, and tells the other mappers.
    pub(crate) async fn join_if_covered(&self, step: &Step) {
        if let Err(error) = self.try_early(step).await {
            tracing::debug!(turn = %step.header.turn, %error, "early start of the reducer failed");
        }
    }

    async fn try_early(&self, step: &Step) -> Result<(), JoinError> {
        let (least, header) = (self.options.early_reduce as usize, &step.header);
        let Payload::Mapper(task) = &step.payload else {
            return Ok(());
        };
        let filter = subject::parts(header.shard, &header.turn, header.hop);
        let parts = self.bus.count(Stream::Steps(header.shard), &filter).await?;
        if !is_worth_it(parts, task.of, least) {
            return Ok(());
        }
        let found = join::there_is(&*self.bus, header, task.scatter).await?;
        if !is_covered(&found.scatter, &found.parts, least) {
            return Ok(());
        }
        let scatter = (task.scatter, step.v);
        join::join(&*self.bus, header, &step.case, scatter, self.keep()).await?;
        self.joined.end(&(header.turn.clone(), header.hop));
        let told = Subject::Joined {
            turn: header.turn.clone(),
            hop: header.hop,
        };
        Ok(self.bus.broadcast(CoreMessage::new(told, "")).await?)
    }
}

/// The fan-out of which a broadcast says that it was joined early.
pub(crate) fn joined(subject: Subject) -> Option<Fanout> {
    match subject {
        Subject::Joined { turn, hop } => Some((turn, hop)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::{FilterMatch, Plan, WIRE};
    use testkit::model::passage;

    fn scatter(found_by: &[&[u8]], sub_queries: usize) -> Scatter {
        let passages = found_by.iter().map(|by| Passage {
            found_by: by.to_vec(),
            ..passage("a", "text")
        });
        Scatter {
            plan: Plan {
                sub_queries: vec!["q".into(); sub_queries],
                ..Plan::default()
            },
            passages: passages.collect(),
            matched: FilterMatch::Matched,
            total_hits: 9,
            after: Default::default(),
        }
    }

    /// `y`: relevant with a fact, `n`: not relevant, `d`: unread, `x`: broken, `.`: not there.
    fn parts(signs: &str) -> Vec<Option<Part>> {
        let part = |(index, sign): (u16, char)| {
            let findings = Findings {
                relevant: sign != 'n',
                facts: (sign == 'y').then(|| "a fact".into()).into_iter().collect(),
                defaulted: sign == 'd',
                ..Findings::default()
            };
            let result = match sign {
                'x' => PartResult::Error("model_refused".into()),
                _ => PartResult::Findings(findings),
            };
            (sign != '.').then_some(Part {
                v: WIRE,
                index,
                result,
                entry: None,
            })
        };
        (0..).zip(signs.chars()).map(part).collect()
    }

    #[test]
    fn every_sub_query_and_enough_passages_have_facts() {
        let two = scatter(&[&[0], &[1], &[0], &[0, 1]], 2);
        for (signs, least, covered) in [
            ("yy..", 2, true),
            ("yy..", 3, false),
            ("y.y.", 2, false),
            ("...y", 1, true),
            ("ydnx", 1, false),
            ("....", 1, false),
        ] {
            assert_eq!(
                is_covered(&two, &parts(signs), least),
                covered,
                "{signs} {least}"
            );
        }
        let whole = scatter(&[&[], &[], &[]], 0);
        assert!(is_covered(&whole, &parts("yy."), 2));
        let not_told_apart = scatter(&[&[], &[], &[]], 2);
        assert!(!is_covered(&not_told_apart, &parts("yyy"), 1));
    }

    #[test]
    fn it_is_looked_seldom_at_a_large_fan_out_and_never_at_the_last_part() {
        let looks = |of, least| (0..=u64::from(of)).filter(move |n| is_worth_it(*n, of, least));
        assert_eq!(looks(5, 2).collect::<Vec<_>>(), [2, 3, 4]);
        assert_eq!(looks(1_000, 3).count(), 6 + 123);
    }
}
