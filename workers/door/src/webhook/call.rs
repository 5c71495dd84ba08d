//! An event, and one try to tell an endpoint of it. *Not* here: whether there is a further one.
//!
//! An endpoint is believed its status and how long it wants to be left alone, and nothing else: its body is not read, and
//! nobody is sent elsewhere.

use super::Webhook;
use super::address::{Guard, RefusedAddress, checked};
use envelope::{Terminal, UnixMs, WebhookName};
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Client, Url, redirect, retry};
use serde_json::json;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// How long an endpoint may take, with the connection.
const TRY_MAX: Duration = Duration::from_secs(15);
const CONNECT_MAX: Duration = Duration::from_secs(5);
/// Longest text of an error.
const TEXT_MAX: usize = 300;

/// Why an endpoint did not take an event.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// It may not be called.
    #[error("{0}")]
    Refused(String),
    /// It answered with another status than 2xx, and maybe with how long it wants to be left alone.
    #[error("it answered with status {0}")]
    Status(u16, Option<Duration>),
    /// It did not answer in time.
    #[error("it did not answer within {} s", TRY_MAX.as_secs())]
    TimedOut,
    /// It was not reached, or broke off.
    #[error("{0}")]
    Unreachable(String),
}

impl CallError {
    /// The reason as one word.
    pub fn code(&self) -> &'static str {
        match self {
            CallError::Refused(_) => "address_refused",
            CallError::Status(410, _) => "gone",
            CallError::Status(..) => "status",
            CallError::TimedOut => "timed_out",
            CallError::Unreachable(_) => "unreachable",
        }
    }
}

impl From<reqwest::Error> for CallError {
    /// Without the URL, in which there may be a secret.
    fn from(error: reqwest::Error) -> CallError {
        let error = error.without_url();
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(next) = cause {
            if let Some(refused) = next.downcast_ref::<RefusedAddress>() {
                return CallError::Refused(refused.to_string());
            }
            text = format!("{text}: {next}");
            cause = next.source();
        }
        match error.is_timeout() {
            true => CallError::TimedOut,
            false => CallError::Unreachable(text.chars().take(TEXT_MAX).collect()),
        }
    }
}

/// What an endpoint is told.
pub(super) struct Event {
    /// The same for every try, and for every door that tries.
    id: String,
    body: String,
}

impl Event {
    /// The end of a turn, in the words that are stored: they are the same at every door.
    pub(super) fn ended(ended: &Terminal, stored: &[u8]) -> Event {
        let id = format!("turn-{}", ended.turn.as_str());
        let data = String::from_utf8_lossy(stored);
        Event::new(id, "turn.ended", ended.ended_at, &data)
    }

    /// One that says nothing.
    pub(super) fn ping(webhook: &WebhookName, now: UnixMs) -> Event {
        let data = json!({ "webhook": webhook });
        Event::new(format!("ping-{}", now.0), "ping", now, &data.to_string())
    }

    /// `data` is JSON.
    fn new(id: String, kind: &str, at: UnixMs, data: &str) -> Event {
        let at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(at.0) * 1_000_000);
        let at = at.ok().and_then(|at| at.format(&Rfc3339).ok());
        let at = at.unwrap_or_default();
        let body = format!(r#"{{"type":"{kind}","timestamp":"{at}","data":{data}}}"#);
        Event { id, body }
    }
}

/// Calls one endpoint.
pub(super) struct Caller {
    pub(super) webhook: Webhook,
    url: Url,
    client: Client,
}

impl Caller {
    /// # Errors
    /// When its URL may not be called.
    pub(super) fn new(webhook: Webhook) -> Result<Caller, CallError> {
        let url = checked(&webhook.url, webhook.allow_private).map_err(CallError::Refused)?;
        // Process-wide by design of rustls; that it is already there is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .user_agent(concat!("argosy/", env!("CARGO_PKG_VERSION")))
            .timeout(TRY_MAX)
            .connect_timeout(CONNECT_MAX)
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            // A proxy would look the name up itself.
            .no_proxy()
            .dns_resolver(Arc::new(Guard {
                allow_private: webhook.allow_private,
            }))
            .build()?;
        Ok(Caller {
            webhook,
            url,
            client,
        })
    }

    /// Tries once; returns the status with which the event was taken.
    pub(super) async fn call(&self, event: &Event, now: UnixMs) -> Result<u16, CallError> {
        let seconds = now.0 / 1_000;
        let signed =
            |secret: &super::WebhookSecret| secret.sign(&event.id, seconds, event.body.as_bytes());
        let signatures: Vec<String> = self.webhook.secrets.iter().map(signed).collect();
        let request = self
            .client
            .post(self.url.clone())
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", &event.id)
            .header("webhook-timestamp", seconds)
            .header("webhook-signature", signatures.join(" "))
            .body(event.body.clone());
        let response = request.send().await?;
        let status = response.status();
        if status.is_success() {
            return Ok(status.as_u16());
        }
        let wait = response.headers().get(RETRY_AFTER);
        let wait = wait.and_then(|wait| wait.to_str().ok()?.trim().parse().ok());
        Err(CallError::Status(
            status.as_u16(),
            wait.map(Duration::from_secs),
        ))
    }
}
