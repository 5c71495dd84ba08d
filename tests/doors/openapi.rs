//! The OpenAPI document against the door: it names what is served, and what is served is as it says.

use crate::http::send;
use crate::stand::{QUESTION, Stand};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The source that has the routes.
const ROUTES: &str = include_str!("../../workers/door/src/http.rs");
/// The methods that a path may have.
const METHODS: [&str; 4] = ["get", "post", "put", "delete"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_document_names_what_is_served() {
    let stand = Stand::usual().await;
    let document = stand.get("/api/openapi.json").await.json();
    assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
    let paths = document["paths"].as_object().unwrap();
    let named: BTreeSet<&str> = paths.keys().map(String::as_str).collect();
    let routes: Vec<String> = ROUTES
        .split('"')
        .filter(|text| text.starts_with("/api/"))
        .map(|route| route.replace("{*", "{"))
        .collect();
    let served: BTreeSet<&str> = routes.iter().map(String::as_str).collect();
    assert_eq!(named, served);
    for (path, item) in paths {
        let at = path.replace("{n}", "1").replace(['{', '}'], "");
        for method in METHODS {
            let answer = send(stand.at, &method.to_uppercase(), &at, &[], "").await;
            let is_served = answer.status != 405;
            assert_eq!(is_served, item.get(method).is_some(), "{method} {path}");
            let is_known = answer.status != 404 || answer.json()["code"] != "no_such_path";
            assert!(is_known, "{method} {path}");
        }
    }
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_answered_is_as_described() {
    let stand = Stand::usual().await;
    let document = stand.get("/api/openapi.json").await.json();
    let check = async |method: &str, path: &str, of: &str, headers: &[&str], body: Value| {
        let sent = match body {
            Value::Null => String::new(),
            body => body.to_string(),
        };
        let answer = send(stand.at, method, path, headers, &sent).await;
        let operation = &document["paths"][of][method.to_lowercase()];
        let response = &operation["responses"][answer.status.to_string()];
        let response = followed(&document, response);
        let kind = answer.header("content-type").unwrap();
        let schema = &response["content"][kind]["schema"];
        let at = format!("{method} {of}: {}", answer.status);
        assert!(schema.is_object(), "{at} is not described as {kind}");
        let body = answer.json();
        must_fit(&document, schema, &body, &at);
        (answer.status, body)
    };
    let asked = json!({ "question": QUESTION });
    let (status, turn) = check("POST", "/api/turns", "/api/turns", &[], asked.clone()).await;
    assert_eq!((status, turn["outcome"].as_str()), (200, Some("answered")));
    for question in [
        "List all invoices.",
        "How many contracts are there?",
        "What is the zxqwv of the blorf?",
    ] {
        check(
            "POST",
            "/api/turns",
            "/api/turns",
            &[],
            json!({"question": question}),
        )
        .await;
    }
    let later = ["Prefer: respond-async"];
    assert_eq!(
        check("POST", "/api/turns", "/api/turns", &later, asked)
            .await
            .0,
        202
    );
    let refused = json!({"question": QUESTION, "model": "none"});
    assert_eq!(
        check("POST", "/api/turns", "/api/turns", &[], refused)
            .await
            .0,
        422
    );
    let id = turn["turn"].as_str().unwrap();
    let judged = json!({"good": true, "comment": "It is 45 V.", "sentence": 1});
    let path = format!("/api/turns/{id}/feedback");
    assert_eq!(stand.post(&path, &[], &judged).await.status, 204);
    let feedback = "/api/turns/{turn}/feedback";
    check("POST", &path, feedback, &[], json!({"good": 1})).await;
    for (path, of, wanted) in [
        (format!("/api/turns/{id}"), "/api/turns/{turn}", 200),
        ("/api/turns/none".to_owned(), "/api/turns/{turn}", 404),
        ("/api/turns/%FF".to_owned(), "/api/turns/{turn}", 404),
        (
            format!("/api/turns/{id}/citations/1"),
            "/api/turns/{turn}/citations/{n}",
            200,
        ),
        (
            format!("/api/turns/{id}/citations/x"),
            "/api/turns/{turn}/citations/{n}",
            404,
        ),
        ("/api/catalog".to_owned(), "/api/catalog", 200),
        (
            "/api/document?source=datasheets/hv2n4410a.md".to_owned(),
            "/api/document",
            200,
        ),
        ("/api/document".to_owned(), "/api/document", 400),
        ("/api/file".to_owned(), "/api/file", 400),
        ("/api/file?source=none.md".to_owned(), "/api/file", 404),
        (
            "/api/file?source=datasheets/hv2n4410a.md".to_owned(),
            "/api/file",
            501,
        ),
        ("/api/documents?limit=3".to_owned(), "/api/documents", 200),
        (
            "/api/documents/datasheets/hv2n4410a.md".to_owned(),
            "/api/documents/{source}",
            200,
        ),
        ("/api/conversations".to_owned(), "/api/conversations", 200),
        (
            "/api/conversations/none".to_owned(),
            "/api/conversations/{conversation}",
            404,
        ),
        ("/api/feedback?limit=1".to_owned(), "/api/feedback", 200),
        ("/api/fleet".to_owned(), "/api/fleet", 200),
        ("/api/login".to_owned(), "/api/login", 200),
        ("/api/health".to_owned(), "/api/health", 200),
        ("/api/openapi.json".to_owned(), "/api/openapi.json", 200),
    ] {
        let (status, _) = check("GET", &path, of, &[], Value::Null).await;
        assert_eq!(status, wanted, "{path}");
    }
    let said = json!({"question": QUESTION, "conversation": "c1"});
    check("POST", "/api/turns", "/api/turns", &[], said).await;
    let fork = "/api/conversations/{conversation}/fork";
    for (id, wanted) in [("c1", 201), ("c2", 404)] {
        let path = format!("/api/conversations/{id}/fork");
        let (status, _) = check("POST", &path, fork, &[], json!({})).await;
        assert_eq!(status, wanted, "{path}");
    }
    let search = json!({"query": "invoice of Corvane in 2024", "top_k": 2, "explain": true});
    check("POST", "/api/search", "/api/search", &[], search).await;
    let count = json!({"facets": ["vendor_name"], "filters": {"none": 1}});
    check("POST", "/api/count", "/api/count", &[], count).await;
    stand.end().await;
}

#[test]
fn what_does_not_fit_is_found() {
    let document = json!({"components": {"schemas": {"N": {"type": "integer", "minimum": 1}}}});
    let schema = json!({
        "type": "object", "required": ["n"],
        "properties": {"n": {"$ref": "#/components/schemas/N"}, "of": {"enum": ["a", null]}, "list": {"type": "array", "items": {"type": ["string", "null"]}}}
    });
    let fault = |value: Value| fault(&document, &schema, &value, "it");
    assert_eq!(
        fault(json!({"n": 1, "of": null, "list": ["a", null]})),
        None
    );
    for wrong in [
        json!([]),
        json!({}),
        json!({"n": 0}),
        json!({"n": 1.5}),
        json!({"n": 1, "of": "b"}),
        json!({"n": 1, "list": [1]}),
        json!({"n": 1, "other": 1}),
    ] {
        assert!(fault(wrong.clone()).is_some(), "{wrong}");
    }
}

/// What a reference of the document stands for.
fn followed<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    match value["$ref"].as_str() {
        Some(to) => document.pointer(to.trim_start_matches('#')).expect(to),
        None => value,
    }
}

fn must_fit(document: &Value, schema: &Value, value: &Value, at: &str) {
    if let Some(fault) = fault(document, schema, value, at) {
        panic!("{fault}");
    }
}

/// Why a value does not fit a schema, by as much of JSON Schema as responses are described with. A field that is not
/// described is a fault, unless the schema has none at all.
fn fault(document: &Value, schema: &Value, value: &Value, at: &str) -> Option<String> {
    let schema = followed(document, schema);
    let wrong = |why: &str| Some(format!("{at}: {why}: {value}"));
    if let Some(any) = schema["anyOf"].as_array() {
        let fits = |one: &Value| fault(document, one, value, at).is_none();
        return (!any.iter().any(fits)).then(|| format!("{at}: fits none: {value}"));
    }
    let kinds = match &schema["type"] {
        Value::Array(kinds) => kinds.clone(),
        Value::Null => Vec::new(),
        kind => vec![kind.clone()],
    };
    let is_of = |kind: &Value| match kind.as_str().unwrap() {
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        other => panic!("{at}: no type `{other}`"),
    };
    if !kinds.is_empty() && !kinds.iter().any(is_of) {
        return wrong("is of another type");
    }
    if schema["enum"]
        .as_array()
        .is_some_and(|all| !all.contains(value))
    {
        return wrong("is not listed");
    }
    let number = value.as_f64().unwrap_or_default();
    let beyond = |bound: &str, is_beyond: fn(&f64, &f64) -> bool| {
        let bound = schema[bound].as_f64();
        value.is_number() && bound.is_some_and(|bound| is_beyond(&number, &bound))
    };
    if beyond("minimum", f64::lt) || beyond("maximum", f64::gt) {
        return wrong("is beyond the bounds");
    }
    match value {
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(n, item)| fault(document, &schema["items"], item, &format!("{at}[{n}]"))),
        Value::Object(fields) => fault_of_fields(document, schema, fields, at),
        _ => None,
    }
}

fn fault_of_fields(
    document: &Value,
    schema: &Value,
    fields: &Map<String, Value>,
    at: &str,
) -> Option<String> {
    let required = schema["required"].as_array().into_iter().flatten();
    let mut names = required.filter_map(Value::as_str);
    if let Some(name) = names.find(|name| !fields.contains_key(*name)) {
        return Some(format!("{at}: `{name}` is missing"));
    }
    let described = schema["properties"].as_object();
    fields.iter().find_map(|(name, value)| {
        let at = format!("{at}.{name}");
        let of = described.and_then(|properties| properties.get(name));
        match of.or_else(|| schema.get("additionalProperties")) {
            Some(Value::Bool(true)) => None,
            Some(schema) => fault(document, schema, value, &at),
            None if described.is_none() => None,
            None => Some(format!("{at}: is not described")),
        }
    })
}
