//! Tests `probe`, by which a role is asked whether it runs without a shell or an HTTP client.

use crate::shell::Shell;
use std::io::{Read, Write};

/// Answers so many probes with a status and a body.
fn answers_probes(with: &'static [(&'static str, &'static str)]) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for (status, body) in with {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 1024]).unwrap();
            let length = body.len();
            let head = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n");
            stream.write_all((head + body).as_bytes()).unwrap();
        }
    });
    address
}

#[test]
fn a_role_is_probed_without_a_shell() {
    let away = "{\"ready\":false,\"conditions\":{\"nats\":{\"reason\":\"away\"}}}";
    let at = answers_probes(Box::leak(Box::new([
        ("200 OK", "{\"ready\":true}"),
        ("200 OK", "alive\n"),
        ("503 Service Unavailable", away),
    ])));
    let shell = Shell::new();
    let ready = shell.run(&["probe", "--at", &at]).exits(0);
    assert_eq!(ready.stdout, "{\"ready\":true}\n");
    let alive = shell.run(&["probe", "live", "--at", &at, "-o", "json"]);
    assert_eq!(alive.exits(0).json()["body"], "alive");
    let ran = shell.run(&["probe", "startup", "--at", &at]).exits(1);
    let sentence = format!("the role at {at} is not started: {away}");
    assert!(ran.stderr.contains(&sentence), "{ran:?}");
    // As the role is configured; nobody is there any more.
    let listen = format!("telemetry.listen={at}");
    let ran = shell.run(&["probe", "--set", &listen]).exits(4);
    assert!(ran.stderr.contains(&at), "{ran:?}");
    let ran = shell.run(&["probe"]).exits(2);
    assert!(ran.stderr.contains("--at"), "{ran:?}");
}
