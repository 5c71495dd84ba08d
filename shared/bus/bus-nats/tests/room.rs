//! Tests of setting up on servers with little room: which streams are made, what is reported, and what is not
//! changed.

use argosy_bus_nats::{self as nats, Change, NatsBus, Options};
use bus::sizes::Allowance;
use bus::topology::{FILES, SNAPSHOTS, Topology};
use bus::{Bus, BusError, Publish, Stream};
use bytes::Bytes;
use settings::ByteSize;
use std::sync::Arc;
use testkit::nats::{TestServer, server_with};

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
/// Streams and object stores of a fleet.
const PARTS: usize = 11;

async fn server_of(bytes: u64) -> TestServer {
    server_with(|options| options.file_store_max = bytes).await
}

async fn connected(url: String) -> Arc<NatsBus> {
    let options = Options {
        url,
        ..Options::default()
    };
    NatsBus::connect(options).await.expect("a connection")
}

/// No size is set, as with the defaults.
fn all_elastic() -> Allowance {
    let streams = Topology::default().streams().into_iter();
    let stores = [FILES, SNAPSHOTS].map(str::to_owned);
    Allowance {
        elastic: streams.map(|s| s.stream.name()).chain(stores).collect(),
        most: None,
    }
}

/// No size is set but that of the inbox.
fn all_but_inbox() -> Allowance {
    let mut allowance = all_elastic();
    allowance.elastic.remove(&Stream::Inbox.name());
    allowance
}

/// What the account has promised.
async fn reserved(bus: &NatsBus) -> u64 {
    bus.account().await.expect("an account").reserved
}

async fn max_bytes(bus: &NatsBus, stream: Stream) -> u64 {
    bus.state(stream).await.expect("a stream").max_bytes
}

fn scaled(changes: &[Change]) -> usize {
    let scaled = changes.iter().filter(|c| matches!(c, Change::Scaled(..)));
    scaled.count()
}

fn kept(changes: &[Change]) -> usize {
    let kept = changes.iter().filter(|c| matches!(c, Change::Kept(..)));
    kept.count()
}

#[tokio::test]
async fn the_defaults_are_scaled_to_a_small_server_once() {
    let server = server_of(3 * GIB).await;
    let bus = connected(server.url()).await;
    let (topology, allowance) = (Topology::default(), all_elastic());
    let made = nats::setup_within(&bus, &topology, &allowance)
        .await
        .unwrap();
    assert_eq!(scaled(&made), PARTS, "{made:?}");
    let promised = reserved(&bus).await;
    assert!(promised <= 3 * GIB, "{promised}");
    assert!(promised > 3 * GIB / 10 * 9, "{promised}");
    assert_eq!(
        bus.account().await.unwrap().streams,
        PARTS as u64,
        "no probe is left"
    );

    // A check agrees, and a second run changes nothing.
    for again in [
        nats::check_within(&bus, &topology, &allowance)
            .await
            .unwrap(),
        nats::setup_within(&bus, &topology, &allowance)
            .await
            .unwrap(),
    ] {
        assert_eq!(kept(&again), PARTS, "{again:?}");
        assert!(again.iter().all(|c| !c.is_drift()), "{again:?}");
    }
    assert_eq!(reserved(&bus).await, promised);
    bus.consume(&topology.inbox()).await.unwrap();

    // A size that is set is a wish: it differs, and does not fit.
    let drift = nats::check_within(&bus, &topology, &all_but_inbox())
        .await
        .unwrap();
    let drift: Vec<_> = drift.iter().filter(|c| c.is_drift()).collect();
    assert_eq!(drift.len(), 1, "{drift:?}");
    assert_eq!(drift[0].name(), "stream ARGOSY_INBOX");
    let refused = nats::setup_within(&bus, &topology, &all_but_inbox()).await;
    assert!(
        matches!(refused, Err(BusError::NoRoom { .. })),
        "{refused:?}"
    );
}

#[tokio::test]
async fn steps_and_answers_alone_give_way_where_there_is_room_for_documents() {
    let server = server_of(56 * GIB).await;
    let bus = connected(server.url()).await;
    let made = nats::setup_within(&bus, &Topology::default(), &all_elastic())
        .await
        .unwrap();
    let scaled = made.iter().filter(|c| matches!(c, Change::Scaled(..)));
    let names: Vec<_> = scaled.map(Change::name).collect();
    assert_eq!(names, ["stream ARGOSY_STEPS_0", "stream ARGOSY_ANSWERS"]);
}

#[tokio::test]
async fn what_was_set_and_does_not_fit_is_told_with_both_figures() {
    let server = server_of(3 * GIB).await;
    let bus = connected(server.url()).await;
    let refused = nats::setup(&bus, &Topology::default()).await.unwrap_err();
    let BusError::NoRoom {
        wanted,
        offered: Some(offered),
        least: Some(least),
    } = refused
    else {
        panic!("{refused:?}");
    };
    assert_eq!(wanted, 67 * GIB + 256 * MIB);
    // Eleven of 32 MiB, and a sixteenth to spare.
    assert_eq!(least, 11 * 32 * MIB * 16 / 15 + 1);
    assert!(
        offered <= 3 * GIB && offered > 3 * GIB / 10 * 9,
        "{offered}"
    );
    let text = refused.to_string();
    assert!(
        text.contains("need 67.2 GiB") && text.contains("offers"),
        "{text}"
    );
}

#[tokio::test]
async fn a_size_that_is_set_comes_first() {
    let server = server_of(3 * GIB).await;
    let bus = connected(server.url()).await;
    let topology = Topology::default();
    let made = nats::setup_within(&bus, &topology, &all_but_inbox())
        .await
        .unwrap();
    assert_eq!(scaled(&made), PARTS - 1);
    assert_eq!(
        max_bytes(&bus, Stream::Inbox).await,
        topology.inbox_bytes.bytes()
    );
    assert!(reserved(&bus).await <= 3 * GIB);
}

#[tokio::test]
async fn a_larger_stream_stays_until_its_size_is_set_and_never_loses_messages() {
    let server = server_of(90 * GIB).await;
    let bus = connected(server.url()).await;
    let mut topology = Topology {
        inbox_bytes: ByteSize::from_bytes(2 * GIB),
        ..Topology::default()
    };
    let made = nats::setup(&bus, &topology).await.unwrap();
    assert_eq!(scaled(&made), 0);
    topology.inbox_bytes = ByteSize::from_bytes(GIB);
    let again = nats::setup_within(&bus, &topology, &all_elastic())
        .await
        .unwrap();
    assert_eq!(kept(&again), 1, "{again:?}");
    assert_eq!(max_bytes(&bus, Stream::Inbox).await, 2 * GIB);
    let set = nats::setup_within(&bus, &topology, &all_but_inbox())
        .await
        .unwrap();
    assert!(
        set.iter()
            .any(|c| matches!(c, Change::Updated(name, _) if name == "stream ARGOSY_INBOX"))
    );
    assert_eq!(max_bytes(&bus, Stream::Inbox).await, GIB);

    let question = Publish::new("argosy.query", Bytes::from(vec![b'x'; 4096]));
    bus.publish(question).await.unwrap();
    topology.inbox_bytes = ByteSize::from_bytes(1024);
    let refused = nats::setup_within(&bus, &topology, &all_but_inbox()).await;
    let text = refused.unwrap_err().to_string();
    assert!(text.contains("messages would be lost"), "{text}");
    assert_eq!(max_bytes(&bus, Stream::Inbox).await, GIB);
}

#[tokio::test]
async fn the_limit_of_an_account_counts_as_the_room() {
    let accounts = "accounts { SMALL { jetstream { max_file: 2GB }, \
                    users: [ { user: small, password: secret } ] } }";
    let server = server_with(|options| options.extra = accounts.into()).await;
    let url = server.url().replace("nats://", "nats://small:secret@");
    let bus = connected(url).await;
    let topology = Topology::default();
    let made = nats::setup_within(&bus, &topology, &all_elastic())
        .await
        .unwrap();
    assert_eq!(scaled(&made), PARTS);
    let promised = reserved(&bus).await;
    assert!(promised <= 2 * GIB && promised > GIB, "{promised}");
}

#[tokio::test]
async fn a_caller_may_know_of_less_room_than_the_server() {
    let server = server_of(90 * GIB).await;
    let bus = connected(server.url()).await;
    let allowance = Allowance {
        most: Some(15 * GIB),
        ..all_elastic()
    };
    nats::setup_within(&bus, &Topology::default(), &allowance)
        .await
        .unwrap();
    let promised = reserved(&bus).await;
    assert!(promised <= 15 * GIB && promised > 13 * GIB, "{promised}");
}

/// A size is that of one copy, and a cluster is not asked how much it has.
#[tokio::test]
async fn in_a_cluster_only_what_is_known_beforehand_scales() {
    let cluster = testkit::nats::cluster().await;
    let bus = connected(cluster.url()).await;
    let topology = Topology {
        replicas: 3,
        ..Topology::default()
    };
    let allowance = Allowance {
        most: Some(4 * GIB),
        ..all_elastic()
    };
    let made = nats::setup_within(&bus, &topology, &allowance)
        .await
        .unwrap();
    assert_eq!(scaled(&made), PARTS, "{made:?}");
    let mut promised = 0;
    for spec in topology.streams() {
        promised += max_bytes(&bus, spec.stream).await;
    }
    assert!(promised <= 4 * GIB && promised > 3 * GIB, "{promised}");
    let again = nats::check_within(&bus, &topology, &allowance)
        .await
        .unwrap();
    assert!(again.iter().all(|c| !c.is_drift()), "{again:?}");
}
