//! The server guard against real processes: ready means ready, and nothing is left behind.

use argosy_harness as harness;
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

#[tokio::test]
async fn a_bad_configuration_is_quoted() {
    let store = tempfile::tempdir().unwrap();
    let binary = testkit::nats::binary().await;
    let mut options = harness::server::Options::new(binary, store.path());
    options.extra = "nonsense: {".into();
    let error = harness::server::Server::start(options).await.unwrap_err();
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

#[tokio::test]
async fn a_new_server_lacks_everything_and_says_so() {
    use harness::bus::{Bus, BusError};
    use harness::nats::{Change, NatsBus, Options, check, setup};
    let server = testkit::nats::server().await;
    let options = Options {
        url: server.url(),
        ..Options::default()
    };
    let bus = NatsBus::connect(options).await.unwrap();
    let topology = harness::topology::Topology::default();
    let missing = bus.consume(&topology.inbox()).await.err();
    assert!(matches!(missing, Some(BusError::Missing(_))), "{missing:?}");
    let changes = check(&bus, &topology).await.unwrap();
    assert!(changes.iter().all(|c| matches!(c, Change::Created(_))));
    assert_eq!(setup(&bus, &topology).await.unwrap(), changes);
    let again = check(&bus, &topology).await.unwrap();
    assert!(again.iter().all(|c| matches!(c, Change::Unchanged(_))));
}
