//! Tests the first contact with a server that has little room, an index run on a fleet that the configuration names,
//! and a model that is away.

use crate::shell::Shell;
use serde_json::Value;
use settings::TimeSpan;

const GIB: u64 = 1 << 30;

fn documents() -> Shell {
    let shell = Shell::new();
    shell.write("docs/cat.md", "The cat sat on the mat.\n");
    shell
}

fn changes<'a>(rows: &'a Value, change: &str) -> Vec<&'a Value> {
    let rows = rows.as_array().unwrap().iter();
    rows.filter(|row| row["change"] == change).collect()
}

#[tokio::test]
async fn setup_fits_the_defaults_into_a_small_server_and_says_so() {
    let server = testkit::nats::server_with(|options| options.file_store_max = 3 * GIB).await;
    let shell = Shell::new().env("ARGOSY__nats__url", &server.url());

    // What is set and does not fit: how much is wanted, how much there is, and which key it is.
    let refused = shell.run(&["setup", "--set", "streams.chunks_bytes=16GiB"]);
    let text = refused.exits(1).stderr;
    for part in [
        "the streams need 67.2 GiB more storage",
        "the server offers 3.0 GiB",
        "`streams.chunks_bytes` (command line)",
        "max_file_store",
    ] {
        assert!(text.contains(part), "no {part} in: {text}");
    }

    let made = shell.run(&["setup", "-o", "json"]).exits(0).json();
    let scaled = changes(&made, "scaled");
    assert_eq!(scaled.len(), 11, "{made}");
    let what = scaled[7]["what"].as_str().unwrap();
    assert!(what.ends_with("of the 16 GiB wanted"), "{what}");

    // Harmless to repeat, and what checks agrees.
    for args in [&["setup"][..], &["setup", "--check"]] {
        let text = shell.run(args).exits(0).stdout;
        assert!(text.contains("kept"), "{text}");
        assert!(text.contains("scaled to the room"), "{text}");
    }
    let found = shell.run(&["doctor", "-o", "json"]).json();
    let mut findings = found["findings"].as_array().unwrap().iter();
    let streams = findings.find(|finding| finding["code"] == "D03").unwrap();
    assert_eq!(streams["verdict"], "ok", "{streams}");

    // A wish that fits is done.
    let inbox = ["--set", "streams.inbox_bytes=32MiB"];
    let made = shell.run(&[&["setup", "-o", "json"], &inbox[..]].concat());
    assert_eq!(changes(&made.exits(0).json(), "updated").len(), 1);
    shell
        .run(&[&["setup", "--check"], &inbox[..]].concat())
        .exits(0);
}

/// The documents go to the fleet that the file names, where an indexer would take them.
#[tokio::test]
async fn an_index_run_goes_to_the_fleet_that_the_file_names() {
    let server = testkit::nats::server().await;
    let shell = documents();
    shell.write(
        "argosy.toml",
        format!("[nats]\nurl = \"{}\"\n", server.url()),
    );
    shell.run(&["index", "docs"]).exits(3);
    shell.run(&["setup"]).exits(0);
    shell.run(&["index", "docs", "--no-wait"]).exits(0);
    let bus = bus_nats::NatsBus::connect(bus_nats::Options {
        url: server.url(),
        request_timeout: TimeSpan::from_secs(5),
        ..bus_nats::Options::default()
    });
    let bus = bus.await.unwrap();
    let waiting = bus::Bus::state(&*bus, bus::Stream::Documents);
    assert_eq!(waiting.await.unwrap().messages, 1);
}

/// A model that is away: what is told of it is told once.
#[test]
fn a_failing_model_is_one_line_of_the_log() {
    let shell = Shell::without_model();
    shell.write("docs/cat.md", "The cat sat on the mat.\n");
    shell.write(
        "argosy.toml",
        "[model]\nmodel = \"m\"\n[[model.nodes]]\nname = \"gpu-0\"\nbase_url = \"http://127.0.0.1:9\"\n",
    );
    let question = [
        "ask",
        "Where did the cat sit?",
        "--corpus",
        "docs",
        "--timeout",
        "20",
    ];
    let log = shell.run(&question).stderr;
    let lines = |text: &str| log.lines().filter(|line| line.contains(text)).count();
    assert_eq!(lines("steps will be tried again"), 1, "{log}");
    assert!(lines("model node fails") <= 1, "{log}");
    assert_eq!(
        lines("WARN"),
        lines("steps will be tried again") + lines("model node fails"),
        "{log}"
    );
}
