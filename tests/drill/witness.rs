//! An observer who asks a question twice a second and measures each answer time with a clock of its own. Its times
//! tell whether an alert on latency is true: on a busy machine answers may really be slow, and then the alert is no
//! mistake of the rules.

use crate::crowd::agentic;
use bus::{Bus, Publish, Stream};
use bus_nats::NatsBus;
use bytes::Bytes;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{Instant, interval, sleep};

/// Alerts that only say that something takes long.
pub(crate) const ABOUT_TIME: &[&str] = &[
    "ArgosyQuestionLatencyHigh",
    "ArgosyQuestionLatencyTargetMissed",
    "ArgosyQueueWaitHigh",
    "ArgosyRoleBacklogGrowing",
    "ArgosyRoleSlow",
];
/// The share of slow questions from which such an alert may be right: half of the share in the rules.
const SLOW: f64 = 0.15;
/// How long a question may take by its kind, as in the rules: `argosy:question_duration_target:seconds`.
const SIMPLE: Duration = Duration::from_secs(2);
const COMPLEX: Duration = Duration::from_secs(5);

const EVERY: Duration = Duration::from_millis(500);
const LOOK: Duration = Duration::from_millis(100);

/// Questions that are asked until they are counted.
pub(crate) struct Witness(JoinSet<Vec<Option<bool>>>);

impl Witness {
    /// Asks for so long.
    pub(crate) fn asks(bus: Arc<NatsBus>, how_long: Duration) -> Witness {
        let mut asking = JoinSet::new();
        asking.spawn(async move {
            let (until, mut tick) = (Instant::now() + how_long, interval(EVERY));
            let mut questions = JoinSet::new();
            for number in 0.. {
                tick.tick().await;
                if Instant::now() >= until {
                    break;
                }
                let bus = bus.clone();
                questions.spawn(async move { is_slow(&bus, number).await });
            }
            questions.join_all().await
        });
        Witness(asking)
    }

    /// The share of the questions that took longer than they may, and whether that share is large.
    pub(crate) async fn saw(mut self) -> (f64, bool) {
        let seen = self.0.join_next().await.expect("it asks");
        let seen: Vec<bool> = seen.expect("questions").into_iter().flatten().collect();
        assert!(!seen.is_empty(), "no question of the witness was stored");
        let slow = seen.iter().filter(|&&slow| slow).count();
        let share = slow as f64 / seen.len() as f64;
        (share, share >= SLOW)
    }
}

/// Whether a question took longer than it may; `None` where it could not be asked.
async fn is_slow(bus: &NatsBus, number: u64) -> Option<bool> {
    let id = format!("witness-{number}");
    let mut body = agentic(number);
    body["id"] = id.as_str().into();
    let target = match number % 4 {
        0 => {
            body["mode"] = "simple".into();
            SIMPLE
        }
        _ => COMPLEX,
    };
    let asked = Instant::now();
    let body = Bytes::from(body.to_string());
    let question = Publish::new(envelope::subject::QUERY, body);
    bus.publish(question).await.ok()?;
    let answer = format!("argosy.answer.{id}");
    while asked.elapsed() < target {
        if let Ok(Some(_)) = bus.last(Stream::Answers, &answer).await {
            return Some(false);
        }
        sleep(LOOK).await;
    }
    Some(true)
}
