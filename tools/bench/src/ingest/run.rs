//! Runs one repetition of the ingest benchmark: a fresh server, a number of indexers, and all documents; and its
//! floor.

use crate::corpus::{CHUNK_WORDS, Words};
use crate::fleet_run::Ground;
use crate::host::{cpu_ms, memory_mb};
use argosy::cli_error::CliError;
use argosy::config::Config;
use argosy::fleet::{Member, drain};
use bus::{Bus, Headers, Publish, StoredMessage, Stream};
use bytes::Bytes;
use documents::document::{bucket_of, doc_id_of};
use envelope::document::Notice;
use envelope::{Role, Subject, TenantId};
use futures_util::{TryStreamExt, stream};
use inspect::processes;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How many publishes are in flight at once.
const IN_FLIGHT: usize = 64;
/// How long the indexers may take to start, and to finish.
const START: Duration = Duration::from_secs(60);
const DONE: Duration = Duration::from_secs(1_800);
/// How often to look whether they have.
const LOOK: Duration = Duration::from_millis(10);
/// Words of a sentence.
const SENTENCE_WORDS: usize = 15;

/// The setting of a run.
pub(super) struct Setting {
    pub(super) nats_server: PathBuf,
    pub(super) documents: u32,
    pub(super) parts: u32,
    pub(super) slots: u32,
    /// Further options of the indexers.
    pub(super) set: Vec<String>,
}

/// The cost of a run.
pub(super) struct Run {
    pub(super) chunks: u64,
    pub(super) seconds: f64,
    /// Processor time, in milliseconds.
    pub(super) indexers_ms: f64,
    pub(super) server_ms: f64,
    /// The most memory of one indexer.
    pub(super) peak_rss_mb: f64,
}

impl Run {
    pub(super) fn per_s(&self) -> f64 {
        self.chunks as f64 / self.seconds
    }
}

/// The cost of bare publishes.
pub(super) struct Floor {
    pub(super) per_s: f64,
    pub(super) server_us: f64,
}

impl Setting {
    /// Has all documents indexed by so many indexers. With `keep`, the result holds the messages that they stored.
    pub(super) async fn run(
        &self,
        replicas: u32,
        keep: bool,
    ) -> Result<(Run, Vec<Publish>), CliError> {
        let ground = Ground::lay(self.nats_server.clone(), false, &Config::default()).await?;
        let mut set = self.set.clone();
        set.push(format!("indexer.slots={}", self.slots));
        let roles = vec![Role::Indexer; replicas as usize];
        let mut members = ground.plan(set, Vec::new())?.start_each(&roles)?;
        self.started(&ground, &mut members).await?;
        let pids: Vec<u32> = members.iter().filter_map(Member::pid).collect();
        let indexers = || pids.iter().map(|pid| cpu_ms(*pid)).sum::<f64>();
        let documents = self.messages();
        let (cpu, server) = (indexers(), cpu_ms(ground.server.pid()));
        let start = Instant::now();
        publish(&*ground.bus, documents).await?;
        self.done(&ground, &mut members).await?;
        let seconds = start.elapsed().as_secs_f64();
        let run = Run {
            chunks: ground.bus.state(Stream::Chunks).await?.messages,
            seconds,
            indexers_ms: indexers() - cpu,
            server_ms: cpu_ms(ground.server.pid()) - server,
            peak_rss_mb: pids
                .iter()
                .map(|pid| memory_mb(*pid, "VmHWM"))
                .fold(0.0, f64::max),
        };
        let stored = match keep {
            true => stored(&*ground.bus, run.chunks).await?,
            false => Vec::new(),
        };
        drain(&mut members, Duration::from_secs(40)).await;
        Ok((run, stored))
    }

    /// Publishes these messages bare, to a server of their own.
    pub(super) async fn floor(&self, messages: Vec<Publish>) -> Result<Floor, CliError> {
        let ground = Ground::lay(self.nats_server.clone(), false, &Config::default()).await?;
        let count = messages.len() as f64;
        let (start, cpu) = (Instant::now(), cpu_ms(ground.server.pid()));
        publish(&*ground.bus, messages).await?;
        Ok(Floor {
            per_s: count / start.elapsed().as_secs_f64(),
            server_us: (cpu_ms(ground.server.pid()) - cpu) * 1_000.0 / count,
        })
    }

    /// The document messages, the same in every run.
    fn messages(&self) -> Vec<Publish> {
        let mut words = Words::new(1);
        (0..self.documents)
            .map(|n| document(n, self.parts, &mut words))
            .collect()
    }

    /// Waits until every indexer is ready.
    async fn started(&self, ground: &Ground, members: &mut [Member]) -> Result<(), CliError> {
        let begun = Instant::now();
        loop {
            let seen = processes::ask(&*ground.bus, processes::LISTEN).await?;
            if seen.iter().filter(|one| one.ready).count() == members.len() {
                return Ok(());
            }
            alive(ground, members)?;
            if begun.elapsed() > START {
                return Err(CliError::negative("the indexers did not start"));
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Waits until no document waits any more, and checks that none was given up.
    async fn done(&self, ground: &Ground, members: &mut [Member]) -> Result<(), CliError> {
        let begun = Instant::now();
        while ground.bus.state(Stream::Documents).await?.messages > 0 {
            alive(ground, members)?;
            if begun.elapsed() > DONE {
                return Err(CliError::negative("the indexers do not come to an end"));
            }
            tokio::time::sleep(LOOK).await;
        }
        match ground.bus.state(Stream::Dead).await?.messages {
            0 => Ok(()),
            n => Err(CliError::negative(format!("{n} documents were given up"))),
        }
    }
}

fn alive(ground: &Ground, members: &mut [Member]) -> Result<(), CliError> {
    match members.iter_mut().find_map(Member::ended) {
        None => Ok(()),
        Some(status) => {
            let log = ground.dir.path().join("logs/indexer.log");
            let said = std::fs::read_to_string(log).unwrap_or_default();
            let said = said.lines().last().unwrap_or_default();
            let text = format!("an indexer ended, {status}: {said}");
            Err(CliError::negative(text))
        }
    }
}

/// A Markdown file of so many parts.
fn document(n: u32, parts: u32, words: &mut Words) -> Publish {
    let tenant = TenantId::default_tenant();
    let source = format!("files/{n}.md");
    let mut text = format!("# {} {n}\n", words.next());
    for _ in 0..parts {
        text.push('\n');
        for at in 1..=CHUNK_WORDS {
            text.push_str(&words.next());
            text.push_str(if at.is_multiple_of(SENTENCE_WORDS) {
                ". "
            } else {
                " "
            });
        }
        text.push('\n');
    }
    let headers = Notice::new(tenant.clone(), source.as_str())
        .headers()
        .into_iter()
        .fold(Headers::default(), |headers, (name, value)| {
            headers.with(name, value)
        });
    let subject = Subject::Document {
        bucket: bucket_of(&source),
        name: doc_id_of(&tenant, &source),
    };
    Publish {
        headers,
        ..Publish::new(subject, Bytes::from(text))
    }
}

async fn publish(bus: &dyn Bus, messages: Vec<Publish>) -> Result<(), CliError> {
    stream::iter(messages.into_iter().map(Ok))
        .try_for_each_concurrent(IN_FLIGHT, |message| async move {
            let stored = bus.publish(message).await;
            stored.map_err(|e| CliError::negative(e.to_string()))?;
            Ok(())
        })
        .await
}

/// What the indexers stored, in their order.
async fn stored(bus: &dyn Bus, count: u64) -> Result<Vec<Publish>, CliError> {
    let mut reader = bus.read(Stream::Chunks, "argosy.chunk.>", 1).await?;
    let mut messages = Vec::new();
    for _ in 0..count {
        messages.push(bare(reader.next().await?.0));
    }
    Ok(messages)
}

/// A stored message to be published again, without its write conditions, because the sequences that they name mean
/// something else on another server.
fn bare(message: StoredMessage) -> Publish {
    let mut headers = message.headers;
    headers.0.retain(|(name, _)| !name.starts_with("Nats-"));
    Publish {
        headers,
        ..Publish::new(message.subject, message.body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_the_same_on_every_run_and_differ_from_each_other() {
        let made = |documents| {
            let setting = Setting {
                nats_server: PathBuf::new(),
                documents,
                parts: 2,
                slots: 1,
                set: Vec::new(),
            };
            setting.messages()
        };
        let (one, two) = (made(3), made(3));
        assert!(one.iter().zip(&two).all(|(a, b)| a.body == b.body));
        assert_ne!(one[0].subject, one[1].subject);
        assert_ne!(one[0].body, one[1].body);
        assert!(one[0].body.len() > 1_500, "{}", one[0].body.len());
    }
}
