//! Tests what all commands have in common: JSON if asked for, a quiet stderr, a reader who leaves.

use crate::help::commands;
use crate::shell::{Ran, Shell, finish};
use std::process::Command;

/// Nobody listens there.
const NOBODY: &str = "nats://127.0.0.1:1";

/// Commands that run without a fleet, each in a way that ends by itself, and their exit codes.
const OFFLINE: &[(&str, i32, &[&str])] = &[
    ("demo", 0, &["demo", "--corpus", "docs"]),
    (
        "ask",
        0,
        &[
            "ask",
            "Where did the cat sit?",
            "--corpus",
            "docs",
            "--conversation",
            "c1",
        ],
    ),
    ("conversation ls", 0, &["conversation", "ls"]),
    ("conversation show", 0, &["conversation", "show", "c1"]),
    ("conversation export", 0, &["conversation", "export", "c1"]),
    (
        "conversation fork",
        0,
        &["conversation", "fork", "c1", "--as", "c2"],
    ),
    (
        "conversation import",
        0,
        &["conversation", "import", "talk.json"],
    ),
    ("conversation rm", 0, &["conversation", "rm", "c1", "--yes"]),
    ("search", 0, &["search", "cat", "--corpus", "docs"]),
    ("show", 0, &["show", "cat.md", "--corpus", "docs"]),
    // It names the file that it skipped.
    ("index", 1, &["index", "docs"]),
    ("schema check", 0, &["schema", "check", "schema.toml"]),
    (
        "schema try",
        0,
        &[
            "schema",
            "try",
            "schema.toml",
            "docs/cat.md",
            "--bucket",
            "invoices",
        ],
    ),
    ("models ls", 0, &["models", "ls"]),
    ("catalog", 0, &["catalog", "--corpus", "docs"]),
    ("prompts ls", 0, &["prompts", "ls"]),
    ("prompts show", 0, &["prompts", "show", "planner"]),
    ("prompts diff", 0, &["prompts", "diff", "texts"]),
    ("prompts check", 0, &["prompts", "check", "texts"]),
    // It finds that there is no server.
    ("doctor", 1, &["doctor", "--server", NOBODY]),
    ("explain", 0, &["explain", "D05"]),
    ("config show", 0, &["config", "show", "--origin"]),
    ("config check", 0, &["config", "check", "good.toml"]),
    ("completions", 0, &["completions", "bash"]),
    ("permissions", 0, &["permissions", "--tenants", "acme"]),
    ("key ls", 0, &["key", "ls", "--keys", "keys.json"]),
    (
        "webhook ls",
        0,
        &["webhook", "ls", "--webhooks", "webhooks.json"],
    ),
];

/// Commands that need a fleet, with all that they have to be given: without one they say so, in JSON too.
/// What they say with one is seen in the fleet tests.
const OF_A_FLEET: &[(&str, &[&str])] = &[
    ("setup", &["setup", "--check"]),
    ("answer", &["answer", "q-1"]),
    ("cancel", &["cancel", "q-1"]),
    ("nodes", &["nodes", "--watch", "1"]),
    ("status", &["status", "--turn", "q-1"]),
    ("top", &["top", "--count", "1"]),
    ("trace", &["trace", "q-1", "--follow"]),
    ("replay", &["replay", "q-1", "--from", "reducer"]),
    ("access ls", &["access", "ls"]),
    ("access set", &["access", "set", "access.json"]),
    ("edition ls", &["edition", "ls"]),
    ("edition begin", &["edition", "begin", "small"]),
    ("edition switch", &["edition", "switch", "small"]),
    ("edition drop", &["edition", "drop", "small"]),
    ("feedback ls", &["feedback", "ls"]),
    ("dead ls", &["dead", "ls"]),
    ("dead show", &["dead", "show", "1"]),
    ("dead retry", &["dead", "retry", "1", "--yes"]),
    ("dead drop", &["dead", "drop", "1", "--yes"]),
];

/// Commands that are in neither list, and why.
const LEFT_OUT: &[(&str, &str)] = &[
    ("key create", "changes a file; see `keys.toml`"),
    ("key revoke", "changes a file; see `keys.toml`"),
    ("webhook create", "changes a file; see `webhook.toml`"),
    ("webhook rotate", "changes a file; see `webhook.toml`"),
    ("webhook remove", "changes a file; see `webhook.toml`"),
    ("webhook test", "calls an endpoint; see `webhook.toml`"),
    ("run", "waits for its fleet until it is stopped"),
    ("up", "runs until it is stopped; the fleet tests do it"),
    ("offline-model", "serves until it is stopped"),
    (
        "serve",
        "serves until it is stopped; the tests of doors do it",
    ),
    (
        "mcp",
        "speaks until its input ends; the tests of doors do it",
    ),
    ("chat", "is for people; what it says is seen in `talk`"),
    ("models pull", "fetches files"),
    ("probe", "asks a role; what it says is seen below"),
    (
        "eval",
        "is another binary; see `measuring_is_another_binary`",
    ),
];

/// An exported conversation without a turn.
const TALK: &str = r#"{"v": 1, "tenant": "default", "conversation": "c9", "events": [{"sequence": 1, "event":
    {"v": 1, "at": 5, "event": {"kind": "copied", "of": "c0", "turns": 0}, "state": {"n": 1, "copy_of": "c0"}}}]}"#;

fn shell() -> Shell {
    let shell = Shell::new();
    shell.write("docs/cat.md", "# Cats\n\nThe cat sat on the mat.\n");
    shell.write("docs/image.png", "x");
    shell.write("texts/notes.txt", "no prompt, and left alone");
    shell.write("talk.json", TALK);
    shell.write("access.json", "[]");
    shell.write("keys.json", "{\"keys\": []}");
    shell.write("webhooks.json", "{\"webhooks\": []}");
    shell.write("good.toml", "[run]\nslots = 8\n");
    shell.write("schema.toml", include_str!("../fixtures/schema.toml"));
    shell
}

#[test]
fn every_command_says_json_when_asked() {
    let shell = shell();
    for (name, exit, args) in OFFLINE {
        let ran = shell.run(&[*args, &["-o", "json"]].concat());
        let ran = ran.exits(*exit);
        assert!(ran.json()["error"].is_null(), "`{name}`: {ran:?}");
    }
    for (name, args) in OF_A_FLEET {
        let ran = shell.run(&[*args, &["--server", NOBODY, "-o", "json"]].concat());
        let ran = ran.exits(4);
        assert_eq!(ran.json()["error"]["code"], "cannot_connect", "`{name}`");
    }
}

#[test]
fn every_command_is_in_one_of_the_lists() {
    let offline = OFFLINE.iter().map(|(name, _, args)| (*name, *args));
    let with_args: Vec<(&str, &[&str])> = offline.chain(OF_A_FLEET.iter().copied()).collect();
    for (name, args) in &with_args {
        let words: Vec<&str> = name.split(' ').collect();
        assert!(args.starts_with(&words), "`{name}` runs {args:?}");
    }
    let mut listed: Vec<&str> = with_args.iter().map(|(name, _)| *name).collect();
    listed.extend(LEFT_OUT.iter().map(|(name, _)| *name));
    listed.sort_unstable();
    let mut all = commands();
    all.retain(|(_, command)| !command.has_subcommands());
    let mut all: Vec<String> = all.iter().map(|(path, _)| path.join(" ")).collect();
    all.sort_unstable();
    assert_eq!(
        listed, all,
        "left: what this test lists; right: what there is"
    );
}

#[test]
fn a_summary_does_not_repeat_the_command() {
    for (path, command) in commands() {
        let about = command.get_about().map(ToString::to_string);
        let about = about.unwrap_or_default().to_lowercase();
        let first = about.split_whitespace().next().unwrap_or_default();
        let name = command.get_name();
        assert!(
            first.trim_end_matches('.') != name,
            "`{}`: \"{about}\" begins with the command's own name",
            path.join(" ")
        );
    }
}

#[test]
fn a_reader_who_leaves_ends_a_command_without_an_error_and_changes_no_verdict() {
    let shell = shell();
    let wrong: [(&str, i32, &[&str]); 3] = [
        ("explain", 3, &["explain", "D99"]),
        ("no command", 2, &["explode"]),
        (
            "a probe that cannot look",
            3,
            &["doctor", "--rate", "0", "-o", "nagios"],
        ),
    ];
    for (name, exit, args) in OFFLINE.iter().chain(&wrong) {
        let gone = || {
            let (reader, writer) = std::io::pipe().unwrap();
            drop(reader);
            writer
        };
        let is_probe = args.contains(&"nagios");
        let json = if is_probe { &[][..] } else { &["-o", "json"] };
        for args in [args.to_vec(), [*args, json].concat()] {
            let mut command = shell.command(&args);
            let ran = finish(command.stdout(gone()).spawn().unwrap(), &args);
            let said = ["panic", "pipe"]
                .iter()
                .any(|word| ran.stderr.contains(word));
            assert!(ran.exit == *exit && !said, "`{name}` {args:?}: {ran:?}");
            // With `2>&1` nobody reads its errors either.
            let both = command.stdout(gone()).stderr(gone());
            let ran = finish(both.spawn().unwrap(), &args);
            assert_eq!(ran.exit, *exit, "`{name}` {args:?}, not even errors");
        }
    }
}

#[test]
fn quiet_leaves_errors_and_nothing_else_on_stderr() {
    let shell = shell();
    let ask = ["ask", "Where did the cat sit?", "--corpus", "docs"];
    let loud = shell.run(&ask).exits(0);
    assert!(loud.stderr.contains("1 file skipped"), "{loud:?}");
    let quiet = shell.run(&[&ask[..], &["--quiet"]].concat()).exits(0);
    assert_eq!(quiet.stderr, "");
    assert_eq!(quiet.stdout.lines().next(), loud.stdout.lines().next());
    let rows = ["{\"text\": \"The cat sat.\"}\n"; 11].concat() + "no document\n";
    shell.write(
        "docs/invoices/rows.jsonl",
        "no document\n".to_owned() + &rows,
    );
    let attempt = ["schema", "try", "schema.toml", "docs/invoices/rows.jsonl"];
    let loud = shell.run(&attempt).exits(0);
    for part in ["note: only the first", "skipped: "] {
        assert!(loud.stderr.contains(part), "no `{part}`: {loud:?}");
    }
    let quiet = shell.run(&[&attempt[..], &["--quiet"]].concat()).exits(0);
    assert_eq!(quiet.stderr, "");
    assert_eq!(quiet.stdout, loud.stdout);
    let attempt = [
        "schema",
        "try",
        "schema.toml",
        "docs/image.png",
        "--bucket",
        "invoices",
    ];
    let wrong = shell.run(&[&attempt[..], &["--quiet"]].concat()).exits(3);
    assert!(wrong.stderr.contains("`png`"), "why is said: {wrong:?}");
    let wrong = shell.run(&["index", "nowhere", "--quiet"]).exits(3);
    assert!(
        wrong.stderr.starts_with("error: ") && !wrong.stderr.contains("hint"),
        "{wrong:?}"
    );
}

#[test]
fn shells_can_read_their_completions() {
    let shell = shell();
    for name in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = shell.run(&["completions", name]).exits(0).stdout;
        assert!(
            script.contains("offline-model") && script.contains("corpus"),
            "{name}: {script}"
        );
    }
    let script = shell.run(&["completions", "bash"]).stdout;
    let file = shell.write("argosy.bash", script);
    let read = Command::new("bash").arg("-n").arg(file).output().unwrap();
    assert!(read.status.success(), "{read:?}");
}

/// The words of each answer, without what differs from run to run.
fn answers(ran: Ran) -> Vec<String> {
    let all = ran.exits(0).json();
    let all = all.as_array().unwrap().iter();
    let text = |one: &serde_json::Value| {
        let back = &one["clarification"];
        format!("{} {} {}", one["answer"], back["question"], back["options"])
    };
    all.map(text).collect()
}

#[test]
fn the_demo_over_http_says_what_it_says_without() {
    let shell = Shell::new();
    let without = answers(shell.run(&["demo", "-o", "json"]));
    assert_eq!(without.len(), 8);
    assert_eq!(
        answers(shell.run(&["demo", "--http", "-o", "json"])),
        without
    );
    let text = shell.run(&["demo", "--http"]).exits(0).stdout;
    assert!(text.contains("over HTTP at 127.0.0.1:"), "{text}");
}

#[test]
fn a_port_that_is_taken_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let shell = Shell::new();
    let ran = shell.run(&["offline-model", "--listen", &address]).exits(1);
    assert!(
        ran.stderr.contains(&address) && ran.stderr.contains("127.0.0.1:0"),
        "{ran:?}"
    );
}
