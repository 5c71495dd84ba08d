//! A collector of spans: it accepts OTLP over real HTTP, parses it with the message types that the OpenTelemetry
//! project publishes, and keeps the spans. It is a fake only in that it forwards nothing.

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use prost::Message;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// A span as it arrived; ids in hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedSpan {
    /// The id of its trace.
    pub trace: String,
    /// The id of the span.
    pub id: String,
    /// The id of the parent span; empty for a root.
    pub parent: String,
    /// Its name.
    pub name: String,
    /// Its kind, as a number of the protocol.
    pub kind: i32,
    /// The service that made it.
    pub service: String,
    /// The `tracestate` of its trace.
    pub state: String,
    /// The attributes of the span; numbers as digits, texts separated by commas.
    pub attributes: BTreeMap<String, String>,
    /// The spans it links to.
    pub links: Vec<String>,
    /// The message of an error status, if it has one.
    pub error: Option<String>,
    /// Its start and its end, in nanoseconds.
    pub times: (u64, u64),
}

impl ReceivedSpan {
    /// The value of an attribute; empty when it is not there.
    pub fn get(&self, name: &str) -> &str {
        self.attributes.get(name).map_or("", String::as_str)
    }
}

/// A collector on a port of its own. Dropping it stops it.
pub struct Collector {
    address: SocketAddr,
    kept: Arc<Mutex<Kept>>,
    _serving: JoinSet<()>,
}

#[derive(Default)]
struct Kept {
    spans: Vec<ReceivedSpan>,
    bodies: Vec<Bytes>,
    headers: Vec<HeaderMap>,
    script: VecDeque<StatusCode>,
}

type Shared = Arc<Mutex<Kept>>;

impl Collector {
    /// Starts a collector that takes everything.
    pub async fn start() -> io::Result<Collector> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let kept = Shared::default();
        let app = Router::new()
            .route("/v1/traces", post(take))
            .with_state(kept.clone());
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let _ = axum::serve(listener, app).await;
        });
        Ok(Collector {
            address,
            kept,
            _serving: serving,
        })
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The endpoint to configure in an exporter.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Answers the next requests with these statuses and drops their spans.
    pub fn script(&self, statuses: impl IntoIterator<Item = u16>) {
        let statuses = statuses.into_iter();
        let statuses = statuses.filter_map(|status| StatusCode::from_u16(status).ok());
        self.kept().script.extend(statuses);
    }

    /// Every span so far.
    pub fn spans(&self) -> Vec<ReceivedSpan> {
        self.kept().spans.clone()
    }

    /// The values of a header of every request so far.
    pub fn header(&self, name: &str) -> Vec<String> {
        let kept = self.kept();
        let values = kept
            .headers
            .iter()
            .filter_map(|h| h.get(name)?.to_str().ok());
        values.map(str::to_owned).collect()
    }

    /// How many requests came, answered well or not.
    pub fn requests(&self) -> usize {
        self.kept().headers.len()
    }

    /// Whether a text occurs anywhere in the received spans.
    pub fn holds(&self, text: &str) -> bool {
        let text = text.as_bytes();
        let kept = self.kept();
        let mut bodies = kept.bodies.iter();
        bodies.any(|body| body.windows(text.len()).any(|part| part == text))
    }
}

async fn take(State(kept): State<Shared>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    kept.headers.push(headers);
    if let Some(status) = kept.script.pop_front() {
        return status;
    }
    let Ok(request) = ExportTraceServiceRequest::decode(body.clone()) else {
        return StatusCode::BAD_REQUEST;
    };
    kept.bodies.push(body);
    kept.spans.extend(read(request));
    StatusCode::OK
}

fn read(request: ExportTraceServiceRequest) -> Vec<ReceivedSpan> {
    let mut seen = Vec::new();
    for resource in request.resource_spans {
        let of = resource.resource.unwrap_or_default();
        let service = words(of.attributes).remove("service.name");
        let spans = resource.scope_spans.into_iter().flat_map(|s| s.spans);
        seen.extend(spans.map(|span| ReceivedSpan {
            trace: hex(&span.trace_id),
            id: hex(&span.span_id),
            parent: hex(&span.parent_span_id),
            name: span.name,
            kind: span.kind,
            service: service.clone().unwrap_or_default(),
            state: span.trace_state,
            attributes: words(span.attributes),
            links: span.links.iter().map(|link| hex(&link.span_id)).collect(),
            error: span.status.filter(|s| s.code == 2).map(|s| s.message),
            times: (span.start_time_unix_nano, span.end_time_unix_nano),
        }));
    }
    seen
}

fn words(attributes: Vec<KeyValue>) -> BTreeMap<String, String> {
    fn word(value: Option<AnyValue>) -> String {
        match value.and_then(|value| value.value) {
            Some(Value::StringValue(text)) => text,
            Some(Value::IntValue(number)) => number.to_string(),
            Some(Value::ArrayValue(array)) => {
                let words = array.values.into_iter().map(|value| word(Some(value)));
                words.collect::<Vec<_>>().join(",")
            }
            other => format!("{other:?}"),
        }
    }
    let pairs = attributes.into_iter().map(|a| (a.key, word(a.value)));
    pairs.collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
