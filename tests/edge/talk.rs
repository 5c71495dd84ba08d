//! Conversations without a fleet: each question a process of its own, what was said on disk between them.

use crate::shell::Shell;
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;

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
fn what_was_said_outlives_its_process() {
    let shell = shell();
    let first = ask(
        &shell,
        "c1",
        "When does the lease of the Harrow workshop end?",
        0,
    );
    assert!(
        first["answer"].as_str().unwrap().contains("2027"),
        "{first}"
    );
    assert_eq!(recalled(&first), "nothing was said before");
    assert_eq!(first["conversation"], "c1");
    let second = ask(&shell, "c1", "And how much is the deposit?", 0);
    assert_eq!(recalled(&second), "1 exchange before");
    assert!(
        second["answer"].as_str().unwrap().contains("4,200"),
        "{second}"
    );
    assert_eq!(
        recalled(&ask(&shell, "c2", "Which workshop?", 0)),
        "nothing was said before"
    );

    // A question back, and its reply from another process.
    let asked_back = ask(&shell, "c1", "xyzzy plugh", 7);
    assert_eq!(asked_back["outcome"], "clarification");
    let reply = ask(&shell, "c1", "the deposit of the Harrow workshop", 0);
    assert_eq!(
        recalled(&reply),
        "3 exchanges before, answers a question back"
    );
    assert!(
        reply["rewritten"]
            .as_str()
            .unwrap()
            .contains("User clarified"),
        "{reply}"
    );
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
    let after = ask(&shell, "c1", "When does the lease end?", 0);
    let known = recalled(&after);
    assert!(known.contains("exchange"), "all is lost: {known}");
}

#[test]
fn a_chat_is_a_conversation_at_a_prompt() {
    let shell = shell();
    let mut command = shell.command(&["chat", "--corpus", "docs", "--conversation", "c9"]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let lines = "When does the lease of the Harrow workshop end?\n/sources\n/trace\n/sing\nxyzzy plugh\n/quit\n";
    child
        .stdin
        .take()
        .unwrap()
        .write_all(lines.as_bytes())
        .unwrap();
    let ran = crate::shell::finish(child, &["chat"]).exits(0);
    for part in ["31 March 2027", "[1] lease.md", "conversation   0", "  1. "] {
        assert!(ran.stdout.contains(part), "no {part} in {}", ran.stdout);
    }
    assert!(ran.stderr.contains("/help"), "{}", ran.stderr);
    let next = ask(&shell, "c9", "the deposit", 0);
    assert_eq!(
        recalled(&next),
        "2 exchanges before, answers a question back"
    );
}
