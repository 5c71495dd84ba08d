//! The task that sends spans: in batches, with a few attempts each. Spans that cannot be sent are counted and dropped.
//! When the collector is unavailable, spans are lost, and nothing else happens: only this task waits for the collector,
//! and the end of the process waits for one request at most.

use super::options::wrong;
use super::span::Span;
use super::{Counts, Lost, Options, Service, otlp};
use prost::Message;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Response, Url, redirect};
use settings::InvalidOption;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

/// Most spans of a request.
const BATCH: usize = 512;
/// How long the first span of a batch waits for others.
const EVERY: Duration = Duration::from_secs(1);
/// Tries of a batch.
const TRIES: u32 = 3;
/// Wait before the second try; doubled for the next.
const WAIT: Duration = Duration::from_millis(250);
/// Longest wait that a collector can ask for.
const WAIT_MAX: Duration = Duration::from_secs(5);
/// Most bytes of an answer that are looked at.
const ANSWER_MAX: u64 = 16 * 1024;

/// The task behind a [`Traces`](super::Traces).
#[derive(Debug, Default)]
pub struct Exporter {
    task: JoinSet<()>,
    stop: CancellationToken,
    patience: Duration,
}

/// What one try came to.
enum Sent {
    /// It took all but so many.
    Taken(u64),
    /// Another try may go better.
    Again(String, Option<Duration>),
    /// No other try will.
    Refused(String),
}

struct Sender {
    client: Client,
    url: Url,
    service: Service,
    counts: Counts,
    /// Whether the last batch was lost: this is logged once, not for each batch.
    failing: bool,
}

impl Exporter {
    pub(super) fn idle() -> Exporter {
        Exporter::default()
    }

    pub(super) fn start(
        options: &Options,
        service: &Service,
        spans: mpsc::Receiver<Span>,
        counts: Counts,
    ) -> Result<Exporter, InvalidOption> {
        let sender = Sender {
            client: client(options)?,
            url: options.url()?,
            service: service.clone(),
            counts,
            failing: false,
        };
        let stop = CancellationToken::new();
        let mut task = JoinSet::new();
        task.spawn(sender.run(spans, stop.clone()));
        Ok(Exporter {
            task,
            stop,
            patience: options.timeout.into(),
        })
    }

    /// Sends the remaining spans, within the time of one request; spans that are not sent by then are lost. To be
    /// called when no more spans are made.
    pub async fn flush(mut self) {
        self.stop.cancel();
        let all = async { while self.task.join_next().await.is_some() {} };
        if timeout(self.patience, all).await.is_err() {
            tracing::warn!("some spans could not be sent in time");
        }
    }
}

fn client(options: &Options) -> Result<Client, InvalidOption> {
    let mut headers = HeaderMap::new();
    for (name, value) in &options.headers {
        let bad = || wrong(format!("`headers.{name}` has signs no header may have"));
        let key = HeaderName::try_from(name).map_err(|_| bad())?;
        let mut value = HeaderValue::try_from(value.expose()).map_err(|_| bad())?;
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static("application/x-protobuf"),
    );
    // Service-wide by design of rustls; that it is already there is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .user_agent(concat!("argosy/", env!("CARGO_PKG_VERSION")))
        .default_headers(headers)
        .timeout(options.timeout.into())
        // A key must not follow a redirect.
        .redirect(redirect::Policy::none())
        .no_proxy()
        .build()
        .map_err(wrong)
}

impl Sender {
    async fn run(mut self, mut spans: mpsc::Receiver<Span>, stop: CancellationToken) {
        let mut batch = Vec::new();
        loop {
            tokio::select! {
                biased;
                gone = gather(&mut spans, &mut batch) => if gone { break },
                () = stop.cancelled() => break,
            }
            self.send(&mut batch).await;
        }
        spans.close();
        while spans.recv_many(&mut batch, BATCH).await > 0 {
            self.send(&mut batch).await;
        }
        self.send(&mut batch).await;
    }

    /// Sends a batch or gives it up; it is empty afterwards.
    async fn send(&mut self, batch: &mut Vec<Span>) {
        if batch.is_empty() {
            return;
        }
        let body = otlp::encode(&self.service, batch);
        let spans = batch.len() as u64;
        batch.clear();
        let mut wait = WAIT;
        for attempt in 1..=TRIES {
            let (why, lost) = match self.attempt(body.clone()).await {
                Sent::Taken(rejected) => {
                    let rejected = rejected.min(spans);
                    self.counts.exported(spans - rejected);
                    self.counts.dropped(Lost::Refused, rejected);
                    self.recovered();
                    return;
                }
                Sent::Again(_, told) if attempt < TRIES => {
                    sleep(told.unwrap_or(wait).min(WAIT_MAX)).await;
                    wait *= 2;
                    continue;
                }
                Sent::Again(why, _) => (why, Lost::Away),
                Sent::Refused(why) => (why, Lost::Refused),
            };
            self.counts.dropped(lost, spans);
            self.lost(&why);
            return;
        }
    }

    async fn attempt(&self, body: Vec<u8>) -> Sent {
        let sent = self.client.post(self.url.clone()).body(body).send().await;
        let response = match sent {
            Ok(response) => response,
            Err(error) => return Sent::Again(reason(error), None),
        };
        let status = response.status().as_u16();
        match status {
            200..300 => Sent::Taken(rejected(response).await),
            429 | 502..=504 => Sent::Again(format!("status {status}"), retry_after(&response)),
            _ => Sent::Refused(format!("status {status}")),
        }
    }

    fn lost(&mut self, reason: &str) {
        if !self.failing {
            let url = self.url.host_str().unwrap_or_default();
            tracing::warn!(url, reason, "spans are not exported");
        }
        self.failing = true;
    }

    fn recovered(&mut self) {
        if self.failing {
            tracing::info!("spans are exported again");
        }
        self.failing = false;
    }
}

/// Fills a batch: from its first span on it waits a second, or until it is full. True when there will be
/// no more. May be dropped; what has come is in the batch.
async fn gather(spans: &mut mpsc::Receiver<Span>, batch: &mut Vec<Span>) -> bool {
    if batch.is_empty() && spans.recv_many(batch, BATCH).await == 0 {
        return true;
    }
    let until = Instant::now() + EVERY;
    while batch.len() < BATCH {
        let room = BATCH - batch.len();
        match timeout_at(until, spans.recv_many(batch, room)).await {
            Ok(0) => return true,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
    false
}

/// How many spans the collector says it did not take. An answer that cannot be read says nothing.
async fn rejected(response: Response) -> u64 {
    if response.content_length().is_none_or(|len| len > ANSWER_MAX) {
        return 0;
    }
    let body = response.bytes().await.unwrap_or_default();
    let said = otlp::Response::decode(body).ok();
    let Some(partial) = said.and_then(|said| said.partial_success) else {
        return 0;
    };
    if partial.rejected_spans > 0 {
        let reason = partial.error_message.as_str();
        tracing::warn!(reason, "the collector refused some spans");
    }
    u64::try_from(partial.rejected_spans).unwrap_or(0)
}

/// Seconds that the collector asks for; a date is not worth a parser here.
fn retry_after(response: &Response) -> Option<Duration> {
    let text = response.headers().get(RETRY_AFTER)?.to_str().ok()?;
    text.trim().parse().ok().map(Duration::from_secs)
}

/// What went wrong below HTTP, with its causes, without the address.
fn reason(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut reason = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(next) = cause {
        reason.push_str(": ");
        reason.push_str(&next.to_string());
        cause = next.source();
    }
    reason
}
