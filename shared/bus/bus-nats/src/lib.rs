//! The bus on a NATS server with JetStream (2.14 or newer).
//!
//! It calls JetStream's API over the core client. Each call is one request on the client's shared inbox, so a publish
//! needs no subscription of its own, and the error code of a refusal is kept. The typed API of the client is used
//! where it saves work and costs nothing, as for setting up and ordered reading.

mod address;
mod api;
mod certificates;
mod change;
mod erase;
mod facts;
mod files;
mod metrics;
mod objects;
mod options;
mod pull;
mod reader;
mod rights;
mod room;
mod seed;
mod setup;
mod snapshots;

pub use address::{hosts, without_secrets};
pub use certificates::Certificates;
pub use change::Change;
pub use facts::{Account, Clock, Exposure, Facts};
pub use metrics::Metrics;
pub use options::Options;
pub use rights::{Permissions, Right};
pub use seed::{Seed, inbox_of};
pub use setup::{check, check_within, setup, setup_within};

use async_nats::{Client, ConnectOptions, Event};
use bus::{
    Bus, BusError, BusFuture, ConsumerProgress, ConsumerSpec, CoreMessage, Headers, Publish,
    PublishError, Puller, Reader, StoredMessage, Stream, StreamState, Subscription,
};
use bytes::Bytes;
use envelope::UnixMs;
use futures_util::{StreamExt, future::BoxFuture};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use time::OffsetDateTime;
use tokio::sync::watch;

/// How often the server is asked whether it is there. The client gives up on one that owes it more than two answers, so a
/// frozen server is noticed within half a minute.
const PING_EVERY: Duration = Duration::from_secs(10);

/// How much of what the server says unasked is remembered.
const SAID_MAX: usize = 64;

/// The state of the connection, for readiness and metrics.
#[derive(Debug, Default)]
pub struct Connection {
    up: AtomicBool,
    connects: watch::Sender<u64>,
    refusals: AtomicU64,
    publish_failures: metrics::PublishFailures,
    said: Mutex<Vec<String>>,
}

impl Connection {
    /// Whether it is up.
    pub fn up(&self) -> bool {
        self.up.load(Ordering::Relaxed)
    }
    /// How often it was made: once, and whenever it came back.
    pub(crate) fn connects(&self) -> u64 {
        *self.connects.borrow()
    }
    /// Errors that the server sent unasked, such as a forbidden publish.
    pub fn refusals(&self) -> u64 {
        self.refusals.load(Ordering::Relaxed)
    }

    /// The first messages of the errors that the server sent unasked.
    pub fn said(&self) -> Vec<String> {
        self.heard().clone()
    }

    fn heard(&self) -> MutexGuard<'_, Vec<String>> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn on(&self, event: &Event) {
        match event {
            Event::Connected => {
                if self.up.swap(true, Ordering::Relaxed) {
                    return;
                }
                self.connects.send_modify(|n| *n += 1);
                tracing::info!("nats connected");
            }
            // By this process itself, on its way out.
            Event::Closed => self.up.store(false, Ordering::Relaxed),
            Event::Disconnected => {
                self.up.store(false, Ordering::Relaxed);
                tracing::warn!("nats disconnected; waiting for it to come back");
            }
            // A forbidden publish does not fail, it times out; only this event says why.
            Event::ServerError(error) => {
                self.refusals.fetch_add(1, Ordering::Relaxed);
                let mut said = self.heard();
                if said.len() < SAID_MAX {
                    said.push(error.to_string());
                }
                tracing::error!(%error, "nats server error");
            }
            // Every failed try to come back; that it is away has been said.
            Event::ClientError(error) if !self.up() => {
                tracing::debug!(%error, "nats is still away");
            }
            other => tracing::warn!(event = %other, "connection event of the NATS client"),
        }
    }
}

/// The bus on NATS.
pub struct NatsBus {
    client: Client,
    context: async_nats::jetstream::Context,
    connection: Arc<Connection>,
    timeout: Duration,
    inbox: String,
}

impl NatsBus {
    /// Connects.
    pub async fn connect(options: Options) -> Result<Arc<NatsBus>, BusError> {
        let timeout = options.request_timeout.duration();
        let connection = Arc::new(Connection::default());
        let seed = options.nkey.as_deref().map(Seed::read).transpose()?;
        let inbox = seed.as_ref().map_or("_INBOX".into(), Seed::inbox);
        let events = connection.clone();
        let mut connect = ConnectOptions::new()
            .name(&options.name)
            .custom_inbox_prefix(&inbox)
            .request_timeout(Some(timeout))
            .subscription_capacity(1 << 14)
            .client_capacity(1 << 12)
            .ping_interval(PING_EVERY)
            .reconnect_delay_callback(|attempts| {
                Duration::from_millis((50 << attempts.min(5)) as u64)
            })
            .event_callback(move |event| {
                events.on(&event);
                std::future::ready(())
            });
        if options.wait_for_server {
            connect = connect.retry_on_initial_connect();
        }
        if let Some(path) = &options.creds {
            let unreadable = |e: std::io::Error| {
                BusError::Refused(format!("credentials `{}`: {e}", path.display()))
            };
            connect = connect.credentials_file(path).await.map_err(unreadable)?;
        }
        if let Some(seed) = seed {
            connect = connect.nkey(seed.secret);
        }
        if let Some(path) = options.tls_ca {
            connect = connect.add_root_certificates(path).require_tls(true);
        }
        if let Some((cert, key)) = options.tls_cert.zip(options.tls_key) {
            connect = connect.add_client_certificate(cert, key).require_tls(true);
        }
        connect = match address::credentials(&options.url) {
            Some((user, Some(password))) => connect.user_and_password(user, password),
            Some((token, None)) => connect.token(token),
            None => connect,
        };
        let client = connect.connect(address::servers(&options.url)).await;
        let client = client.map_err(|error| unconnected(&options.url, &error))?;
        let context = async_nats::jetstream::ContextBuilder::new()
            .timeout(timeout)
            .build(client.clone());
        Ok(Arc::new(NatsBus {
            client,
            context,
            connection,
            timeout,
            inbox,
        }))
    }

    /// The state of the connection.
    pub fn connection(&self) -> Arc<Connection> {
        self.connection.clone()
    }

    /// Sends what is still buffered.
    pub async fn flush(&self) -> Result<(), BusError> {
        self.client.flush().await.map_err(away)
    }

    /// Why nothing was answered, where that is no outage: a server without JetStream. Asks the server.
    async fn explained(&self, error: BusError) -> BusError {
        if !matches!(error, BusError::Away(_)) || !self.connection.up() {
            return error;
        }
        match self.account().await {
            Err(none @ BusError::NoJetStream(_)) => none,
            _ => error,
        }
    }
}

/// Why there is no connection: a server that refuses these credentials is not away.
fn unconnected(urls: &str, error: &async_nats::ConnectError) -> BusError {
    use async_nats::ConnectErrorKind::{Authentication, AuthorizationViolation};
    let why = format!("{}: {error}", without_secrets(urls));
    match error.kind() {
        Authentication | AuthorizationViolation => BusError::Denied(why),
        _ => BusError::Away(why),
    }
}

fn now() -> UnixMs {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    UnixMs(since.as_millis() as u64)
}

impl Bus for NatsBus {
    fn now(&self) -> UnixMs {
        now()
    }

    fn publish(&self, message: Publish) -> BoxFuture<'_, Result<u64, PublishError>> {
        Box::pin(async move {
            let stored = api::publish(&self.client, message).await;
            if let Err(error) = &stored {
                self.connection.publish_failures.count(error);
            }
            stored
        })
    }

    fn last<'a>(
        &'a self,
        stream: Stream,
        subject: &'a str,
    ) -> BusFuture<'a, Option<StoredMessage>> {
        Box::pin(async move {
            match api::last(&self.context, stream, subject).await {
                Err(error) if !self.client.server_info().jetstream => {
                    Err(self.explained(error).await)
                }
                last => last,
            }
        })
    }

    fn count<'a>(&'a self, stream: Stream, filter: &'a str) -> BusFuture<'a, u64> {
        Box::pin(api::count(&self.client, stream, filter))
    }

    fn last_of_each<'a>(
        &'a self,
        stream: Stream,
        filters: &'a [String],
    ) -> BusFuture<'a, Vec<StoredMessage>> {
        Box::pin(api::last_of_each(
            &self.client,
            stream,
            filters,
            self.timeout,
        ))
    }

    fn read<'a>(
        &'a self,
        stream: Stream,
        filter: &'a str,
        from: u64,
    ) -> BusFuture<'a, Box<dyn Reader>> {
        Box::pin(api::read(&self.context, stream, filter, from))
    }

    fn state(&self, stream: Stream) -> BusFuture<'_, StreamState> {
        Box::pin(api::state(&self.client, stream))
    }

    fn first<'a>(
        &'a self,
        stream: Stream,
        subject: &'a str,
        from: u64,
    ) -> BusFuture<'a, Option<StoredMessage>> {
        Box::pin(api::first(&self.context, stream, subject, from))
    }

    fn progress<'a>(&'a self, consumer: &'a ConsumerSpec) -> BusFuture<'a, ConsumerProgress> {
        Box::pin(api::progress(&self.client, consumer))
    }

    fn consume<'a>(&'a self, consumer: &'a ConsumerSpec) -> BusFuture<'a, Box<dyn Puller>> {
        Box::pin(async move {
            setup::check_consumer(&self.context, consumer).await?;
            let connects = self.connection.connects.subscribe();
            let puller = pull::NatsPuller::open(self.client.clone(), connects, consumer).await?;
            Ok(Box::new(puller) as Box<dyn Puller>)
        })
    }

    fn add_consumer<'a>(&'a self, consumer: &'a ConsumerSpec) -> BusFuture<'a, ()> {
        Box::pin(setup::add_consumer(&self.context, consumer))
    }

    fn drop_consumer<'a>(&'a self, consumer: &'a ConsumerSpec) -> BusFuture<'a, ()> {
        Box::pin(api::drop_consumer(&self.client, consumer))
    }

    fn message_anywhere(
        &self,
        stream: Stream,
        sequence: u64,
    ) -> BusFuture<'_, Option<StoredMessage>> {
        Box::pin(api::message(&self.client, stream, sequence, self.timeout))
    }

    fn erase(&self, stream: Stream, sequence: u64) -> BusFuture<'_, bool> {
        Box::pin(async move { erase::erase(&self.client, &stream.name(), sequence).await })
    }

    fn purge<'a>(&'a self, stream: Stream, filter: &'a str) -> BusFuture<'a, u64> {
        Box::pin(api::purge(&self.client, stream, filter))
    }

    fn inbox(&self) -> &str {
        &self.inbox
    }

    fn broadcast(&self, message: CoreMessage) -> BusFuture<'_, ()> {
        Box::pin(async move {
            let headers = api::to_nats(&message.headers);
            let CoreMessage {
                subject,
                reply,
                body,
                ..
            } = message;
            let client = &self.client;
            let sent = match reply {
                None => client.publish_with_headers(subject, headers, body).await,
                Some(reply) => {
                    client
                        .publish_with_reply_and_headers(subject, reply, headers, body)
                        .await
                }
            };
            sent.map_err(away)
        })
    }

    fn subscribe<'a>(
        &'a self,
        subject: &'a str,
        queue: Option<&'a str>,
    ) -> BusFuture<'a, Box<dyn Subscription>> {
        Box::pin(async move {
            let subscribed = match queue {
                Some(queue) => {
                    self.client
                        .queue_subscribe(subject.to_owned(), queue.to_owned())
                        .await
                }
                None => self.client.subscribe(subject.to_owned()).await,
            };
            let subscriber = subscribed.map_err(away)?;
            // A subscription that the server does not know yet would miss an answer.
            self.flush().await?;
            Ok(Box::new(CoreSubscription(subscriber)) as Box<dyn Subscription>)
        })
    }

    fn put_file<'a>(&'a self, name: &'a str, bytes: Bytes) -> BusFuture<'a, ()> {
        Box::pin(files::put(&self.context, name, bytes))
    }

    fn get_file<'a>(&'a self, name: &'a str, max_bytes: u64) -> BusFuture<'a, Option<Bytes>> {
        Box::pin(files::get(&self.context, name, max_bytes))
    }

    fn files_taken(&self) -> BusFuture<'_, f64> {
        Box::pin(files::taken(&self.context))
    }

    fn delete_file<'a>(&'a self, name: &'a str) -> BusFuture<'a, ()> {
        Box::pin(files::delete(&self.client, &self.context, name))
    }

    fn connected(&self) -> bool {
        self.connection.up()
    }
}

struct CoreSubscription(async_nats::Subscriber);

impl Subscription for CoreSubscription {
    fn next(&mut self) -> BoxFuture<'_, Option<CoreMessage>> {
        Box::pin(async move {
            let message = self.0.next().await?;
            Some(CoreMessage {
                subject: message.subject.into_string(),
                reply: message.reply.map(|reply| reply.into_string()),
                headers: headers_or_none(message.headers),
                body: message.payload,
            })
        })
    }
}

/// Headers of a stored message, kept apart so that `Headers` stays free of NATS types.
fn stored(message: async_nats::jetstream::message::StreamMessage) -> StoredMessage {
    StoredMessage {
        subject: message.subject.into_string(),
        headers: api::from_nats(&message.headers),
        body: message.payload,
        sequence: message.sequence,
        stored_at: unix_ms(message.time),
    }
}

/// That the server is away, or did not answer.
fn away(error: impl std::fmt::Display) -> BusError {
    BusError::Away(error.to_string())
}

fn unix_ms(time: OffsetDateTime) -> UnixMs {
    UnixMs((time.unix_timestamp_nanos() / 1_000_000) as u64)
}

type Parsed<T> = Result<T, BusError>;

/// Headers that an empty message lacks.
fn headers_or_none(headers: Option<async_nats::HeaderMap>) -> Headers {
    headers.map(|h| api::from_nats(&h)).unwrap_or_default()
}
