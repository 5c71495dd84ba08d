//! Tests what all commands have in common: JSON if asked for, colour where it is wanted, a quiet stderr.

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
    ("edition ls", &["edition", "ls"]),
    ("edition begin", &["edition", "begin", "small"]),
    ("edition switch", &["edition", "switch", "small"]),
    ("edition drop", &["edition", "drop", "small"]),
    ("dead ls", &["dead", "ls"]),
    ("dead show", &["dead", "show", "1"]),
    ("dead retry", &["dead", "retry", "1", "--yes"]),
    ("dead drop", &["dead", "drop", "1", "--yes"]),
];

/// Commands that are in neither list, and why.
const LEFT_OUT: &[(&str, &str)] = &[
    ("run", "waits for its fleet until it is stopped"),
    ("up", "runs until it is stopped; the fleet tests do it"),
    ("offline-model", "serves until it is stopped"),
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

fn has_codes(ran: &Ran) -> bool {
    ran.stdout.contains('\u{1b}') || ran.stderr.contains('\u{1b}')
}

#[test]
fn colour_is_where_it_is_wanted() {
    let shell = shell();
    let ask = ["ask", "Where did the cat sit?", "--corpus", "docs"];
    let with = |shell: &Shell, when: &str| shell.run(&[&ask[..], &["--color", when]].concat());
    assert!(has_codes(&with(&shell, "always")), "asked for, in a pipe");
    assert!(!has_codes(&with(&shell, "never")));
    assert!(!has_codes(&with(&shell, "auto")));
    let forced = Shell::new().env("CLICOLOR_FORCE", "1");
    forced.write("docs/cat.md", "The cat sat on the mat.\n");
    assert!(has_codes(&with(&forced, "auto")));
    assert!(
        !has_codes(&with(&forced, "never")),
        "a flag wins over the environment"
    );
    let plain = Shell::new().env("NO_COLOR", "1");
    plain.write("docs/cat.md", "The cat sat on the mat.\n");
    assert!(!has_codes(&with(&plain, "auto")));
    assert!(has_codes(&with(&plain, "always")));
    shell.run(&["explain", "--color", "sometimes"]).exits(2);
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
fn a_doctor_without_a_server_makes_every_check_it_can() {
    let shell = shell();
    let ran = shell.run(&["doctor", "--server", NOBODY]).exits(1);
    for part in ["[fail] D01", "[skip] D03", "fix: ", "17 checks"] {
        assert!(ran.stdout.contains(part), "no `{part}` in {}", ran.stdout);
    }
    assert_eq!(ran.stderr, "", "what was printed has said it all");
    let json = shell.run(&["doctor", "--server", NOBODY, "-o", "json"]);
    let json = json.exits(1).json();
    assert_eq!(json["verdict"], "fail");
    assert_eq!(json["findings"][0]["code"], "D01");
    assert_eq!(json["findings"].as_array().unwrap().len(), 17);
    let probe = shell.run(&["doctor", "--server", NOBODY, "-o", "nagios"]);
    let probe = probe.exits(2);
    assert!(
        probe.stdout.starts_with("ARGOSY CRITICAL - D01"),
        "{probe:?}"
    );
    assert_eq!(probe.stdout.lines().count(), 1, "{probe:?}");
    // What could not be looked at is neither well nor critical.
    for more in [
        &["--set", "run.slotz=9"],
        &["--rate", "0"],
        &["--rate", "x"],
    ] {
        let probe = shell.run(&[&["doctor", "-o", "nagios"] as &[&str], more].concat());
        let probe = probe.exits(3);
        assert!(probe.stdout.starts_with("ARGOSY UNKNOWN - "), "{probe:?}");
        assert_eq!(probe.stdout.lines().count(), 1, "{probe:?}");
        assert_eq!(probe.stderr, "", "{probe:?}");
    }
    let other = shell.run(&["index", "docs", "-o", "nagios"]).exits(2);
    assert!(other.stderr.contains("`argosy doctor` only"), "{other:?}");
}

#[test]
fn a_code_is_explained_and_a_wrong_one_is_not_there() {
    let shell = shell();
    let page = shell.run(&["explain", "d05"]).exits(0).stdout;
    assert!(
        page.starts_with("D05 ") && page.contains("--rate"),
        "{page}"
    );
    assert_eq!(shell.run(&["explain"]).exits(0).stdout.lines().count(), 17);
    let wrong = shell.run(&["explain", "D99"]).exits(3);
    assert!(wrong.stderr.contains("D01 to D17"), "{wrong:?}");
    // It works where the configuration does not.
    shell.write("argosy.toml", "[run\n");
    shell.run(&["explain", "D01"]).exits(0);
}

#[test]
fn the_configuration_says_where_each_value_came_from() {
    let shell = Shell::without_model()
        .env("ARGOSY__streams__keep", "7m")
        .env("AGENTIC_ENABLED", "false")
        .env("AGENTIC_MAX_ITERATIONS", "5");
    shell.write(
        "argosy.toml",
        "[run]\nslots = 16\n\n[gateway]\nrounds = 2\n[model]\nmodel = \"m\"\n[[model.nodes]]\nname = \"a\"\nbase_url = \"http://127.0.0.1:1\"\napi_key = \"hush-hush\"\n",
    );
    let args = ["config", "show", "--origin", "--set", "gateway.deadline=9s"];
    let ran = shell.run(&args).exits(0);
    let line = |key: &str| {
        let mut lines = ran.stdout.lines();
        lines
            .find(|line| line.starts_with(&format!("{key} = ")))
            .unwrap_or_else(|| panic!("no {key} in {}", ran.stdout))
    };
    for (key, value, origin) in [
        ("run.slots", "16", "argosy.toml:2"),
        ("model.model", "\"m\"", "argosy.toml:7"),
        // A file wins over a variable with a name of its own.
        ("gateway.rounds", "2", "argosy.toml:5"),
        (
            "gateway.mode",
            "\"simple\"",
            "environment variable `AGENTIC_ENABLED`",
        ),
        (
            "streams.keep",
            "\"7m\"",
            "environment variable `ARGOSY__streams__keep`",
        ),
        ("gateway.deadline", "\"9s\"", "command line"),
        ("run.threads", "1", "default"),
        ("mapper.fact_support_min", "0.5", "default"),
    ] {
        let line = line(key);
        let wanted = format!("{key} = {value} ");
        assert!(
            line.starts_with(&wanted) && line.ends_with(&format!("# {origin}")),
            "{line}"
        );
    }
    assert!(!ran.stdout.contains("hush-hush") && line("model.nodes").contains("***"));
    let one = shell.run(&["config", "show", "run.slots", "-o", "json"]);
    let one = one.exits(0).json();
    assert_eq!(one[0]["value"], 16);
    assert_eq!(one[0]["origin"], "argosy.toml:2");
    shell.run(&["config", "show", "nonsense"]).exits(3);
    let wrong = shell.env("AGENTIC_ENABLED", "sometimes");
    let wrong = wrong.run(&["config", "show"]).exits(2);
    for part in ["`AGENTIC_ENABLED`", "`gateway.mode`", "`true` (agentic)"] {
        assert!(wrong.stderr.contains(part), "{wrong:?}");
    }
}

#[test]
fn a_file_is_checked_by_itself() {
    let shell = Shell::new().env("ARGOSY__run__slotz", "9");
    shell.write("good.toml", "[run]\nslots = 8\n");
    shell.write("bad.toml", "[run]\nslotz = 8\n[nats]\nurl = 5\n");
    let node = "name = \"a\"\nbase_url = \"http://a\"\napi_key_file = \"/nowhere/key\"\n";
    let elsewhere = format!("[model]\nmodel = \"m\"\n[[model.nodes]]\n{node}");
    shell.write("elsewhere.toml", elsewhere);
    shell.run(&["config", "check", "good.toml"]).exits(0);
    shell.run(&["config", "check", "elsewhere.toml"]).exits(0);
    let bad = shell.run(&["config", "check", "bad.toml"]).exits(1);
    for part in ["bad.toml:2:", "did you mean `run.slots`?", "bad.toml:4:"] {
        assert!(bad.stdout.contains(part), "no {part}: {bad:?}");
    }
    let json = shell.run(&["config", "check", "bad.toml", "-o", "json"]);
    assert_eq!(json.exits(1).json()[0]["line"], 2);
    shell.run(&["config", "check", "none.toml"]).exits(3);
    // Without a name it is the file that a command in this folder reads.
    let none = shell.run(&["config", "check"]).exits(3).stderr;
    assert!(none.contains("`argosy.toml`"), "{none}");
    shell.write("argosy.toml", "[run]\nslotz = 8\n");
    let bad = shell.run(&["config", "check"]).exits(1).stdout;
    assert!(bad.contains("argosy.toml:2:"), "{bad}");
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
