//! The messages of OTLP that carry spans, as far as we fill them: field numbers are those of
//! opentelemetry-proto 1.x, which only ever grow. *Not* here: logs and metrics.
//!
//! Written out because the crate with all of them brings the SDK along; the tests read what is sent
//! with that crate.

use super::Service;
use super::span::{Span, SpanKind, Value};
use crate::conventions as name;
use crate::trace::TraceContext;
use prost::Message;

#[derive(Clone, PartialEq, Message)]
struct Request {
    #[prost(message, repeated, tag = "1")]
    resource_spans: Vec<ResourceSpans>,
}

#[derive(Clone, PartialEq, Message)]
struct ResourceSpans {
    #[prost(message, optional, tag = "1")]
    resource: Option<Resource>,
    #[prost(message, repeated, tag = "2")]
    scope_spans: Vec<ScopeSpans>,
    #[prost(string, tag = "3")]
    schema_url: String,
}

#[derive(Clone, PartialEq, Message)]
struct Resource {
    #[prost(message, repeated, tag = "1")]
    attributes: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct ScopeSpans {
    #[prost(message, optional, tag = "1")]
    scope: Option<Scope>,
    #[prost(message, repeated, tag = "2")]
    spans: Vec<SpanMessage>,
    #[prost(string, tag = "3")]
    schema_url: String,
}

#[derive(Clone, PartialEq, Message)]
struct Scope {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    version: String,
}

#[derive(Clone, PartialEq, Message)]
struct SpanMessage {
    #[prost(bytes = "vec", tag = "1")]
    trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    span_id: Vec<u8>,
    #[prost(string, tag = "3")]
    trace_state: String,
    #[prost(bytes = "vec", tag = "4")]
    parent_span_id: Vec<u8>,
    #[prost(string, tag = "5")]
    name: String,
    #[prost(int32, tag = "6")]
    kind: i32,
    #[prost(fixed64, tag = "7")]
    start_time_unix_nano: u64,
    #[prost(fixed64, tag = "8")]
    end_time_unix_nano: u64,
    #[prost(message, repeated, tag = "9")]
    attributes: Vec<KeyValue>,
    #[prost(message, repeated, tag = "13")]
    links: Vec<Link>,
    #[prost(message, optional, tag = "15")]
    status: Option<Status>,
    #[prost(fixed32, tag = "16")]
    flags: u32,
}

#[derive(Clone, PartialEq, Message)]
struct Link {
    #[prost(bytes = "vec", tag = "1")]
    trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    span_id: Vec<u8>,
    #[prost(fixed32, tag = "6")]
    flags: u32,
}

#[derive(Clone, PartialEq, Message)]
struct Status {
    #[prost(string, tag = "2")]
    message: String,
    #[prost(int32, tag = "3")]
    code: i32,
}

#[derive(Clone, PartialEq, Message)]
struct KeyValue {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(message, optional, tag = "2")]
    value: Option<AnyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct AnyValue {
    #[prost(oneof = "Any", tags = "1, 3, 5")]
    value: Option<Any>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum Any {
    #[prost(string, tag = "1")]
    Text(String),
    #[prost(int64, tag = "3")]
    Number(i64),
    #[prost(message, tag = "5")]
    Texts(ArrayValue),
}

#[derive(Clone, PartialEq, Message)]
struct ArrayValue {
    #[prost(message, repeated, tag = "1")]
    values: Vec<AnyValue>,
}

/// What a collector says of a request that it took.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Response {
    #[prost(message, optional, tag = "1")]
    pub(super) partial_success: Option<PartialSuccess>,
}

/// What it did not take of it.
#[derive(Clone, PartialEq, Message)]
pub(super) struct PartialSuccess {
    #[prost(int64, tag = "1")]
    pub(super) rejected_spans: i64,
    #[prost(string, tag = "2")]
    pub(super) error_message: String,
}

/// The status code of what went wrong.
const ERROR: i32 = 2;

/// The body of a request with these spans.
pub(super) fn encode(service: &Service, spans: &[Span]) -> Vec<u8> {
    let scope = Scope {
        name: name::SCOPE.into(),
        version: service.version.clone(),
    };
    let scope_spans = ScopeSpans {
        scope: Some(scope),
        spans: spans.iter().map(message).collect(),
        schema_url: name::SCHEMA_URL.into(),
    };
    let resource_spans = ResourceSpans {
        resource: Some(resource(service)),
        scope_spans: vec![scope_spans],
        schema_url: name::SCHEMA_URL.into(),
    };
    let request = Request {
        resource_spans: vec![resource_spans],
    };
    request.encode_to_vec()
}

fn resource(service: &Service) -> Resource {
    let attributes = [
        (name::SERVICE_NAME, format!("argosy-{}", service.role)),
        (name::SERVICE_NAMESPACE, "argosy".into()),
        (name::SERVICE_VERSION, service.version.clone()),
        (name::SERVICE_INSTANCE_ID, service.instance.clone()),
    ];
    let attributes = attributes.map(|(name, text)| attribute(name, &Value::Text(text)));
    Resource {
        attributes: attributes.into(),
    }
}

fn message(span: &Span) -> SpanMessage {
    let (trace, id) = span.context.bytes();
    let parent = span.parent.map(|parent| parent.bytes().1.to_vec());
    let (start, end) = span.times;
    let error = span.error.as_ref();
    let failed = error.map(|code| attribute(name::ERROR_TYPE, &Value::Text(code.clone())));
    let said = span.attributes.iter();
    let said = said.map(|(name, value)| attribute(name, value));
    SpanMessage {
        trace_id: trace.into(),
        span_id: id.into(),
        trace_state: span.state.clone().unwrap_or_default(),
        parent_span_id: parent.unwrap_or_default(),
        name: span.name.clone(),
        kind: match span.kind {
            SpanKind::Internal => 1,
            SpanKind::Server => 2,
            SpanKind::Client => 3,
            SpanKind::Producer => 4,
            SpanKind::Consumer => 5,
        },
        start_time_unix_nano: start,
        end_time_unix_nano: end,
        attributes: said.chain(failed).collect(),
        links: span.links.iter().map(link).collect(),
        status: error.map(|code| Status {
            message: code.clone(),
            code: ERROR,
        }),
        flags: span.context.flags().into(),
    }
}

fn link(to: &TraceContext) -> Link {
    let (trace, span) = to.bytes();
    Link {
        trace_id: trace.into(),
        span_id: span.into(),
        flags: to.flags().into(),
    }
}

fn attribute(key: &str, value: &Value) -> KeyValue {
    KeyValue {
        key: key.into(),
        value: Some(AnyValue {
            value: Some(any(value)),
        }),
    }
}

fn any(value: &Value) -> Any {
    match value {
        Value::Text(text) => Any::Text(text.clone()),
        Value::Number(number) => Any::Number(*number),
        Value::Texts(texts) => {
            let one = |text: &String| AnyValue {
                value: Some(Any::Text(text.clone())),
            };
            let values = texts.iter().map(one).collect();
            Any::Texts(ArrayValue { values })
        }
    }
}
