//! Tests `argosy chat` on a real terminal: an option of a question back is chosen, the chat goes on in a fork,
//! another conversation begins, and meanwhile another process reads the conversation. The test runs with a fleet and
//! in one process.

use crate::binary::argosy;
use crate::fleet::{Fleet, PATIENCE, until};
use crate::typed::Typed;
use envelope::Role;
use serde_json::Value;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::process::Command;
use tokio::time::timeout;

const LEASE: &str =
    "# Lease of the Harrow workshop\n\nThe lease of the Harrow workshop ends on 31 March 2027.\n";
/// The part of the corpus that the chats search holds nothing about it.
const QUESTION: &str = "When does the lease of the Harrow workshop end?";
const CHAT: [&str; 5] = ["chat", "--conversation", "first", "--bucket", "mail"];
const MODEL: &str = "model.model=offline-extractive";

/// The command with which another process reads the conversations.
type Listed<'a> = &'a dyn Fn(&[&str]) -> Command;

async fn listed(list: Listed<'_>, args: &[&str]) -> Value {
    let args = [&["conversation"], args, &["-o", "json"]].concat();
    let output = timeout(PATIENCE, list(&args).output()).await;
    let output = output.expect("an end in time").expect("it runs");
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

async fn talks(command: Command, list: Listed<'_>) {
    let mut chat = Typed::begin(command);
    let at_prompt = |screen: &str| screen.ends_with('>');
    chat.sees("a prompt", at_prompt).await;
    chat.types(&format!("{QUESTION}\r"));
    let asked_back = |screen: &str| {
        screen.contains("1. Search without bucket in mail")
            && !screen.contains("2. ")
            && at_prompt(screen)
    };
    chat.sees("a question back", asked_back).await;
    let waiting = listed(list, &["show", "first"]).await;
    assert_eq!(waiting["turns"][0]["outcome"], "clarification", "{waiting}");
    chat.types("1\r");
    let answered = |screen: &str| screen.contains("31 March 2027") && at_prompt(screen);
    chat.sees("the answer", answered).await;
    let shown = listed(list, &["show", "first"]).await;
    assert_eq!(shown["turns"].as_array().map(Vec::len), Some(2), "{shown}");
    assert_eq!(shown["turns"][1]["outcome"], "answered", "{shown}");
    chat.types("/fork 1\r");
    // The copy asks back, as the first turn did.
    let copied = |screen: &str| {
        let copy = screen.split("with 1 turn of the one before").nth(1);
        copy.is_some_and(|copy| copy.contains("1. Search without bucket in mail"))
            && at_prompt(screen)
    };
    chat.sees("a copy", copied).await;
    let both = listed(list, &["ls"]).await;
    assert_eq!(
        both["conversations"].as_array().map(Vec::len),
        Some(2),
        "{both}"
    );
    // What was asked back about before the copy is another conversation's now: the number is only a number.
    chat.types("/new\r");
    let anew = |screen: &str| screen.matches("\nconversation ").count() == 2 && at_prompt(screen);
    chat.sees("another one", anew).await;
    let numbered = async |events: u64| {
        let all = listed(list, &["ls"]).await;
        let conversations = all["conversations"].as_array()?;
        let newest = conversations.first()?;
        let is_so = newest["events"] == events && newest["open"] == 0;
        (conversations.len() == 3 && is_so).then_some(())
    };
    // Typed ahead: two lines arrive at once.
    chat.types(&format!("1\r{QUESTION}\r"));
    until("the number and the next question", async || {
        numbered(4).await
    })
    .await;
    chat.types("/quit\r");
    assert_eq!(chat.end().await, Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_chat_in_one_process_is_pressed_copied_and_begun_anew() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::create_dir_all(dir.path().join("docs")).expect("a folder");
    std::fs::write(dir.path().join("docs/lease.md"), LEASE).expect("a file");
    let command = |args: &[&str]| alone(dir.path(), args);
    let chat = command(&[&CHAT[..], &["--corpus", "docs"]].concat());
    talks(chat, &command).await;
}

fn alone(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(argosy());
    command.args(args).args(["--set", MODEL]);
    command.current_dir(dir).kill_on_drop(true);
    command
}

/// A fleet of these roles whose index holds the lease.
async fn fleet(url: String, roles: impl IntoIterator<Item = Role>) -> Fleet {
    let mut fleet = Fleet::new(url, vec![MODEL.into()]);
    fleet.stubbed.clear();
    fleet.setup().await;
    for role in roles {
        fleet.start(role);
    }
    fleet.ready().await;
    let docs = fleet.dir().join("docs");
    std::fs::create_dir_all(&docs).expect("a folder");
    std::fs::write(docs.join("lease.md"), LEASE).expect("a file");
    fleet.json(&["index", docs.to_str().expect("a name")]).await;
    fleet
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_chat_through_a_fleet_is_pressed_copied_and_begun_anew() {
    let server = testkit::nats::server().await;
    let mut fleet = fleet(server.url(), Role::ALL).await;
    let mut chat = fleet.line(&CHAT);
    chat.current_dir(fleet.dir());
    talks(chat, &|args: &[&str]| fleet.line(args)).await;
    fleet.drain().await;
}

/// The exit code and the result of a question that a script asks.
async fn asked(fleet: &Fleet, args: &[&str]) -> (Option<i32>, Value) {
    let args = [&["ask"], args, &["-o", "json"]].concat();
    let output = fleet.command(&args).await;
    let said = serde_json::from_slice(&output.stdout);
    (
        output.status.code(),
        said.unwrap_or_else(|e| panic!("{e}: {output:?}")),
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_script_replies_follows_a_turn_is_rejected_and_interrupts() {
    let server = testkit::nats::server().await;
    let others = Role::ALL
        .into_iter()
        .filter(|role| *role != Role::Conversation);
    let mut fleet = fleet(server.url(), others).await;
    // Outside of a conversation, a reply names what it answers.
    let (exit, asked_back) = asked(&fleet, &[QUESTION, "--bucket", "mail"]).await;
    assert_eq!(exit, Some(7), "{asked_back}");
    let turn = asked_back["turn"].as_str().expect("a turn");
    let clarification = &asked_back["clarification"];
    let expires = clarification["expires"].as_u64().expect("a time");
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("a time");
    let left = Duration::from_millis(expires).saturating_sub(now);
    let day = Duration::from_secs(24 * 3_600);
    assert!(left <= day && left > day - PATIENCE, "{left:?}");
    let widens = clarification["widens"].as_str().expect("an option");
    let (exit, answer) = asked(&fleet, &[widens, "--answer", turn]).await;
    assert_eq!(exit, Some(0), "{answer}");
    assert!(
        answer["answer"].to_string().contains("31 March 2027"),
        "{answer}"
    );
    let (exit, late) = asked(&fleet, &[widens, "--answer", turn]).await;
    assert_eq!(
        (exit, &late["error"]["code"]),
        (Some(1), &"clarification_answered".into())
    );
    // Nobody recalls anything yet: the conversation is busy with its first question.
    let within = [QUESTION, "--conversation", "busy"];
    let first = fleet.begun(&[&["ask"], &within[..], &["-o", "json"]].concat());
    until("the first question in its log", async || {
        let shown = fleet
            .command(&["conversation", "show", "busy", "-o", "json"])
            .await;
        shown.status.success().then_some(())
    })
    .await;
    let when_busy = |word| [&within[..], &["--when-busy", word]].concat();
    let (exit, rejected) = asked(&fleet, &when_busy("reject")).await;
    assert_eq!(
        (exit, &rejected["error"]["code"]),
        (Some(1), &"conversation_busy".into()),
        "{rejected}"
    );
    let interrupts =
        fleet.begun(&[&["ask"], &when_busy("interrupt")[..], &["-o", "json"]].concat());
    let first = first.wait_with_output().await.expect("an end");
    let first: Value = serde_json::from_slice(&first.stdout).expect("JSON");
    assert_eq!(
        (&first["outcome"], &first["error"]["code"]),
        (&"cancelled".into(), &"interrupted".into()),
        "{first}"
    );
    fleet.start(Role::Conversation);
    let second = interrupts.wait_with_output().await.expect("an end");
    let second: Value = serde_json::from_slice(&second.stdout).expect("JSON");
    assert_eq!(second["outcome"], "answered", "{second}");
    let turn = second["turn"].as_str().expect("a turn");
    let (exit, third) = asked(&fleet, &[&within[..], &["--after", turn]].concat()).await;
    assert_eq!(
        (exit, &third["outcome"]),
        (Some(0), &"answered".into()),
        "{third}"
    );
    fleet.drain().await;
}
