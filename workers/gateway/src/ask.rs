//! Serves `argosy.ask`, on which a client asks a question by request and reply. The question is stored like any
//! other. The reply is the terminal event or, at once, the reason why the question could not be stored.
//!
//! A request from the account of a tenant comes on `argosy.ask.<tenant>`, and its question is stored as that tenant's.

use crate::turns::Turns;
use bus::{CoreMessage, Headers, Publish, PublishError};
use envelope::question::{Refusal, RefusalCode};
use envelope::{Problem, Subject, TurnId, header, subject};
use std::time::Duration;
use streams::outbox::publish_until;

const AWAY: Duration = Duration::from_millis(500);
/// The headers that are taken over from the request.
const KEPT: [&str; 4] = [
    header::TURN,
    header::TRACEPARENT,
    header::TRACESTATE,
    header::WIRE,
];

/// Serves requests until it is dropped.
pub(crate) async fn serve(turns: &Turns) {
    tokio::join!(
        serve_at(turns, subject::ASK.to_owned()),
        serve_at(turns, subject::of_tenants(subject::ASK)),
    );
}

/// Serves requests on one subject. A subscription that is lost is made anew.
async fn serve_at(turns: &Turns, subject: String) {
    loop {
        match turns.bus.subscribe(&subject, Some("gateway")).await {
            Ok(mut requests) => {
                while let Some(request) = requests.next().await {
                    store(turns, request).await;
                }
            }
            Err(error) => tracing::warn!(%error, "requests cannot be received"),
        }
        tokio::time::sleep(AWAY).await;
    }
}

/// Where the question of a request is stored, and where it is answered.
fn place(request: &CoreMessage) -> Option<(String, String)> {
    let tenant = subject::tenant_of(&request.subject, subject::ASK).ok()?;
    let reply = request.reply.as_deref();
    let reply = reply.filter(|reply| subject::may_answer(reply, tenant.as_ref()))?;
    let at = match tenant {
        None => subject::QUERY.to_owned(),
        Some(tenant) => Subject::TenantAsked { tenant }.to_string(),
    };
    Some((at, reply.to_owned()))
}

async fn store(turns: &Turns, request: CoreMessage) {
    let Some((at, reply)) = place(&request) else {
        tracing::warn!("a request without a reply subject that may be answered; dropped");
        return;
    };
    let kept = KEPT
        .iter()
        .filter_map(|name| request.headers.get(name).map(|value| (*name, value)));
    let headers = kept.fold(
        Headers::default().with(header::REPLY, reply.as_str()),
        |h, (name, value)| h.with(name, value),
    );
    let message = Publish {
        headers,
        ..Publish::new(at, request.body)
    };
    // The requester waits and may ask again; a short patience says more than a long silence.
    let Err(error) = publish_until(&*turns.bus, message, turns.now()).await else {
        return;
    };
    tracing::warn!(%error, "question not stored");
    let refusal = match error {
        PublishError::Full => "the inbox is full; try again later".to_owned(),
        PublishError::Refused(why) => format!("the question was not stored: {why}"),
        other => {
            format!("the question may not have been stored: {other}; ask again under the same `id`")
        }
    };
    let turn = TurnId::derived(0, turns.now().0);
    let code = RefusalCode::Unsupported;
    let mut terminal = turns.refused(
        turn.clone(),
        &Refusal {
            code,
            message: refusal.clone(),
            reply_to: None,
        },
        turns.now(),
    );
    terminal.error = Some(Problem::new("not_stored", refusal));
    if let Ok(body) = envelope::encode(&terminal) {
        let _ = turns.deliver(&body, &turn, &reply).await;
    }
}
