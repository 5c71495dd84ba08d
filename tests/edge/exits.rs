//! Tests the exit codes of what takes a server or its absence, each with text for people and JSON for programs. *Not*
//! here: the others (`tests/commands/exits.toml`).

use crate::ingress::Fleet;
use crate::shell::{Ran, Shell, finish, signal};
use std::net::TcpListener;
use std::time::{Duration, Instant};

/// How long anything that has to happen by itself may take.
const PATIENCE: Duration = Duration::from_secs(20);

fn shell() -> Shell {
    let shell = Shell::new();
    shell.write("docs/cat.md", "The cat sat on the mat.\n");
    shell
}

/// Asserts that the words on stderr and the object on stdout say the same.
fn says(shell: &Shell, args: &[&str], exit: i32, code: &str, part: &str) {
    let text = shell.run(args).exits(exit);
    assert!(text.stderr.starts_with("error: "), "{args:?}: {text:?}");
    assert!(
        text.stderr.contains(part) && text.stdout.is_empty(),
        "{args:?}: {text:?}"
    );
    let json = shell.run(&[args, &["-o", "json"]].concat()).exits(exit);
    let error = &json.json()["error"];
    assert_eq!(error["code"], code, "{args:?}: {json:?}");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains(part), "{args:?}: {json:?}");
    assert!(
        !message.trim().is_empty() && json.stderr.is_empty(),
        "{args:?}: {json:?}"
    );
}

#[test]
fn a_fleet_without_a_server_says_how_to_get_one_and_fetches_none() {
    let nowhere = shell();
    let cache = nowhere.dir().join("cache");
    let path = nowhere.dir().display().to_string();
    let shell = nowhere
        .env("PATH", &path)
        .env("HOME", &path)
        .env("XDG_CACHE_HOME", &cache.display().to_string());
    let args = ["up", "--port", "0"];
    says(&shell, &args, 3, "not_found", "no nats-server");
    let told = shell.run(&args).exits(3);
    assert!(told.stderr.contains("argosy up --fetch-server"), "{told:?}");
    assert!(!cache.exists(), "nothing was fetched");
    // No Python is on that path either: it is asked for all the same, and from where is said before.
    let asked = shell.run(&[&args as &[&str], &["--fetch-server"]].concat());
    let asked = asked.exits(3).stderr;
    assert!(asked.contains("SHA-256 "), "{asked}");
    assert!(asked.contains("python3 does not run"), "{asked}");
}

#[test]
fn four_is_for_a_server_that_is_not_there() {
    let shell = shell();
    // A port that was free a moment ago.
    let held = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = held.local_addr().unwrap().port();
    drop(held);
    let url = format!("nats://ann:s3cret@127.0.0.1:{port}");
    for args in [
        &["ask", "Where?", "--server", &url] as &[&str],
        &["index", "docs", "--server", &url],
        &["setup", "--check", "--server", &url],
        &["answer", "q-1", "--server", &url],
        &["cancel", "q-1", "--server", &url],
    ] {
        says(&shell, args, 4, "cannot_connect", &port.to_string());
        let told = shell.run(args);
        assert!(
            !format!("{told:?}").contains("s3cret"),
            "a password is shown: {told:?}"
        );
        assert!(told.stderr.contains("hint: "), "{told:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_is_for_credentials_that_the_server_does_not_know() {
    let users = r#"authorization { users: [
        { user: ann, password: "p@ss,w" }, { user: bob, password: "p,w" } ] }"#;
    let server = testkit::nats::server_with(|options| options.extra = users.to_owned()).await;
    let shell = shell();
    let url = |login: &str| server.url().replace("nats://", &format!("nats://{login}"));
    for (login, secret) in [("ann:s3cret@", "s3cret"), ("t0ken@", "t0ken"), ("", "ann")] {
        let url = url(login);
        for args in [
            &["ask", "Where?", "--server", &url] as &[&str],
            &["setup", "--check", "--server", &url],
            &["status", "--server", &url],
        ] {
            says(&shell, args, 5, "denied", "credentials");
            let told = shell.run(args);
            assert!(!format!("{told:?}").contains(secret), "{told:?}");
            assert!(told.stderr.contains("hint: look at --creds"), "{told:?}");
        }
        let doctor = shell.run(&["doctor", "--server", &url]).exits(1);
        assert!(doctor.stdout.contains("credentials"), "{doctor:?}");
    }
    // As it is written in a URL, and as it is where nothing else can be meant.
    for login in ["ann:p%40ss%2Cw@", "bob:p,w@"] {
        shell.run(&["setup", "--server", &url(login)]).exits(0);
    }
    // Nobody runs, which is nothing to warn of.
    let nobody = shell.run(&["status", "--server", &url("bob:p,w@")]);
    assert_eq!(nobody.exits(0).stderr, "");
}

/// The output of a command, repeated until it ends with this code.
fn until(shell: &Shell, args: &[&str], exit: i32) -> Ran {
    let begun = Instant::now();
    loop {
        let ran = shell.run(args);
        if ran.exit == exit {
            return ran;
        }
        assert!(
            begun.elapsed() < PATIENCE,
            "waited {PATIENCE:?} for exit {exit}: {ran:?}"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn six_is_for_a_question_that_outlives_its_asker() {
    let server = testkit::nats::server().await;
    let url = server.url();
    let dir = tempfile::tempdir().unwrap();
    let shell = shell();
    let on = |args: &[&str]| shell.run(&[args, &["--server", &url]].concat());

    // Nothing is set up yet: what is missing is named, with the command that makes it.
    let bare = on(&["ask", "What is the notice period?", "--timeout", "5"]);
    assert!(
        [3, 4].contains(&bare.exit) && bare.stderr.contains("argosy setup"),
        "{bare:?}"
    );
    on(&["setup", "--check"]).exits(1);
    on(&["setup"]).exits(0);
    on(&["setup", "--check"]).exits(0);

    // A gateway and nobody who works.
    let mut fleet = Fleet::gateway(url.clone(), dir.path()).await;
    let question = ["ask", "What is the notice period?", "--timeout", "1"];
    let late = on(&question).exits(6);
    assert!(
        late.stdout.is_empty() && late.stderr.contains("still being worked on"),
        "{late:?}"
    );
    let json = on(&[&question as &[&str], &["-o", "json"]].concat()).exits(6);
    let error = &json.json()["error"];
    assert_eq!(error["code"], "still_running");
    let turn = error["turn"].as_str().unwrap();
    let fetch = format!("argosy answer {turn} --server {url}");
    assert!(error["hint"].as_str().unwrap().contains(&fetch), "{error}");
    let again = on(&["answer", turn]).exits(6);
    assert!(
        again
            .stderr
            .contains(&format!("argosy cancel {turn} --server {url}")),
        "{again:?}"
    );
    says(
        &shell,
        &["answer", "q-never", "--server", &url],
        3,
        "not_found",
        "`q-never`",
    );
    says(
        &shell,
        &["cancel", "q-never", "--server", &url],
        3,
        "not_found",
        "`q-never`",
    );

    // One is given up, and stays so.
    let late = on(&[&question as &[&str], &["-o", "json"]].concat())
        .exits(6)
        .json();
    let given_up = late["error"]["turn"].as_str().unwrap();
    let cancelled = on(&["cancel", given_up, "-o", "json"]).exits(0).json();
    assert_eq!(cancelled["cancelled"], true);
    let ended = on(&["answer", given_up]).exits(1);
    assert!(
        ended.stderr.contains("cancelled") && ended.stdout.is_empty(),
        "{ended:?}"
    );
    assert_eq!(
        on(&["answer", given_up, "-o", "json"]).exits(1).json()["outcome"],
        "cancelled"
    );
    assert_eq!(
        on(&["cancel", given_up, "-o", "json"]).exits(0).json()["cancelled"],
        false
    );

    // Workers come: the answer is there, under the command that was printed.
    fleet.start_others();
    let words: Vec<&str> = fetch.split(' ').skip(1).collect();
    let answered = until(&shell, &words, 0);
    assert!(answered.stdout.contains("90 days"), "{answered:?}");
    assert!(on(&question[..2]).exits(0).stdout.contains("90 days"));
    assert!(
        on(&["answer", given_up])
            .exits(1)
            .stderr
            .contains("cancelled")
    );
    fleet.end().await;
}

#[test]
fn a_role_that_waits_for_its_server_says_so_and_ends_when_told() {
    let shell = shell();
    for role in ["gateway", "retriever", "mapper"] {
        let args = ["run", role, "--server", "nats://127.0.0.1:1"];
        let log = shell.dir().join(format!("{role}.log"));
        let mut command = shell.command(&args);
        let child = command
            .stderr(std::fs::File::create(&log).unwrap())
            .spawn()
            .unwrap();
        let said = || std::fs::read_to_string(&log).unwrap();
        let begun = Instant::now();
        while !said().contains("waiting for nats") {
            assert!(
                begun.elapsed() < PATIENCE,
                "{role} says nothing: {}",
                said()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
        signal(child.id(), "-TERM");
        let ran = finish(child, &args);
        assert_eq!(ran.exit, 0, "{role}: {}", said());
    }
}
