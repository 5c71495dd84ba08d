//! Tests `argosy doctor` on a healthy fleet, and on servers with one fault each. The model of the fleet is the
//! offline reader over real HTTP.

use crate::fleet::{Fleet, until};
use crate::served::Model;
use argosy::model::OFFLINE;
use envelope::Role;
use serde_json::Value;
use std::process::Stdio;
use tokio::process::Command;

const QUESTION: &str = "What is the maximum collector-emitter voltage of the HV2N4410A?";

/// The doctor's findings on this fleet, by code, and its exit code.
async fn examined(fleet: &Fleet, more: &[&str]) -> (i32, Value) {
    let args = [&["doctor", "-o", "json"], more].concat();
    let output = fleet.command(&args).await;
    let json: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("no JSON ({e}): {output:?}"));
    (output.status.code().unwrap_or(-1), json)
}

fn verdict<'a>(report: &'a Value, code: &str) -> (&'a str, &'a str) {
    let findings = report["findings"].as_array().expect("findings");
    let found = findings.iter().find(|finding| finding["code"] == code);
    let found = found.unwrap_or_else(|| panic!("no {code} in {report}"));
    let text = |name: &str| found[name].as_str().unwrap_or_default();
    (text("verdict"), text("text"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fleet_with_the_offline_model_over_http_answers_and_is_well() {
    let server = testkit::nats::server().await;
    let mut fleet = Fleet::new(server.url(), Vec::new());
    fleet.stubbed.clear();
    let mut model = Model::start(&fleet).await;
    fleet.plan.set = model.options("");
    let (exit, report) = examined(&fleet, &[]).await;
    assert_eq!(exit, 1, "{report}");
    assert_eq!(verdict(&report, "D01").0, "ok", "{report}");
    assert_eq!(verdict(&report, "D03").0, "fail", "nothing is set up");
    assert_eq!(verdict(&report, "D08").0, "fail", "nobody runs");
    fleet.setup().await;
    fleet.start_all().await;
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/corpus");
    let indexed = fleet.json(&["index", corpus]).await;
    let min_seq = indexed["corpus_seq"].to_string();
    let answer = fleet.json(&["ask", QUESTION, "--min-seq", &min_seq]).await;
    assert_eq!(answer["outcome"], "answered", "{answer}");
    assert_eq!(answer["model"], OFFLINE);
    let text = answer["answer"].as_str().unwrap_or_default();
    assert!(text.contains("45 V"), "{answer}");
    assert!(answer["usage"]["calls"].as_u64() > Some(2), "{answer}");

    let said = ["ask", QUESTION, "--conversation", "c-s3cret"];
    let said = fleet.json(&said).await;
    assert_eq!(said["outcome"], "answered", "{said}");

    // Every check is made, and none finds anything.
    let report = until("a fleet that is well", async || {
        let (exit, report) = examined(&fleet, &[]).await;
        let all = report["findings"].as_array()?;
        // The disk is that of the machine of the test.
        let mut others = all.iter().filter(|one| one["code"] != "D13");
        let is_well = others.all(|one| one["verdict"] == "ok");
        assert!(is_well || exit <= 1, "{report}");
        is_well.then_some(report)
    })
    .await;
    println!("{report:#}");
    assert!(
        verdict(&report, "D05").1.contains("questions/s"),
        "{report}"
    );
    assert!(verdict(&report, "D09").1.contains("`main`"), "{report}");
    assert!(verdict(&report, "D12").1.contains("not known"), "{report}");
    let talks = verdict(&report, "D16").1;
    let taken = "every gateway takes conversations";
    assert!(talks.contains(taken), "{talks}");
    let logs = verdict(&report, "D17").1;
    assert!(
        logs.starts_with("2 events of the 1 log last used"),
        "{logs}"
    );
    assert!(!report.to_string().contains("s3cret"), "{report}");
    // How much a store holds is looked at every few seconds.
    let status = until("a store that has been looked at", async || {
        let status = fleet.json(&["status"]).await;
        let stores = &status["conversations"]["stores"];
        (stores[0]["conversations"] == 1).then_some(status)
    })
    .await;
    let talks = &status["conversations"];
    assert_eq!(
        (&talks["gateways"], &talks["taking"]),
        (&1.into(), &1.into())
    );
    assert!(talks["reach_ms"].as_u64() > Some(0), "{status}");
    let store = &talks["stores"][0];
    assert_eq!(store["behind"], 0, "{status}");
    assert!(store["bytes"].as_u64() > Some(0), "{status}");
    assert!(store["free"].as_u64() > Some(0), "{status}");

    // A rate that nothing carries, and a node that runs fewer than it is promised.
    fleet.plan.set = model.options(r#","admits":8"#);
    let (exit, report) = examined(&fleet, &["--rate", "100000"]).await;
    assert_eq!((exit, verdict(&report, "D05").0), (1, "fail"), "{report}");
    assert_eq!(verdict(&report, "D12").0, "warn", "{report}");

    // Without its model, and without one of its roles.
    let _ = model.child.kill().await;
    let place = fleet
        .processes
        .iter()
        .position(|process| process.member.role == Role::Reducer);
    let mut reducer = fleet.processes.remove(place.expect("a reducer"));
    reducer.member.kill().await.expect("a kill");
    let (exit, report) = examined(&fleet, &[]).await;
    assert_eq!((exit, verdict(&report, "D10").0), (1, "fail"), "{report}");
    let (roles, why) = verdict(&report, "D08");
    assert!(
        roles == "fail" && why.contains("no reducer runs"),
        "{report}"
    );
    fleet.drain().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_credentials_may_not_do_is_named() {
    let users = r#"authorization { users: [
        { user: all, password: s3cret },
        { user: few, password: s3cret, permissions: {
            publish: { allow: [">"], deny: ["argosy.part.>", "argosy.live.*"] },
            subscribe: { allow: [">"], deny: ["argosy.cancel.*"] } } },
        { user: deaf, password: s3cret, permissions: {
            publish: { allow: [">"], deny: ["$JS.ACK.>", "$O.>"] } } },
        { user: alone, password: s3cret, permissions: {
            publish: { allow: [">"], deny: ["argosy.reindex.>", "argosy.edition"] },
            subscribe: { allow: [">"], deny: ["argosy.joined.*.*"] } } } ] }"#;
    let server = testkit::nats::server_with(|options| {
        options.extra = users.to_owned();
    })
    .await;
    let url = |user: &str| {
        server
            .url()
            .replace("nats://", &format!("nats://{user}:s3cret@"))
    };
    let fleet = Fleet::new(url("all"), Vec::new());
    fleet.setup().await;
    let (_, report) = examined(&fleet, &[]).await;
    assert_eq!(verdict(&report, "D03").0, "ok", "{report}");
    assert_eq!(verdict(&report, "D07").0, "ok", "{report}");
    for (user, refused) in [
        (
            "few",
            &[
                "argosy.part.0.doctor.0.0",
                "argosy.live.doctor",
                "argosy.cancel.*",
            ] as &[&str],
        ),
        ("deaf", &["$JS.ACK.ARGOSY_STEPS_0", "$O.ARGOSY_FILES.C"]),
        (
            "alone",
            &["argosy.reindex.main", "argosy.edition", "argosy.joined.*.*"],
        ),
    ] {
        let fleet = Fleet::new(url(user), Vec::new());
        let (exit, report) = examined(&fleet, &[]).await;
        let (access, why) = verdict(&report, "D07");
        assert_eq!((exit, access), (1, "fail"), "{report}");
        for part in refused {
            assert!(why.contains(part), "no {part}: {why}");
        }
        assert!(!report.to_string().contains("s3cret"), "{report}");
    }
    let (_, report) = examined(&fleet, &[]).await;
    // Looking changed nothing: no stream holds anything.
    assert!(verdict(&report, "D04").1.contains("0 B"), "{report}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_without_jetstream_is_named() {
    let dir = tempfile::tempdir().expect("a folder");
    let binary = testkit::nats::binary().await;
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .and_then(|free| free.local_addr())
        .expect("a port")
        .port();
    let mut server = Command::new(binary)
        .args(["-a", "127.0.0.1", "-p", &port.to_string()])
        .current_dir(dir.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .expect("a server");
    let fleet = Fleet::new(format!("nats://127.0.0.1:{port}"), Vec::new());
    let report = until("a server", async || {
        let (_, report) = examined(&fleet, &[]).await;
        (verdict(&report, "D01").0 == "ok").then_some(report)
    })
    .await;
    let (jetstream, why) = verdict(&report, "D02");
    assert!(
        jetstream == "fail" && why.contains("without JetStream"),
        "{report}"
    );
    server.kill().await.expect("its end");
}
