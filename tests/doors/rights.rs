//! Who may read what: a thousand tries of logins that must not read some documents, at every door, tell nothing of them.

use crate::http::{Answer, send};
use crate::keys::Keys;
use crate::stand::Stand;
use envelope::access::read_rules;
use envelope::{Groups, TenantId};
use serde_json::{Value, json};
use std::fs;
use std::time::Duration;
use tempfile::TempDir;

/// Words that only documents of others have: in texts, titles, fields, and names of files.
const SECRETS: [&str; 6] = [
    "31,207", "Zanzibar", "salaries", "codename", "Obsidian", "minutes",
];
const RULES: &str =
    r#"[{"path": "pay/", "groups": ["hr"]}, {"path": "pay/open/", "groups": ["*"]}]"#;
/// What each of the two secret documents answers, and a question that asks for it.
const ASKED: [(&str, &str); 2] = [
    ("What does the crane driver earn in a month?", "31,207"),
    (
        "Which port did the board choose for the second berth?",
        "Zanzibar",
    ),
];
const ALL: &str = "ask,read,write,operate";

fn corpus() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in [
        (
            "pay/salaries.md",
            "---\ncodename: Obsidian\n---\n# Salaries of the yard\n\nThe crane driver earns 31,207 crowns in a month.\n",
        ),
        (
            "board/minutes.md",
            "---\nacl: [board]\ncodename: Obsidian\n---\n# Minutes of May\n\nThe board chose the port of Zanzibar for the second berth.\n",
        ),
        (
            "pay/open/rules.md",
            "# Rules of the yard\n\nThe crane driver rests for half an hour after four hours.\n",
        ),
        (
            "yard/crane.md",
            "# The crane\n\nThe crane lifts 35 tonnes.\n",
        ),
    ] {
        let file = dir.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    dir
}

fn key(name: &str, tenant: &str, groups: &[&str]) -> Value {
    let scopes: Vec<&str> = ALL.split(',').collect();
    json!({"name": name, "sha256": door::KeyFile::hash(name), "tenant": tenant, "scopes": scopes, "groups": groups})
}

/// One request of a try.
#[derive(Clone)]
struct Try {
    method: &'static str,
    path: String,
    headers: Vec<&'static str>,
    body: String,
}

impl Try {
    fn get(path: impl Into<String>) -> Try {
        Try {
            method: "GET",
            path: path.into(),
            headers: Vec::new(),
            body: String::new(),
        }
    }

    fn post(path: impl Into<String>, body: &Value) -> Try {
        Try {
            method: "POST",
            body: body.to_string(),
            ..Try::get(path)
        }
    }

    fn tool(name: &str, arguments: &Value) -> Try {
        Try::mcp("tools/call", &json!({"name": name, "arguments": arguments}))
    }

    fn mcp(method: &str, params: &Value) -> Try {
        let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        Try {
            headers: vec![
                "Accept: application/json, text/event-stream",
                "MCP-Protocol-Version: 2025-11-25",
            ],
            ..Try::post("/mcp", &body)
        }
    }

    async fn by(&self, stand: &Stand, name: &str) -> Answer {
        let login = Keys::header(name);
        let headers: Vec<&str> = self
            .headers
            .iter()
            .copied()
            .chain([login.as_str()])
            .collect();
        send(stand.at, self.method, &self.path, &headers, &self.body).await
    }
}

/// What somebody who may read everything has found, and others try to get at.
struct Known {
    turns: Vec<String>,
    conversations: Vec<String>,
    documents: Vec<String>,
    chunks: Vec<String>,
}

async fn known(stand: &Stand) -> Known {
    let mut known = Known {
        turns: Vec::new(),
        conversations: Vec::new(),
        documents: Vec::new(),
        chunks: Vec::new(),
    };
    for (at, (question, answer)) in ASKED.iter().enumerate() {
        let conversation = format!("talk-{at}");
        let asked = json!({"question": question, "conversation": conversation});
        let told = Try::post("/api/turns", &asked).by(stand, "everybody").await;
        assert!(told.body.contains(answer), "{told:?}");
        let told = told.json();
        known.turns.push(told["turn"].as_str().unwrap().into());
        known.conversations.push(conversation);
        let cited = &told["citations"][0];
        known
            .documents
            .push(cited["doc_id"].as_str().unwrap().into());
        known
            .chunks
            .push(cited["chunk_id"].as_str().unwrap_or_default().into());
    }
    known
}

/// Everything that a door can be asked, about what is known and about what is not.
fn tries(known: &Known) -> Vec<Try> {
    let mut tries = vec![
        Try::get("/api/catalog"),
        Try::get("/api/conversations"),
        Try::get("/api/documents"),
        Try::get("/api/feedback"),
        Try::get("/v1/models"),
        Try::mcp("resources/list", &json!({})),
        Try::post(
            "/api/count",
            &json!({"facets": ["title", "source", "bucket", "codename", "acl"]}),
        ),
        Try::post("/api/count", &json!({"filters": {"nonsense": 1}})),
    ];
    for turn in &known.turns {
        tries.push(Try::get(format!("/api/turns/{turn}")));
        tries.push(Try::get(format!("/api/turns/{turn}/events")));
        tries.push(Try::get(format!("/api/turns/{turn}/citations/1")));
        tries.push(Try::post(
            format!("/api/turns/{turn}/feedback"),
            &json!({"good": true}),
        ));
        tries.push(Try::get(format!("/plain/turns/{turn}")));
        let reply = json!({"question": "And why?", "reply_to_clarification": turn});
        tries.push(Try::post("/api/turns", &reply));
        tries.push(Try::tool(
            "ask",
            &json!({"question": "And why?", "turn": turn}),
        ));
    }
    for conversation in &known.conversations {
        let path = format!("/api/conversations/{conversation}");
        tries.push(Try::get(&path));
        tries.push(Try::post(format!("{path}/fork"), &json!({})));
        for question in ["And in a year?", "Who told you so?", "Which one was it?"] {
            let asked = json!({"question": question, "conversation": conversation});
            tries.push(Try::post("/api/turns", &asked));
        }
        let messages = json!([{"role": "user", "content": "And in a year?"}]);
        let chat = json!({"model": "argosy", "messages": messages, "conversation": conversation});
        tries.push(Try::post("/v1/chat/completions", &chat));
    }
    for (doc, source) in known
        .documents
        .iter()
        .zip(["pay/salaries.md", "board/minutes.md"])
    {
        tries.push(Try::get(format!("/api/document?doc_id={doc}")));
        let uri = format!("argosy://document/{doc}");
        tries.push(Try::mcp("resources/read", &json!({"uri": uri})));
        tries.push(Try::tool("fetch", &json!({"id": doc})));
        tries.push(Try::get(format!("/api/document?source={source}")));
        tries.push(Try::get(format!("/api/file?source={source}")));
        tries.push(Try::get(format!("/api/file?doc_id={doc}")));
        let search = json!({"query": "crane driver board port", "doc_id": doc});
        tries.push(Try::post("/api/search", &search));
    }
    for chunk in &known.chunks {
        tries.push(Try::tool("fetch", &json!({"id": chunk})));
    }
    let words = [
        "crane", "driver", "chose", "pay", "earns", "month", "crowns", "board", "port", "berth",
        "second", "yard",
    ];
    for one in words {
        for other in words {
            let query = format!("{one} {other}");
            tries.push(Try::post(
                "/api/search",
                &json!({"query": query, "top_k": 20, "explain": true}),
            ));
            tries.push(Try::tool("search", &json!({"query": query})));
        }
        let filters = json!({"named": {"contains": one}});
        tries.push(Try::post(
            "/api/count",
            &json!({"filters": filters, "facets": ["title"]}),
        ));
    }
    for (question, _) in ASKED {
        for said in [
            question.to_owned(),
            format!("Please, {question}"),
            question.to_lowercase(),
        ] {
            tries.push(Try::post("/api/turns", &json!({"question": said})));
            let messages = json!([{"role": "user", "content": said}]);
            tries.push(Try::post(
                "/v1/chat/completions",
                &json!({"model": "argosy", "messages": messages}),
            ));
            tries.push(Try::post(
                "/v1/responses",
                &json!({"model": "argosy", "input": said}),
            ));
            tries.push(Try::tool("ask", &json!({"question": said})));
        }
    }
    tries
}

/// The secret that a response tells, where the request does not say it itself.
fn tells(one: &Try, answer: &Answer) -> Option<&'static str> {
    let is_asked = |secret: &str| one.path.contains(secret) || one.body.contains(secret);
    let is_told = |secret: &str| answer.body.contains(secret) || answer.head.contains(secret);
    let mut secrets = SECRETS.into_iter();
    secrets.find(|secret| is_told(secret) && !is_asked(secret))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_tries_of_those_who_must_not_read_it_find_nothing() {
    let keys = Keys::of(vec![
        key("everybody", "default", &["*"]),
        key("hr", "default", &["hr"]),
        key("nobody", "default", &[]),
        key("law", "default", &["law", "yard"]),
        key("foreign", "other", &["*"]),
    ]);
    let mut stand = Stand::start(keys.options()).await;
    let tenant = TenantId::default_tenant();
    let rules = read_rules(RULES.as_bytes()).unwrap();
    streams::access::set(&*stand.bus, &tenant, rules)
        .await
        .unwrap();
    let corpus = corpus();
    stand.index(corpus.path().to_owned()).await;
    let known = known(&stand).await;
    let tries = tries(&known);
    let (mut made, mut told_all) = (0, 0);
    for one in &tries {
        for name in ["nobody", "law", "foreign"] {
            let answer = one.by(&stand, name).await;
            let what = format!("{name}: {} {} {}", one.method, one.path, one.body);
            assert_eq!(tells(one, &answer), None, "{what}: {answer:?}");
            assert!(answer.status < 500, "{what}: {answer:?}");
            made += 1;
        }
        // A try that tells nobody anything would prove nothing.
        let answer = one.by(&stand, "everybody").await;
        told_all += usize::from(tells(one, &answer).is_some());
    }
    assert!(made >= 1_000, "{made} tries");
    assert!(
        told_all * 2 > tries.len(),
        "{told_all} of {} tell somebody",
        tries.len()
    );
    // Members of the group read what it may read, and not more.
    for (at, (question, answer)) in ASKED.iter().enumerate() {
        let asked = Try::post("/api/turns", &json!({"question": question}));
        let told = asked.by(&stand, "hr").await;
        assert_eq!(told.body.contains(answer), at == 0, "{told:?}");
    }
    // What others may see, they do see.
    let asked = Try::post(
        "/api/turns",
        &json!({"question": "How much does the crane lift?"}),
    );
    assert!(asked.by(&stand, "nobody").await.body.contains("35 tonnes"));
    opened(&stand).await;
    stand.end().await;
}

/// Other rules hold at once, and nothing is indexed again.
async fn opened(stand: &Stand) {
    let tenant = TenantId::default_tenant();
    let open = vec![envelope::AccessRule {
        path: "pay/".into(),
        groups: Groups::new(["law"]).unwrap(),
    }];
    streams::access::set(&*stand.bus, &tenant, open)
        .await
        .unwrap();
    let (question, answer) = ASKED[0];
    let asked = Try::post("/api/turns", &json!({"question": question}));
    for _ in 0..100 {
        if asked.by(stand, "law").await.body.contains(answer) {
            let told = asked.by(stand, "hr").await;
            assert!(!told.body.contains(answer), "{told:?}");
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the new rules do not hold");
}
