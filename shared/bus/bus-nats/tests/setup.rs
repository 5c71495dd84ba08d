//! Tests of setting up on an empty server.

use argosy_bus_nats::{Change, NatsBus, Options, check, setup};
use async_nats::jetstream::consumer::pull;
use bus::{Bus, BusError};
use envelope::Role;
use std::time::Duration;

#[tokio::test]
async fn a_new_server_lacks_everything_and_says_so() {
    let server = testkit::nats::server().await;
    let options = Options {
        url: server.url(),
        ..Options::default()
    };
    let bus = NatsBus::connect(options).await.unwrap();
    let topology = bus::topology::Topology::default();
    let missing = bus.consume(&topology.inbox()).await.err();
    assert!(matches!(missing, Some(BusError::Missing(_))), "{missing:?}");
    let changes = check(&bus, &topology).await.unwrap();
    assert!(changes.iter().all(|c| matches!(c, Change::Created(_))));
    assert_eq!(setup(&bus, &topology).await.unwrap(), changes);
    let again = check(&bus, &topology).await.unwrap();
    assert!(again.iter().all(|c| matches!(c, Change::Unchanged(_))));
}

#[tokio::test]
async fn replicas_that_one_server_cannot_keep_are_refused_with_their_option() {
    let server = testkit::nats::server().await;
    let options = Options {
        url: server.url(),
        ..Options::default()
    };
    let bus = NatsBus::connect(options).await.unwrap();
    let topology = bus::topology::Topology {
        replicas: 3,
        ..Default::default()
    };
    let refused = setup(&bus, &topology).await;
    assert!(
        matches!(&refused, Err(BusError::Refused(why)) if why.contains("`streams.replicas`")),
        "{refused:?}"
    );
}

/// With a back-off the server would redeliver after its first entry and not after `ack_wait`, and a step that runs
/// would be given to another worker as well.
#[tokio::test]
async fn a_back_off_is_noticed_kept_from_workers_and_taken_away() {
    let server = testkit::nats::server().await;
    let url = server.url();
    let options = Options {
        url: url.clone(),
        ..Options::default()
    };
    let bus = NatsBus::connect(options).await.unwrap();
    let topology = bus::topology::Topology::default();
    setup(&bus, &topology).await.unwrap();
    let spec = topology.consumer(Role::Mapper);
    let context = async_nats::jetstream::new(async_nats::connect(url).await.unwrap());
    let stream = context.get_stream(spec.stream.name()).await.unwrap();
    let made = async || stream.consumer_info(&spec.name).await.unwrap().config;
    assert_eq!(made().await.ack_wait, topology.ack_wait.duration());
    assert!(made().await.backoff.is_empty(), "set-up makes none");

    let mut consumer = stream
        .get_consumer::<pull::Config>(&spec.name)
        .await
        .unwrap();
    let mut spoilt = consumer.info().await.unwrap().config.clone();
    spoilt.backoff = vec![Duration::from_secs(1), Duration::from_secs(2)];
    use async_nats::jetstream::consumer::FromConsumer;
    let spoilt = pull::Config::try_from_consumer_config(spoilt).unwrap();
    stream.create_consumer(spoilt).await.unwrap();
    // The server puts the first entry in the place of what was wanted.
    assert_eq!(made().await.ack_wait, Duration::from_secs(1));

    let refused = bus.consume(&spec).await.err();
    assert!(
        matches!(&refused, Some(BusError::Different { what, .. }) if what.contains("backoff")),
        "{refused:?}"
    );
    let changes = setup(&bus, &topology).await.unwrap();
    let mended = changes
        .iter()
        .filter(|c| !matches!(c, Change::Unchanged(_)));
    let mended: Vec<_> = mended.collect();
    assert!(
        matches!(mended[..], [Change::Updated(name, what)] if name.contains("mapper") && what.contains("backoff")),
        "{mended:?}"
    );
    assert!(made().await.backoff.is_empty());
    assert_eq!(made().await.ack_wait, topology.ack_wait.duration());
    assert!(bus.consume(&spec).await.is_ok());
}
