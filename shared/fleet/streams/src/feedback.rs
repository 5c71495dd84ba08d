//! Feedback on answers: the newest one of each login and turn.
//!
//! It has a stream of its own. Stores of conversations count the messages of theirs, and that of answers keeps nothing for as
//! long as people look back at them. *Not* here: who may give it, and who may see it.

use crate::outbox::store_until;
use bus::{Bus, BusError, Publish, PublishError, Stream};
use envelope::{Feedback, LoginId, Subject, TenantId, subject};
use std::collections::VecDeque;
use std::time::Duration;

/// How long it is tried to store one.
const PATIENCE_MS: u64 = 5_000;
/// How far back one call of [`list`] looks, in places of the stream.
const BACK: u64 = 10_000;
/// How long the next one may take.
const NEXT_WAIT: Duration = Duration::from_secs(2);

/// Some feedback, and where older feedback is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListedFeedback {
    /// The newest first.
    pub feedback: Vec<Feedback>,
    /// The place before which the list goes on, if there may be more.
    pub next: Option<u64>,
}

/// Stores feedback in the place of what the same login said of the same turn before. Returns its sequence.
///
/// # Errors
/// When it is not stored.
pub async fn give(
    bus: &dyn Bus,
    feedback: &Feedback,
    login: &LoginId,
) -> Result<u64, PublishError> {
    let at = Subject::Feedback {
        tenant: feedback.tenant.clone(),
        turn: feedback.turn.clone(),
        login: login.clone(),
    };
    let body = serde_json::to_vec(feedback).unwrap_or_default();
    let until = bus.now().plus(PATIENCE_MS);
    store_until(bus, Publish::new(at, body.into()), until).await
}

/// At most `limit` pieces of feedback on answers of a tenant, or of all, that may be seen, before the place `before` in
/// their stream. One call looks at no more than 10,000 places, so a list may be short and go on.
///
/// # Errors
/// When the bus cannot be asked, or does not answer in time.
pub async fn list(
    bus: &dyn Bus,
    tenant: Option<&TenantId>,
    before: Option<u64>,
    limit: usize,
    may_see: impl Fn(&Feedback) -> bool,
) -> Result<ListedFeedback, BusError> {
    let filter = subject::feedback(tenant);
    let state = bus.state(Stream::Feedback).await?;
    let before = before.unwrap_or(u64::MAX).min(state.last + 1);
    let from = before.saturating_sub(BACK).max(state.first);
    let mut next = (from > state.first && from < before).then_some(from);
    let mut newest = VecDeque::new();
    // Without one there is nothing to read, and a reader would wait for ever.
    let first = bus.first(Stream::Feedback, &filter, from).await?;
    if first.is_none_or(|first| first.sequence >= before) {
        let feedback = Vec::new();
        return Ok(ListedFeedback { feedback, next });
    }
    let mut reader = bus.read(Stream::Feedback, &filter, from).await?;
    loop {
        let read = tokio::time::timeout(NEXT_WAIT, reader.next()).await;
        let late = |_| BusError::Away("the feedback was not read in time".into());
        let (stored, after) = read.map_err(late)??;
        if stored.sequence >= before {
            break;
        }
        // What a later release wrote in another form is left out.
        let feedback = serde_json::from_slice::<Feedback>(&stored.body).ok();
        if let Some(feedback) = feedback.filter(|feedback| may_see(feedback)) {
            newest.push_front((stored.sequence, feedback));
        }
        if newest.len() > limit {
            newest.pop_back();
            next = newest.back().map(|(sequence, _)| *sequence);
        }
        if after == 0 {
            break;
        }
    }
    let feedback = newest.into_iter().map(|(_, feedback)| feedback).collect();
    Ok(ListedFeedback { feedback, next })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::memory::MemoryBus;
    use bus::topology::Topology;
    use envelope::{Groups, Principal, TurnId};

    fn of(tenant: &str, turn: usize, by: &str) -> Feedback {
        let principal = Principal {
            tenant: TenantId::new(tenant).unwrap(),
            groups: Groups::default(),
        };
        let turn = TurnId::new(format!("q-{turn}")).unwrap();
        Feedback::of(principal, turn, by.into(), true, envelope::UnixMs(1))
    }

    #[tokio::test]
    async fn the_newest_comes_first_page_by_page_and_one_of_each_login() {
        let bus = MemoryBus::new(&Topology::default());
        assert_eq!(
            list(&*bus, None, None, 2, |_| true).await,
            Ok(ListedFeedback::default())
        );
        let ann = LoginId::new("ann").unwrap();
        for turn in [1, 2, 3, 4, 5, 2] {
            for tenant in ["a", "b"] {
                give(&*bus, &of(tenant, turn, "ann"), &ann).await.unwrap();
            }
        }
        let bob = LoginId::new("bob").unwrap();
        give(&*bus, &of("a", 2, "bob"), &bob).await.unwrap();
        let tenant = TenantId::new("a").unwrap();
        let (mut before, mut seen) = (None, Vec::new());
        loop {
            let page = list(&*bus, Some(&tenant), before, 2, |one| {
                one.turn.as_str() != "q-4"
            });
            let page = page.await.unwrap();
            assert!(page.feedback.len() <= 2);
            let told = page.feedback.iter();
            seen.extend(told.map(|one| format!("{} {} {}", one.tenant, one.turn, one.login)));
            match page.next {
                Some(next) => before = Some(next),
                None => break,
            }
        }
        assert_eq!(
            seen,
            [
                "a q-2 bob",
                "a q-2 ann",
                "a q-5 ann",
                "a q-3 ann",
                "a q-1 ann"
            ]
        );
        let all = list(&*bus, None, None, 99, |_| true).await.unwrap();
        assert_eq!((all.feedback.len(), all.next), (11, None));
    }
}
