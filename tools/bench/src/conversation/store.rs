//! Measures the conversation store on disk, fed from the stream as the role `conversation` feeds it.

use super::log::{Reads, TURNS_EACH, failed, key, places, reads};
use crate::cli::ConversationArgs;
use argosy::cli_error::CliError;
use bus::{Bus, Stream};
use bus_nats::NatsBus;
use conversation_log::sled_store::Options;
use conversation_log::{SledStore, Store};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use streams::Metrics;
use streams::follow::{StoreFollower, StoreReport};
use telemetry::Registry;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The readers at once: a role reads as many conversations as it has slots, all from one disk.
const AT_ONCE: usize = 16;
/// How often to look whether the store has come to the end.
const LOOK: Duration = Duration::from_millis(5);

/// The result of the store.
pub(super) struct Kept {
    pub(super) reads: Reads,
    pub(super) recovery_s: f64,
    pub(super) reopen_s: f64,
    pub(super) megabytes: f64,
    pub(super) turns: usize,
}

async fn open(folder: &Path, bus: &dyn Bus) -> Result<SledStore, CliError> {
    let opened = SledStore::open(folder.to_owned(), bus.now(), Options::default()).await;
    Ok(opened.map_err(failed)?.0)
}

/// Feeds an empty store to the end of the stream, opens it again and reads from it.
pub(super) async fn kept(bus: &Arc<NatsBus>, args: &ConversationArgs) -> Result<Kept, CliError> {
    let dir = tempfile::tempdir()?;
    let folder = dir.path().join("conversation");
    let newest = bus.state(Stream::Conversations).await?.last;
    let begun = Instant::now();
    {
        let store = open(&folder, &**bus).await?;
        fed(&**bus, &store, newest).await?;
    }
    let recovery_s = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    let store = open(&folder, &**bus).await?;
    let reopen_s = begun.elapsed().as_secs_f64();
    let sizes = store.sizes().await.map_err(failed)?;
    let mut wanted = Vec::new();
    let conversations = args.turns.div_ceil(TURNS_EACH);
    for n in 0..conversations {
        let last = store.last(&key(n)).await.map_err(failed)?;
        wanted.extend(last.map(|last| (key(n), places(&last, args.exchanges))));
    }
    Ok(Kept {
        reads: reads(Arc::new(store), wanted, AT_ONCE, args.reads).await?,
        recovery_s,
        reopen_s,
        megabytes: sizes.bytes as f64 / 1e6,
        turns: conversations * TURNS_EACH,
    })
}

async fn fed(bus: &dyn Bus, store: &SledStore, newest: u64) -> Result<(), CliError> {
    let (telling, seen) = watch::channel(0);
    let told = StoreReport {
        seen: telling,
        sizes: watch::channel(None).0,
    };
    let stop = CancellationToken::new();
    let follow = StoreFollower {
        max_age: Duration::from_secs(30 * 24 * 3_600),
        metrics: Metrics::new(&Registry::new()).map_err(failed)?,
    };
    let come = async {
        while *seen.borrow() < newest {
            tokio::time::sleep(LOOK).await;
        }
        stop.cancel();
    };
    tokio::join!(follow.run(bus, store, &told, &stop), come);
    Ok(())
}
