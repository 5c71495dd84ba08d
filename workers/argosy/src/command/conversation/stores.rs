//! Asks the local stores of the conversation workers after an erasure whether the conversation is gone from their
//! files.

use crate::cli_error::CliError;
use crate::out::println;
use bus::{Bus, Stream};
use envelope::Role;
use inspect::processes::{self, LISTEN, ProcessStatus};
use owo_colors::OwoColorize;
use serde::Serialize;
use std::time::Duration;
use text::count;
use tokio::time::Instant;

/// How long to wait for a store. A store of 100,000 turns takes some seconds to be written anew.
const WAIT: Duration = Duration::from_secs(10);
/// How often a store is asked.
const ASK_EVERY: Duration = Duration::from_millis(100);

/// The store of one process, after an erasure.
#[derive(Debug, Serialize)]
pub(super) struct ErasedStore {
    process: String,
    /// The number of events that the store does not answer for yet. It is 0 when the store has taken the erasure in
    /// and its files are written anew, and `null` where the process has no store open.
    behind: Option<u64>,
}

/// The state of the stores that can be asked, as soon as all of them have taken in what is in the stream now.
pub(super) async fn read_back(bus: &dyn Bus) -> Result<Vec<ErasedStore>, CliError> {
    let newest = bus.state(Stream::Conversations).await?.last;
    let until = Instant::now() + WAIT;
    loop {
        let seen = processes::ask(bus, LISTEN).await?;
        let readers = seen.iter().filter(|one| one.role == Role::Conversation);
        let stores: Vec<ErasedStore> = readers.map(|one| store(one, newest)).collect();
        let is_done = stores.iter().all(|store| store.behind.unwrap_or(0) == 0);
        if is_done || Instant::now() >= until {
            return Ok(stores);
        }
        tokio::time::sleep(ASK_EVERY).await;
    }
}

fn store(reader: &ProcessStatus, newest: u64) -> ErasedStore {
    ErasedStore {
        process: reader.process.clone(),
        behind: reader.store.map(|store| newest.saturating_sub(store.at)),
    }
}

/// Prints their state.
pub(super) fn told(stores: &[ErasedStore]) {
    if stores.is_empty() {
        let none =
            "no conversation worker answers: the store of each is written anew when it runs again";
        println!("{}", none.dimmed());
    }
    for store in stores {
        let how = match store.behind {
            Some(0) => "is written anew, without it".to_owned(),
            Some(n) => format!(
                "has {} to take in, and is written anew then",
                count(n, "event")
            ),
            None => "is not open, and is written anew when it is".to_owned(),
        };
        println!("the store of {} {how}", store.process);
    }
}
