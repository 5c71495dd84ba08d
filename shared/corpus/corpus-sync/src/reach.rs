//! Finds the last sequence of the corpus stream that an index of one edition can reach.
//!
//! Sequences count all messages of the stream. Among the messages of one edition there are those of the other edition
//! and the record of editions, which an index of the first edition skips. *Not* here: waiting until the index has
//! reached the sequence.

use bus::{Bus, BusError, Stream};
use envelope::{Edition, subject};
use futures_util::future::BoxFuture;
use search::IndexFeed;
use std::sync::Arc;

/// The messages of one edition in the corpus stream.
pub struct Reach {
    /// The bus.
    pub bus: Arc<dyn Bus>,
    /// The edition.
    pub edition: Edition,
}

/// The sequence of the newest message of an edition; 0 when there is none.
pub(crate) async fn last(bus: &dyn Bus, edition: &Edition) -> Result<u64, BusError> {
    let newest = bus.last(Stream::Chunks, &subject::edition(edition)).await?;
    Ok(newest.map_or(0, |newest| newest.sequence))
}

impl IndexFeed for Reach {
    fn reach(&self, wanted: u64) -> BoxFuture<'_, Option<u64>> {
        Box::pin(async move {
            // In this order: what is stored up to `wanted` is in the second answer.
            let stored = self.bus.state(Stream::Chunks).await.ok()?.last;
            let last = last(&*self.bus, &self.edition).await.ok()?;
            (stored >= wanted).then_some(wanted.min(last))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, TargetEditions, index};
    use bus::Publish;
    use bus::memory::MemoryBus;
    use bus::topology::Topology;
    use bytes::Bytes;
    use documents::{Catalog, PublishMode};
    use envelope::TenantId;

    /// Two of `main`, one of `small`, the record of editions: 1 to 4.
    async fn bus() -> Arc<MemoryBus> {
        let bus = MemoryBus::new(&Topology::default());
        for subject in [
            "argosy.chunk.main.b.d.0",
            "argosy.chunk.main.b.e.0",
            "argosy.chunk.small.b.d.0",
            subject::EDITION,
        ] {
            let message = Publish::new(subject, Bytes::from_static(b"{}"));
            bus.publish(message).await.unwrap();
        }
        bus
    }

    #[tokio::test]
    async fn an_edition_reaches_as_far_as_its_own_messages() {
        let bus = bus().await;
        let reach = |edition: &str| Reach {
            bus: bus.clone(),
            edition: Edition::new(edition).unwrap(),
        };
        let (main, small) = (reach("main"), reach("small"));
        assert_eq!(main.reach(1).await, Some(1));
        assert_eq!(main.reach(4).await, Some(2));
        assert_eq!(small.reach(4).await, Some(3));
        assert_eq!(reach("none").reach(4).await, Some(0));
        assert_eq!(main.reach(5).await, None, "nobody has stored it");
    }

    #[tokio::test]
    async fn an_indexing_run_names_a_sequence_of_its_own_edition() {
        let bus = bus().await;
        let empty = tempfile::tempdir().unwrap();
        for (edition, wanted) in [("main", 2), ("small", 3)] {
            let catalog = Catalog::new(TenantId::default_tenant());
            let mut options = Options::waiting(PublishMode::Incremental);
            options.to = TargetEditions {
                edition: Edition::new(edition).unwrap(),
                is_alone: true,
            };
            let root = empty.path().to_owned();
            let run = index(bus.clone(), root, &catalog, options, |_| {}).await;
            assert_eq!(run.unwrap().corpus_seq, Some(wanted), "{edition}");
        }
    }
}
