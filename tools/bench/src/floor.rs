//! The floor of the fleet: bare JetStream with the same messages as a question.
//!
//! It has the fleet's streams, consumers and write conditions, and stores as many messages per question (19 with five
//! maps). Its join is the fleet's, in which the leader counts the parts once a question, or it has none and the mapper
//! counts for itself. But its bodies are opaque: it reads and writes no envelope, and it routes, retries, traces and
//! counts nothing. The cost of the fleet beyond the floor is the fleet's own; `argosy-bench fleet` reports the ratios.
//! The floor is *not* safe: a crash loses joins, and it has one mapper.

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::{Client, HeaderMap, Message};
use bus::topology::Topology;
use bus::{ConsumerSpec, Stream};
use bytes::{BufMut, Bytes, BytesMut};
use envelope::Role;
use futures_util::StreamExt;
use futures_util::future::try_join_all;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// The load of a floor run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    /// Map steps of a question.
    pub maps: u16,
    /// Bytes of each body.
    pub body_bytes: usize,
    /// How long the stubbed model takes.
    pub model_delay: Duration,
    /// How long the stubbed index takes.
    pub search_delay: Duration,
    /// Whether the leader is asked how many parts there are, once a question.
    pub count: bool,
}

/// How many parts of each question this process has stored.
type Parts = Arc<Mutex<HashMap<String, u16>>>;

/// Runs the floor of one role until `stop` is cancelled.
pub(crate) async fn run(
    url: &str,
    topology: &Topology,
    role: Role,
    load: Load,
    stop: CancellationToken,
) -> Result<(), Error> {
    let client = async_nats::ConnectOptions::new()
        .subscription_capacity(1 << 16)
        .client_capacity(1 << 12)
        .connect(url)
        .await?;
    let consumers = match role {
        Role::Gateway => vec![topology.inbox(), topology.answers()],
        thinking => vec![topology.consumer(thinking)],
    };
    let pumps = consumers.into_iter().map(|consumer| {
        let worker = Worker {
            client: client.clone(),
            role,
            load,
            parts: Parts::default(),
        };
        pump(worker, consumer, stop.clone())
    });
    try_join_all(pumps).await?;
    Ok(())
}

/// A role of the floor.
#[derive(Clone)]
struct Worker {
    client: Client,
    role: Role,
    load: Load,
    parts: Parts,
}

async fn pump(worker: Worker, spec: ConsumerSpec, stop: CancellationToken) -> Result<(), Error> {
    let context = async_nats::jetstream::new(worker.client.clone());
    let consumer: PullConsumer = context
        .get_consumer_from_stream(&spec.name, spec.stream.name())
        .await?;
    let mut messages = consumer
        .stream()
        .max_messages_per_batch(200)
        .heartbeat(Duration::from_secs(5))
        .messages()
        .await?;
    let mut running = tokio::task::JoinSet::new();
    loop {
        tokio::select! {
            () = stop.cancelled() => return Ok(()),
            Some(done) = running.join_next(), if !running.is_empty() => done??,
            message = messages.next(), if running.len() < 256 => {
                let Some(message) = message else { return Ok(()) };
                let (worker, stream, message) = (worker.clone(), spec.stream, message?);
                running.spawn(async move {
                    let reply = message.reply.clone();
                    handle(&worker, stream, message.message).await?;
                    if let Some(reply) = reply {
                        worker.client.request(reply, Bytes::new()).await?;
                    }
                    Ok::<(), Error>(())
                });
            }
        }
    }
}

/// The body of a message, which holds the subject of the answer and the reply subject of the question.
fn body(question: &[u8], bytes: usize) -> Bytes {
    let mut body = BytesMut::with_capacity(bytes.max(question.len()));
    body.put(question);
    while body.len() < bytes {
        body.put_u8(b'a' + (body.len() % 26) as u8);
    }
    body.freeze()
}

async fn handle(worker: &Worker, from: Stream, message: Message) -> Result<(), Error> {
    let (client, role, load) = (&worker.client, worker.role, worker.load);
    let name = message
        .payload
        .split(|b| *b == b'|')
        .next()
        .unwrap_or_default()
        .to_vec();
    let turn = String::from_utf8(name)?;
    let body = body(format!("{turn}|").as_bytes(), load.body_bytes);
    let delay = match role {
        Role::Planner | Role::Mapper | Role::Reducer => load.model_delay,
        Role::Retriever => load.search_delay,
        _ => Duration::ZERO,
    };
    if !delay.is_zero() {
        tokio::time::sleep(delay).await;
    }
    let step = |role: &str, hop: u16| {
        (
            format!("argosy.step.0.{role}.{turn}.{hop}"),
            Some(format!("argosy.step.0.*.{turn}.{hop}")),
        )
    };
    let once = |subject: String| (subject, None);
    let next = match (role, from) {
        (Role::Gateway, Stream::Inbox) => {
            vec![once(format!("argosy.listen.{turn}.0")), step("planner", 0)]
        }
        (Role::Gateway, _) => {
            client.publish(format!("_INBOX.bench.{turn}"), body).await?;
            return Ok(());
        }
        (Role::Planner, _) => vec![step("retriever", 1)],
        (Role::Retriever, _) => {
            publish(client, step("scatter", 2), &body).await?;
            let maps = (0..load.maps).map(|i| once(format!("argosy.step.0.mapper.{turn}.3.{i}")));
            maps.chain([once(format!("argosy.listen.{turn}.2"))])
                .collect()
        }
        (Role::Mapper, _) => {
            let index = message.subject.rsplit('.').next().unwrap_or("0").to_owned();
            publish(
                client,
                once(format!("argosy.part.0.{turn}.3.{index}")),
                &body,
            )
            .await?;
            if !worker.is_last(&turn) {
                return Ok(());
            }
            let parts = format!("argosy.part.0.{turn}.3.*");
            if load.count && count(client, &parts).await? < usize::from(load.maps) {
                return Err(format!("parts of {turn} are lost").into());
            }
            vec![step("reducer", 4)]
        }
        (Role::Reducer, _) => vec![step("validator", 5)],
        _ => vec![once(format!("argosy.answer.{turn}"))],
    };
    try_join_all(next.into_iter().map(|to| publish(client, to, &body))).await?;
    Ok(())
}

impl Worker {
    /// Counts a part; true when it was the last one of its question.
    fn is_last(&self, turn: &str) -> bool {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let stored = parts.entry(turn.to_owned()).or_default();
        *stored += 1;
        let is_last = *stored == self.load.maps;
        if is_last {
            parts.remove(turn);
        }
        is_last
    }
}

async fn publish(
    client: &Client,
    (subject, fence): (String, Option<String>),
    body: &Bytes,
) -> Result<(), Error> {
    #[derive(Deserialize)]
    struct Ack {
        error: Option<Refusal>,
    }
    #[derive(Deserialize)]
    struct Refusal {
        err_code: u64,
        description: String,
    }
    let mut headers = HeaderMap::new();
    headers.insert("Nats-Expected-Last-Subject-Sequence", "0");
    headers.insert("Nats-TTL", "420");
    if let Some(fence) = fence {
        headers.insert(
            "Nats-Expected-Last-Subject-Sequence-Subject",
            fence.as_str(),
        );
    }
    let request = async_nats::Request::new()
        .payload(body.clone())
        .headers(headers);
    let answer = client.send_request(subject, request).await?;
    match serde_json::from_slice::<Ack>(&answer.payload)?.error {
        Some(refusal) if refusal.err_code != 10071 => Err(refusal.description.into()),
        _ => Ok(()),
    }
}

async fn count(client: &Client, filter: &str) -> Result<usize, Error> {
    #[derive(Deserialize)]
    struct Info {
        state: State,
    }
    #[derive(Deserialize)]
    struct State {
        #[serde(default)]
        subjects: HashMap<String, IgnoredAny>,
    }
    let request = format!("{{\"subjects_filter\":\"{filter}\"}}");
    let answer = client
        .request("$JS.API.STREAM.INFO.ARGOSY_STEPS_0", request.into())
        .await?;
    Ok(serde_json::from_slice::<Info>(&answer.payload)?
        .state
        .subjects
        .len())
}
