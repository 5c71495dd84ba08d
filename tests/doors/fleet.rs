//! The state of the fleet over HTTP, for operators alone.

use crate::http::send;
use crate::keys::Keys;
use crate::stand::{QUESTION, Stand, open};
use serde_json::json;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn operators_see_roles_and_streams() {
    let stand = Stand::usual().await;
    let asked = json!({"question": QUESTION});
    assert_eq!(stand.post("/api/turns", &[], &asked).await.status, 200);
    let seen = stand.get("/api/fleet").await;
    assert_eq!(seen.status, 200, "{seen:?}");
    let seen = seen.json();
    let names = |list: &str, of: &str| -> Vec<String> {
        let all = seen[list].as_array().unwrap().iter();
        all.map(|one| one[of].as_str().unwrap().to_owned())
            .collect()
    };
    let roles = envelope::Role::ALL.map(|role| role.as_str().to_owned());
    assert_eq!(names("roles", "role"), roles);
    assert!(
        seen["roles"]
            .as_array()
            .unwrap()
            .iter()
            .all(|role| role["pending"] == 0),
        "{seen}"
    );
    assert_eq!(
        names("streams", "stream"),
        bus::Stream::ALL.map(bus::Stream::name)
    );
    let answers = seen["streams"].as_array().unwrap().iter();
    let answers: Vec<_> = answers
        .filter(|one| one["stream"] == "ARGOSY_ANSWERS")
        .collect();
    assert_eq!(answers[0]["messages"], 1, "{seen}");

    let keys = Keys::new(&[
        ("op", "acme", "operate"),
        ("user", "acme", "ask,read,write"),
    ]);
    let (at, stop, served) = open(stand.bus.clone(), keys.options()).await;
    for (key, status) in [("op", 200), ("user", 403), ("nobody", 401)] {
        let with = Keys::header(key);
        let told = send(at, "GET", "/api/fleet", &[&with], "").await;
        assert_eq!(told.status, status, "{key}");
    }
    stop.cancel();
    served.await.unwrap();
    stand.end().await;
}
