//! Tests a NATS server that several parties share, with the configuration that `argosy permissions` prints: a fleet whose
//! roles are logins of their own, two tenants in accounts of their own, and what one of them tries against the other.

mod attacks;
mod stand;
#[path = "../drill/tls.rs"]
#[expect(dead_code, reason = "the drills use all of it")]
mod tls;

use self::attacks::no_body_is_of_another_tenant;
use self::stand::{Ear, Shared, ask, asked, index, requested, sources};
use crate::doors::{DoorProcess, call, end};
use crate::fleet::{PATIENCE, until};
use crate::turns::QUESTION;
use bus::{Bus, Stream};
use bus_nats::{NatsBus, Options};
use envelope::{Outcome, TurnId, subject};
use serde_json::json;
use std::time::Duration;
use testkit::node::FakeNodeBehaviour;
use tokio::time::timeout;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fleet_serves_two_tenants_and_keeps_them_apart() {
    let mut shared = Shared::new("", vec!["gateway.sweep_every=1s".into()]).await;
    shared.start_all().await;
    index(&mut shared).await;
    let (acme, bolt) = (
        shared.connect("tenant-acme").await,
        shared.connect("tenant-bolt").await,
    );
    each_finds_its_own(&mut shared, &acme, &bolt).await;
    live_events_come_to_who_asked(&acme, &bolt).await;
    no_body_is_of_another_tenant(&shared, &acme, &bolt).await;
    conversations_are_apart_and_erased(&mut shared, &acme, &bolt).await;
    a_turn_is_cancelled(&mut shared, &acme).await;
    a_door_serves_both(&mut shared).await;
    for look in [&["status"][..], &["nodes"], &["dead", "ls"]] {
        shared.json("operator", look).await;
    }
    let found = shared.json("operator", &["doctor"]).await;
    let of = |code: &str| {
        let mut all = found["findings"].as_array().expect("findings").iter();
        all.find(|one| one["code"] == code)
            .expect("the finding")
            .clone()
    };
    assert_eq!(
        (&of("D07")["verdict"], &of("D18")["verdict"]),
        (&json!("ok"), &json!("ok")),
        "{found}"
    );
    shared.fleet.drain().await;
    assert_eq!(shared.violations(), [""; 0]);
}

async fn each_finds_its_own(shared: &mut Shared, acme: &NatsBus, bolt: &NatsBus) {
    for (bus, tenant) in [(acme, "acme"), (bolt, "bolt")] {
        let own = format!("{tenant}.md");
        let found = until("the documents in the index", async || {
            let found =
                requested(bus, subject::SEARCH, json!({"query": "Osterby agreement"})).await;
            (found["result"]["passages"][0]["source"] == own.as_str()).then_some(found)
        })
        .await;
        assert!(
            sources(&found["result"])
                .iter()
                .all(|source| source.starts_with(tenant)),
            "{found}"
        );
        until("both documents of the tenant to be counted", async || {
            let counted = requested(bus, subject::COUNT, json!({})).await;
            (counted["result"]["documents"] == 2).then_some(())
        })
        .await;
        let catalog = requested(bus, subject::CATALOG, json!({})).await;
        assert_eq!(catalog["result"]["buckets"][0]["documents"], 2, "{catalog}");
        let named = requested(bus, subject::METADATA, json!({ "source": own })).await;
        assert_eq!(named["result"]["source"], own.as_str(), "{named}");
        let terminal = requested(bus, subject::ASK, json!({ "question": QUESTION })).await;
        assert_eq!(
            (&terminal["outcome"], &terminal["tenant"]),
            (&json!("answered"), &json!(tenant))
        );
        let ended = asked(bus, json!({ "question": QUESTION })).await;
        assert_eq!(
            (ended.outcome, ended.tenant.as_str()),
            (Outcome::Answered, tenant)
        );
        assert!(
            ended
                .citations
                .iter()
                .all(|one| one.source.starts_with(tenant)),
            "{ended:?}"
        );
        // The command line is a client like any other.
        let login = format!("tenant-{tenant}");
        let line = shared
            .json(&login, &["ask", QUESTION, "--tenant", tenant])
            .await;
        assert_eq!(line["outcome"], "answered", "{line}");
    }
}

async fn live_events_come_to_who_asked(acme: &NatsBus, bolt: &NatsBus) {
    let mut own = Ear::of(acme, "argosy.live.*").await;
    let mut foreign = Ear::of(bolt, ">").await;
    let ended = asked(
        acme,
        json!({"question": QUESTION, "id": "live-1", "stream": true}),
    )
    .await;
    assert_eq!(ended.outcome, Outcome::Answered);
    let heard = own.all().await;
    assert!(
        heard
            .iter()
            .all(|(subject, _)| subject == "argosy.live.live-1"),
        "{heard:?}"
    );
    let told: Vec<_> = heard
        .iter()
        .filter_map(|(_, body)| body["role"].as_str())
        .collect();
    for role in ["planner", "retriever", "mapper", "reducer", "validator"] {
        assert!(told.contains(&role), "{role} in {told:?}");
    }
    assert_eq!(foreign.all().await, []);
}

async fn conversations_are_apart_and_erased(shared: &mut Shared, acme: &NatsBus, bolt: &NatsBus) {
    for bus in [acme, bolt, acme] {
        let ended = asked(bus, json!({"question": QUESTION, "conversation": "talk"})).await;
        assert_eq!(ended.outcome, Outcome::Answered, "{ended:?}");
    }
    let show = ["conversation", "show", "talk", "--tenant"];
    let turns = async |shared: &mut Shared, tenant: &str| {
        let shown = shared
            .json("operator", &[&show[..], &[tenant]].concat())
            .await;
        shown["turns"].as_array().map_or(0, Vec::len)
    };
    assert_eq!(
        (turns(shared, "acme").await, turns(shared, "bolt").await),
        (2, 1)
    );
    let rm = ["conversation", "rm", "talk", "--yes", "--tenant", "acme"];
    let erased = shared.json("operator", &rm).await;
    assert_eq!(erased["conversations"][0]["erased"], true, "{erased}");
    assert_eq!(turns(shared, "bolt").await, 1);
    let refused = asked(acme, json!({"question": QUESTION, "conversation": "talk"})).await;
    assert_eq!(refused.error.expect("a reason").code, "conversation_erased");
    // The questions of its turns are gone from the inbox, where they stood under the name of the tenant.
    let operator = shared.connect("operator").await;
    // The refused one may be taken with them: it names the conversation, too.
    until("the questions of its turns to be gone", async || {
        let all = crate::turns::read_all(&*operator, Stream::Inbox, "argosy.query.acme").await;
        let of_talk = all
            .iter()
            .filter(|one| String::from_utf8_lossy(&one.body).contains("\"talk\""));
        (of_talk.count() <= 1).then_some(())
    })
    .await;
}

async fn a_turn_is_cancelled(shared: &mut Shared, acme: &NatsBus) {
    shared.node.always(FakeNodeBehaviour::Slow(PATIENCE));
    let reply = format!("{}.cancelled", acme.inbox());
    let mut ear = Ear::of(acme, &reply).await;
    let body = json!({"question": QUESTION, "id": "slow-1", "reply_to": reply});
    ask(acme, &body).await.expect("it is stored");
    let operator = shared.connect("operator").await;
    let turn = TurnId::new("slow-1").expect("an id");
    until("the turn to run", async || {
        operator
            .last(Stream::Timers, &subject::timer(&turn))
            .await
            .ok()?
    })
    .await;
    shared.json("operator", &["cancel", "slow-1"]).await;
    assert_eq!(ear.terminal().await.outcome, Outcome::Cancelled);
    shared.node.always(FakeNodeBehaviour::Slow(Duration::ZERO));
}

/// A door is a login of the fleet: it asks for whom its keys say, stores documents, and erases conversations.
async fn a_door_serves_both(shared: &mut Shared) {
    let door = DoorProcess::start(&shared.log_in("door").fleet).await;
    let question = json!({"question": QUESTION, "conversation": "at-the-door"});
    let (status, ended) = call(door.at, "POST /api/turns", Some(question)).await;
    assert_eq!(
        (status, ended["tenant"].as_str()),
        (200, Some("default")),
        "{ended}"
    );
    let (status, found) = call(
        door.at,
        "POST /api/search",
        Some(json!({"query": "Osterby"})),
    )
    .await;
    assert_eq!((status, sources(&found).len()), (200, 0), "{found}");
    let text = json!("The notice period of the door is 7 days.");
    let (status, stored) = call(door.at, "PUT /api/documents/own.md", Some(text)).await;
    assert_eq!(status, 200, "{stored}");
    let (status, listed) = call(door.at, "GET /api/documents", None).await;
    assert_eq!(
        (status, &listed["documents"][0]["source"]),
        (200, &json!("own.md")),
        "{listed}"
    );
    let (status, erased) = call(door.at, "DELETE /api/conversations/at-the-door", None).await;
    assert!((200..300).contains(&status), "{status}: {erased}");
    end(door).await;
}

/// Certificates of both sides, and a login besides.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fleet_works_over_tls_with_client_certificates() {
    let (own, foreign) = (tls::Authority::new(), tls::Authority::new());
    let mut shared = Shared::new(&own.of_server(), own.of_clients()).await;
    shared.start_all().await;
    index(&mut shared).await;
    let line = ["ask", QUESTION, "--tenant", "acme"];
    let ended = shared.json("tenant-acme", &line).await;
    assert_eq!(ended["outcome"], "answered", "{ended}");

    let of = |authority: &tls::Authority, keys: &[&str]| {
        let all = authority.of_clients().into_iter();
        let pairs = all.filter_map(|option| {
            let (key, file) = option.split_once('=')?;
            keys.contains(&key).then(|| (key.to_owned(), file.into()))
        });
        let mut options = shared.options("tenant-acme");
        for (key, file) in pairs {
            match &*key {
                "nats.tls_ca" => options.tls_ca = Some(file),
                "nats.tls_cert" => options.tls_cert = Some(file),
                _ => options.tls_key = Some(file),
            }
        }
        options
    };
    let all = ["nats.tls_ca", "nats.tls_cert", "nats.tls_key"];
    assert!(NatsBus::connect(of(&own, &all)).await.is_ok());
    let cases = [
        ("no certificate of a client", of(&own, &all[..1])),
        (
            "an authority that is not that of the server",
            of(&foreign, &all),
        ),
        (
            "a certificate of another authority",
            Options {
                tls_ca: of(&own, &all).tls_ca,
                ..of(&foreign, &all)
            },
        ),
        ("no TLS at all", of(&own, &[])),
        (
            "a certificate and no login",
            Options {
                nkey: None,
                ..of(&own, &all)
            },
        ),
    ];
    for (what, options) in cases {
        let connected = timeout(PATIENCE, NatsBus::connect(options)).await;
        assert!(!matches!(connected, Ok(Ok(_))), "{what}");
    }
    shared.fleet.drain().await;
}
