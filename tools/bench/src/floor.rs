//! The floor of the fleet: bare JetStream with the same messages as a question.
//!
//! It has the fleet's streams, consumers and write conditions, and stores as many messages per question (8, whose passages
//! one step maps). But its bodies are opaque: it reads and writes no envelope, and it routes, retries and traces nothing.
//! The cost of the fleet beyond the floor is the fleet's own; `argosy-bench fleet` reports the ratios.

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::{Client, HeaderMap, Message};
use bus::topology::Topology;
use bus::{ConsumerSpec, Stream};
use bytes::{BufMut, Bytes, BytesMut};
use envelope::Role;
use futures_util::StreamExt;
use futures_util::future::try_join_all;
use serde::Deserialize;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// The load of a floor run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    /// Bytes of each body.
    pub body_bytes: usize,
    /// How long the stubbed model takes.
    pub model_delay: Duration,
    /// How long the stubbed index takes.
    pub search_delay: Duration,
}

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
                        worker.client.publish(reply, Bytes::new()).await?;
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
        (Role::Retriever, _) => vec![step("mapper", 2)],
        (Role::Mapper, _) => vec![step("reducer", 4)],
        (Role::Reducer, _) => vec![step("validator", 5)],
        _ => vec![once(format!("argosy.answer.{turn}"))],
    };
    try_join_all(next.into_iter().map(|to| publish(client, to, &body))).await?;
    Ok(())
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
