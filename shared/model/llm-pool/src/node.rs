//! One node: its address, its dialect, and one exchange with it. [`crate::balance`] decides which calls it gets.

use crate::asked::Asked;
use crate::balance::{NodeId, Patience, Silence};
use crate::constants::{BODY_BYTES_MAX, PROBE_TIMEOUT};
use crate::cut::PerWord;
use crate::dialect::Learned;
use crate::error::Error;
use crate::failure::Failure;
use crate::http::{self, BodyError};
use crate::load::{self, Load};
use crate::stream::Streamed;
use crate::streaming::Thoughts;
use crate::{classify, error_body, options, retry_after, wire};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, DATE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Client, RequestBuilder, Response, Url};
use settings::InvalidOption;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};
use time::OffsetDateTime;
use tokio::time::{Instant, timeout, timeout_at};

/// How far an answer has come.
#[derive(Debug)]
struct Progress {
    began: Instant,
    /// When the first token came, counted from the sending.
    first_token: Option<Duration>,
    /// When something came last.
    at: Instant,
    patience: Patience,
}

impl Progress {
    fn new(patience: Patience) -> Progress {
        let now = Instant::now();
        Progress {
            began: now,
            first_token: None,
            at: now,
            patience,
        }
    }

    /// When the node has been silent for too long.
    fn by(&self) -> Instant {
        match self.first_token {
            None => self.began + self.patience.first_token,
            Some(_) => self.at + self.patience.idle,
        }
    }

    /// Waits for what comes next for as long as the node may be silent, which is longer when it was given other prompts
    /// meanwhile.
    async fn next<T>(
        &mut self,
        watcher: &mut dyn Watcher,
        coming: impl Future<Output = T>,
    ) -> Result<T, Failure> {
        let mut coming = pin!(coming);
        loop {
            let by = self.by();
            if let Ok(came) = timeout_at(by, &mut coming).await {
                return Ok(came);
            }
            self.patience = watcher.patience();
            if self.by() <= by {
                return Err(self.silent());
            }
        }
    }

    /// The call is given up now.
    fn slow(&self, what: &'static str) -> Failure {
        let silence = Silence {
            lasted: self.at.elapsed(),
            has_begun: self.first_token.is_some(),
        };
        Failure::Slow { what, silence }
    }

    fn silent(&self) -> Failure {
        self.slow(match self.first_token {
            None => "no first token in time",
            Some(_) => "the answer stopped midway",
        })
    }
}

/// What one exchange came to.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) body: Body,
    /// When the first token came, counted from the sending; of streamed answers only.
    pub(crate) first_token: Option<Duration>,
}

/// Observes the progress of a streamed answer.
pub(crate) trait Watcher: Send {
    /// How long the node may be silent, by what is known now.
    fn patience(&self) -> Patience;
    fn begun(&mut self);
    /// So much is written, from the beginning.
    fn wrote(&mut self, text: &str);
}

/// An answer as it came.
#[derive(Debug)]
pub(crate) enum Body {
    Whole(Vec<u8>),
    Streamed(Box<Streamed>),
}

/// A server and how it is asked.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) id: NodeId,
    pub(crate) name: String,
    pub(crate) dialect: Learned,
    /// Whether it has rejected a request because it asked for probabilities.
    pub(crate) refuses_likely: AtomicBool,
    pub(crate) per_word: PerWord,
    pub(crate) thoughts: Thoughts,
    /// Most calls in flight.
    pub(crate) limit: usize,
    /// Calls in flight before anything is known.
    pub(crate) first: usize,
    base: Url,
    at: Option<SocketAddr>,
    authorization: Option<HeaderValue>,
    client: Client,
    /// A client of its own, so that probes do not wait behind calls.
    probes: Client,
    body_bytes_max: usize,
}

/// What a probe came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Probe {
    Load(Load),
    /// It is there and does not tell.
    Silent,
    Away,
}

impl Node {
    /// A node as configured; `at` is its address where its name was looked up.
    pub(crate) fn new(
        id: NodeId,
        name: String,
        options: &options::Node,
        at: Option<SocketAddr>,
        (connect_timeout, body_bytes_max): (Duration, usize),
    ) -> Result<Self, Error> {
        let bad = |what: &str| InvalidOption::new(format!("node `{}`: {what}", options.name));
        let authorization = match options.api_key.expose() {
            "" => None,
            key => {
                let value = HeaderValue::try_from(format!("Bearer {key}"));
                let mut value = value.map_err(|_| bad("`api_key` has signs no header may have"))?;
                value.set_sensitive(true);
                Some(value)
            }
        };
        let base = http::endpoint(&options.base_url, "").map_err(bad)?;
        let host = base.host_str().unwrap_or_default().to_owned();
        let there = at.map(|at| (host.as_str(), at));
        let client = |connect| http::client(connect, there).map_err(Error::Client);
        Ok(Node {
            id,
            name,
            dialect: Learned::new(options.dialect),
            refuses_likely: AtomicBool::new(false),
            per_word: PerWord::default(),
            thoughts: Thoughts::default(),
            limit: options.max_in_flight as usize,
            first: options.first_in_flight as usize,
            at,
            authorization,
            client: client(connect_timeout)?,
            probes: client(PROBE_TIMEOUT)?,
            body_bytes_max,
            base,
        })
    }

    /// Host and port.
    pub(crate) fn address(&self) -> String {
        match self.at {
            Some(at) => at.to_string(),
            None => {
                let host = self.base.host_str().unwrap_or_default();
                let port = self.base.port_or_known_default().unwrap_or_default();
                format!("{host}:{port}")
            }
        }
    }

    fn request(&self, client: &Client, path: &str, body: Vec<u8>) -> RequestBuilder {
        let request = client.post(self.url(path));
        let request = request.header(CONTENT_TYPE, "application/json");
        self.authorized(request).body(body)
    }

    fn url(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(&http::at(url.path(), path));
        url
    }

    fn authorized(&self, request: RequestBuilder) -> RequestBuilder {
        match &self.authorization {
            Some(value) => request.header(AUTHORIZATION, value.clone()),
            None => request,
        }
    }

    /// Sends `body` and reads the answer; tells `watcher` how far it is. Dropping the future closes the
    /// connection, which tells the server to stop writing.
    pub(crate) async fn call(
        &self,
        path: &str,
        body: Vec<u8>,
        asked: Asked,
        until: Instant,
        watcher: &mut dyn Watcher,
    ) -> Result<Reply, Failure> {
        let mut progress = Progress::new(watcher.patience());
        let asking = async {
            let streamed = self.exchange(
                &self.client,
                path,
                body.clone(),
                asked,
                &mut progress,
                watcher,
            );
            if let Some(reply) = streamed.await? {
                return Ok(reply);
            }
            // llama-cpp-python sends the head of a stream before it looks at the prompt. What is wrong
            // with that it can say only of an answer that is to come at once. It closes the connection
            // a moment later, so this is not to be sent over the same one.
            progress = Progress::new(watcher.patience());
            let whole = self.exchange(
                &self.probes,
                path,
                wire::whole(&body),
                asked,
                &mut progress,
                watcher,
            );
            let whole = whole.await?;
            whole.ok_or_else(|| down("the stream ended without a word".into()))
        };
        let came = timeout_at(until, asking).await;
        came.unwrap_or_else(|_| Err(progress.slow("the time for the call was up")))
    }

    /// One request; none when a stream ended without a word.
    async fn exchange(
        &self,
        client: &Client,
        path: &str,
        body: Vec<u8>,
        asked: Asked,
        progress: &mut Progress,
        watcher: &mut dyn Watcher,
    ) -> Result<Option<Reply>, Failure> {
        let sent = self.request(client, path, body).send();
        let response = progress.next(watcher, sent).await?;
        let response = response.map_err(|error| down(http::reason(error)))?;
        let status = response.status().as_u16();
        if status == 200 && is_stream(response.headers()) {
            return self.stream(response, asked, progress, watcher).await;
        }
        let wait = retry_after(response.headers());
        let body = self.body(response, asked, progress.patience.idle).await;
        if status == 200 {
            return Ok(Some(Reply {
                body: Body::Whole(body?),
                first_token: None,
            }));
        }
        // A rejection counts by its status even when its body is lost.
        let said = error_body::read(&body.unwrap_or_default());
        Err(classify::classify(status, said, wait, asked))
    }

    /// Reads token by token. Signs of life without a token, of text or thought, are no progress.
    async fn stream(
        &self,
        mut response: Response,
        asked: Asked,
        progress: &mut Progress,
        watcher: &mut dyn Watcher,
    ) -> Result<Option<Reply>, Failure> {
        let mut streamed = Streamed::default();
        while !streamed.is_done && !streamed.is_blank() {
            let piece = match progress.next(watcher, response.chunk()).await {
                Ok(Ok(piece)) => piece,
                // All of the answer has come; only the goodbye has not.
                _ if streamed.finish.is_some() => break,
                Ok(Err(_)) if streamed.is_mute() => return Ok(None),
                Ok(Err(error)) => return Err(down(http::reason(error))),
                Err(silent) => return Err(silent),
            };
            let before = streamed.pieces;
            match piece {
                Some(piece) => streamed.push(&piece, asked)?,
                None => {
                    streamed.end(asked)?;
                    break;
                }
            }
            let now = Instant::now();
            let is_first = streamed.has_begun && progress.first_token.is_none();
            if streamed.pieces > before || is_first {
                progress.at = now;
            }
            if is_first {
                progress.first_token = Some(now - progress.began);
                watcher.begun();
            }
            watcher.wrote(&streamed.text);
        }
        if streamed.is_mute() {
            return Ok(None);
        }
        if streamed.finish.is_none() && !streamed.is_blank() {
            return Err(match streamed.is_done {
                // llama-cpp-python does this to a call when the next one comes.
                true => Failure::Busy { retry_after: None },
                false => down("the stream ended in the midst of the answer".into()),
            });
        }
        if streamed.is_done {
            // The end of the body, so that the connection can be used again.
            let _ = timeout(LAST_PIECE, response.chunk()).await;
        }
        Ok(Some(Reply {
            body: Body::Streamed(Box::new(streamed)),
            first_token: progress.first_token,
        }))
    }

    async fn body(
        &self,
        response: Response,
        asked: Asked,
        idle: Duration,
    ) -> Result<Vec<u8>, Failure> {
        let bytes_max = self.body_bytes_max.saturating_add(asked.bytes_more());
        http::body(response, idle, bytes_max)
            .await
            .map_err(|error| match error {
                BodyError::Idle => stopped(idle),
                BodyError::TooLarge => Failure::Garbled {
                    reason: format!("answer over {bytes_max} bytes"),
                },
                BodyError::Broken(error) => down(http::reason(error)),
            })
    }

    /// Asks for the load; at most `PROBE_TIMEOUT`.
    pub(crate) async fn probe(&self) -> Probe {
        let request = self.authorized(self.probes.get(self.url("/metrics")));
        let asked = async {
            let response = request.send().await.ok()?;
            let there = response.status() == 200;
            let body = http::body(response, PROBE_TIMEOUT, BODY_BYTES_MAX)
                .await
                .ok();
            let text = body.filter(|_| there).unwrap_or_default();
            Some(load::read(&String::from_utf8_lossy(&text)))
        };
        match timeout(PROBE_TIMEOUT, asked).await {
            Ok(Some(Some(load))) => Probe::Load(load),
            Ok(Some(None)) => Probe::Silent,
            Ok(None) | Err(_) => Probe::Away,
        }
    }
}

/// How long the end of a body may take after all of the answer has come.
const LAST_PIECE: Duration = Duration::from_millis(20);

fn is_stream(headers: &HeaderMap) -> bool {
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/event-stream"))
}

fn stopped(lasted: Duration) -> Failure {
    let has_begun = true;
    Failure::Slow {
        what: "the answer stopped midway",
        silence: Silence { lasted, has_begun },
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
