//! Records the OpenTelemetry span of a question, from the asking to the terminal event. The gateway that delivers the
//! event records it, whichever gateway accepted the question. The data of the span is in the turn's timer, which
//! every turn has, however it ended. *Not* here: questions that were refused, which have no timer and no span.

use crate::turns::Turns;
use bus::{BusError, StoredMessage};
use envelope::{Header, Outcome, Terminal, TurnId, header};
use serde_json::json;
use streams::history;
use telemetry::TraceContext;
use telemetry::conventions as name;
use telemetry::traces::{Span, SpanKind};

/// Records the span of the question that this terminal event ends, if the question is recorded at all. This is best
/// effort: a span is not worth a second delivery of an answer.
pub(crate) async fn question(turns: &Turns, event: &StoredMessage) {
    if !turns.traces.is_on() {
        return;
    }
    // Who could not be read was reported when it was delivered.
    let Ok(terminal) = envelope::decode::<Terminal>(&event.body) else {
        return;
    };
    match asked(turns, &terminal.turn).await {
        Ok(Some(asked)) => {
            let mut span = span(&asked, &terminal, turns.traces.content());
            if let Some(parent) = &asked.header.parent
                && let Ok(Some(before)) = self::asked(turns, parent).await
            {
                span.link(before.context);
            }
            turns.traces.record(span);
        }
        Ok(None) => {}
        Err(error) => tracing::debug!(%error, turn = %terminal.turn, "question not recorded"),
    }
}

/// The trace data that a question came with.
struct Asked {
    header: Header,
    /// The trace context of its span.
    context: TraceContext,
    /// The trace context that its publisher sent.
    under: Option<TraceContext>,
}

async fn asked(turns: &Turns, turn: &TurnId) -> Result<Option<Asked>, BusError> {
    let timer = history::timer(&*turns.bus, turn).await?;
    Ok(timer.as_ref().and_then(read))
}

fn read(timer: &StoredMessage) -> Option<Asked> {
    let header = serde_json::from_slice::<Header>(&timer.body).ok()?;
    let context = TraceContext::parse(header.traceparent.as_deref()?)?;
    let under = timer.headers.get(header::ASKED_UNDER);
    Some(Asked {
        under: under.and_then(TraceContext::parse),
        header,
        context,
    })
}

fn span(asked: &Asked, terminal: &Terminal, content: bool) -> Span {
    let (from, to) = (asked.header.asked_at.0, terminal.ended_at.0);
    let mut span = Span::begin(asked.context, asked.under, name::QUESTION, SpanKind::Server)
        .at(from, to)
        .with_state(asked.header.tracestate.clone())
        .with(name::GEN_AI_OPERATION_NAME, "invoke_agent")
        .with(name::GEN_AI_AGENT_NAME, "argosy")
        .with(name::GEN_AI_CONVERSATION_ID, terminal.turn.as_str())
        .with(name::TURN, terminal.turn.as_str())
        .with(name::TENANT, asked.header.tenant.as_str())
        .with(name::OUTCOME, terminal.outcome.as_str())
        .with(name::LLM_CALLS, u64::from(terminal.usage.calls))
        .with(name::GEN_AI_USAGE_INPUT_TOKENS, terminal.usage.tokens_in)
        .with(name::GEN_AI_USAGE_OUTPUT_TOKENS, terminal.usage.tokens_out);
    if let Some(parent) = &asked.header.parent {
        span.set(name::PARENT_TURN, parent.as_str());
    }
    if let Some(model) = &terminal.model {
        span.set(name::GEN_AI_RESPONSE_MODEL, model.as_str());
    }
    if let (Outcome::Failed | Outcome::Expired, Some(problem)) = (terminal.outcome, &terminal.error)
    {
        span.fail(&problem.code);
    }
    if let (true, Some(answer)) = (content, &terminal.answer) {
        let part = json!({ "type": "text", "content": answer });
        let messages = json!([{ "role": "assistant", "parts": [part] }]);
        span.set(name::GEN_AI_OUTPUT_MESSAGES, messages.to_string());
    }
    span
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::{Problem, UnixMs};

    fn asked() -> Asked {
        let header = json!({
            "turn": "t-2", "tenant": "acme", "shard": 0, "hop": 0, "round": 0, "role": "planner",
            "asked_at": 1_000, "created_at": 1_000, "deadline": 9_000, "parent": "t-1",
            "question_hash": "h",
        });
        Asked {
            header: serde_json::from_value(header).expect("a header"),
            context: TraceContext::new_root(&mut fastrand::Rng::with_seed(1)),
            under: None,
        }
    }

    fn ended(outcome: Outcome) -> Terminal {
        let problem = Problem::new("deadline", "there was no answer");
        let terminal = Terminal::of(&asked().header, outcome, UnixMs(3_000)).because(problem);
        Terminal {
            answer: Some("ninety days".into()),
            ..terminal
        }
    }

    #[test]
    fn only_what_went_wrong_is_an_error_and_only_by_its_word() {
        for (outcome, failed) in [
            (Outcome::Answered, false),
            (Outcome::Cancelled, false),
            (Outcome::Failed, true),
            (Outcome::Expired, true),
        ] {
            let span = span(&asked(), &ended(outcome), false);
            assert_eq!(span.has_failed(), failed, "{outcome:?}");
            assert_eq!(span.context(), asked().context);
            let shown = format!("{span:?}");
            assert!(!shown.contains("no answer"), "{shown}");
        }
    }

    #[test]
    fn the_answer_is_in_it_only_when_content_is_asked_for() {
        let shown = |content| format!("{:?}", span(&asked(), &ended(Outcome::Answered), content));
        assert!(!shown(false).contains("ninety days"));
        assert!(shown(true).contains("ninety days"));
        assert!(
            shown(false).contains("t-1"),
            "the turn that it goes on from"
        );
    }
}
