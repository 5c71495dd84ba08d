//! Tests live displays on a real terminal: they are redrawn in place with and without colour, restore the terminal at
//! the end, and are plain text where the terminal understands no control codes.

use crate::fleet::{Fleet, PATIENCE, connect, signal, until};
use crate::turns::{publish, question};
use envelope::Role;
use std::process::Stdio;
use testkit::terminal::PseudoTerminal;
use tokio::process::Child;
use tokio::time::timeout;

/// Moves to the top of the screen.
const HOME: &str = "\u{1b}[H";
/// Clears to the end of the line.
const REST: &str = "\u{1b}[K";
/// Switches to the alternate screen, and back.
const TAKEN: &str = "\u{1b}[?1049h";
const GIVEN_BACK: &str = "\u{1b}[?1049l";
/// Bold, dimmed and coloured text.
const STYLES: [&str; 3] = ["\u{1b}[1m", "\u{1b}[2m", "\u{1b}[3"];

/// A command on a terminal of this kind.
fn begun(
    fleet: &Fleet,
    args: &[&str],
    terminal: &PseudoTerminal,
    kind: &str,
    colour: &str,
) -> Child {
    let mut command = fleet.line(&[args, &["--color", colour]].concat());
    command
        .env("TERM", kind)
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .stdin(terminal.end().expect("an end"))
        .stdout(terminal.end().expect("an end"))
        .stderr(Stdio::piped());
    command.spawn().expect("it runs")
}

/// Waits until the terminal has received something.
async fn sees(terminal: &mut PseudoTerminal, what: &str, wanted: impl Fn(&str) -> bool) -> String {
    until(what, async || {
        let seen = terminal.seen();
        wanted(&seen).then_some(seen)
    })
    .await
}

async fn end(mut child: Child) -> Option<i32> {
    let ended = timeout(PATIENCE, child.wait()).await;
    ended.expect("an end in time").expect("an end").code()
}

/// Checks that the picture was drawn in place more than once, without a style.
fn is_drawn_plainly(seen: &str) {
    assert!(seen.starts_with(TAKEN), "{seen:?}");
    assert!(seen.contains(REST), "{seen:?}");
    assert!(!seen.contains("\u{1b}[2J"), "a blank screen: {seen:?}");
    let has_style = STYLES.iter().any(|style| seen.contains(style));
    assert!(!has_style, "{seen:?}");
}

fn drawn_twice(seen: &str) -> bool {
    seen.matches(HOME).count() >= 2
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_fleet_is_drawn_and_sorted_by_keys() {
    let server = testkit::nats::server().await;
    let fleet = Fleet::new(server.url(), Vec::new());
    fleet.setup().await;
    let mut terminal = PseudoTerminal::new(40, 120).expect("a terminal");
    let args = ["top", "--every", "1"];
    let child = begun(&fleet, &args, &terminal, "xterm", "never");
    let seen = sees(&mut terminal, "two pictures", drawn_twice).await;
    is_drawn_plainly(&seen);
    assert!(seen.contains("[1 role]") && seen.contains("q quit"));
    terminal.types("3").expect("a key");
    sees(&mut terminal, "the order by pending", |seen| {
        seen.contains("[3 pending]")
    })
    .await;
    terminal.types("r").expect("a key");
    sees(&mut terminal, "it reversed", |seen| {
        seen.contains("[3 pending, reversed]")
    })
    .await;
    assert!(!terminal.is_by_lines().expect("modes"));
    terminal.types("q").expect("a key");
    assert_eq!(end(child).await, Some(0));
    assert!(terminal.is_by_lines().expect("modes"), "as it was");
    assert!(terminal.seen().ends_with(GIVEN_BACK));

    // In colour, on a screen that is too low for all of it, ended by a signal.
    let mut low = PseudoTerminal::new(6, 120).expect("a terminal");
    let child = begun(&fleet, &args, &low, "xterm", "auto");
    let seen = sees(&mut low, "two pictures", drawn_twice).await;
    assert!(seen.contains("\u{1b}[1m"), "{seen:?}");
    let first = seen.split(HOME).nth(1).expect("a picture");
    assert_eq!(first.lines().count(), 6, "{first:?}");
    assert!(first.contains("more lines"), "{first:?}");
    signal(&child, "-INT").await;
    assert_eq!(end(child).await, Some(0));
    assert!(low.is_by_lines().expect("modes"), "as it was");
    assert!(low.seen().ends_with(GIVEN_BACK));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_terminal_without_codes_gets_none() {
    let server = testkit::nats::server().await;
    let fleet = Fleet::new(server.url(), Vec::new());
    fleet.setup().await;
    let mut terminal = PseudoTerminal::new(40, 120).expect("a terminal");
    let args = ["top", "--every", "1", "--count", "2"];
    let child = begun(&fleet, &args, &terminal, "dumb", "auto");
    assert_eq!(end(child).await, Some(0));
    let seen = terminal.seen();
    assert!(!seen.contains('\u{1b}'), "{seen:?}");
    assert_eq!(seen.matches("argosy top").count(), 2, "{seen}");
    assert!(!seen.contains("q quit"), "keys are for pictures: {seen}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_and_a_turn_are_drawn_over_themselves() {
    let server = testkit::nats::server().await;
    let mut fleet = Fleet::new(server.url(), Vec::new());
    fleet.setup().await;
    let mut terminal = PseudoTerminal::new(40, 120).expect("a terminal");
    let args = ["nodes", "--watch", "1"];
    let child = begun(&fleet, &args, &terminal, "xterm", "never");
    let seen = sees(&mut terminal, "two pictures", drawn_twice).await;
    is_drawn_plainly(&seen);
    signal(&child, "-TERM").await;
    assert_eq!(end(child).await, Some(0));
    assert!(terminal.seen().ends_with(GIVEN_BACK));

    // Nobody plans: the turn waits while it is followed.
    fleet.start(Role::Gateway);
    fleet.ready().await;
    let bus = connect(server.url()).await;
    publish(&*bus, vec![question(Some("watched".into()), "120s")]).await;
    until("the turn to begin", async || {
        let looked = fleet.command(&["trace", "watched"]).await;
        looked.status.success().then_some(())
    })
    .await;
    let mut terminal = PseudoTerminal::new(40, 120).expect("a terminal");
    let args = ["trace", "watched", "--follow"];
    let child = begun(&fleet, &args, &terminal, "xterm", "never");
    let seen = sees(&mut terminal, "two pictures", drawn_twice).await;
    is_drawn_plainly(&seen);
    signal(&child, "-INT").await;
    assert_eq!(end(child).await, Some(130));
    let seen = terminal.seen();
    let (_, left) = seen.rsplit_once(GIVEN_BACK).expect("given back");
    let is_told = left.contains("turn watched") && left.contains("planner");
    assert!(is_told, "what was seen last stays: {left:?}");
    fleet.drain().await;
}
