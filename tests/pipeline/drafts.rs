//! Tests how drafts are shown while a slow model writes them. The client receives them piece by piece. On a real
//! terminal they are dimmed, redrawn, and removed when the answer comes. The test runs with a fleet and in one
//! process.

use crate::binary::argosy;
use crate::fleet::{Fleet, MAPPED, PATIENCE, connect, signal};
use crate::typed::Typed;
use envelope::{Outcome, Role};
use serde_json::{Map, json};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use streams::client::{Ask, DraftText, News};
use testkit::sim_node::{Options, Params, PromptText, SimNode};
use testkit::terminal::PseudoTerminal;
use tokio::process::Command;
use tokio::time::timeout;

const TITLE: &str = "draft, not checked yet:";
/// The first draft. No source has its figure, so a stricter draft is asked for.
const WRONG: &str = "The notice period is 4711 days, which is a very long time for a contract of that kind, \
                     and nobody would ever agree to anything of the sort [1].";
/// Words of the first draft that stand nowhere else.
const ONLY_WRONG: &str = "a very long time";
/// The draft for the stricter prompt.
const RIGHT: &str =
    "The notice period is 90 days [1]. The notice period of 90 days is for both parties [1].";
const FACT: &str =
    "The notice period of 90 days is for both parties. The notice period is 90 days.";

/// A node that writes a token of four letters in some 25 ms.
async fn node() -> SimNode {
    let options = Options {
        params: Params {
            step_base: Duration::from_millis(25),
            ..Params::default()
        },
        ..Options::default()
    };
    let node = SimNode::answering(options, says).await;
    node.expect("a simulated node")
}

fn says(prompt: &PromptText) -> String {
    if prompt.user.contains("\"keywords\"") {
        json!({"keywords": ["notice"], "file_filter": null, "source_hint": null}).to_string()
    } else if prompt.user.contains("\"grade\"") {
        json!({"grade": 0.9, "facts": [FACT]}).to_string()
    } else if prompt.system.contains("be strict") {
        RIGHT.into()
    } else {
        WRONG.into()
    }
}

fn options(node: &SimNode) -> Vec<String> {
    let nodes = json!([{"name": "sim", "base_url": node.base_url()}]);
    // The questions are alike: calls are counted here, not spared.
    let spared = "model.cache.entries=0".into();
    vec![
        "model.model=sim".into(),
        spared,
        format!("model.nodes={nodes}"),
    ]
}

async fn fleet(url: String, node: &SimNode) -> Fleet {
    let mut fleet = Fleet::new(url, options(node));
    fleet.setup().await;
    fleet.start_all().await;
    fleet
}

/// A command of one process over a folder with one document.
fn alone(dir: &Path, node: &SimNode, args: &[&str]) -> Command {
    std::fs::create_dir_all(dir.join("docs")).expect("a folder");
    std::fs::write(dir.join("docs/contract.md"), FACT).expect("a file");
    let mut command = Command::new(argosy());
    command.args(args).args(["--corpus", "docs"]);
    let own = options(node);
    for option in MAPPED.into_iter().chain(own.iter().map(String::as_str)) {
        command.args(["--set", option]);
    }
    command.current_dir(dir).kill_on_drop(true);
    command
}

/// A chat with one question: the first draft is shown and removed, the stricter one is shown, and the answer stays.
async fn talks(command: Command) {
    let mut chat = Typed::begin(command);
    chat.sees("a prompt", |screen| screen.ends_with('>')).await;
    chat.types("How long is the notice period?\r");
    let first = chat
        .sees("the first draft", |s| s.contains(ONLY_WRONG))
        .await;
    assert!(first.contains(TITLE), "{first}");
    let dimmed = format!("\u{1b}[2m{}", &WRONG[..20]);
    assert!(chat.seen().contains(&dimmed), "{:?}", chat.seen());
    let is_stricter = |screen: &str| screen.contains(TITLE) && screen.contains("90 days");
    let second = chat.sees("the stricter draft", is_stricter).await;
    assert!(!second.contains(ONLY_WRONG), "{second}");
    let is_over = |screen: &str| screen.contains("confidence") && screen.ends_with('>');
    let last = chat.sees("the answer", is_over).await;
    let below = last.lines().skip_while(|line| !line.starts_with("> How"));
    assert_eq!(below.take(2).last(), Some(RIGHT), "{last}");
    assert!(
        !last.contains("draft") && !last.contains(ONLY_WRONG),
        "{last}"
    );
    let drawn = chat.seen().matches(TITLE).count();
    assert!(drawn > 4, "two drafts were drawn {drawn} times");
    chat.types("/quit\r");
    assert_eq!(chat.end().await, Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_chat_shows_drafts_through_a_fleet() {
    let server = testkit::nats::server().await;
    let node = node().await;
    let mut fleet = fleet(server.url(), &node).await;
    let mut chat = fleet.line(&["chat"]);
    chat.current_dir(fleet.dir());
    talks(chat).await;
    fleet.drain().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_chat_shows_drafts_in_one_process() {
    let dir = tempfile::tempdir().expect("a folder");
    let node = node().await;
    talks(alone(dir.path(), &node, &["chat"])).await;
}

/// Without being asked for, without colour, and where the output is no terminal.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_draft_that_is_not_wanted_or_could_not_be_told_from_an_answer_is_not_shown() {
    let node = node().await;
    let ask = ["ask", "How long is the notice period?"];
    for args in [&["--no-draft"][..], &["--color", "never"], &["--quiet"]] {
        let dir = tempfile::tempdir().expect("a folder");
        let mut asked = Typed::begin(alone(dir.path(), &node, &[&ask, args].concat()));
        assert_eq!(asked.end().await, Some(0));
        let seen = asked.seen();
        assert!(seen.contains("90 days"), "{seen:?}");
        assert!(
            !seen.contains("draft") && !seen.contains(ONLY_WRONG),
            "{args:?}: {seen:?}"
        );
    }
    let dir = tempfile::tempdir().expect("a folder");
    let mut terminal = PseudoTerminal::new(24, 100).expect("a terminal");
    let mut piped = alone(dir.path(), &node, &ask);
    let stderr = terminal.end().expect("an end");
    piped.stdin(Stdio::null()).stderr(stderr);
    let output = timeout(PATIENCE, piped.stdout(Stdio::piped()).output()).await;
    let output = output.expect("an end in time").expect("it runs");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(
        stdout.starts_with("The notice period is 90 days"),
        "{stdout}"
    );
    let seen = terminal.seen();
    assert!(
        !seen.contains("draft") && !seen.contains(ONLY_WRONG),
        "{seen:?}"
    );
}

/// Ctrl-C during a draft: the command ends, and the draft does not stay on the screen.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_draft_is_off_the_screen_when_the_question_is_given_up() {
    let dir = tempfile::tempdir().expect("a folder");
    let node = node().await;
    let ask = ["ask", "How long is the notice period?"];
    let mut asked = Typed::begin(alone(dir.path(), &node, &ask));
    asked
        .sees("a draft", |screen| screen.contains(ONLY_WRONG))
        .await;
    signal(asked.child(), "-INT").await;
    assert_eq!(asked.end().await, Some(130));
    let left = asked.screen();
    assert_eq!(left, "", "{left}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_asks_for_it_hears_a_draft_grow_and_the_model_is_asked_no_more_for_it() {
    let server = testkit::nats::server().await;
    let node = node().await;
    let mut fleet = fleet(server.url(), &node).await;
    let bus = connect(server.url()).await;
    let mut calls = Vec::new();
    for wants in [true, false] {
        let before = node.seen().calls;
        let (mut drafts, mut pieces) = (vec![String::new()], 0);
        let mut draft = DraftText::default();
        let ask = Ask {
            question: "How long is the notice period?".into(),
            fields: Map::from_iter([("stream".into(), wants.into())]),
            wait: PATIENCE,
        };
        let asked = streams::client::ask(&*bus, ask, |news| {
            if let News::Text(piece) = &news {
                assert_eq!(piece.role, Role::Reducer);
                pieces += 1;
            }
            if !draft.hear(&news) {
                return;
            }
            match draft.text() {
                "" => drafts.push(String::new()),
                text => *drafts.last_mut().expect("one at least") = text.to_owned(),
            }
        });
        let terminal = asked.await.expect("an answer");
        assert_eq!(terminal.outcome, Outcome::Answered);
        calls.push(node.seen().calls - before);
        match wants {
            true => {
                assert_eq!(drafts, [WRONG, RIGHT, ""]);
                // Some 0.9 and 0.5 seconds, at ten pieces a second.
                assert!((6..40).contains(&pieces), "{pieces} pieces");
            }
            false => assert_eq!(pieces, 0),
        }
    }
    assert_eq!(calls[0], calls[1]);
    fleet.drain().await;
}
