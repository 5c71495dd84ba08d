//! Collects what the validator checks a draft against: the passages that the draft was written from, and the best
//! earlier draft of the turn.
//!
//! If a draft carries its passages and no earlier draft was kept, nothing is read. Otherwise the scatter records of
//! both drafts are read, but not the parts, because what a mapper wrote about a passage proves nothing. A record that
//! is no longer stored is left out: the check then has fewer passages, but the question does not fail.

use crate::join::{record, record_in};
use crate::step::Step;
use bus::{Bus, BusError, Stream};
use envelope::{Draft, Envelope, FanOut, Header, Payload, Role, Task, subject};
use futures_util::future::try_join_all;

/// The task of the validator's step that carries `draft`.
pub(crate) async fn checkable(bus: &dyn Bus, step: &Step, draft: &Draft) -> Result<Task, BusError> {
    if draft.read.is_some() && step.case.kept.is_none() {
        return Ok(Task::bare(step.payload.clone()));
    }
    let kept = match step.case.kept {
        Some(kept) => draft_at(bus, &step.header, kept.hop).await?,
        None => None,
    };
    let earlier = kept.iter().flat_map(|kept| &kept.scatters);
    let mut hops: Vec<u16> = draft.scatters.iter().chain(earlier).copied().collect();
    hops.sort_unstable();
    hops.dedup();
    Ok(Task {
        payload: step.payload.clone(),
        evidence: fan_outs(bus, &step.header, &hops).await?,
        kept,
    })
}

/// The draft of the validator's step at `hop`, while that is stored. One of a turn that this one goes on from is not.
async fn draft_at(bus: &dyn Bus, header: &Header, hop: u16) -> Result<Option<Draft>, BusError> {
    let at = subject::step(header.shard, Role::Validator, &header.turn, hop, None);
    let stored = bus.last(Stream::Steps(header.shard), &at).await?;
    let step = stored.and_then(|stored| Payload::read(Role::Validator, &stored.body).ok());
    Ok(match step {
        Some(Envelope {
            payload: Payload::Validator(draft),
            ..
        }) => Some(draft),
        _ => None,
    })
}

/// The scatter records of `hops` without what their maps came to. A replica is asked first, with its bytes as they are: they
/// were written long before. The leader's answer, in base64 inside JSON, costs twice as much; it is asked for what is missing.
async fn fan_outs(bus: &dyn Bus, header: &Header, hops: &[u16]) -> Result<Vec<FanOut>, BusError> {
    let Header { shard, turn, .. } = header;
    let subjects: Vec<String> = hops
        .iter()
        .map(|hop| subject::fence(*shard, turn, *hop))
        .collect();
    let found = bus.last_of_each(Stream::Steps(*shard), &subjects).await?;
    let each = hops.iter().map(|hop| {
        let here = record_in(&found, *hop);
        async move {
            match here {
                Some(record) => Ok(Some(record)),
                None => record(bus, *shard, turn, *hop).await,
            }
        }
    });
    let found = try_join_all(each).await?.into_iter().flatten();
    let without_maps = found.map(|record| FanOut {
        hop: record.header.hop,
        scatter: record.payload,
        results: Vec::new(),
    });
    Ok(without_maps.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::Publish;
    use bus::memory::MemoryBus;
    use bus::topology::Topology;
    use envelope::{DraftReading, DraftScore, FilterMatch, KeptDraft, Plan, Scatter, WIRE, encode};
    use testkit::model::passage;

    fn with<P>(payload: P) -> Envelope<P> {
        let cx = testkit::model::step(Role::Validator, "q");
        Envelope {
            v: WIRE,
            header: cx.header.clone(),
            case: cx.case.clone(),
            trail: Vec::new(),
            payload,
        }
    }

    fn draft(read: Option<DraftReading>) -> Draft {
        Draft {
            text: "It ends [1].".into(),
            sources: Vec::new(),
            facts: Vec::new(),
            scatters: vec![2],
            read: read.map(Box::new),
            strict: false,
            no_information: false,
            stitched: false,
            matched: FilterMatch::Matched,
            table: None,
            assessment: None,
        }
    }

    #[tokio::test]
    async fn records_are_read_for_a_draft_that_carries_nothing_or_has_a_rival() {
        let bus = MemoryBus::new(&Topology::default());
        let record = with(Scatter {
            plan: Plan::default(),
            passages: vec![passage("d", "It ends.")],
            matched: FilterMatch::Matched,
            total_hits: 1,
            after: Default::default(),
        });
        let at = subject::scatter(0, &record.header.turn, 2);
        let body = encode(&record).unwrap();
        bus.publish(Publish::new(at, body)).await.unwrap();
        let carried = Some(DraftReading::default());
        let score = DraftScore {
            grounded: true,
            confidence: 0.5,
        };
        let kept = Some(KeptDraft { hop: 1, score });
        for (read, kept, records) in [
            (None, None, 1),
            (carried.clone(), None, 0),
            (carried, kept, 1),
        ] {
            let draft = draft(read);
            let mut step = with(Payload::Validator(draft.clone()));
            step.case.kept = kept;
            let task = checkable(&*bus, &step, &draft).await.unwrap();
            assert_eq!(task.evidence.len(), records, "{draft:?}, kept: {kept:?}");
        }
    }
}
