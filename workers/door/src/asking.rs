//! A question on its way in, and its end: what every door does with one.

use crate::options::WAIT_MAX;
use crate::places;
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
use tokio::time::Instant;

/// How long is waited after the bus refused, before it is asked again.
const AWAY: Duration = Duration::from_millis(500);
/// How often, and how many times, it is tried to cancel a turn that nobody waits for.
const CANCEL_EVERY: Duration = Duration::from_secs(1);
const CANCEL_TRIES: u32 = 60;
/// How often it is looked whether a turn has ended whose tokens are counted, and that nobody follows.
const END_LOOK: Duration = Duration::from_secs(2);
/// Fields of a question that a login or the door itself decides.
const OWN: [&str; 4] = ["tenant", "groups", "reply_to", "id"];

/// A turn that a request follows.
pub(crate) struct Followed {
    pub(crate) events: TurnEvents,
    /// Set where nobody can come back for the turn: then it is cancelled when this is dropped before its end.
    unwanted: Option<Door>,
    /// Set where the end says what the login has spent, and has not been seen yet.
    counted: Option<(Door, Login)>,
    place: Option<Place>,
}

/// A place among the requests that may wait.
struct Place {
    _place: places::Place,
    following: IntGauge,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.following.dec();
    }
}

impl Door {
    fn place(&self, login: &Login) -> Result<Place, Problem> {
        let place = self.0.rooms.take(login)?;
        let following = self.0.setup.metrics.following.clone();
        following.inc();
        Ok(Place {
            _place: place,
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
        let place = self.place(login)?;
        if let Some(own) = OWN.iter().find(|own| fields.contains_key(**own)) {
            return Err(Problem::bad(format!(
                "`{own}` is not for the asker to say here; leave it out"
            )));
        }
        login.own(&mut fields);
        let now = self.bus().now();
        let body = Value::Object(fields.clone()).to_string();
        let hash = Question::parse(body.as_bytes(), now, now)?.hash();
        let question = match fields.remove("question") {
            Some(Value::String(question)) => question,
            _ => String::new(),
        };
        let logins = &self.0.setup.logins;
        let is_first = logins.spend(login, turn.as_ref())?;
        let turn = turn.unwrap_or_else(client::new_turn);
        let not_asked = || {
            if is_first {
                logins.forget(login, &turn);
            }
        };
        // Where nothing is told on the way, nobody need listen for it.
        let is_live = fields.get("stream") != Some(&Value::Bool(false));
        let events = TurnEvents::begin(&self.0.ends, turn.clone(), is_live).await;
        let events = events.inspect_err(|_| not_asked())?.only(hash);
        let reply = events.reply().unwrap_or_default().to_owned();
        let mut followed = Followed {
            events,
            unwanted: None,
            counted: Some((self.clone(), login.clone())),
            place: Some(place),
        };
        let published = client::publish(&**self.bus(), &turn, question, fields, reply).await;
        if let Err(error) = published {
            followed.counted = None;
            not_asked();
            return Err(error.into());
        }
        Ok(followed)
    }

    /// Takes up a turn that the login may see behind an event.
    pub(crate) async fn resume(
        &self,
        login: &Login,
        turn: TurnId,
        after: u32,
    ) -> Result<Followed, Problem> {
        let place = self.place(login)?;
        let bus = self.bus().clone();
        let events = TurnEvents::resume(bus, turn, &login.principal(), after).await?;
        Ok(Followed {
            events,
            unwanted: None,
            counted: None,
            place: Some(place),
        })
    }

    /// The end of a turn that the login may see; `None` while it runs.
    pub(crate) async fn ended(
        &self,
        login: &Login,
        turn: &TurnId,
    ) -> Result<Option<Terminal>, Problem> {
        match client::answer(&**self.bus(), turn).await {
            Ok(ended) if login.principal().covers(&ended.principal()) => Ok(Some(ended)),
            Ok(_) => Err(Error::NoTurn(turn.clone()).into()),
            // Only who may see it is told that it runs.
            Err(Error::Unended(_)) => self.owned(login, turn).await.map(|()| None),
            Err(error) => Err(error.into()),
        }
    }

    /// Refuses a turn that the login may not see.
    pub(crate) async fn owned(&self, login: &Login, turn: &TurnId) -> Result<(), Problem> {
        let of = std::slice::from_ref(turn);
        let states = streams::history::turn_states(&**self.bus(), of).await;
        let state = states.map_err(Error::from)?.pop();
        let ended = state.as_ref().and_then(|state| {
            let stored = state.answer.as_ref()?;
            envelope::decode::<Terminal>(&stored.body).ok()
        });
        let asker = ended.map(|ended| ended.principal()).or_else(|| {
            state
                .and_then(|state| state.begun)
                .map(|header| header.principal())
        });
        match asker {
            Some(asker) if login.principal().covers(&asker) => Ok(()),
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
                    if let Some(TurnEvent::End(ended)) = &event {
                        self.let_go();
                        if let Some((door, login)) = self.counted.take() {
                            let turn = self.events.turn();
                            door.0.setup.logins.ended(&login, turn, ended);
                        }
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
        let counted = self.counted.take();
        let counted = counted.filter(|(_, login)| login.tokens_per_hour.is_some());
        let (unwanted, of) = (self.unwanted.take(), counted.as_ref().map(|(door, _)| door));
        let Some(door) = unwanted.as_ref().or(of).cloned() else {
            return;
        };
        // Ends that are looked for have places of their own; where there is none, this keeps the one that it has, so that
        // there are never more of these than of those.
        let own = counted
            .as_ref()
            .and_then(|(_, login)| door.0.endings.take(login).ok());
        let (mut place, turn) = (self.place.take(), self.events.turn().clone());
        let (bus, stop) = (door.bus().clone(), door.0.setup.stop.clone());
        if unwanted.is_none() && own.is_some() {
            place = None;
        }
        door.0.afterwards.spawn(async move {
            if unwanted.is_some() {
                cancel(&*bus, &turn).await;
            }
            if own.is_some() {
                place = None;
            }
            if let Some((door, login)) = counted {
                let ended = stop.run_until_cancelled(end_of(&*bus, &turn)).await;
                if let Some(ended) = ended.flatten() {
                    door.0.setup.logins.ended(&login, &turn, &ended);
                }
            }
            drop((place, own));
        });
    }
}

/// The end of a turn, which nobody tells this door of. It is looked for no longer than turns take.
async fn end_of(bus: &dyn Bus, turn: &TurnId) -> Option<Terminal> {
    let until = Instant::now() + WAIT_MAX;
    while Instant::now() < until {
        if let Ok(ended) = client::answer(bus, turn).await {
            return Some(ended);
        }
        tokio::time::sleep(END_LOOK).await;
    }
    None
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

/// The id of the turn that a key of a client stands for: the same for each try of it, and another one for each login and
/// its groups.
pub(crate) fn turn_of(login: &Login, key: &str) -> Result<TurnId, Problem> {
    let is_key = (1..=256).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_graphic());
    if !is_key {
        let detail = "`Idempotency-Key`: want 1 to 256 printable characters without spaces";
        return Err(Problem::bad(detail));
    }
    let digest = Sha256::new()
        .chain_update(login.tenant.as_str())
        .chain_update([0])
        .chain_update(&login.id)
        .chain_update([0])
        .chain_update(login.groups.to_string())
        .chain_update([0])
        .chain_update(key)
        .finalize();
    let hex: String = digest[..20].iter().map(|b| format!("{b:02x}")).collect();
    TurnId::new(format!("k-{hex}")).map_err(|error| Problem::bad(error.to_string()))
}
