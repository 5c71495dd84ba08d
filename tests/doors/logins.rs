//! Logins by the tokens of an issuer and by keys: who is let in, for how long, and what they may spend.

use crate::http::{Answer, begin, send};
use crate::issuer::{Issuer, PAUSE, Signed, now};
use crate::keys::Keys;
use crate::stand::{QUESTION, Stand, open};
use bus::Bus;
use bus::memory::MemoryBus;
use bus::topology::Topology;
use door::{KeyFile, Options};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

/// Within what time a stream ends with its login: keys and waiting logins are looked at every two seconds.
const ENDS_WITHIN: Duration = Duration::from_secs(8);

/// A door of a fleet in which nobody answers.
struct Alone {
    at: SocketAddr,
    stop: CancellationToken,
    served: JoinHandle<()>,
}

impl Alone {
    async fn open(options: Options) -> Alone {
        let bus: Arc<dyn Bus> = MemoryBus::new(&Topology::default());
        let (at, stop, served) = open(bus, options).await;
        Alone { at, stop, served }
    }

    /// Who a request with this header is, as the door says.
    async fn who(&self, header: &str) -> Answer {
        send(self.at, "GET", "/api/login", &[header], "").await
    }

    /// The answer to such a request as soon as it has this status, which it has within a few pauses.
    async fn until(&self, header: &str, status: u16) -> Answer {
        let until = Instant::now() + PAUSE.duration() * 10;
        loop {
            let answer = self.who(header).await;
            if answer.status == status {
                return answer;
            }
            assert!(Instant::now() < until, "{status} is wanted: {answer:?}");
            sleep(Duration::from_millis(50)).await;
        }
    }

    async fn end(self) {
        self.stop.cancel();
        self.served.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_a_token_that_keeps_every_rule_is_a_login() {
    let issuer = Issuer::start().await;
    issuer.make("other");
    let door = Alone::open(issuer.options()).await;
    let usual = json!({"alg": "ES256", "kid": "1"});
    let of = |alg: &str| json!({"alg": alg, "kid": "1"});
    let (by, now) = (Signed::By("1"), now());
    let none = json!({});
    // Header, claims, signature; and a word of why it is refused, where it is.
    for (header, claims, signed, why) in [
        (usual.clone(), none.clone(), by, None),
        (
            json!({"alg": "ES256", "kid": "1", "typ": "at+jwt"}),
            none.clone(),
            by,
            None,
        ),
        (usual.clone(), json!({"aud": ["other", "argosy"]}), by, None),
        (
            usual.clone(),
            json!({"exp": now - 30, "nbf": now + 30}),
            by,
            None,
        ),
        (json!({"alg": "ES256"}), none.clone(), by, None),
        (
            usual.clone(),
            json!({"iss": "http://127.0.0.1:1"}),
            by,
            Some("`iss`"),
        ),
        (
            usual.clone(),
            json!({"iss": format!("{}/", issuer.url())}),
            by,
            Some("`iss`"),
        ),
        (usual.clone(), json!({"iss": null}), by, Some("iss")),
        (usual.clone(), json!({"aud": "other"}), by, Some("`aud`")),
        (usual.clone(), json!({"aud": []}), by, Some("`aud`")),
        (
            usual.clone(),
            json!({"aud": null}),
            by,
            Some("door.oidc.audience"),
        ),
        (usual.clone(), json!({"exp": now - 70}), by, Some("expired")),
        (usual.clone(), json!({"exp": null}), by, Some("exp")),
        (usual.clone(), json!({"exp": "never"}), by, Some("exp")),
        (usual.clone(), json!({"nbf": now + 70}), by, Some("`nbf`")),
        (usual.clone(), json!({"sub": null}), by, Some("sub")),
        (usual.clone(), json!({"groups": [7]}), by, Some("`groups`")),
        (of("none"), none.clone(), Signed::Not, Some("no signed JWT")),
        (usual.clone(), none.clone(), Signed::Not, Some("signature")),
        (
            of("HS256"),
            none.clone(),
            Signed::WithPublic("1"),
            Some("public key"),
        ),
        (
            usual.clone(),
            none.clone(),
            Signed::WithPublic("1"),
            Some("signature"),
        ),
        (
            usual.clone(),
            none.clone(),
            Signed::By("other"),
            Some("signature"),
        ),
        (of("RS256"), none.clone(), by, Some("no such key")),
        (of("ES384"), none.clone(), by, Some("no such key")),
        (
            json!({"alg": "ES256", "kid": "other"}),
            none.clone(),
            Signed::By("other"),
            Some("no such key"),
        ),
        (
            json!({"alg": "ES256", "kid": "1", "typ": "logout+jwt"}),
            none.clone(),
            by,
            Some("no access token"),
        ),
        (
            json!({"alg": "ES256", "kid": "1", "crit": ["x"], "x": 1}),
            none.clone(),
            by,
            Some(""),
        ),
    ] {
        let token = issuer.token(header.clone(), claims.clone(), signed);
        let said = door.who(&format!("Authorization: Bearer {token}")).await;
        let Some(why) = why else {
            assert_eq!(said.status, 200, "{header} {claims}: {said:?}");
            continue;
        };
        assert_eq!(said.status, 401, "{header} {claims} {signed:?}: {said:?}");
        let problem = said.json();
        assert_eq!(problem["code"], "invalid_token");
        let detail = problem["detail"].as_str().unwrap();
        assert!(
            detail.contains(why),
            "{header} {claims} {signed:?}: {detail}"
        );
    }
    for garbage in [
        "a.b.c",
        "..",
        "eyJhbGciOiJFUzI1NiJ9.e30",
        "argosy-1",
        "eyJhbGciOiJFUzI1NiJ9.e30.",
    ] {
        let said = door.who(&format!("Authorization: Bearer {garbage}")).await;
        assert_eq!(said.status, 401, "{garbage}");
    }
    door.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_says_the_tenant_and_keys_are_taken_beside_it() {
    let issuer = Issuer::start().await;
    let keys = Keys::new(&[("k", "acme", "operate")]);
    let mut options = issuer.options();
    options.keys = keys.options().keys;
    options.oidc.tenant_claim = "org.tenant".into();
    options.oidc.name_claim = "email".into();
    let door = Alone::open(options).await;
    let claims = json!({"org": {"tenant": "umbrella"}, "email": "anna@example.com", "groups": ["hr"],
                        "scope": "openid argosy:read"});
    let said = door.who(&issuer.login(claims)).await.json();
    assert_eq!(
        (said["tenant"].as_str(), said["name"].as_str()),
        (Some("umbrella"), Some("anna@example.com"))
    );
    assert_eq!(said["scopes"], json!(["read"]));
    assert_eq!(said["groups"], json!(["hr"]));
    let said = door.who("Authorization: Bearer k").await.json();
    assert_eq!(
        (said["tenant"].as_str(), said["name"].as_str()),
        (Some("acme"), Some("k"))
    );

    let refused = door.who(&issuer.login(json!({}))).await;
    assert_eq!(refused.status, 401);
    // What a client must know to log in, as RFC 6750 and RFC 9728 say it.
    let at = format!("http://{}/.well-known/oauth-protected-resource", door.at);
    let challenge = refused.header("www-authenticate").unwrap();
    let tried = "bearer error=\"invalid_token\", error_description=\"this token is not taken: it has no tenant";
    assert!(challenge.starts_with(tried), "{challenge}");
    assert!(
        challenge.ends_with(&format!("resource_metadata=\"{at}\"")),
        "{challenge}"
    );
    let challenge = door.who("X: y").await;
    assert_eq!(
        challenge.header("www-authenticate"),
        Some(format!("bearer resource_metadata=\"{at}\"").as_str())
    );
    let none = send(door.at, "POST", "/mcp", &[], "{}").await;
    assert_eq!(
        none.header("www-authenticate"),
        Some(format!("bearer resource_metadata=\"{at}/mcp\"").as_str())
    );
    let lacks = send(
        door.at,
        "GET",
        "/api/catalog",
        &["Authorization: Bearer k"],
        "",
    )
    .await;
    let challenge = lacks.header("www-authenticate").unwrap();
    assert_eq!(lacks.status, 403);
    assert!(
        challenge.starts_with("bearer error=\"insufficient_scope\""),
        "{challenge}"
    );
    for (path, resource) in [("", ""), ("/mcp", "mcp")] {
        let path = format!("/.well-known/oauth-protected-resource{path}");
        let described = send(door.at, "GET", &path, &[], "").await.json();
        assert_eq!(
            described["resource"],
            format!("http://{}/{resource}", door.at)
        );
        assert_eq!(described["authorization_servers"], json!([issuer.url()]));
    }
    let other = "/.well-known/oauth-protected-resource/other";
    assert_eq!(send(door.at, "GET", other, &[], "").await.status, 404);
    door.end().await;

    let door = Alone::open(keys.options()).await;
    let path = "/.well-known/oauth-protected-resource";
    assert_eq!(send(door.at, "GET", path, &[], "").await.status, 404);
    assert_eq!(
        door.who("X: y").await.header("www-authenticate"),
        Some("bearer")
    );
    let refused = door.who(&issuer.login(json!({}))).await.json();
    assert_eq!(refused["code"], "no_login");
    door.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_are_asked_for_when_one_is_unknown_and_not_more_often() {
    let issuer = Issuer::start().await;
    let door = Alone::open(issuer.options()).await;
    let old = issuer.login(json!({}));
    assert_eq!(door.who(&old).await.status, 200);
    let [second, new] = ["2", "3"].map(|kid| {
        issuer.make(kid);
        let header = json!({"alg": "ES256", "kid": kid});
        let token = issuer.token(header, json!({}), Signed::By(kid));
        format!("Authorization: Bearer {token}")
    });
    // Made just after the door has looked by itself, and taken at once.
    issuer.name(&["1", "2"]);
    assert_eq!(door.who(&second).await.status, 200);
    let (asked, begun) = (issuer.asked(), Instant::now());
    // The door looks at the keys by itself, too, and then not again within the pause.
    let mut tries = 0;
    while tries < 50 || begun.elapsed() < PAUSE.duration() * 2 {
        assert_eq!(door.who(&new).await.status, 401);
        tries += 1;
    }
    let (more, most) = (
        issuer.asked() - asked,
        2 + begun.elapsed().as_secs() as usize,
    );
    assert!((1..=most).contains(&more), "{more} of at most {most}");

    // Turned: the new key is taken within the pause, and the old one no more.
    issuer.name(&["3"]);
    door.until(&new, 200).await;
    assert_eq!(door.who(&old).await.status, 401);

    // Away: what is known stays, and what is not known cannot be told.
    issuer.is_away(true);
    let unknown = door.until(&old, 503).await;
    assert_eq!(unknown.json()["code"], "issuer_away");
    assert_eq!(door.who(&new).await.status, 200);
    door.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_door_whose_issuer_is_away_starts_and_lets_nobody_in_before_it_is_there() {
    let issuer = Issuer::start().await;
    issuer.is_away(true);
    let door = Alone::open(issuer.options()).await;
    let login = issuer.login(json!({}));
    let refused = door.who(&login).await;
    assert_eq!(
        (refused.status, refused.json()["code"].as_str()),
        (503, Some("issuer_away"))
    );
    assert!(refused.header("retry-after").is_some());
    issuer.is_away(false);
    door.until(&login, 200).await;
    door.end().await;
}

/// Opens a stream of a question that nobody answers, and one that waits; revokes; and says after what time both have ended.
async fn waits_until(door: &Alone, login: &str, revoke: impl FnOnce()) -> Duration {
    let asked = json!({"question": "Who?"}).to_string();
    let follows = [login, "Accept: text/event-stream"];
    let mut stream = begin(door.at, "POST", "/api/turns", &follows, &asked).await;
    let mut some = [0; 512];
    let head = stream.read(&mut some).await.unwrap();
    assert!(
        some[..head].starts_with(b"HTTP/1.1 200"),
        "{:?}",
        String::from_utf8_lossy(&some[..head])
    );
    let waits = [login];
    let waiting = send(door.at, "POST", "/api/turns", &waits, &asked);
    revoke();
    let begun = Instant::now();
    let mut rest = String::new();
    let ends = async {
        let (read, waited) = tokio::join!(stream.read_to_string(&mut rest), waiting);
        // It ends as any stream does, without an answer.
        assert!(
            read.is_ok() && rest.ends_with("0\r\n\r\n") && !rest.contains("event: answer"),
            "{rest}"
        );
        assert_eq!(waited.status, 401, "{waited:?}");
    };
    timeout(ENDS_WITHIN, ends).await.expect("an end");
    assert_eq!(door.who(login).await.status, 401);
    begun.elapsed()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_waits_for_a_login_ends_with_it() {
    let keys = Keys::new(&[("stays", "default", "ask"), ("goes", "default", "ask")]);
    let door = Alone::open(keys.options()).await;
    let mut stays = begin(
        door.at,
        "POST",
        "/api/turns",
        &["Authorization: Bearer stays", "Accept: text/event-stream"],
        r#"{"question": "Who?"}"#,
    )
    .await;
    let revoked = Keys::new(&[("stays", "default", "ask")]);
    let path = |keys: &Keys| keys.options().keys.unwrap();
    let (old, new) = (path(&keys), path(&revoked));
    waits_until(&door, "Authorization: Bearer goes", || {
        std::fs::copy(new, old).unwrap();
    })
    .await;
    let more = timeout(Duration::from_millis(100), async {
        let mut all = Vec::new();
        stays.read_to_end(&mut all).await
    });
    assert!(more.await.is_err(), "the other stream goes on");
    door.end().await;

    // A token is good for a minute after it has expired.
    let issuer = Issuer::start().await;
    let door = Alone::open(issuer.options()).await;
    let login = issuer.login(json!({"exp": now() - 60 + 3}));
    let ended = waits_until(&door, &login, || {}).await;
    assert!(ended > Duration::from_secs(1), "{ended:?}");
    // With this minute its login ends, also within a second.
    let just_ended = issuer.login(json!({"exp": now() - 60}));
    assert_eq!(door.who(&just_ended).await.status, 401);
    door.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_tokens_of_a_key_are_counted_whoever_hears_the_end() {
    let key = |name: &str, tokens: u64| {
        json!({"name": name, "sha256": KeyFile::hash(name), "tenant": "default", "scopes": ["ask"],
               "groups": ["*"], "tokens_per_hour": tokens})
    };
    let keys = Keys::of(vec![
        key("waits", 1),
        key("goes", 1),
        key("much", 1_000_000),
    ]);
    let stand = Stand::start(keys.options()).await;
    let ask = async |name: &str, more: &str| {
        let headers = [&*Keys::header(name), more];
        stand
            .post("/api/turns", &headers, &json!({ "question": QUESTION }))
            .await
    };
    let spent = |answer: &Answer| {
        assert_eq!(answer.status, 429, "{answer:?}");
        let problem: Value = answer.json();
        assert_eq!(problem["code"], "rate_limited");
        assert!(
            problem["detail"]
                .as_str()
                .unwrap()
                .contains("1 tokens in an hour"),
            "{problem}"
        );
        let wait: u64 = answer.header("retry-after").unwrap().parse().unwrap();
        assert!(wait > 3_600, "{wait}");
    };
    let first = ask("waits", "Idempotency-Key: one").await;
    assert_eq!(first.status, 200, "{first:?}");
    assert!(first.json()["usage"]["tokens_in"].as_u64().unwrap() > 0);
    spent(&ask("waits", "X: y").await);
    // A second try of what is there already costs nothing.
    let again = ask("waits", "Idempotency-Key: one").await;
    assert_eq!(again.json()["turn"], first.json()["turn"]);

    // Nobody waits here for the end, and it counts all the same.
    assert_eq!(ask("goes", "Prefer: respond-async").await.status, 202);
    let counted = async {
        loop {
            let answer = ask("goes", "Prefer: respond-async").await;
            match answer.status {
                202 => sleep(Duration::from_millis(100)).await,
                _ => return answer,
            }
        }
    };
    spent(&timeout(Duration::from_secs(20), counted).await.unwrap());
    for _ in 0..2 {
        assert_eq!(ask("much", "X: y").await.status, 200);
    }
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_question_leaves_no_free_try_under_its_key() {
    let keys = Keys::of(vec![
        json!({"name": "k", "sha256": KeyFile::hash("k"), "tenant": "default",
        "scopes": ["ask"], "groups": ["*"], "tokens_per_hour": 1}),
        json!({"name": "few", "sha256": KeyFile::hash("few"), "tenant": "default",
        "scopes": ["ask"], "groups": ["*"], "per_minute": 2}),
    ]);
    let stand = Stand::start(keys.options()).await;
    // Each refused try was a question of its own.
    for status in [422, 422, 429] {
        let headers = [&*Keys::header("few"), "Idempotency-Key: one"];
        let wrong = json!({"question": QUESTION, "model": "no-such-model"});
        let refused = stand.post("/api/turns", &headers, &wrong).await;
        assert_eq!(refused.status, status, "{refused:?}");
    }
    let ask = async |key: &str, model: Option<&str>| {
        let mut body = json!({ "question": QUESTION });
        if let Some(model) = model {
            body["model"] = model.into();
        }
        let headers = [&*Keys::header("k"), &format!("Idempotency-Key: {key}")];
        stand.post("/api/turns", &headers, &body).await
    };
    for key in ["one", "two"] {
        let refused = ask(key, Some("no-such-model")).await;
        assert_eq!(refused.status, 422, "{refused:?}");
    }
    // It is a new turn, which is charged.
    let real = ask("one", None).await;
    assert_eq!(real.status, 200, "{real:?}");
    for key in ["two", "three"] {
        let spent = ask(key, None).await;
        assert_eq!(spent.status, 429, "{key}: {spent:?}");
    }
    // That another question is refused under a key takes nothing from the turn that the key has.
    assert_eq!(ask("one", Some("no-such-model")).await.status, 422);
    let again = ask("one", None).await;
    assert_eq!(again.json()["turn"], real.json()["turn"]);
    stand.end().await;
}
