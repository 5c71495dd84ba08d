//! Checks which subjects these credentials may publish and subscribe to.
//!
//! The server does not answer a forbidden publish, so the publish only times out, and workers with too few
//! permissions look as if the server were slow. This check tries every subject in a way that changes nothing: a
//! message to a stream has a write condition that fails, and a message that is not stored goes to a consumer name
//! that nobody has.

use super::{Checked, Ground, Said, first};
use bus::topology::{FILES, SNAPSHOTS};
use bus::{Bus, CoreMessage, Headers};
use bus_nats::NatsBus;
use envelope::subject;
use settings::TimeSpan;
use std::time::Duration;

/// The name used here for turns, documents and buckets.
const NOBODY: &str = "doctor";
/// How long the server may take to refuse a publish that gets no answer otherwise.
const NO_WITHIN: Duration = Duration::from_millis(300);
/// How many refusals are named.
const NAMED: usize = 4;

/// The subjects that the fleet stores: one of each kind.
fn stored() -> Vec<String> {
    let mut subjects: Vec<String> = envelope::Role::THINKING
        .into_iter()
        .map(|role| format!("argosy.step.0.{role}.{NOBODY}.0"))
        .collect();
    subjects.extend(
        [
            "argosy.query",
            "argosy.query.doctor",
            "argosy.step.0.scatter.doctor.0",
            "argosy.part.0.doctor.0.0",
            "argosy.timer.doctor",
            "argosy.listen.doctor.0",
            subject::SWEEP_TIMER,
            "argosy.snapshot.doctor",
            "argosy.answer.doctor",
            "argosy.clarified.doctor",
            "argosy.conversation.doctor.doctor",
            "argosy.feedback.doctor.doctor.doctor",
            "argosy.document.doctor.doctor",
            "argosy.reindex.main.doctor.doctor",
            "argosy.chunk.main.doctor.doctor.0",
            subject::EDITION,
            subject::ACCESS,
            "argosy.dead.planner.doctor.0",
        ]
        .map(str::to_owned),
    );
    for files in [FILES, SNAPSHOTS] {
        subjects.extend(["C", "M"].map(|part| format!("$O.{files}.{part}.{NOBODY}")));
    }
    subjects
}

/// The subjects that are published and not stored: messages between processes, and requests to consumers. No consumer
/// has that name, so nothing is acked or pulled.
const PASSING: [&str; 9] = [
    "argosy.cancel.doctor",
    "argosy.live.doctor",
    "argosy.joined.doctor.0",
    "argosy.indexed.doctor.doctor",
    "argosy.reply.doctor",
    "argosy.to.doctor._INBOX.doctor",
    "_R_.doctor",
    "$JS.ACK.ARGOSY_STEPS_0.doctor.1.1.1.1.0",
    "$JS.API.CONSUMER.MSG.NEXT.ARGOSY_STEPS_0.doctor",
];

/// The subjects that are subscribed to.
const HEARD: [&str; 16] = [
    "argosy.answer.*",
    "argosy.cancel.*",
    "argosy.live.*",
    "argosy.joined.*.*",
    "argosy.indexed.*.*",
    subject::ASK,
    subject::SEARCH,
    subject::COUNT,
    subject::METADATA,
    subject::CATALOG,
    "argosy.ask.*",
    "argosy.search.*",
    "argosy.count.*",
    "argosy.metadata.*",
    "argosy.catalog.*",
    inspect::processes::SUBJECT,
];

pub(super) async fn access(on: &Ground<'_>) -> Checked {
    on.bus()?;
    // A connection of its own: what the server says on it is about these tries alone.
    let options = bus_nats::Options {
        request_timeout: TimeSpan::from_secs(2),
        ..on.config.nats("argosy-doctor-access", false)
    };
    let bus = NatsBus::connect(options).await?;
    Ok(judged(tried(&bus).await))
}

/// The result of a try.
struct Tried {
    /// The server's refusals, in its words.
    refused: Vec<String>,
    /// The stored subjects for which no answer came.
    silent: Vec<String>,
    /// How many subjects there were.
    all: usize,
}

async fn tried(bus: &NatsBus) -> Tried {
    let subjects = stored();
    for subject in HEARD {
        // Ended at once: what is heard meanwhile is heard by its owners as well.
        let _ = bus.subscribe(subject, None).await;
    }
    for subject in PASSING {
        let message = CoreMessage {
            subject: subject.to_owned(),
            reply: None,
            headers: Headers::default(),
            body: bytes::Bytes::new(),
        };
        let _ = bus.broadcast(message).await;
    }
    let rehearsals = subjects.iter().map(|subject| bus.rehearse(subject));
    let answered = futures_util::future::join_all(rehearsals).await;
    let _ = bus.flush().await;
    tokio::time::sleep(NO_WITHIN).await;
    let silent = subjects
        .iter()
        .zip(answered)
        .filter(|(_, answered)| !answered)
        .map(|(subject, _)| subject.clone());
    Tried {
        refused: bus.connection().said(),
        silent: silent.collect(),
        all: subjects.len() + PASSING.len() + HEARD.len(),
    }
}

fn judged(tried: Tried) -> Said {
    let Tried {
        refused,
        silent,
        all,
    } = tried;
    if !refused.is_empty() {
        return Said::fail(
            format!(
                "the server refuses {} of {all}: {}",
                refused.len(),
                first(NAMED, &refused)
            ),
            "let these credentials publish `argosy.>`, `_INBOX.>`, `_R_.>`, `$JS.API.>`, `$JS.ACK.>` and `$O.>`, \
             and subscribe `argosy.>` and `_INBOX.>`; `argosy permissions` prints what each role needs",
        );
    }
    if !silent.is_empty() {
        return Said::warn(
            format!(
                "nobody answers for {} of {all} subjects: {}",
                silent.len(),
                first(NAMED, &silent)
            ),
            "no stream takes them: run `argosy setup`, see D03",
        );
    }
    Said::ok(format!(
        "the {all} subjects that were tried may be used with these credentials"
    ))
}

#[cfg(test)]
mod tests {
    use super::super::CheckStatus;
    use super::*;
    use bus::Stream;

    #[test]
    fn what_is_tried_is_what_streams_store() {
        let takes = |filter: &str, subject: &str| {
            let (mut of, mut parts) = (filter.split('.'), subject.split('.'));
            loop {
                match (of.next(), parts.next()) {
                    (Some(">"), Some(_)) => return true,
                    (Some("*"), Some(_)) => {}
                    (Some(a), Some(b)) if a == b => {}
                    (None, None) => return true,
                    _ => return false,
                }
            }
        };
        let tried = stored();
        let taken = |filter: &str| tried.iter().any(|subject| takes(filter, subject));
        let streams = Stream::ALL.into_iter().flat_map(Stream::subjects);
        let buckets = [FILES, SNAPSHOTS].map(|name| ["C", "M"].map(|p| format!("$O.{name}.{p}.>")));
        let filters: Vec<String> = streams.chain(buckets.into_iter().flatten()).collect();
        // What falls due is published by the server itself.
        for filter in filters.iter().filter(|filter| *filter != "argosy.due.>") {
            assert!(taken(filter), "nothing is tried of {filter}");
        }
    }

    #[test]
    fn a_refusal_counts_for_more_than_silence() {
        let said = |refused: &[&str], silent: &[&str]| {
            let own = |all: &[&str]| all.iter().map(|s| (*s).to_owned()).collect();
            judged(Tried {
                refused: own(refused),
                silent: own(silent),
                all: 9,
            })
        };
        assert_eq!(said(&[], &[]).verdict, CheckStatus::Ok);
        assert_eq!(said(&[], &["argosy.query"]).verdict, CheckStatus::Warn);
        let refused = said(&["no publish to x"], &["argosy.query"]);
        assert_eq!(refused.verdict, CheckStatus::Fail);
        assert!(refused.text.contains("no publish to x"), "{refused:?}");
    }
}
