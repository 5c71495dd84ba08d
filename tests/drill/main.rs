//! The fire drill: tests that a fault makes each alert fire, and that the fix makes it resolve. It uses real
//! processes, a real nats-server, and a real Prometheus with a copy of the shipped rules whose times are shorter. The
//! drill takes minutes, so the tests that start a fleet are ignored by default. The results are printed as a table:
//!
//! ```text
//! cargo test -p argosy-tests --test drill -- --ignored --nocapture --test-threads=6
//! ```
//!
//! *Not* here: how a rule behaves at its thresholds (`tests/alerts`), and how the fleet copes with the faults
//! (`pipeline`, `race`).
//!
//! | module | what |
//! |---|---|
//! | [`rules`] | the shipped rules, and the copy with shorter times |
//! | [`stand`] | a fleet with its server, model nodes, users and Prometheus |
//! | [`crowd`] | simulated users who ask questions |
//! | [`witness`] | an observer who asks questions and times them |
//! | [`model`] | the model nodes and their replies |
//! | [`act`] | a fault, its alerts and its fix |
//! | [`undrilled`] | the alerts that no fault here causes, and why |
//! | [`dashboards`] | a test that every query of the dashboards returns data |
//! | [`whole`] | a fleet without faults; faults of processes and messages |
//! | [`answers`] | models whose replies are useless or late |
//! | [`nodes`] | model nodes that fail |
//! | [`storage`] | faults of streams and conversations |
//! | [`disk`] | full disks, and faults of documents |
//! | [`wire`] | faults of the connection, its certificates and permissions |
//! | [`tls`] | a certificate authority |
//! | the rest | helpers of the pipeline tests |

mod act;
mod answers;
mod crowd;
mod dashboards;
mod disk;
mod model;
mod nodes;
mod rules;
mod stand;
mod storage;
mod tls;
mod undrilled;
mod whole;
mod wire;
mod witness;

#[path = "../pipeline/binary.rs"]
mod binary;
#[path = "../pipeline/fleet.rs"]
#[allow(dead_code, reason = "not all of it")]
mod fleet;
#[path = "../pipeline/http.rs"]
mod http;

use act::{Act, Row};
use stand::Stand;
use std::collections::BTreeSet;
use std::time::SystemTime;

/// Plays the acts one after the other; all of them are played, whatever the result of one is.
async fn play(stand: &mut Stand, acts: &[Act]) {
    println!("stand      alert                                  fires resolves  fault");
    let mut wrong = Vec::new();
    for act in acts {
        let rows = act::play(stand, act).await;
        wrong.extend(rows.iter().filter_map(Row::wrong));
    }
    assert!(wrong.is_empty(), "{}: {wrong:#?}", stand.plan.name);
}

/// Every alert of the rules is drilled, or listed as one that cannot be.
#[test]
fn no_alert_is_left_out() {
    let acts = [
        whole::ACTS,
        answers::ACTS,
        nodes::ACTS,
        storage::ACTS,
        disk::ACTS,
        wire::ACTS,
    ];
    let drilled = acts
        .iter()
        .flat_map(|acts| acts.iter())
        .flat_map(|act| act.alerts);
    let drilled: BTreeSet<_> = drilled.copied().collect();
    let named: BTreeSet<_> = undrilled::UNDRILLED
        .iter()
        .map(|(alert, _)| *alert)
        .collect();
    let alerts = rules::alerts();
    let alerts: BTreeSet<_> = alerts.iter().map(String::as_str).collect();
    println!("{} of {} alerts are drilled", drilled.len(), alerts.len());
    assert_eq!(
        &drilled & &named,
        BTreeSet::new(),
        "drilled, and said not to be"
    );
    assert_eq!(&drilled | &named, alerts);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "minutes: cargo test --workspace --test drill --locked -- --ignored --nocapture --test-threads=6"]
async fn processes_and_messages() {
    let since = SystemTime::now();
    let mut stand = Stand::start(&whole::PLAN).await;
    stand.index().await;
    whole::healthy(&stand).await;
    play(&mut stand, whole::ACTS).await;
    dashboards::all_have_data(&stand, since).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "minutes: cargo test --workspace --test drill --locked -- --ignored --nocapture --test-threads=6"]
async fn answers_of_no_use() {
    let mut stand = Stand::start(&answers::PLAN).await;
    stand.index().await;
    stand.crowd.asks(crowd::NORMAL);
    play(&mut stand, answers::ACTS).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "minutes: cargo test --workspace --test drill --locked -- --ignored --nocapture --test-threads=6"]
async fn model_nodes() {
    let mut stand = Stand::start(&nodes::PLAN).await;
    stand.index().await;
    stand.crowd.asks(crowd::NORMAL);
    play(&mut stand, nodes::ACTS).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "minutes: cargo test --workspace --test drill --locked -- --ignored --nocapture --test-threads=6"]
async fn streams_and_conversations() {
    let mut stand = Stand::start(&storage::PLAN).await;
    stand.index().await;
    stand.crowd.asks(crowd::NORMAL);
    play(&mut stand, storage::ACTS).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "minutes: cargo test --workspace --test drill --locked -- --ignored --nocapture --test-threads=6"]
async fn disks_and_documents() {
    let mut stand = Stand::start(&disk::PLAN).await;
    stand.crowd.asks(crowd::NORMAL);
    play(&mut stand, disk::ACTS).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "minutes: cargo test --workspace --test drill --locked -- --ignored --nocapture --test-threads=6"]
async fn the_connection() {
    let mut stand = Stand::start(&wire::PLAN).await;
    stand.index().await;
    stand.crowd.asks(crowd::NORMAL);
    play(&mut stand, wire::ACTS).await;
}
