//! Acts of the fire drill: a fleet without faults; processes that stop, hang and restart; messages that cannot be
//! parsed.

use crate::act::{Act, deed};
use crate::crowd::{self, NORMAL, Wish, agentic};
use crate::fleet::until;
use crate::stand::{Plan, Stand, WHOLE};
use crate::witness::{ABOUT_TIME, Witness};
use bus::{Bus, Publish, Stream};
use bytes::Bytes;
use envelope::Role;
use serde_json::{Value, json};
use std::time::Duration;
use testkit::sim_node::Behaviour;

pub(crate) const PLAN: Plan = Plan {
    set: &[
        "run.slots=4",
        "run.grace=1s",
        "telemetry.linger=3s",
        "gateway.backlog_every=1s",
    ],
    nodes: 2,
    ..WHOLE
};

/// Questions with a deadline of a few seconds.
const HURRIED: Wish = Wish {
    question: |number| {
        let mut body = agentic(number);
        body["deadline"] = "4s".into();
        body
    },
    ..NORMAL
};

/// More questions than four slots can answer while each call takes a second.
const MANY: Wish = Wish {
    at_once: 400,
    every: Duration::from_millis(200),
    question: agentic,
};

/// Questions that every gateway refuses.
const BAD: Wish = Wish {
    at_once: u64::MAX,
    every: Duration::from_millis(200),
    question: |_| json!({ "quetsion": "What is this?" }),
};

/// Steps that no mapper can read; more than the allowed number of dead letters.
const UNREADABLE: u64 = 120;
/// How often a process dies: once more than the rule allows.
const DEATHS: usize = 4;

pub(crate) const ACTS: &[Act] = &[
    Act {
        fault: "the mapper is stopped, and questions are in a hurry",
        alerts: &["ArgosyRoleStalled", "ArgosyFaninIncomplete"],
        begin: deed!(stand => {
            stand.crowd.asks(HURRIED);
            stand.signal(Role::Mapper, "-STOP");
        }),
        mend: deed!(stand => {
            stand.signal(Role::Mapper, "-CONT");
            stand.crowd.asks(NORMAL);
        }),
    },
    Act {
        fault: "the validator's consumer is deleted",
        alerts: &[
            "ArgosyConsumerMissing",
            "ArgosyNoReadyProcess",
            "ArgosyConditionNotMet",
            "ArgosyErrorBudgetBurnFast",
            "ArgosyErrorBudgetBurnSlow",
        ],
        begin: deed!(stand => {
            let consumer = bus::topology::Topology::default().consumer(Role::Validator);
            stand.bus.drop_consumer(&consumer).await.expect("one consumer less");
            stand.crowd.asks(HURRIED);
        }),
        mend: deed!(stand => {
            stand.fleet.setup().await;
            stand.crowd.asks(NORMAL);
        }),
    },
    Act {
        fault: "the validator and the indexer are killed",
        alerts: &["ArgosyRoleMissing", "ArgosyIndexerMissing"],
        begin: deed!(stand => {
            stand.kill(Role::Validator).await;
            stand.kill(Role::Indexer).await;
        }),
        mend: deed!(stand => {
            stand.start_one(Role::Validator);
            stand.start_one(Role::Indexer);
        }),
    },
    Act {
        fault: "more is asked than the mapper can do",
        alerts: &["ArgosyRoleBacklogGrowing", "ArgosyQueueWaitHigh"],
        begin: deed!(stand => {
            // Some ten tokens, each in 50 ms and more.
            stand.behave(Behaviour::Slow(25.0));
            stand.crowd.asks(MANY);
        }),
        mend: deed!(stand => {
            stand.behave(Behaviour::Healthy);
            stand.crowd.asks(NORMAL);
        }),
    },
    Act {
        fault: "questions, steps and a document are not readable",
        alerts: &[
            "ArgosyQuestionsRefused",
            "ArgosyDeadLetters",
            "ArgosyDeadLetterBacklog",
            "ArgosyDocumentsGivenUp",
        ],
        begin: deed!(stand => {
            stand.crowd.asks(BAD);
            for number in 0..UNREADABLE {
                send(stand, format!("argosy.step.0.mapper.unreadable-{number}.2.0")).await;
            }
            send(stand, "argosy.document.leases.unreadable".into()).await;
        }),
        mend: deed!(stand => {
            stand.fleet.json(&["dead", "drop", "--all", "--yes"]).await;
            stand.crowd.asks(NORMAL);
        }),
    },
    Act {
        fault: "the clarifier dies again and again, and the planner stops with calls under way",
        alerts: &["ArgosyProcessRestarting", "ArgosyDrainAbandoningWork"],
        begin: deed!(stand => {
            stand.behave(Behaviour::Stuck);
            let planner = r#"min_over_time(argosy_inflight_messages{role="planner"}[3s])"#;
            until("steps of the planner that hang", async || {
                stand.value(planner).await.filter(|&steps| steps > 0.0)
            })
            .await;
            restart_gently(stand, Role::Planner).await;
            stand.behave(Behaviour::Healthy);
            for _ in 0..DEATHS {
                restart_hard(stand, Role::Clarifier).await;
            }
        }),
        mend: deed!(_stand => {}),
    },
];

async fn send(stand: &Stand, subject: String) {
    let message = Publish::new(subject, Bytes::from_static(b"no JSON"));
    stand.bus.publish(message).await.expect("it is stored");
}

/// Tells a process to stop, and starts another one at its address once it has ended.
async fn restart_gently(stand: &mut Stand, role: Role) {
    let place = stand
        .fleet
        .processes
        .iter()
        .position(|one| one.member.role == role);
    let mut old = stand
        .fleet
        .processes
        .remove(place.expect("a process of the role"));
    old.member.terminate().await;
    old.ended().await;
    stand.start_one(role);
}

/// Kills a process, and starts another one once Prometheus has seen that, because it tells starts apart by the
/// second.
async fn restart_hard(stand: &mut Stand, role: Role) {
    let running = format!("count(argosy_build_info{{role=\"{role}\"}}) or vector(0)");
    stand.kill(role).await;
    until("Prometheus to see that it is gone", async || {
        stand.value(&running).await.filter(|&count| count == 0.0)
    })
    .await;
    stand.start_one(role);
    until("Prometheus to see another process", async || {
        stand.value(&running).await.filter(|&count| count == 1.0)
    })
    .await;
}

/// How long the fleet runs without faults: longer than the longest `for` and the range before it.
const HEALTHY: Duration = Duration::from_secs(100);

/// Questions are answered, nothing is wrong, and no alert fires, except those that are right about a busy machine.
pub(crate) async fn healthy(stand: &Stand) {
    stand.crowd.asks(crowd::NORMAL);
    let witness = Witness::asks(stand.bus.clone(), HEALTHY);
    tokio::time::sleep(HEALTHY).await;
    let fired = format!(
        "count by (alertname, role) (count_over_time(ALERTS{{alertstate=\"firing\"}}[{}s]))",
        HEALTHY.as_secs()
    );
    let mut fired = stand.prometheus.query(&fired).await;
    let (slow, much) = witness.saw().await;
    if much {
        let about_time = |one: &Value| {
            let name = one["metric"]["alertname"].as_str();
            name.is_some_and(|name| ABOUT_TIME.contains(&name))
        };
        fired.retain(|one| !about_time(one));
    }
    assert!(
        fired.is_empty(),
        "alerts of a fleet in which nothing is wrong, {:.0} % of its questions slow: {fired:#?}",
        100.0 * slow
    );
    let answers = stand
        .bus
        .count(Stream::Answers, "argosy.answer.*")
        .await
        .expect("a count");
    println!(
        "{:<10} nothing wrong for {HEALTHY:?}, {answers} questions answered, {:.0} % slow, no alert{}",
        stand.plan.name,
        100.0 * slow,
        if much { " but about that" } else { "" }
    );
}
