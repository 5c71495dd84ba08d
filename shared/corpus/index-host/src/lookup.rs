//! Answers requests about the corpus that belong to no turn, on the subjects `argosy.search`, `argosy.count`,
//! `argosy.metadata` and `argosy.catalog`. A retriever does so beside its steps. A request from the account of a tenant
//! comes on `argosy.search.<tenant>` and so on, and is answered as that tenant's.
//!
//! All retrievers are one queue group, so any one that has caught up answers. Each handles a few requests at once
//! and refuses further ones immediately: no request waits in an unbounded queue. A search cannot be stopped
//! half-way, so one that takes too long is answered with an error and keeps its slot until it is done. *Not* a
//! stage: there is no turn and no trail, and nothing is stored.
//!
//! | module | what |
//! |---|---|
//! | `answer` | a request to its reply |
//! | `catalog` | the index's counts of buckets and columns, with the descriptions of schemas |

mod answer;
pub(crate) mod catalog;

pub use answer::Lookup;

use bus::{Bus, BusError, CoreMessage, Headers, Subscription};
use bytes::Bytes;
use envelope::account::of_tenant;
use envelope::lookup::Reply;
use envelope::subject::{CATALOG, COUNT, METADATA, SEARCH, may_answer, of_tenants, tenant_of};
use envelope::{Problem, TenantId, UnixMs, limits};
use futures_util::future::{BoxFuture, select_all};
use futures_util::stream::{FuturesUnordered, StreamExt};
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The group that all retrievers listen in.
const QUEUE: &str = "retriever";
/// Requests that one process works on at once.
const SLOTS: usize = 16;
/// Most time for one request.
const TIME: Duration = Duration::from_secs(10);
/// How long to wait before subscribing again.
const AWAY: Duration = Duration::from_millis(500);

/// Answers requests until `stop` is cancelled, then finishes the requests that have begun. The caller passes
/// subscriptions that are open already.
pub async fn serve(
    bus: Arc<dyn Bus>,
    lookup: Lookup,
    mut listening: Option<LookupSubscriptions>,
    stop: CancellationToken,
) {
    while !stop.is_cancelled() {
        let heard = listening.take();
        let served = async {
            let heard = match heard {
                Some(heard) => Ok(heard),
                None => LookupSubscriptions::open(&*bus).await,
            };
            match heard {
                Ok(heard) => answer_all(&bus, &lookup, heard, &stop).await,
                Err(error) => tracing::warn!(%error, "requests cannot be received"),
            }
        };
        // Subscribing waits for a server that is not there yet; being told to stop does not.
        tokio::select! {
            biased;
            () = served => {}
            () = stop.cancelled(), if !bus.connected() => return,
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = tokio::time::sleep(AWAY) => {}
        }
    }
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Search,
    Count,
    Metadata,
    Catalog,
}

impl Asked {
    const ALL: [Asked; 4] = [Asked::Search, Asked::Count, Asked::Metadata, Asked::Catalog];

    fn subject(self) -> &'static str {
        match self {
            Asked::Search => SEARCH,
            Asked::Count => COUNT,
            Asked::Metadata => METADATA,
            Asked::Catalog => CATALOG,
        }
    }

    /// What a request asks for, and the tenant from whose account it came, if it came from one.
    fn of(subject: &str) -> Option<(Asked, Option<TenantId>)> {
        let read = |asked: Asked| Some((asked, tenant_of(subject, asked.subject()).ok()?));
        Asked::ALL.into_iter().find_map(read)
    }
}

/// Subscriptions to the four subjects, and to those of the accounts of tenants.
pub struct LookupSubscriptions(Vec<Box<dyn Subscription>>);

impl LookupSubscriptions {
    /// Subscribes from now on.
    pub async fn open(bus: &dyn Bus) -> Result<LookupSubscriptions, BusError> {
        let mut open = Vec::new();
        for asked in Asked::ALL {
            let subject = asked.subject();
            for subject in [subject.to_owned(), of_tenants(subject)] {
                open.push(bus.subscribe(&subject, Some(QUEUE)).await?);
            }
        }
        Ok(LookupSubscriptions(open))
    }

    /// The next request; `None` when a subscription has ended.
    async fn next(&mut self) -> Option<CoreMessage> {
        let all = self.0.iter_mut().map(|one| one.next());
        let (request, at, _) = select_all(all).await;
        // The one that was heard is asked last, so that none is left waiting for the others.
        self.0.rotate_left(at + 1);
        request
    }
}

async fn answer_all(
    bus: &Arc<dyn Bus>,
    lookup: &Lookup,
    mut heard: LookupSubscriptions,
    stop: &CancellationToken,
) {
    let mut running: FuturesUnordered<BoxFuture<'_, ()>> = FuturesUnordered::new();
    loop {
        let request = tokio::select! {
            biased;
            () = stop.cancelled() => break,
            Some(()) = running.next() => continue,
            request = heard.next() => request,
        };
        let Some(request) = request else { break };
        let Some((asked, tenant, to)) = read(&request) else {
            tracing::warn!("a request without a reply subject that may be answered; dropped");
            continue;
        };
        let body = match &tenant {
            None => Ok(request.body),
            Some(tenant) => of_tenant(&request.body, tenant).map(|body| body.into_owned().into()),
        };
        let body = match body {
            Ok(body) => body,
            Err(refusal) => {
                send(&**bus, to, written::<()>(Err(refusal.into()))).await;
                continue;
            }
        };
        if running.len() < SLOTS {
            running.push(Box::pin(answer_one(bus, lookup, (asked, body), to, stop)));
        } else {
            let text = format!("{SLOTS} requests are being answered; ask again");
            send(&**bus, to, refused("overloaded", text)).await;
        }
    }
    drop(heard);
    while running.next().await.is_some() {}
}

/// Answers in time, and returns when no work of the request runs any more, or is no longer waited for.
async fn answer_one(
    bus: &Arc<dyn Bus>,
    lookup: &Lookup,
    request: (Asked, Bytes),
    to: String,
    stop: &CancellationToken,
) {
    let mut replied = std::pin::pin!(replied(lookup, &request, bus.now()));
    if let Ok(body) = tokio::time::timeout(TIME, &mut replied).await {
        return send(&**bus, to, body).await;
    }
    let text = format!("not done within {} s; ask for less", TIME.as_secs());
    send(&**bus, to, refused("timed_out", text)).await;
    tokio::select! {
        _ = replied => {}
        () = stop.cancelled() => {}
    }
}

async fn replied(lookup: &Lookup, (asked, body): &(Asked, Bytes), now: UnixMs) -> Vec<u8> {
    match asked {
        Asked::Search => answer::fitted(lookup.search(body, now).await),
        Asked::Count => written(lookup.count(body).await),
        Asked::Catalog => written(lookup.catalog(body).await),
        Asked::Metadata => written(lookup.metadata(body).await),
    }
}

/// What a request asks for, for whom, and where it is answered.
fn read(request: &CoreMessage) -> Option<(Asked, Option<TenantId>, String)> {
    let (asked, tenant) = Asked::of(&request.subject)?;
    let to = request.reply.clone();
    let to = to.filter(|reply| may_answer(reply, tenant.as_ref()))?;
    Some((asked, tenant, to))
}

fn refused(code: &str, text: String) -> Vec<u8> {
    written::<()>(Err(Problem::new(code, text)))
}

/// The reply as bytes; one that would be too large is refused instead.
fn written<T: Serialize>(result: Result<T, Problem>) -> Vec<u8> {
    let bytes = serde_json::to_vec(&Reply::from(result)).unwrap_or_default();
    if bytes.len() <= limits::LOOKUP_REPLY_BYTES_MAX {
        return bytes;
    }
    let max = limits::LOOKUP_REPLY_BYTES_MAX;
    let text = format!(
        "the reply has {} bytes, the limit is {max}; ask for less",
        bytes.len()
    );
    written::<()>(Err(Problem::new("reply_too_large", text)))
}

async fn send(bus: &dyn Bus, subject: String, body: Vec<u8>) {
    let reply = CoreMessage {
        subject,
        reply: None,
        headers: Headers::default(),
        body: body.into(),
    };
    if let Err(error) = bus.broadcast(reply).await {
        tracing::warn!(%error, "a reply could not be sent");
    }
}
