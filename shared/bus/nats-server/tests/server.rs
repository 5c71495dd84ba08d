//! Tests of the server guard with real processes: a server that is ready answers, and no process is left behind.

use argosy_nats_server as nats_server;
use std::time::{Duration, Instant};

fn runs(pid: u32) -> bool {
    std::process::Command::new("kill")
        .args(["-0", &pid.to_string()])
        .stderr(std::process::Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

#[tokio::test]
async fn a_server_comes_back_on_its_port_with_its_store() {
    let start = Instant::now();
    let mut server = testkit::nats::server().await;
    println!("started in {:?}", start.elapsed());
    let (url, first) = (server.url(), server.pid());
    server.kill().unwrap();
    assert!(!runs(first));
    server.restart().await.unwrap();
    assert_eq!(server.url(), url);
    assert!(runs(server.pid()));
    let start = Instant::now();
    server.stop().await.unwrap();
    assert!(!runs(server.pid()));
    assert!(start.elapsed() < Duration::from_secs(9), "it took SIGKILL");
    server.restart().await.unwrap();
    assert_eq!(server.url(), url);
    let (last, store) = (server.pid(), server.store_dir().to_owned());
    drop(server);
    assert!(!runs(last));
    assert!(!store.exists());
}

/// The port of a dead server may be taken meanwhile by any process that asks for a free port.
#[tokio::test]
async fn a_restart_waits_for_a_port_that_is_taken() {
    let mut server = testkit::nats::server().await;
    let (url, log) = (server.url(), server.store_dir().join("server.log"));
    server.kill().unwrap();
    let port = url.rsplit(':').next().unwrap().parse().unwrap();
    let other = std::net::TcpListener::bind(("127.0.0.1", port)).unwrap();
    let freed = async {
        while !std::fs::read_to_string(&log)
            .unwrap()
            .contains("address already in use")
        {
            tokio::task::yield_now().await;
        }
        drop(other);
    };
    let (restarted, ()) = tokio::join!(server.restart(), freed);
    restarted.unwrap();
    assert_eq!(server.url(), url);
}

#[tokio::test]
async fn a_bad_configuration_is_quoted() {
    let store = tempfile::tempdir().unwrap();
    let binary = testkit::nats::binary().await;
    let mut options = nats_server::Options::new(binary, store.path());
    options.extra = "nonsense: {".into();
    let error = nats_server::Server::start(options).await.unwrap_err();
    assert!(error.to_string().contains("Parse error"), "{error}");
}

#[tokio::test]
async fn three_servers_find_a_leader_again() {
    let start = Instant::now();
    let mut cluster = testkit::nats::cluster().await;
    println!("led after {:?}", start.elapsed());
    cluster.servers[0].kill().unwrap();
    cluster.await_leader().await.unwrap();
    cluster.servers[0].restart().await.unwrap();
    cluster.await_leader().await.unwrap();
}
