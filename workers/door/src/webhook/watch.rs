//! Reads the file of webhooks, again when it has changed, and consumes terminal events for each webhook in it.
//!
//! Nobody deletes the consumer of a webhook that has gone from the file: another door may still read an older file. The
//! server does, when no door has asked for its events for [`IDLE_MAX`].

use super::call::Caller;
use super::deliver::{Deliver, Tries};
use super::{Webhook, WebhookFile};
use crate::Door;
use crate::access::changed;
use crate::metrics::Metrics;
use bus::{Bus, BusError, ConsumerSpec, Stream};
use envelope::WebhookName;
use harness::consumer_loop;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use streams::backlog;
use telemetry::Health;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How often it is looked whether the file has changed.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// How often it is seen to it that a consumer is there, and what waits for it, and when again after the bus refused.
const MAKE_EVERY: Duration = Duration::from_secs(60);
const AWAY: Duration = Duration::from_secs(1);
/// Calls of one webhook that are under way in this door at a time.
const CALLS: usize = 4;
/// Events of one webhook that wait to be tried again, in the whole fleet: more of them cost the server.
const WAITING_MAX: u32 = 64;
/// After how long the calls of a door that died are taken over.
const ACK_WAIT: Duration = Duration::from_secs(20);
/// After how long without a door the server forgets how far a webhook was: longer than answers are usually kept.
const IDLE_MAX: Duration = Duration::from_secs(7 * 24 * 3600);
/// How long calls may go on when a door closes or a webhook has changed.
const GRACE: Duration = Duration::from_secs(5);

/// The webhooks that are told, each with what ends that.
type Told = BTreeMap<WebhookName, (Webhook, Ends)>;

/// What ends that a webhook is told.
#[derive(Clone)]
struct Ends {
    stop: CancellationToken,
    /// Whether no webhook of this name follows.
    gone: Arc<AtomicBool>,
}

/// Tells the webhooks in the file at `path` until the door closes.
pub(crate) async fn run(door: Door, path: PathBuf) {
    let stop = door.0.setup.stop.clone();
    let tasks = TaskTracker::new();
    let mut told = Told::new();
    let (mut seen, mut refused) = (None, None);
    while !stop.is_cancelled() {
        let now = changed(&path);
        if now != seen {
            match WebhookFile::read(&path) {
                Ok(file) => {
                    (seen, refused) = (now, None);
                    follow(&door, file.webhooks, &mut told, &tasks);
                }
                // Once, and not every few seconds.
                Err(error) if refused != Some(now) => {
                    refused = Some(now);
                    tracing::warn!(%error, "the webhooks stay as they were");
                }
                Err(_) => {}
            }
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
    tasks.close();
    tasks.wait().await;
}

/// Ends what is no longer wanted so, and begins what is.
fn follow(door: &Door, wanted: Vec<Webhook>, told: &mut Told, tasks: &TaskTracker) {
    keep(told, &wanted);
    for webhook in wanted {
        let ends = Ends {
            stop: door.0.setup.stop.child_token(),
            gone: Arc::default(),
        };
        if !told.contains_key(&webhook.name) {
            tasks.spawn(tell(door.clone(), webhook.clone(), ends.clone()));
            told.insert(webhook.name.clone(), (webhook, ends));
        }
    }
}

/// Ends those that are no longer wanted so.
fn keep(told: &mut Told, wanted: &[Webhook]) {
    told.retain(|name, (webhook, ends)| {
        let stays = wanted.contains(webhook);
        if !stays {
            let gone = wanted.iter().all(|other| other.name != *name);
            ends.gone.store(gone, Ordering::Release);
            ends.stop.cancel();
        }
        stays
    });
}

impl Ends {
    /// Takes the gauges of a webhook that has ended away, unless another one has its name.
    fn forget(&self, name: &str, metrics: &Metrics) {
        if self.gone.load(Ordering::Acquire) {
            metrics.webhook_backlog(name, None);
        }
    }
}

/// Tells one webhook until that ends. Its gauges stay for the next webhook of its name, if there is one.
async fn tell(door: Door, webhook: Webhook, ends: Ends) {
    let stop = ends.stop.clone();
    let setup = &door.0.setup;
    let bus = setup.bus.clone();
    let (consumer, name) = (consumer(&webhook), webhook.name.clone());
    let caller = match Caller::new(webhook) {
        Ok(caller) => caller,
        Err(error) => {
            tracing::warn!(consumer = consumer.name, %error, "a webhook cannot be called");
            setup.metrics.webhook_backlog(name.as_str(), None);
            return;
        }
    };
    let forget = || ends.forget(name.as_str(), &setup.metrics);
    let made = make(&*bus, &consumer, name.as_str(), &setup.metrics);
    if stop.run_until_cancelled(made).await.is_none() {
        return forget();
    }
    let handler = Deliver {
        caller,
        tries: Tries {
            most: setup.options.webhook_tries,
            first_delay: setup.options.webhook_delay.duration(),
        },
        bus: bus.clone(),
        metrics: setup.metrics.clone(),
    };
    let options = consumer_loop::Options {
        condition: "webhooks",
        slots: CALLS,
        grace: GRACE,
    };
    // A door serves without its webhooks, too.
    let health = Health::new(&[]);
    let consumed = consumer_loop::run(
        bus.clone(),
        consumer.clone(),
        Arc::new(handler),
        options,
        health,
        stop.clone(),
    );
    // The consumer may be lost with its stream. No longer than until `stop`: the next webhook sets the gauges then.
    let looked_after = async {
        let look = async {
            loop {
                measure(&*bus, &consumer, name.as_str(), &setup.metrics).await;
                tokio::time::sleep(MAKE_EVERY).await;
                make(&*bus, &consumer, name.as_str(), &setup.metrics).await;
            }
        };
        let _: Option<()> = stop.run_until_cancelled(look).await;
        forget();
    };
    tokio::join!(consumed, looked_after);
}

/// Reads what waits for a webhook, and sets the gauges: four small requests a minute, for each webhook and door.
async fn measure(bus: &dyn Bus, consumer: &ConsumerSpec, name: &str, metrics: &Metrics) {
    let known = waiting(bus, consumer).await;
    if let Err(error) = &known {
        tracing::debug!(webhook = name, %error, "what waits for a webhook is not known");
    }
    metrics.webhook_backlog(name, known.ok());
}

/// How many ends wait for a webhook, and how old the oldest is.
async fn waiting(bus: &dyn Bus, consumer: &ConsumerSpec) -> Result<(u64, Duration), BusError> {
    let consumers = std::slice::from_ref(consumer);
    let waiting = backlog::of(bus, consumers).await?;
    let oldest = backlog::oldest(bus, consumers).await?;
    let age = oldest.map_or(0, |oldest| oldest.until(bus.now()));
    let all = waiting.pending + waiting.ack_pending;
    Ok((all, Duration::from_millis(age)))
}

/// Sees to it that the consumer is there. Until it is, nobody knows what waits.
async fn make(bus: &dyn Bus, consumer: &ConsumerSpec, name: &str, metrics: &Metrics) {
    let mut is_told = false;
    while let Err(error) = bus.add_consumer(consumer).await {
        metrics.webhook_backlog(name, None);
        if !is_told {
            tracing::warn!(webhook = name, consumer = consumer.name, %error, "a webhook is told nothing until its consumer can be made; see `argosy doctor`");
        }
        is_told = true;
        tokio::time::sleep(AWAY).await;
    }
    if is_told {
        tracing::info!(webhook = name, "a webhook is told again");
    }
}

/// The consumer that all doors share for a webhook. One that is added again under its name has another: what the old one
/// was not told of would take its places and count its tries.
fn consumer(webhook: &Webhook) -> ConsumerSpec {
    ConsumerSpec {
        stream: Stream::Answers,
        name: format!("webhook-{}-{}", webhook.name.as_str(), webhook.added.0),
        filters: vec!["argosy.answer.*".into()],
        ack_wait: ACK_WAIT,
        max_ack_pending: WAITING_MAX,
        idle_max: Some(IDLE_MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::Publish;
    use bus::memory::MemoryBus;
    use bus::topology::Topology;
    use telemetry::Registry;

    fn on(stream: Stream) -> ConsumerSpec {
        ConsumerSpec {
            stream,
            name: "webhook-crm-0".into(),
            filters: vec!["argosy.answer.*".into()],
            ack_wait: ACK_WAIT,
            max_ack_pending: WAITING_MAX,
            idle_max: Some(IDLE_MAX),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_waits_is_told_with_its_age_and_what_is_not_known_is_not() {
        let bus = MemoryBus::new(&Topology::default());
        let registry = Registry::new();
        let metrics = Metrics::new(&registry).expect("metrics");
        let consumer = on(Stream::Answers);
        bus.add_consumer(&consumer).await.expect("a consumer");
        let shown = async || {
            measure(&*bus, &consumer, "crm", &metrics).await;
            let text = registry.encode();
            let value = |gauge: &str| {
                let label = format!("{gauge}{{webhook=\"crm\"}} ");
                let line = text.lines().find_map(|line| line.strip_prefix(&label))?;
                line.parse::<u64>().ok()
            };
            let waiting = value("argosy_door_webhook_waiting");
            (waiting, value("argosy_door_webhook_oldest_seconds"))
        };
        assert_eq!(shown().await, (Some(0), Some(0)));
        for turn in ["a", "b"] {
            let ended = Publish::new(format!("argosy.answer.{turn}"), "{}".into());
            bus.publish(ended).await.expect("it is stored");
        }
        let mut puller = bus.consume(&consumer).await.expect("a puller");
        let first = puller.next(1).await.expect("a delivery");
        tokio::time::sleep(Duration::from_secs(90)).await;
        assert_eq!(shown().await, (Some(2), Some(90)));
        first.ack.ack().await.expect("an ack");
        assert_eq!(shown().await, (Some(1), Some(90)));
        bus.drop_consumer(&consumer).await.expect("it goes");
        assert_eq!(shown().await, (None, None));
    }

    #[test]
    fn the_gauges_of_a_webhook_go_with_the_last_of_its_name() {
        let registry = Registry::new();
        let metrics = Metrics::new(&registry).expect("metrics");
        metrics.webhook_backlog("crm", Some((3, Duration::from_secs(90))));
        let is_shown = || registry.encode().contains("webhook=\"crm\"");
        let webhook = |added: u64| -> Webhook {
            let text =
                r#"{"name": "crm", "tenant": "acme", "url": "https://a.example", "secrets": []}"#;
            let mut of: serde_json::Value = serde_json::from_str(text).expect("JSON");
            of["added"] = added.into();
            serde_json::from_value(of).expect("a webhook")
        };
        // The next one of this name, which is told from now on, has the same gauges.
        for (added, wanted, shown) in [(1, vec![webhook(2)], true), (2, Vec::new(), false)] {
            let of = webhook(added);
            let ends = Ends {
                stop: CancellationToken::new(),
                gone: Arc::default(),
            };
            let mut told = Told::from([(of.name.clone(), (of, ends.clone()))]);
            keep(&mut told, &wanted);
            ends.forget("crm", &metrics);
            assert!(told.is_empty() && ends.stop.is_cancelled());
            assert_eq!(is_shown(), shown, "{added}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_waited_is_not_told_while_the_bus_refuses_the_consumer() {
        let bus = MemoryBus::new(&Topology::default());
        let registry = Registry::new();
        let metrics = Metrics::new(&registry).expect("metrics");
        for name in ["crm", "mail"] {
            metrics.webhook_backlog(name, Some((3, Duration::from_secs(90))));
        }
        // A fleet of one shard has no such stream.
        let nowhere = on(Stream::Steps(1));
        let made = make(&*bus, &nowhere, "crm", &metrics);
        let made = tokio::time::timeout(AWAY * 3, made).await;
        let text = registry.encode();
        assert!(made.is_err() && !text.contains("webhook=\"crm\""), "{text}");
        let others = "argosy_door_webhook_waiting{webhook=\"mail\"} 3";
        assert!(text.contains(others), "{text}");
    }
}
