//! Asks a retriever to look into the corpus, on either bus.

use crate::client::random_token;
use bus::{Bus, BusError, CoreMessage};
use envelope::lookup::Reply;
use envelope::{CodecError, Problem};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::time::Duration;

/// How long a reply is waited for: a little longer than a retriever may take.
const WAIT: Duration = Duration::from_secs(12);

/// Why a look-up in the corpus failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The bus could not be asked, or refused.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// No reply in time.
    #[error("no retriever answered in time")]
    Late,
    /// No retriever listens.
    #[error("no retriever is running that has caught up with the corpus")]
    Unheard,
    /// The reply cannot be parsed.
    #[error("the reply of the retriever cannot be read: {0}")]
    Unreadable(#[from] CodecError),
    /// The reply has neither a result nor a reason.
    #[error("the reply of the retriever cannot be read: it holds nothing")]
    Empty,
    /// The retriever refused the request, with a reason.
    #[error("{}", .0.message)]
    Refused(Problem),
}

/// Sends `request` to `subject` and waits for the reply.
pub async fn ask<T: DeserializeOwned>(
    bus: &dyn Bus,
    subject: &str,
    request: &Value,
) -> Result<T, Error> {
    let inbox = format!("{}.{}", bus.inbox(), random_token());
    let reply = async {
        let mut replies = bus.subscribe(&inbox, None).await?;
        bus.broadcast(CoreMessage {
            reply: Some(inbox.clone()),
            ..CoreMessage::new(subject, request.to_string())
        })
        .await?;
        Ok::<_, BusError>(replies.next().await)
    };
    let reply = match tokio::time::timeout(WAIT, reply).await {
        Ok(reply) => reply?,
        Err(_) => return Err(Error::Late),
    };
    // A server replies with an empty message when nothing listens.
    let Some(reply) = reply.filter(|reply| !reply.body.is_empty()) else {
        return Err(Error::Unheard);
    };
    read(&reply.body)
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Error> {
    let reply: Reply<T> = envelope::decode(body)?;
    match (reply.result, reply.error) {
        (Some(result), _) => Ok(result),
        (None, Some(problem)) => Err(Error::Refused(problem)),
        (None, None) => Err(Error::Empty),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::lookup::DocumentReply;

    #[test]
    fn replies_are_results_or_failures() {
        let failed = |body: &str| read::<DocumentReply>(body.as_bytes()).unwrap_err();
        let refused = failed(r#"{"v":1,"error":{"code":"not_found","message":"m"}}"#);
        assert_eq!(refused.to_string(), "m");
        assert!(matches!(refused, Error::Refused(problem) if problem.code == "not_found"));
        assert!(matches!(failed(r#"{"v":1}"#), Error::Empty));
        assert!(matches!(failed("{}"), Error::Unreadable(_)));
    }
}
