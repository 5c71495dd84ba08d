//! Simulates users: a number of them ask questions at the same time, at a limited rate, until they are told to stop.
//! Their answers are not checked.

use bus::{Bus, Publish, Stream};
use bus_nats::NatsBus;
use bytes::Bytes;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

/// Which questions are asked, and how many.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wish {
    /// How many questions may be open at a time; 0 for silence.
    pub(crate) at_once: u64,
    /// The time between two questions.
    pub(crate) every: Duration,
    /// Makes the body of the question of this number.
    pub(crate) question: fn(u64) -> Value,
}

/// A few questions a second, of every kind.
pub(crate) const NORMAL: Wish = Wish {
    at_once: 12,
    every: Duration::from_millis(400),
    question: of_every_kind,
};

/// No questions.
pub(crate) const SILENCE: Wish = Wish {
    at_once: 0,
    ..NORMAL
};

/// People who ask until this is dropped.
pub(crate) struct Crowd {
    wish: watch::Sender<Wish>,
    _asks: JoinSet<()>,
}

impl Crowd {
    /// A crowd on this connection that asks nothing at first.
    pub(crate) fn new(bus: Arc<NatsBus>) -> Crowd {
        let (wish, wished) = watch::channel(SILENCE);
        let mut asks = JoinSet::new();
        asks.spawn(async move { ask(&*bus, wished).await });
        Crowd { wish, _asks: asks }
    }

    /// Asks in this way from now on.
    pub(crate) fn asks(&self, wish: Wish) {
        self.wish.send_replace(wish);
    }
}

async fn ask(bus: &dyn Bus, mut wished: watch::Receiver<Wish>) {
    let mut number = 0;
    loop {
        let wish = *wished.borrow_and_update();
        let mut tick = interval(wish.every);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let before = ended(bus).await.unwrap_or_default();
        let mut asked = 0;
        while !wished.has_changed().unwrap_or(false) {
            tick.tick().await;
            let open = (before + asked).saturating_sub(ended(bus).await.unwrap_or(before));
            if open < wish.at_once {
                let body = Bytes::from((wish.question)(number).to_string());
                let question = Publish::new(envelope::subject::QUERY, body);
                asked += u64::from(bus.publish(question).await.is_ok());
                number += 1;
            }
        }
    }
}

async fn ended(bus: &dyn Bus) -> Option<u64> {
    bus.count(Stream::Answers, "argosy.answer.*").await.ok()
}

/// The places that the documents of a stand are about, of which there are so many documents each.
pub(crate) const PLACES: [&str; 8] = [
    "Tarnow",
    "Brunnhof",
    "Sellin",
    "Orlau",
    "Osterby",
    "Marrowgate",
    "Pellworth",
    "Quillane",
];

/// A question about a document that exists.
pub(crate) fn agentic(number: u64) -> Value {
    let place = PLACES[number as usize % PLACES.len()];
    json!({ "question": format!("When does the lease of the {place} depot end?"), "deadline": "60s" })
}

fn of_every_kind(number: u64) -> Value {
    let mut body = agentic(number);
    match number % 4 {
        0 => body["mode"] = "simple".into(),
        // Four turns each.
        1 => body["conversation"] = format!("talk-{}", number / 16).into(),
        _ => {}
    }
    body
}
