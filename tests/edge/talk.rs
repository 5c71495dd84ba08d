//! Tests conversations without a fleet: each question runs in a process of its own, and the earlier exchanges are on
//! disk in between.

use crate::shell::{Ran, Shell};
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;
use testkit::grep::files_with;

const LEASE: &str = "# Lease of the Harrow workshop\n\nThe lease of the Harrow workshop ends on 31 March 2027.\n\n\
                     The deposit of the Harrow workshop is 4,200 euro.\n";

fn shell() -> Shell {
    let shell = Shell::new();
    shell.write("docs/lease.md", LEASE);
    shell
}

fn ask(shell: &Shell, conversation: &str, question: &str, exit: i32) -> Value {
    let args = [
        "ask",
        "--corpus",
        "docs",
        "--conversation",
        conversation,
        question,
        "-o",
        "json",
    ];
    shell.run(&args).exits(exit).json()
}

fn recalled(event: &Value) -> &str {
    let first = &event["trail"][0];
    assert_eq!(first["role"], "conversation", "{event}");
    first["decided"].as_str().unwrap()
}

#[test]
fn a_damaged_folder_gives_what_can_be_read() {
    let shell = shell();
    ask(&shell, "c1", "When does the lease end?", 0);
    let chats = shell.dir().join(".argosy/chats");
    let files = std::fs::read_dir(&chats).unwrap().flatten();
    let events = files
        .map(|entry| entry.path())
        .find(|path| path.is_dir())
        .unwrap();
    let db = events.join("db");
    let length = std::fs::metadata(&db).unwrap().len();
    let file = std::fs::OpenOptions::new().write(true).open(&db).unwrap();
    file.set_len(length - length / 3).unwrap();
    drop(file);
    let next = ask(
        &shell,
        "c1",
        "How much is the deposit of the Harrow workshop?",
        0,
    );
    assert!(next["answer"].as_str().unwrap().contains("4,200"), "{next}");
    assert_eq!(recalled(&next), "1 exchange before", "all is lost");
}

/// The output of a chat in the conversation for these lines.
fn chat(shell: &Shell, conversation: &str, lines: &str) -> Ran {
    let mut command = shell.command(&["chat", "--corpus", "docs", "--conversation", conversation]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut typed = child.stdin.take().unwrap();
    typed.write_all(lines.as_bytes()).unwrap();
    drop(typed);
    crate::shell::finish(child, &["chat"]).exits(0)
}

#[test]
fn a_chat_that_goes_on_says_what_is_asked_back() {
    let shell = shell();
    let args = ["ask", "--corpus", "docs", "--bucket", "mail"];
    let question = "When does the lease of the Harrow workshop end?";
    shell
        .run(&[&args[..], &["--conversation", "c1", question]].concat())
        .exits(7);
    let on = chat(&shell, "c1", "1\n/quit\n");
    assert!(on.stderr.contains("last used "), "{}", on.stderr);
    for part in ["  1. Search without bucket in mail", "31 March 2027"] {
        assert!(on.stdout.contains(part), "no {part} in {}", on.stdout);
    }
    // It is answered: nothing is asked any more.
    let on = chat(&shell, "c1", "/quit\n");
    assert!(!on.stdout.contains("1. "), "{}", on.stdout);
    let new = chat(&shell, "c-mistyped", "/quit\n");
    assert!(
        new.stderr.contains("nothing was said in it yet"),
        "{}",
        new.stderr
    );
    shell.run(&["conversation", "rm", "c1", "--yes"]).exits(0);
    let erased = chat(&shell, "c1", "/quit\n");
    assert!(erased.stderr.contains("it was erased"), "{}", erased.stderr);
}

#[test]
fn a_chat_is_a_conversation_at_a_prompt() {
    let shell = shell();
    let lines = "When does the lease of the Harrow workshop end?\n/sources\n/trace\n/sing\nxyzzy plugh\n/quit\n";
    let ran = chat(&shell, "c9", lines);
    let parts = [
        "31 March 2027",
        "[1] lease.md",
        "conversation   0",
        "I found nothing",
    ];
    for part in parts {
        assert!(ran.stdout.contains(part), "no {part} in {}", ran.stdout);
    }
    assert!(ran.stderr.contains("/help"), "{}", ran.stderr);
    let next = ask(&shell, "c9", "the deposit", 0);
    assert_eq!(
        recalled(&next),
        "2 exchanges before, answers a question back"
    );
}

#[test]
fn an_export_is_read_back_as_it_was() {
    let shell = shell();
    ask(
        &shell,
        "c1",
        "When does the lease of the Harrow workshop end?",
        0,
    );
    ask(&shell, "c1", "xyzzy plugh", 7);
    let export = |shell: &Shell, id: &str| {
        let run = shell
            .run(&["conversation", "export", id, "-o", "json"])
            .exits(0);
        (run.stdout.clone(), run.json())
    };
    let (text, before) = export(&shell, "c1");
    let other = self::shell();
    other.write("talk.json", &text);
    for written in [true, false] {
        let run = other
            .run(&["conversation", "import", "talk.json", "-o", "json"])
            .exits(0);
        assert_eq!(
            run.json(),
            json!({"conversation": "c1", "turns": 2, "written": written})
        );
    }
    let mut wanted = before;
    for event in wanted["events"].as_array_mut().unwrap() {
        if event["event"]["event"]["kind"] == "opened" {
            // The inbox is not the one that it was asked in.
            event["event"]["event"]["inbox"] = json!(0);
        }
    }
    assert_eq!(export(&other, "c1").1, wanted);
    let reply = ask(&other, "c1", "the deposit of the Harrow workshop", 0);
    assert_eq!(
        recalled(&reply),
        "2 exchanges before, answers a question back"
    );
    let taken = other.run(&["conversation", "import", "talk.json"]).exits(0);
    assert!(taken.stdout.contains("there already"), "{}", taken.stdout);
    ask(&shell, "c1", "Something else?", 7);
    other.write("later.json", &export(&shell, "c1").0);
    let taken = other
        .run(&["conversation", "import", "later.json"])
        .exits(1);
    assert!(taken.stderr.contains("--as"), "{}", taken.stderr);
    let run = other.run(&[
        "conversation",
        "import",
        "later.json",
        "--as",
        "c3",
        "-o",
        "json",
    ]);
    assert_eq!(run.exits(0).json()["turns"], 3);
    for (bad, why) in [
        ("{}", "missing field"),
        ("[]", "no exported"),
        ("{\"v\":9", "no exported"),
    ] {
        other.write("bad.json", bad);
        let run = other.run(&["conversation", "import", "bad.json"]).exits(2);
        assert!(run.stderr.contains(why), "{}", run.stderr);
    }
}

#[test]
fn what_is_erased_is_in_no_file_any_more() {
    let shell = shell();
    let marker = "marzipan";
    ask(
        &shell,
        "c1",
        "When does the marzipan lease of the Harrow workshop end?",
        0,
    );
    ask(
        &shell,
        "c2",
        "How much is the deposit of the Harrow workshop?",
        0,
    );
    shell
        .run(&["conversation", "fork", "c1", "--as", "c3"])
        .exits(0);
    let data = shell.dir().join(".argosy");
    assert!(!files_with(&data, marker).is_empty());

    // Who erases from a script is told by the exit code, too.
    let would = shell.run(&["conversation", "rm", "c1"]).exits(7);
    assert!(would.stdout.contains("c3"), "{}", would.stdout);
    assert!(would.stderr.contains("--yes"), "{}", would.stderr);
    assert!(would.stdout.contains("c3 would stay"), "{}", would.stdout);
    let would = shell.run(&["conversation", "rm", "c1", "--forks"]).exits(7);
    assert!(!would.stdout.contains("would stay"), "{}", would.stdout);
    let would = shell.run(&["conversation", "rm", "c1", "--forks", "-o", "json"]);
    let would = would.exits(7).json();
    assert_eq!(
        (&would["erased"], &would["with_forks"]),
        (&json!(false), &json!(true))
    );
    assert!(!files_with(&data, marker).is_empty(), "only told");
    let run = shell
        .run(&["conversation", "rm", "c1", "--yes", "--forks", "-o", "json"])
        .exits(0);
    let erased = run.json();
    let ids = erased["conversations"].as_array().unwrap().iter();
    assert_eq!(
        ids.map(|one| &one["conversation"]).collect::<Vec<_>>(),
        ["c1", "c3"]
    );
    assert_eq!(
        files_with(&data, marker),
        [""; 0].map(std::path::PathBuf::from)
    );
    let refused = ask(&shell, "c1", "When does the lease end?", 1);
    assert_eq!(refused["error"]["code"], "conversation_erased", "{refused}");
    let again = shell.run(&["conversation", "rm", "c1", "--yes"]).exits(0);
    assert!(again.stdout.contains("as before"), "{}", again.stdout);
    let known = ask(&shell, "c2", "When does the lease end?", 0);
    assert_eq!(recalled(&known), "1 exchange before");
    shell
        .run(&["conversation", "rm", "nobody", "--yes"])
        .exits(3);
}
