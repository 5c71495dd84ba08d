//! Tests the first steps with a fleet: a server that starts late or lacks JetStream, roles that cannot start, and a
//! question that no gateway takes.

use crate::shell::{Shell, finish, signal};
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long anything that has to happen by itself may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A port at which nothing listens now.
fn free_port() -> u16 {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    free.local_addr().unwrap().port()
}

/// So many ports in a row at which nothing listens now.
fn free_row(count: u16) -> u16 {
    let is_free = |port: &u16| {
        let taken = |at| TcpListener::bind((Ipv4Addr::LOCALHOST, port + at)).ok();
        (0..count).map(taken).collect::<Option<Vec<_>>>().is_some()
    };
    let mut tried = (20_000..32_000).step_by(usize::from(count));
    let _ = tried.nth(fastrand::usize(..1_000));
    tried.find(is_free).unwrap()
}

/// A server as people start it; the function does not wait for it.
async fn plain_server(shell: &Shell, port: u16, args: &[&str]) -> Child {
    Command::new(testkit::nats::binary().await)
        .args(["-a", "127.0.0.1", "-p", &port.to_string()])
        .args(args)
        .current_dir(shell.dir())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// The lines of a log that is still being written.
struct Log(std::path::PathBuf);

impl Log {
    fn of(shell: &Shell, command: &mut Command) -> (Child, Log) {
        let path = shell.dir().join("log");
        let child = command.stderr(std::fs::File::create(&path).unwrap());
        (child.spawn().unwrap(), Log(path))
    }

    fn count(&self, text: &str) -> usize {
        let all = std::fs::read_to_string(&self.0).unwrap();
        all.lines().filter(|line| line.contains(text)).count()
    }

    fn until(&self, text: &str, count: usize) {
        let begun = Instant::now();
        while self.count(text) < count {
            let said = || std::fs::read_to_string(&self.0).unwrap();
            assert!(
                begun.elapsed() < PATIENCE,
                "no {count} of `{text}`: {}",
                said()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn setup_waits_for_a_server_that_is_about_to_come_up() {
    let shell = Shell::new();
    let port = free_port();
    let url = format!("nats://127.0.0.1:{port}");
    let begun = Instant::now();
    let away = shell.run(&["setup", "--server", &url]).exits(4).stderr;
    assert!(begun.elapsed() >= Duration::from_secs(5), "{away}");
    assert_eq!(
        away.matches("waiting up to 5 s for NATS at").count(),
        1,
        "{away}"
    );

    let args = ["setup", "--server", &url];
    let waiting = shell.command(&args).spawn().unwrap();
    let mut server = plain_server(&shell, port, &["-js", "-sd", "store"]).await;
    let made = finish(waiting, &args);
    server.kill().unwrap();
    server.wait().unwrap();
    assert!(made.exits(0).stdout.contains("created"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_without_jetstream_is_told_from_none() {
    let shell = Shell::new();
    shell.write("docs/cat.md", "The cat sat on the mat.\n");
    let port = free_port();
    let mut server = plain_server(&shell, port, &[]).await;
    let url = format!("nats://127.0.0.1:{port}");
    // The first of them waits until it is up.
    for args in [
        &["setup"][..],
        &["setup", "--check"],
        &["status"],
        &["index", "docs"],
    ] {
        let text = shell.run(&[args, &["--server", &url]].concat());
        let text = text.exits(4).stderr;
        for part in ["runs without JetStream", "start nats-server with -js"] {
            assert!(text.contains(part), "{args:?}: no {part} in: {text}");
        }
    }
    let found = shell
        .run(&["doctor", "--server", &url, "-o", "json"])
        .json();
    let verdict = |code: &str| {
        let mut all = found["findings"].as_array().unwrap().iter();
        all.find(|one| one["code"] == code).unwrap()["verdict"].clone()
    };
    assert_eq!(verdict("D02"), "fail", "{found}");
    for code in ["D03", "D04", "D05", "D06"] {
        assert_eq!(verdict(code), "skip", "{code}: {found}");
    }
    server.kill().unwrap();
    server.wait().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_gateway_without_streams_says_so_once_and_when_it_is_over() {
    let server = testkit::nats::server().await;
    let shell = Shell::new().env("ARGOSY__nats__url", &server.url());
    let args = ["run", "gateway"];
    let (gateway, log) = Log::of(&shell, &mut shell.command(&args));
    log.until("not consuming yet", 1);
    // As long as several tries take.
    std::thread::sleep(Duration::from_millis(1_800));
    let begun = log.count("not consuming yet");
    assert!((1..=3).contains(&begun), "one a consumer, and not {begun}");
    shell.run(&["setup"]).exits(0);
    log.until("\"consuming\"", begun);
    assert_eq!(log.count("not consuming yet"), begun);
    signal(gateway.id(), "-TERM");
    finish(gateway, &args).exits(0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_that_nobody_takes_says_so() {
    let server = testkit::nats::server().await;
    let shell = Shell::new().env("ARGOSY__nats__url", &server.url());
    shell.run(&["setup"]).exits(0);
    let idle = shell.run(&["status"]).exits(0).stdout;
    assert!(idle.contains("no process reports; start"), "{idle}");
    let listed = shell.run(&["dead", "ls"]).exits(0).stdout;
    assert_eq!(listed, "there are no dead letters\n");

    let ask = ["ask", "Where did the cat sit?", "--timeout", "12"];
    let text = shell.run(&ask).exits(6).stderr;
    let untaken = "no gateway has taken the question yet: none runs (`argosy run gateway`";
    // Once while it waits, as a log hears of it every ten seconds, and once at the end.
    assert_eq!(text.matches(untaken).count(), 2, "{text}");
    assert!(
        text.contains("error: no answer within 12 s; no gateway"),
        "{text}"
    );
}

/// The output of `up` until it has finished starting.
fn printed(child: &mut Child) -> String {
    let mut text = String::new();
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        text += &format!("{line}\n");
        if line.starts_with("Ctrl-C") {
            break;
        }
    }
    text
}

#[test]
fn a_fleet_on_a_set_port_gives_each_role_its_own() {
    let shell = Shell::new();
    let port = free_row(8);
    let listen = format!("telemetry.listen=127.0.0.1:{port}");
    let args = ["up", "--port", "0", "--set", &listen];
    let mut up = shell.command(&args).spawn().unwrap();
    let text = printed(&mut up);
    for place in 0..9 {
        let at = format!("http://127.0.0.1:{}/metrics", port + place);
        assert!(text.contains(&at), "no {at} in: {text}");
    }
    assert!(text.contains("Next:"), "{text}");
    signal(up.id(), "-TERM");
    let ended = finish(up, &args);
    assert_eq!(ended.exit, 0, "{ended:?}");
}

#[test]
fn a_role_that_cannot_start_ends_the_fleet_with_its_reason() {
    let shell = Shell::new();
    let held = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = held.local_addr().unwrap().port();
    let listen = format!("telemetry.listen=127.0.0.1:{port}");
    let ended = shell.run(&["up", "--port", "0", "--set", &listen]).exits(2);
    let text = &ended.stderr;
    assert!(text.contains(&format!("`{port}`")), "{text}");
    assert!(text.contains("the conversation does not start"), "{text}");
    assert!(!ended.stdout.contains("Next:"), "{ended:?}");
}
