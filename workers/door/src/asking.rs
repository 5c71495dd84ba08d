//! A question on its way in, and its end: what every door does with one.

use crate::options::WAIT_MAX;
use crate::problem::{self, Problem};
use crate::{Door, Login};
use axum::http::StatusCode;
use bus::Bus;
use envelope::{Question, Terminal, TurnId};
use prometheus::IntGauge;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::time::Duration;
use streams::client::{self, Error, TurnEvent, TurnEvents};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

/// How long is waited after the bus refused, before it is asked again.
const AWAY: Duration = Duration::from_millis(500);
/// How often, and how many times, it is tried to cancel a turn that nobody waits for.
const CANCEL_EVERY: Duration = Duration::from_secs(1);
const CANCEL_TRIES: u32 = 60;
/// Fields of a question that a login or the door itself decides.
const OWN: [&str; 3] = ["tenant", "reply_to", "id"];

/// A turn that a request follows.
pub(crate) struct Followed {
    pub(crate) events: TurnEvents,
    /// Set where nobody can come back for the turn: then it is cancelled when this is dropped before its end.
    unwanted: Option<Door>,
    place: Option<Place>,
}

/// A place among the requests that may wait.
struct Place {
    _permit: OwnedSemaphorePermit,
    following: IntGauge,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.following.dec();
    }
}

impl Door {
    fn place(&self) -> Result<Place, Problem> {
        let permit = self.0.rooms.clone().try_acquire_owned();
        let permit = permit.map_err(|_| {
            let most = self.0.setup.options.streams;
            Problem::busy(format!(
                "{most} requests are waiting here already (`door.streams`)"
            ))
        })?;
        let following = self.0.setup.metrics.following.clone();
        following.inc();
        Ok(Place {
            _permit: permit,
            following,
        })
    }

    /// Publishes a question of `login`: `fields` are those of the ingress message. The id is `turn`, or a new one.
    pub(crate) async fn ask(
        &self,
        login: &Login,
        turn: Option<TurnId>,
        mut fields: Map<String, Value>,
    ) -> Result<Followed, Problem> {
        let place = self.place()?;
        if let Some(own) = OWN.iter().find(|own| fields.contains_key(**own)) {
            return Err(Problem::bad(format!(
                "`{own}` is not for the asker to say here; leave it out"
            )));
        }
        fields.insert("tenant".into(), login.tenant.as_str().into());
        let now = self.bus().now();
        let body = Value::Object(fields.clone()).to_string();
        let hash = Question::parse(body.as_bytes(), now, now)?.hash();
        self.0.setup.logins.spend(login)?;
        let question = match fields.remove("question") {
            Some(Value::String(question)) => question,
            _ => String::new(),
        };
        let turn = turn.unwrap_or_else(client::new_turn);
        // Where nothing is told on the way, nobody need listen for it.
        let is_live = fields.get("stream") != Some(&Value::Bool(false));
        let events = TurnEvents::begin(self.bus().clone(), turn.clone(), is_live).await?;
        let events = events.only(hash);
        let reply = events.reply().to_owned();
        client::publish(&**self.bus(), &turn, question, fields, reply).await?;
        Ok(Followed {
            events,
            unwanted: None,
            place: Some(place),
        })
    }

    /// Takes up a turn of the login's tenant behind an event.
    pub(crate) async fn resume(
        &self,
        login: &Login,
        turn: TurnId,
        after: u32,
    ) -> Result<Followed, Problem> {
        let place = self.place()?;
        let bus = self.bus().clone();
        let events = TurnEvents::resume(bus, turn, &login.tenant, after).await?;
        Ok(Followed {
            events,
            unwanted: None,
            place: Some(place),
        })
    }

    /// The end of a turn of the login's tenant; `None` while it runs.
    pub(crate) async fn ended(
        &self,
        login: &Login,
        turn: &TurnId,
    ) -> Result<Option<Terminal>, Problem> {
        match client::answer(&**self.bus(), turn).await {
            Ok(ended) if ended.tenant == login.tenant => Ok(Some(ended)),
            Ok(_) => Err(Error::NoTurn(turn.clone()).into()),
            // Only who may see it is told that it runs.
            Err(Error::Unended(_)) => self.owned(login, turn).await.map(|()| None),
            Err(error) => Err(error.into()),
        }
    }

    /// Refuses a turn that the login's tenant does not have.
    pub(crate) async fn owned(&self, login: &Login, turn: &TurnId) -> Result<(), Problem> {
        let of = std::slice::from_ref(turn);
        let states = streams::history::turn_states(&**self.bus(), of).await;
        let state = states.map_err(Error::from)?.pop();
        let ended = state.as_ref().and_then(|state| {
            let stored = state.answer.as_ref()?;
            envelope::decode::<Terminal>(&stored.body).ok()
        });
        let tenant = ended.map(|ended| ended.tenant).or_else(|| {
            state
                .and_then(|state| state.begun)
                .map(|header| header.tenant)
        });
        match tenant {
            Some(tenant) if tenant == login.tenant => Ok(()),
            _ => Err(Error::NoTurn(turn.clone()).into()),
        }
    }
}

impl Followed {
    /// Cancels the turn if this is dropped before its end: its client has gone and cannot take it up.
    pub(crate) fn cancel_on_drop(&mut self, door: &Door) {
        self.unwanted = Some(door.clone());
    }

    /// The turn goes on, whatever becomes of this.
    pub(crate) fn let_go(&mut self) {
        self.unwanted = None;
    }

    /// The next event; `None` after the end. A bus that is away is waited for.
    pub(crate) async fn next(&mut self) -> Option<TurnEvent> {
        loop {
            match self.events.next().await {
                // A later release wrote its end, and this one will never read it.
                Err(Error::Unreadable(error)) => {
                    tracing::warn!(%error, "the end of a turn cannot be read");
                    return None;
                }
                Ok(event) => {
                    if matches!(event, Some(TurnEvent::End(_))) {
                        self.let_go();
                    }
                    return event;
                }
                Err(error) => {
                    tracing::debug!(%error, "a turn is followed again in a moment");
                    tokio::time::sleep(AWAY).await;
                }
            }
        }
    }

    /// Waits for the end; `None` where it does not come in time.
    pub(crate) async fn end(&mut self, wait: Duration) -> Option<Terminal> {
        let until = Instant::now() + wait.min(WAIT_MAX);
        loop {
            match tokio::time::timeout_at(until, self.next()).await {
                Ok(Some(TurnEvent::End(ended))) => return Some(*ended),
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => return None,
            }
        }
    }
}

impl Drop for Followed {
    fn drop(&mut self) {
        let Some(door) = self.unwanted.take() else {
            return;
        };
        // It keeps its place among those that wait, so that there are not more of these than of those.
        let (place, turn) = (self.place.take(), self.events.turn().clone());
        let bus = door.bus().clone();
        door.0.afterwards.spawn(async move {
            let _place = place;
            cancel(&*bus, &turn).await;
        });
    }
}

/// Cancels a turn that nobody waits for. One that no gateway has taken yet cannot be cancelled before that.
async fn cancel(bus: &dyn Bus, turn: &TurnId) {
    for _ in 0..CANCEL_TRIES {
        match client::cancel(bus, turn).await {
            Ok(_) => return,
            Err(error) => tracing::debug!(%error, %turn, "not cancelled yet"),
        }
        tokio::time::sleep(CANCEL_EVERY).await;
    }
    tracing::warn!(%turn, "a turn that nobody waits for was not cancelled, and runs to its end");
}

/// The turn that a client names.
pub(crate) fn turn_named(id: String) -> Result<TurnId, Problem> {
    TurnId::new(id)
        .map_err(|error| Problem::new(StatusCode::NOT_FOUND, "no_such_turn", error.to_string()))
}

/// An answer or a question back, or the problem of a turn that has neither.
pub(crate) fn answered(ended: Terminal) -> Result<Terminal, Problem> {
    match problem::of_end(&ended) {
        Some(problem) => Err(problem),
        None => Ok(ended),
    }
}

/// The id of the turn that a key of a client stands for: the same for each try of it, and another one for each login.
pub(crate) fn turn_of(login: &Login, key: &str) -> Result<TurnId, Problem> {
    let is_key = (1..=256).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_graphic());
    if !is_key {
        let detail = "`Idempotency-Key`: want 1 to 256 printable characters without spaces";
        return Err(Problem::bad(detail));
    }
    let digest = Sha256::new()
        .chain_update(login.tenant.as_str())
        .chain_update([0])
        .chain_update(&login.name)
        .chain_update([0])
        .chain_update(key)
        .finalize();
    let hex: String = digest[..20].iter().map(|b| format!("{b:02x}")).collect();
    TurnId::new(format!("k-{hex}")).map_err(|error| Problem::bad(error.to_string()))
}
