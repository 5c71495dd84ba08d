//! One node: where it is, what was learned about it, and one call of it.

use crate::dialect::{Dialect, Learned};
use crate::error::Error;
use crate::failure::Failure;
use crate::http::{self, BodyError};
use crate::limits::BODY_BYTES_MAX;
use crate::pick::NodeState;
use crate::{classify, options, retry_after, said};
use prometheus::IntGauge;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, DATE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Response, Url};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use time::OffsetDateTime;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

/// How long the parts of one call may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timeouts {
    /// To open a connection.
    pub(crate) connect: Duration,
    /// From sending to the first byte of the answer.
    pub(crate) first_byte: Duration,
    /// Between two pieces of the answer.
    pub(crate) idle: Duration,
}

/// A server and what is known of it.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) dialect: Learned,
    url: Url,
    authorization: Option<HeaderValue>,
    client: Client,
    timeouts: Timeouts,
    limit: usize,
    body_bytes_max: usize,
    places: Arc<Semaphore>,
    in_flight: Option<IntGauge>,
    resting_until: Mutex<Option<Instant>>,
}

/// One call in flight; dropping it makes room for the next.
#[derive(Debug)]
pub(crate) struct Place {
    _permit: OwnedSemaphorePermit,
    in_flight: Option<IntGauge>,
}

impl Place {
    fn new(permit: OwnedSemaphorePermit, in_flight: &Option<IntGauge>) -> Place {
        if let Some(gauge) = in_flight {
            gauge.inc();
        }
        Place {
            _permit: permit,
            in_flight: in_flight.clone(),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(gauge) = &self.in_flight {
            gauge.dec();
        }
    }
}

impl Node {
    /// A node that chats.
    pub(crate) fn new(
        options: &options::Node,
        timeouts: Timeouts,
        in_flight: IntGauge,
    ) -> Result<Self, Error> {
        let bad = |what: &str| Error::Options(format!("node `{}`: {what}", options.name));
        let url = http::endpoint(&options.base_url, "chat/completions").map_err(bad)?;
        Node::at(url, BODY_BYTES_MAX, options, timeouts, Some(in_flight))
    }

    /// A node that is asked at `url`, and whose answers have at most `body_bytes_max` bytes.
    pub(crate) fn at(
        url: Url,
        body_bytes_max: usize,
        options: &options::Node,
        timeouts: Timeouts,
        in_flight: Option<IntGauge>,
    ) -> Result<Self, Error> {
        let bad = |what: &str| Error::Options(format!("node `{}`: {what}", options.name));
        let authorization = match options.api_key.expose() {
            "" => None,
            key => {
                let value = HeaderValue::try_from(format!("Bearer {key}"));
                let mut value = value.map_err(|_| bad("`api_key` has signs no header may have"))?;
                value.set_sensitive(true);
                Some(value)
            }
        };
        let limit = options.max_in_flight as usize;
        Ok(Node {
            name: options.name.clone(),
            dialect: Learned::default(),
            url,
            authorization,
            client: http::client(timeouts.connect).map_err(Error::Client)?,
            timeouts,
            limit,
            body_bytes_max,
            places: Arc::new(Semaphore::new(limit)),
            in_flight,
            resting_until: Mutex::new(None),
        })
    }

    /// What the picker needs to know.
    pub(crate) fn state(&self, tried: bool) -> NodeState {
        NodeState {
            in_flight: self.limit - self.places.available_permits(),
            limit: self.limit,
            resting: self.rest_left().is_some(),
            tried,
        }
    }

    /// Takes a place, if there is one.
    pub(crate) fn take_place(&self) -> Option<Place> {
        let permit = self.places.clone().try_acquire_owned().ok()?;
        Some(Place::new(permit, &self.in_flight))
    }

    /// Waits for a place, at most until then.
    pub(crate) async fn wait_for_place(&self, until: Instant) -> Option<Place> {
        let permit = timeout_at(until, self.places.clone().acquire_owned()).await;
        Some(Place::new(permit.ok()?.ok()?, &self.in_flight))
    }

    /// Leaves the node alone for as long as it asked for.
    pub(crate) fn rest(&self, wait: Duration) {
        let until = Instant::now() + wait;
        let mut resting = self.resting();
        *resting = Some(resting.map_or(until, |before| before.max(until)));
    }

    /// How long the node is still to be left alone.
    pub(crate) fn rest_left(&self) -> Option<Duration> {
        let until = (*self.resting())?;
        let left = until.checked_duration_since(Instant::now())?;
        (!left.is_zero()).then_some(left)
    }

    fn resting(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        let resting = self.resting_until.lock();
        resting.unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends `body` and reads the answer. Dropping the future closes the connection, which tells
    /// the server to stop writing.
    pub(crate) async fn call(
        &self,
        body: Vec<u8>,
        asked: Option<Dialect>,
        until: Instant,
    ) -> Result<Vec<u8>, Failure> {
        let slow = |what| Failure::Slow { what };
        match timeout_at(until, self.exchange(body, asked)).await {
            Ok(result) => result,
            Err(_) => Err(slow("the time for the call was up")),
        }
    }

    async fn exchange(&self, body: Vec<u8>, asked: Option<Dialect>) -> Result<Vec<u8>, Failure> {
        let mut request = self.client.post(self.url.clone());
        if let Some(key) = &self.authorization {
            request = request.header(AUTHORIZATION, key.clone());
        }
        let sent = request
            .header(CONTENT_TYPE, "application/json")
            .body(body)
            .send();
        let first_byte = Instant::now() + self.timeouts.first_byte;
        let response = match timeout_at(first_byte, sent).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(down(http::reason(error))),
            Err(_) => {
                return Err(Failure::Slow {
                    what: "no first byte in time",
                });
            }
        };
        let status = response.status().as_u16();
        let wait = retry_after(response.headers());
        let body = self.body(response).await;
        if status == 200 {
            return body;
        }
        // A rejection counts by its status even when its body is lost.
        let said = said::read(&body.unwrap_or_default());
        Err(classify::classify(status, said, wait, asked))
    }

    async fn body(&self, response: Response) -> Result<Vec<u8>, Failure> {
        http::body(response, self.timeouts.idle, self.body_bytes_max)
            .await
            .map_err(|error| match error {
                BodyError::Idle => Failure::Slow {
                    what: "the answer stopped midway",
                },
                BodyError::TooLarge => Failure::Garbled {
                    reason: format!("answer over {} bytes", self.body_bytes_max),
                },
                BodyError::Broken(error) => down(http::reason(error)),
            })
    }
}

fn down(reason: String) -> Failure {
    Failure::Down {
        reason,
        retry_after: None,
    }
}

/// A date is compared with the clock of the node, where it sends it: ours may differ.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name| headers.get(name)?.to_str().ok();
    let now = text(DATE).and_then(retry_after::parse_date);
    let now = now.unwrap_or_else(|| OffsetDateTime::from(SystemTime::now()));
    retry_after::parse(text(RETRY_AFTER)?, now)
}
