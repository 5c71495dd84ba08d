//! Tests the first contact with a server that has little room, and commands on a fleet that the configuration names.

use crate::shell::{Ran, Shell};
use serde_json::Value;
use settings::TimeSpan;

const GIB: u64 = 1 << 30;
/// A port at which nothing listens.
const NOWHERE: &str = "nats://127.0.0.1:9";

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
        "the streams need 42 GiB more storage",
        "the server offers 3.0 GiB",
        "`streams.chunks_bytes` (command line)",
        "max_file_store",
    ] {
        assert!(text.contains(part), "no {part} in: {text}");
    }

    let made = shell.run(&["setup", "-o", "json"]).exits(0).json();
    let scaled = changes(&made, "scaled");
    assert_eq!(scaled.len(), 10, "{made}");
    let what = scaled[6]["what"].as_str().unwrap();
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

/// Each way in which `nats.url` can be set.
fn named(way: &str, url: &str) -> Shell {
    let shell = documents();
    match way {
        "file" => {
            shell.write("argosy.toml", format!("[nats]\nurl = \"{url}\"\n"));
            shell
        }
        _ => shell.env("ARGOSY__nats__url", url),
    }
}

fn says_both_ways(ran: Ran, by: &str, here: &str) {
    let text = ran.exits(4).stderr;
    for part in [by, "`argosy up --port 9`", here] {
        assert!(text.contains(part), "no {part} in: {text}");
    }
}

#[test]
fn a_fleet_that_is_named_is_asked_and_its_absence_names_both_ways() {
    for (way, by) in [
        ("file", "file `argosy.toml`"),
        ("env", "environment variable `ARGOSY__nats__url`"),
    ] {
        let shell = named(way, NOWHERE);
        for args in [
            &["ask", "Where did the cat sit?"][..],
            &["search", "cat"],
            &["show", "cat.md"],
        ] {
            says_both_ways(shell.run(args), by, "--corpus");
        }
        says_both_ways(shell.run(&["index", "docs"]), by, "--set nats.url=");
        assert!(
            !shell.dir().join(".argosy").exists(),
            "nothing was made here"
        );
    }
    let flag = format!("nats.url={NOWHERE}");
    let ran = documents().run(&["search", "cat", "--set", &flag]);
    says_both_ways(ran, "command line", "--corpus");
}

#[test]
fn a_folder_stays_in_this_process_whatever_is_named() {
    let shell = named("file", NOWHERE);
    let question = ["ask", "Where did the cat sit?", "--corpus", "docs"];
    let text = shell.run(&question).exits(0).stdout;
    assert!(text.contains("mat"), "{text}");
    let found = shell.run(&["search", "cat", "--corpus", "docs", "--reuse"]);
    assert!(found.exits(0).stdout.contains("mat"));
    shell.run(&["index", "docs", "--set", "nats.url="]).exits(0);
    // What is for a folder is not silently left out.
    let text = shell.run(&["ask", "Where?", "--reuse"]).exits(2).stderr;
    assert!(
        text.contains("--corpus") && text.contains("argosy.toml"),
        "{text}"
    );
}

#[test]
fn what_only_a_fleet_has_is_refused_where_none_is_named() {
    let shell = documents();
    for args in [
        &["ask", "Where?", "--tenant", "other", "--corpus", "docs"][..],
        &["ask", "Where?", "--min-seq", "3", "--corpus", "docs"],
        &["search", "cat", "--tenant", "other", "--corpus", "docs"],
        &["index", "docs", "--no-wait"],
        &["index", "docs", "--tenant", "other"],
        &["index", "docs", "--edition", "next"],
    ] {
        let text = shell.run(args).exits(2).stderr;
        assert!(text.contains("is for a fleet, and none is named"), "{text}");
    }
}

/// The documents go to the fleet that the file names, where an indexer would take them.
#[tokio::test]
async fn an_index_run_goes_to_the_fleet_that_the_file_names() {
    let server = testkit::nats::server().await;
    let shell = named("file", &server.url());
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
