//! Converts spans into OTLP messages; the message types come from opentelemetry-proto. *Not* here: logs and metrics.
//! The SDK of OpenTelemetry is *not* used: the queue and the sender are our own.

use super::Service;
use super::span::{Span, Value};
use crate::conventions as name;
use crate::trace::TraceContext;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as AnyKind;
use opentelemetry_proto::tonic::common::v1::{
    AnyValue, ArrayValue, InstrumentationScope, KeyValue,
};
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::span::Link;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use opentelemetry_proto::tonic::trace::v1::{
    ResourceSpans, ScopeSpans, Span as SpanMessage, Status,
};
use prost::Message;

/// What a collector says of a request that it took.
pub(super) use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceResponse as Response;

/// The body of a request with these spans.
pub(super) fn encode(service: &Service, spans: &[Span]) -> Vec<u8> {
    let scope = InstrumentationScope {
        name: name::SCOPE.into(),
        version: service.version.clone(),
        ..InstrumentationScope::default()
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
    let request = ExportTraceServiceRequest {
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
        ..Resource::default()
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
        kind: span.kind as i32,
        start_time_unix_nano: start,
        end_time_unix_nano: end,
        attributes: said.chain(failed).collect(),
        links: span.links.iter().map(link).collect(),
        status: error.map(|code| Status {
            message: code.clone(),
            code: StatusCode::Error.into(),
        }),
        flags: span.context.flags().into(),
        ..SpanMessage::default()
    }
}

fn link(to: &TraceContext) -> Link {
    let (trace, span) = to.bytes();
    Link {
        trace_id: trace.into(),
        span_id: span.into(),
        flags: to.flags().into(),
        ..Link::default()
    }
}

fn attribute(key: &str, value: &Value) -> KeyValue {
    KeyValue {
        key: key.into(),
        value: Some(AnyValue {
            value: Some(any(value)),
        }),
        ..KeyValue::default()
    }
}

fn any(value: &Value) -> AnyKind {
    match value {
        Value::Text(text) => AnyKind::StringValue(text.clone()),
        Value::Number(number) => AnyKind::IntValue(*number),
        Value::Texts(texts) => {
            let one = |text: &String| AnyValue {
                value: Some(AnyKind::StringValue(text.clone())),
            };
            let values = texts.iter().map(one).collect();
            AnyKind::ArrayValue(ArrayValue { values })
        }
    }
}
