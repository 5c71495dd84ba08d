//! What these credentials may publish and hear.
//!
//! A forbidden publish gets no answer and only times out, so workers with too few permissions look as if
//! the server were slow. Here every subject is tried in a way that changes nothing: what is stored is
//! published behind a fence that is closed, what is not goes to names that nobody has.

use super::{Ground, Said};
use harness::bus::{Bus, CoreMessage, Headers};
use harness::nats::NatsBus;
use std::time::Duration;

/// The name that stands for turns, documents and buckets here.
const NOBODY: &str = "doctor";
/// How long the server may take to say no to what is not answered.
const NO_WITHIN: Duration = Duration::from_millis(300);
/// How many refusals are named.
const NAMED: usize = 4;

/// What the fleet stores: one subject of each kind.
fn stored() -> Vec<String> {
    let mut subjects: Vec<String> = envelope::Role::THINKING
        .into_iter()
        .map(|role| format!("argosy.step.0.{role}.{NOBODY}.0"))
        .collect();
    subjects.extend(
        [
            "argosy.query",
            "argosy.step.0.scatter.doctor.0",
            "argosy.part.0.doctor.0.0",
            "argosy.timer.doctor",
            "argosy.listen.doctor.0",
            "argosy.answer.doctor",
            "argosy.document.doctor.doctor",
            "argosy.chunk.main.doctor.doctor.0",
            "argosy.dead.planner.doctor.0",
        ]
        .map(str::to_owned),
    );
    subjects
}

/// What is published and not stored.
const PASSING: [&str; 4] = [
    "argosy.cancel.doctor",
    "argosy.live.doctor",
    "argosy.indexed.doctor.doctor",
    "argosy.reply.doctor",
];

/// What is listened to.
const HEARD: [&str; 8] = [
    "argosy.cancel.*",
    "argosy.live.*",
    "argosy.indexed.*.*",
    "argosy.ask",
    "argosy.search",
    "argosy.count",
    "argosy.metadata",
    crate::processes::SUBJECT,
];

pub(super) async fn access(on: &Ground<'_>) -> Said {
    if let Err(skip) = on.bus() {
        return skip;
    }
    // A connection of its own: what the server says on it is about these tries alone.
    let options = harness::nats::Options {
        request_timeout: Duration::from_secs(2),
        ..on.config.nats("argosy-doctor-access", false)
    };
    match NatsBus::connect(options).await {
        Ok(bus) => judged(tried(&bus).await),
        Err(error) => Said::from(error),
    }
}

/// What a try came to.
struct Tried {
    /// What the server said no to, in its words.
    refused: Vec<String>,
    /// Stored subjects that nobody answered for.
    silent: Vec<String>,
    /// How many there were.
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
    let named = |all: &[String]| {
        let more = match all.len().saturating_sub(NAMED) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        format!("{}{more}", all[..all.len().min(NAMED)].join("; "))
    };
    if !refused.is_empty() {
        return Said::fail(
            format!(
                "the server refuses {} of {all}: {}",
                refused.len(),
                named(&refused)
            ),
            "let these credentials publish and subscribe to `argosy.>`, `_INBOX.>`, `$JS.API.>` and \
             `$JS.ACK.>`; a role needs less, see the page of D07",
        );
    }
    if !silent.is_empty() {
        return Said::warn(
            format!(
                "nobody answers for {} of {all} subjects: {}",
                silent.len(),
                named(&silent)
            ),
            "no stream takes them: run `argosy setup`, see D03",
        );
    }
    Said::ok(format!(
        "all {all} subjects may be used with these credentials"
    ))
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;
    use harness::bus::Stream;

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
        let taken = |stream: Stream| {
            let of = stream.subjects();
            let mut all = of.iter();
            all.any(|filter| tried.iter().any(|subject| takes(filter, subject)))
        };
        for stream in Stream::ALL {
            assert!(taken(stream), "nothing is tried of {}", stream.name());
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
        assert_eq!(said(&[], &[]).verdict, Verdict::Ok);
        assert_eq!(said(&[], &["argosy.query"]).verdict, Verdict::Warn);
        let refused = said(&["no publish to x"], &["argosy.query"]);
        assert_eq!(refused.verdict, Verdict::Fail);
        assert!(refused.text.contains("no publish to x"), "{refused:?}");
    }
}
