//! The metrics of conversations, which are counted where the logs are written. No label contains a tenant or a
//! conversation.

use super::show;
use conversation_log::{EventKind, LogEvent};
use envelope::Outcome;
use prometheus::{IntCounter, IntCounterVec, IntGaugeVec};
use std::time::Duration;
use telemetry::Registry;

/// The kinds of events, whose series start at 0.
const KINDS: [&str; 5] = ["opened", "ended", "forked", "copied", "erased"];
/// The label value of a turn whose end is no longer known.
const UNKNOWN: &str = "unknown";

/// The metric families of conversations.
#[derive(Clone)]
pub(crate) struct Conversations {
    events: IntCounterVec,
    bytes: IntCounterVec,
    lost: IntCounter,
    turns: IntCounterVec,
    waited: IntCounter,
    reach: IntGaugeVec,
    unfinished: IntGaugeVec,
}

impl Conversations {
    pub(super) fn new(r: &Registry) -> Result<Conversations, telemetry::Error> {
        let lost = r.counter(
            "argosy_conversation_append_conflicts_total",
            "Appends to the log of a conversation that conflicted with another append or were not confirmed, so that \
             the log was read again.",
            &[],
        )?;
        let waited = r.counter(
            "argosy_conversation_turns_waited_total",
            "Turns of conversations that had to wait in the log behind another turn.",
            &[],
        )?;
        let all = Conversations {
            events: r.counter(
                "argosy_conversation_events_total",
                "Events appended to the logs of conversations, by kind.",
                &["kind"],
            )?,
            bytes: r.counter(
                "argosy_conversation_log_bytes_total",
                "Bytes of the events appended to the logs of conversations; divided by the turns that ended, the size \
                 of a turn in the log.",
                &["kind"],
            )?,
            lost: lost.with_label_values::<&str>(&[]),
            turns: r.counter(
                "argosy_conversation_turns_total",
                "Turns whose end was written into the log of their conversation, by the outcome.",
                &["outcome"],
            )?,
            waited: waited.with_label_values::<&str>(&[]),
            reach: r.gauge(
                "argosy_conversation_log_reach_seconds",
                "Age of the oldest event that is kept of all conversations; 0 if there is none.",
                &[],
            )?,
            unfinished: r.gauge(
                "argosy_conversation_erasures_unfinished",
                "Erasures that the last sweep could not continue, or that had left messages behind. Absent before the \
                 first sweep, and while the server cannot be asked.",
                &[],
            )?,
        };
        telemetry::zero(&all.events, &[&KINDS])?;
        telemetry::zero(&all.bytes, &[&KINDS])?;
        let outcomes = Outcome::ALL.map(Outcome::as_str);
        telemetry::zero(&all.turns, &[&[&outcomes[..], &[UNKNOWN]].concat()])?;
        Ok(all)
    }

    /// Counts an event that was appended, with its bytes.
    pub(crate) fn appended(&self, event: &LogEvent, bytes: usize) {
        let kind = [kind(&event.event)];
        self.events.with_label_values(&kind).inc();
        self.bytes.with_label_values(&kind).inc_by(bytes as u64);
        match &event.event {
            EventKind::Opened(_) if event.state.open.len() > 1 => self.waited.inc(),
            EventKind::Ended(ended) => {
                let outcome = ended.outcome.map_or(UNKNOWN, Outcome::as_str);
                self.turns.with_label_values(&[outcome]).inc();
            }
            EventKind::Opened(_)
            | EventKind::Forked { .. }
            | EventKind::Copied { .. }
            | EventKind::Erased(_) => {}
        }
    }

    /// Counts an append that failed, or whose result is not known.
    pub(crate) fn append_lost(&self) {
        self.lost.inc();
    }

    /// Sets how far back the logs reach. A value that is not known has no series.
    pub(crate) fn reach(&self, reach: Option<Duration>) {
        show(&self.reach, [], reach.map(|reach| reach.as_secs()));
    }

    /// Sets the number of erasures that do not go on, if it is known.
    pub(crate) fn unfinished(&self, erasures: Option<u64>) {
        show(&self.unfinished, [], erasures);
    }
}

fn kind(event: &EventKind) -> &'static str {
    match event {
        EventKind::Opened(_) => "opened",
        EventKind::Ended(_) => "ended",
        EventKind::Forked { .. } => "forked",
        EventKind::Copied { .. } => "copied",
        EventKind::Erased(_) => "erased",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::conversation::{Script, key};

    #[test]
    fn a_turn_counts_once_and_one_behind_another_as_waiting() {
        let registry = Registry::new();
        let all = Conversations::new(&registry).unwrap();
        let (key, mut script) = (key("default", "s3cret"), Script::default());
        script.open(&key, "first?");
        script.open(&key, "second?");
        script.answer(&key, "an answer");
        let mut bytes = 0;
        for entry in script.batch().entries {
            let size = entry.event.write().unwrap().len();
            all.appended(&entry.event, size);
            bytes += size;
        }
        all.append_lost();
        all.reach(Some(Duration::from_secs(90)));
        all.unfinished(Some(2));
        let text = registry.encode();
        for line in [
            r#"argosy_conversation_turns_total{outcome="answered"} 1"#,
            r#"argosy_conversation_turns_total{outcome="unknown"} 0"#,
            "argosy_conversation_turns_waited_total 1",
            r#"argosy_conversation_events_total{kind="opened"} 2"#,
            "argosy_conversation_append_conflicts_total 1",
            "argosy_conversation_log_reach_seconds 90",
            "argosy_conversation_erasures_unfinished 2",
        ] {
            assert!(
                text.lines().any(|one| one == line),
                "{line} is not in\n{text}"
            );
        }
        let told = |kind: &str| {
            let series = format!("argosy_conversation_log_bytes_total{{kind=\"{kind}\"}} ");
            let value = text.lines().find_map(|line| line.strip_prefix(&*series));
            value.and_then(|value| value.parse::<usize>().ok())
        };
        assert_eq!(
            told("opened").zip(told("ended")).map(|(a, b)| a + b),
            Some(bytes)
        );
        // An id is a secret, and would be a series for each conversation.
        assert!(!text.contains("s3cret"), "{text}");
        all.reach(None);
        assert!(!registry.encode().contains("reach_seconds "));
    }
}
