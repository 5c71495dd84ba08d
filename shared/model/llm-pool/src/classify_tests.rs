//! Tests of the classification with the error bodies of every server.

use super::*;
use crate::dialect::JsonDialect;
use crate::error_body;
use proptest::prelude::*;

const BUSY: Option<Duration> = Some(Duration::from_secs(3));

/// A reply to a call that was rejected.
#[derive(Debug, Clone, Copy)]
struct Reply {
    server: &'static str,
    status: u16,
    /// The context that it names.
    limit: Option<u32>,
    body: &'static str,
}

/// The replies that mean this.
fn replies(meaning: &str) -> Vec<Reply> {
    let lines = include_str!("classify/replies.tsv").lines();
    let rows = lines.map(|line| line.split('\t').collect::<Vec<_>>());
    let of_it = rows.filter(|row| row[0] == meaning);
    let replies: Vec<Reply> = of_it
        .map(|row| Reply {
            server: row[1],
            status: row[2].parse().unwrap(),
            limit: row[3].parse().ok(),
            body: row[4],
        })
        .collect();
    assert!(!replies.is_empty(), "{meaning}");
    replies
}

fn meaning(status: u16, body: &str) -> Failure {
    classify(
        status,
        error_body::read(body.as_bytes()),
        None,
        Asked::default(),
    )
}

fn with_schema(status: u16, body: &str, asked: JsonDialect) -> Failure {
    let asked = Asked {
        json: Some(asked),
        ..Asked::default()
    };
    classify(status, error_body::read(body.as_bytes()), None, asked)
}

#[test]
fn a_prompt_that_is_too_long_is_known_by_every_wording() {
    for Reply {
        server,
        status,
        limit,
        body,
    } in replies("too_long")
    {
        let wanted = Failure::TooLong { limit };
        assert_eq!(meaning(status, body), wanted, "{server}");
        let asked = with_schema(status, body, JsonDialect::JsonSchema);
        assert_eq!(asked, wanted, "{server}, asked for a schema");
    }
}

#[test]
fn a_rejected_format_is_known_only_where_one_was_asked_for() {
    for Reply {
        server,
        status,
        body,
        ..
    } in replies("format")
    {
        for asked in [JsonDialect::JsonSchema, JsonDialect::JsonObject] {
            let got = with_schema(status, body, asked);
            assert!(matches!(got, Failure::Dialect { .. }), "{server}: {got:?}");
        }
        for got in [
            meaning(status, body),
            with_schema(status, body, JsonDialect::Plain),
        ] {
            assert!(!matches!(got, Failure::Dialect { .. }), "{server}: {got:?}");
        }
    }
}

#[test]
fn rejected_probabilities_are_known_only_where_they_were_asked_for() {
    let likely = Asked {
        json: Some(JsonDialect::JsonSchema),
        likely: 5,
        tokens_max: 9,
    };
    let rejected = |failure| match failure {
        Failure::Dialect { rejected, .. } => Some(rejected),
        _ => None,
    };
    let said = |body: &str| error_body::read(body.as_bytes());
    for Reply {
        server,
        status,
        body,
        ..
    } in replies("likely")
    {
        let got = classify(status, said(body), None, likely);
        assert_eq!(rejected(got), Some(Rejected::Likely), "{server}");
        let got = with_schema(status, body, JsonDialect::JsonSchema);
        assert_eq!(rejected(got), None, "{server}");
    }
    let Reply { status, body, .. } = replies("format")[0];
    let json = Some(Rejected::Json(JsonDialect::JsonSchema));
    assert_eq!(rejected(classify(status, said(body), None, likely)), json);
}

#[test]
fn what_may_pass_is_told_from_what_will_not() {
    let got = |reply: &Reply| {
        let said = error_body::read(reply.body.as_bytes());
        classify(reply.status, said, BUSY, Asked::default())
    };
    for reply in replies("busy") {
        assert_eq!(
            got(&reply),
            Failure::Busy { retry_after: BUSY },
            "{reply:?}"
        );
    }
    for reply in replies("down") {
        let is_down = matches!(
            got(&reply),
            Failure::Down {
                retry_after: BUSY,
                ..
            }
        );
        assert!(is_down, "{reply:?}");
    }
    for reply in replies("refused") {
        let is_refused =
            matches!(got(&reply), Failure::Refused { status, .. } if status == reply.status);
        assert!(is_refused, "{reply:?}");
    }
}

#[test]
fn an_echoed_prompt_does_not_decide() {
    let body = r#"{"detail":[{"type":"string_type","loc":["body","model"],"msg":"Input should be a valid string","input":{"user":"What is a context window? What is a schema?"}}]}"#;
    let got = with_schema(422, body, JsonDialect::JsonSchema);
    assert!(
        matches!(got, Failure::Refused { status: 422, .. }),
        "{got:?}"
    );
}

#[test]
fn a_number_that_cannot_be_a_context_is_none() {
    let got = meaning(400, r#"{"error":"context length 3 of 99999999999"}"#);
    assert_eq!(got, Failure::TooLong { limit: None });
}

proptest! {
    #[test]
    fn every_status_and_body_means_something(status in 100u16..600, body in "\\PC{0,200}") {
        let _ = with_schema(status, &body, JsonDialect::JsonSchema);
    }

    #[test]
    fn a_limit_is_read_wherever_it_stands(
        before in "[a-z ]{0,20}", limit in 128u32..2_000_000, after in "[ .,)][a-z ]{0,20}",
    ) {
        let body = format!("{before} maximum context length is {limit}{after}");
        prop_assert_eq!(meaning(400, &body), Failure::TooLong { limit: Some(limit) });
    }
}
