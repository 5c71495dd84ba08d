//! One span: its trace and parent, its start and end, and its attributes.

use crate::trace::TraceContext;
use std::time::{SystemTime, UNIX_EPOCH};

use opentelemetry_proto::tonic::trace::v1::span::SpanKind as Kind;

/// Longest text of an attribute, in bytes; what is longer is cut.
const TEXT_MAX: usize = 8 * 1024;
/// Most links of a span.
const LINKS_MAX: usize = 64;

/// The kind of a span, as OpenTelemetry defines it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanKind {
    /// Work inside a process.
    Internal = Kind::Internal as isize,
    /// A request from outside.
    Server = Kind::Server as isize,
    /// A call of another server.
    Client = Kind::Client as isize,
    /// Work on a message.
    Consumer = Kind::Consumer as isize,
    /// Storing a message that another process works on.
    Producer = Kind::Producer as isize,
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A text.
    Text(String),
    /// A number.
    Number(i64),
    /// Texts, in their order.
    Texts(Vec<String>),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::Text(text)
    }
}

impl From<Vec<String>> for Value {
    fn from(texts: Vec<String>) -> Self {
        Value::Texts(texts)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Value::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

/// A span. It begins when it is made and has not ended before [`Span::ended`] or [`Span::at`].
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    pub(super) context: TraceContext,
    pub(super) parent: Option<TraceContext>,
    pub(super) name: String,
    pub(super) kind: SpanKind,
    /// Nanoseconds since the Unix epoch.
    pub(super) times: (u64, u64),
    pub(super) attributes: Vec<(&'static str, Value)>,
    pub(super) links: Vec<TraceContext>,
    /// The word for what went wrong.
    pub(super) error: Option<String>,
    /// W3C `tracestate` of its trace.
    pub(super) state: Option<String>,
}

impl Span {
    /// A span that begins now and has not ended.
    pub fn begin(
        context: TraceContext,
        parent: Option<TraceContext>,
        name: impl Into<String>,
        kind: SpanKind,
    ) -> Span {
        let now = now();
        Span {
            context,
            parent,
            name: name.into(),
            kind,
            times: (now, now),
            attributes: Vec::new(),
            links: Vec::new(),
            error: None,
            state: None,
        }
    }

    /// The span with the W3C `tracestate` of its trace, which its children take over.
    pub fn with_state(mut self, state: Option<String>) -> Span {
        self.state = state;
        self
    }

    /// The same span with other times, in milliseconds since the Unix epoch.
    pub fn at(mut self, start_ms: u64, end_ms: u64) -> Span {
        let nanos = |ms: u64| ms.saturating_mul(1_000_000);
        self.times = (nanos(start_ms), nanos(end_ms.max(start_ms)));
        self
    }

    /// The same span, ended now.
    pub fn ended(mut self) -> Span {
        self.times.1 = now().max(self.times.0);
        self
    }

    /// The trace and the id of the span.
    pub fn context(&self) -> TraceContext {
        self.context
    }

    /// Sets an attribute; long texts are cut.
    pub fn set(&mut self, name: &'static str, value: impl Into<Value>) {
        let value = match value.into() {
            Value::Text(text) => Value::Text(cut(text)),
            Value::Texts(texts) => Value::Texts(texts.into_iter().map(cut).collect()),
            number => number,
        };
        self.attributes.push((name, value));
    }

    /// The same span with one more attribute.
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Span {
        self.set(name, value);
        self
    }

    /// Marks the span as failed, with a word from an enum and never with free text. The last word counts.
    pub fn fail(&mut self, code: &str) {
        self.error = Some(code.into());
    }

    /// Whether the span is marked as failed.
    pub fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    /// Links the span to another one that is not its parent; at most 64 links.
    pub fn link(&mut self, other: TraceContext) {
        if self.links.len() < LINKS_MAX {
            self.links.push(other);
        }
    }

    /// The spans that it links to.
    pub fn links(&self) -> &[TraceContext] {
        &self.links
    }

    /// The same span under another id.
    pub fn moved_to(mut self, context: TraceContext) -> Span {
        self.context = context;
        self
    }

    pub(super) fn under(mut self, parent: &Span) -> Span {
        self.parent = Some(parent.context);
        self.state.clone_from(&parent.state);
        self
    }
}

fn cut(mut text: String) -> String {
    if text.len() > TEXT_MAX {
        text.truncate(text.floor_char_boundary(TEXT_MAX));
    }
    text
}

/// The clock of the machine, which is what collectors compare. In nanoseconds.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span() -> Span {
        let context = TraceContext::new_root(&mut fastrand::Rng::with_seed(1));
        Span::begin(context, None, "s", SpanKind::Internal)
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let said = span().with("a", "ä".repeat(TEXT_MAX));
        let Value::Text(text) = &said.attributes[0].1 else {
            panic!("{said:?}")
        };
        assert!(text.len() <= TEXT_MAX && text.ends_with('ä'));
    }

    #[test]
    fn a_span_never_ends_before_it_begins() {
        assert_eq!(span().at(5, 3).times, (5_000_000, 5_000_000));
        let ended = span().ended();
        assert!(ended.times.1 >= ended.times.0);
    }

    #[test]
    fn links_are_bounded() {
        let mut linked = span();
        for _ in 0..100 {
            linked.link(linked.context());
        }
        assert_eq!(linked.links.len(), LINKS_MAX);
    }
}
