//! Holds the span that a task works under, so that code that searches or calls a model can make a child span without a
//! parameter.
//!
//! Child spans are sent only when the work of the task ends, because only then is the id of the parent span known. A
//! trace that is not sampled has no scope.

use super::{Span, SpanKind, Traces, Value};
use crate::trace::TraceContext;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most children of one span; further ones are left out and counted in an attribute.
const CHILDREN_MAX: usize = 256;

tokio::task_local! {
    static SCOPE: Arc<Scope>;
}

#[derive(Debug)]
struct Scope {
    context: TraceContext,
    content: bool,
    made: Mutex<Made>,
}

#[derive(Debug)]
struct Made {
    span: Span,
    begun: u64,
    children: Vec<Span>,
    left_out: u64,
}

impl Scope {
    fn made(&self) -> MutexGuard<'_, Made> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The span of finished work, with the child spans that were made during the work.
#[derive(Debug)]
pub struct ScopeRecord {
    /// The span itself, not ended.
    pub span: Span,
    children: Vec<Span>,
    left_out: u64,
}

impl ScopeRecord {
    /// Ends the span and hands it over with its children.
    pub fn record(mut self, traces: &Traces) {
        if self.left_out > 0 {
            self.span
                .set(crate::conventions::SPANS_LEFT_OUT, self.left_out);
        }
        for child in self.children {
            traces.record(child.under(&self.span));
        }
        traces.record(self.span.ended());
    }
}

/// Does `work` under `span`. The caller records the returned record when the outcome of the work is known.
pub async fn within<T>(
    traces: &Traces,
    span: Span,
    work: impl Future<Output = T>,
) -> (T, ScopeRecord) {
    let scope = Arc::new(Scope {
        context: span.context(),
        content: traces.content(),
        made: Mutex::new(Made {
            span,
            begun: 0,
            children: Vec::new(),
            left_out: 0,
        }),
    });
    let done = SCOPE.scope(scope.clone(), work).await;
    let mut made = scope.made();
    let scoped = ScopeRecord {
        span: made.span.clone(),
        // A child that outlives the work is not recorded.
        children: std::mem::take(&mut made.children),
        left_out: made.left_out,
    };
    drop(made);
    (done, scoped)
}

/// The context of the span that this task works under, which is the parent of the messages that the task publishes.
pub fn current() -> Option<TraceContext> {
    SCOPE.try_with(|scope| scope.context).ok()
}

/// Adds to the span that this task works under, if there is one.
pub fn note(say: impl FnOnce(&mut Span)) {
    let _ = SCOPE.try_with(|scope| say(&mut scope.made().span));
}

/// Begins a child of the span that this task works under; `name` is called only if there is one.
pub fn start(kind: SpanKind, name: impl FnOnce() -> String) -> ChildSpan {
    ChildSpan(SCOPE.try_with(Arc::clone).ok().map(|scope| {
        let (from, number) = {
            let mut made = scope.made();
            made.begun += 1;
            (made.span.times.0, made.begun)
        };
        // Two deliveries of a step have one id, but not one beginning, to the nanosecond.
        let context = scope.context.named(&format!("{from}.{number}"));
        (Span::begin(context, None, name(), kind), scope)
    }))
}

/// A running child span; it ends when it is dropped. If the trace is not recorded, it does nothing.
#[derive(Debug)]
pub struct ChildSpan(Option<(Span, Arc<Scope>)>);

impl ChildSpan {
    /// Whether the span is recorded.
    pub fn is_recorded(&self) -> bool {
        self.0.is_some()
    }

    /// Sets an attribute of the span.
    pub fn set(&mut self, name: &'static str, value: impl Into<Value>) {
        if let Some((span, _)) = &mut self.0 {
            span.set(name, value);
        }
    }

    /// Sets an attribute that is content, if spans may have content.
    pub fn content(&mut self, name: &'static str, value: impl FnOnce() -> String) {
        if let Some((span, scope)) = &mut self.0
            && scope.content
        {
            span.set(name, value());
        }
    }

    /// Marks the span as failed; see [`Span::fail`].
    pub fn fail(&mut self, code: &str) {
        if let Some((span, _)) = &mut self.0 {
            span.fail(code);
        }
    }
}

impl Drop for ChildSpan {
    fn drop(&mut self) {
        if let Some((span, scope)) = self.0.take() {
            let mut made = scope.made();
            if made.children.len() < CHILDREN_MAX {
                made.children.push(span.ended());
            } else {
                made.left_out += 1;
            }
        }
    }
}
