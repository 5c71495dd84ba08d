//! Setting up a server that has nothing yet.

use argosy_bus_nats::{Change, NatsBus, Options, check, setup};
use bus::{Bus, BusError};

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
