//! The stores of conversation workers, asked after an erasure whether they are without it.

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

/// How long a store is waited for. One of 100,000 turns is written anew in some seconds.
const WAIT: Duration = Duration::from_secs(10);
/// How often it is asked.
const ASK_EVERY: Duration = Duration::from_millis(100);

/// The store of one process, after an erasure.
#[derive(Debug, Serialize)]
pub(super) struct ErasedStore {
    process: String,
    /// Events that it does not answer for yet: 0 when it has taken the erasure in and its files are written anew; `null`
    /// where it has no store open.
    behind: Option<u64>,
}

/// How the stores stand that can be asked, as soon as all of them have taken in what is in the stream now.
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

/// Says how they stand.
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
