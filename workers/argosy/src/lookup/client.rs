//! Asking a retriever to look into the corpus, on either bus.

use crate::fail::Fail;
use envelope::Problem;
use envelope::lookup::Reply;
use harness::bus::{Bus, CoreMessage, Headers};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::time::Duration;

/// How long a reply is waited for: a little longer than a retriever may take.
const WAIT: Duration = Duration::from_secs(12);

/// Sends `request` to `subject` and waits for the reply.
pub async fn ask<T: DeserializeOwned>(
    bus: &dyn Bus,
    subject: &str,
    request: &Value,
) -> Result<T, Fail> {
    let token: String = (0..16).map(|_| fastrand::alphanumeric()).collect();
    let inbox = format!("_INBOX.{token}");
    let reply = async {
        let mut replies = bus.subscribe(&inbox, None).await?;
        bus.broadcast(CoreMessage {
            subject: subject.into(),
            reply: Some(inbox.clone()),
            headers: Headers::default(),
            body: request.to_string().into(),
        })
        .await?;
        Ok::<_, Fail>(replies.next().await)
    };
    let reply = match tokio::time::timeout(WAIT, reply).await {
        Ok(reply) => reply?,
        Err(_) => return Err(nobody("no retriever answered in time")),
    };
    // A server says with an empty message that nobody listens.
    let Some(reply) = reply.filter(|reply| !reply.body.is_empty()) else {
        return Err(nobody("no retriever listens"));
    };
    read(&reply.body)
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Fail> {
    let unreadable = |e: &dyn std::fmt::Display| {
        Fail::negative(format!("the reply of the retriever cannot be read: {e}"))
    };
    let reply: Reply<T> = envelope::decode(body).map_err(|e| unreadable(&e))?;
    match (reply.result, reply.error) {
        (Some(result), _) => Ok(result),
        (None, Some(problem)) => Err(refused(problem)),
        (None, None) => Err(unreadable(&"it holds nothing")),
    }
}

fn nobody(text: &str) -> Fail {
    Fail::still_running(text)
        .hint("one that has caught up with the corpus does; start it with: argosy run retriever")
}

fn refused(problem: Problem) -> Fail {
    let Problem { code, message } = problem;
    match code.as_str() {
        "not_found" => Fail::not_found(message),
        "overloaded" | "timed_out" => Fail::still_running(message),
        "index_failed" | "index_io" | "panic" | "reply_too_large" => Fail::negative(message),
        _ => Fail::usage(message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::lookup::Document;

    #[test]
    fn replies_are_results_or_failures() {
        let exit = |body: &str| read::<Document>(body.as_bytes()).unwrap_err().exit;
        for (code, wanted) in [("not_found", 3), ("bad_field", 2), ("overloaded", 6)] {
            let body = format!(r#"{{"v":1,"error":{{"code":"{code}","message":"m"}}}}"#);
            assert_eq!(exit(&body), wanted, "{code}");
        }
        assert_eq!(exit(r#"{"v":1}"#), 1);
        assert_eq!(exit("{}"), 1);
    }
}
