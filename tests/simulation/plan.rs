//! The plan of a seed: the fleet, the questions, and the rates of all faults. It is drawn once, before anything runs,
//! so that a seed determines the whole experiment.

use fastrand::Rng;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;
use validator::ContradictedPolicy;

/// Questions are asked within this time from the start.
pub(crate) const ASKED_WITHIN: Duration = Duration::from_secs(15);
/// The deadline of a question that is given enough time.
pub(crate) const DEADLINE: Duration = Duration::from_secs(120);
/// The ack time-out of every consumer.
pub(crate) const ACK_WAIT: Duration = Duration::from_secs(2);
/// From this time on nothing is disturbed: what is left has to settle.
pub(crate) const CALM: Duration = Duration::from_secs(170);
/// The fleet is stopped at this time.
pub(crate) const STOP: Duration = Duration::from_secs(190);

/// The probability of each disturbance at each of its chances, 0 to 1. The names tell the disturbances; `bus`,
/// `fleet` and `fakes` tell their places.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rates {
    pub(crate) crash_at_point: f64,
    pub(crate) crash_at_bus: f64,
    pub(crate) restart: f64,
    pub(crate) publish_lost: f64,
    pub(crate) publish_unconfirmed: f64,
    pub(crate) publish_conflict: f64,
    pub(crate) publish_full: f64,
    pub(crate) publish_slow: f64,
    pub(crate) read_failed: f64,
    pub(crate) read_slow: f64,
    pub(crate) follower_lags: f64,
    pub(crate) ack_lost: f64,
    pub(crate) beat_lost: f64,
    pub(crate) delivery_late: f64,
    pub(crate) delivery_twice: f64,
    pub(crate) word_lost: f64,
    pub(crate) open_failed: f64,
    pub(crate) model_transient: f64,
    pub(crate) model_permanent: f64,
    pub(crate) model_timeout: f64,
    pub(crate) model_busy: f64,
    pub(crate) model_garbage: f64,
    pub(crate) model_slow: f64,
    pub(crate) model_panic: f64,
    pub(crate) search_failed: f64,
}

impl Rates {
    /// Draws the rates. Half of the disturbances stay away, so that the others are seen without them.
    fn draw(rng: &mut Rng, force: f64) -> Rates {
        let mut upto = |most: f64| {
            let drawn = rng.f64() * most * force;
            if rng.bool() { drawn } else { 0.0 }
        };
        Rates {
            crash_at_point: upto(0.06),
            crash_at_bus: upto(0.01),
            restart: upto(0.05),
            publish_lost: upto(0.25),
            publish_unconfirmed: upto(0.3),
            publish_conflict: upto(0.3),
            publish_full: upto(0.1),
            publish_slow: upto(0.2),
            read_failed: upto(0.2),
            read_slow: upto(0.2),
            follower_lags: upto(1.0),
            ack_lost: upto(0.4),
            beat_lost: upto(1.0),
            delivery_late: upto(0.3),
            delivery_twice: upto(0.3),
            word_lost: upto(0.5),
            open_failed: upto(0.5),
            model_transient: upto(0.3),
            model_permanent: upto(0.1),
            model_timeout: upto(0.05),
            model_busy: upto(0.1),
            model_garbage: upto(0.3),
            model_slow: upto(0.2),
            model_panic: upto(0.02),
            search_failed: upto(0.3),
        }
    }
}

/// One message to the inbox, or to `argosy.ask`.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    /// When it is sent, from the start.
    pub(crate) at: Duration,
    /// The body.
    pub(crate) body: String,
    /// The subject of the reply, where it is sent as a request.
    pub(crate) request: Option<String>,
    /// How long after it was asked its turn is cancelled, if it is.
    pub(crate) cancel_after: Option<Duration>,
}

/// A whole experiment.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// The seed it was drawn from.
    pub(crate) seed: u64,
    /// The strength: 0 for a quiet run, 1 for a severe one.
    pub(crate) force: f64,
    /// The disturbances.
    pub(crate) rates: Rates,
    /// The times when the bus is away, each from its start to its end, counted from the start of the run.
    pub(crate) outages: Vec<(Duration, Duration)>,
    /// The number of processes of each role.
    pub(crate) instances: usize,
    /// The deliveries at once in each process.
    pub(crate) slots: usize,
    /// How many passages with facts let mappers start the reducer early; 0 for never.
    pub(crate) early: usize,
    /// How many passages one map step takes at most.
    pub(crate) batch: u16,
    /// How many turns of a tenant each gateway lets run at a time; 0 for any number.
    pub(crate) tenant_turns: usize,
    /// Whether a model that makes things up denies what it read, or else names a number without a source.
    pub(crate) denies: bool,
    /// What is done with a sentence that a source denies.
    pub(crate) contradicted: ContradictedPolicy,
    /// Whether a second model judges answers.
    pub(crate) judged: bool,
    /// The questions, in order of time.
    pub(crate) asks: Vec<Ask>,
}

impl Plan {
    /// The experiment of a seed.
    pub(crate) fn of(seed: u64) -> Plan {
        let mut rng = Rng::with_seed(seed ^ 0x5eed_0faf_1ee7);
        let force = [0.0, 0.15, 0.15, 0.4, 0.4, 0.4, 0.7, 0.7, 1.0, 1.0][rng.usize(..10)];
        let rates = Rates::draw(&mut rng, force);
        let outages = (0..rng.usize(..3))
            .filter(|_| force > 0.3)
            .map(|_| {
                let from = Duration::from_millis(rng.u64(..60_000));
                (from, from + Duration::from_millis(rng.u64(100..8_000)))
            })
            .collect();
        let instances = rng.usize(2..=3);
        let slots = [8, 16, 64][rng.usize(..3)];
        let asks = asks(&mut rng);
        // Drawn last: what a seed was before it still is.
        let early = [0, 0, 0, 2, 3][rng.usize(..5)];
        let tenant_turns = [0, 0, 0, 1, 4][rng.usize(..5)];
        let mut asks = asks;
        if rng.bool() {
            talk(&mut rng, &mut asks);
        }
        let (denies, judged) = (rng.bool(), rng.bool());
        let contradicted = match rng.u8(..4) {
            0 => ContradictedPolicy::Mark,
            1 => ContradictedPolicy::Cut,
            _ => ContradictedPolicy::Retry,
        };
        let batch = [1, 2, 8, 8][rng.usize(..4)];
        Plan {
            seed,
            force,
            rates,
            outages,
            instances,
            slots,
            early,
            batch,
            tenant_turns,
            denies,
            contradicted,
            judged,
            asks,
        }
    }
}

impl Plan {
    /// How many questions are in conversations.
    pub(crate) fn talks(&self) -> usize {
        let talk = |ask: &&Ask| ask.body.contains("\"conversation\"");
        self.asks.iter().filter(talk).count()
    }
}

/// Puts most questions into one of two conversations. All clients that ask the same question name the same
/// conversation.
fn talk(rng: &mut Rng, asks: &mut [Ask]) {
    let mut said: BTreeMap<String, Vec<(&str, String)>> = BTreeMap::new();
    for ask in asks {
        let Ok(Value::Object(mut body)) = serde_json::from_str(&ask.body) else {
            continue;
        };
        let number = body["question"].as_str().and_then(|q| q.split_once(':'));
        let Some((number, _)) = number else { continue };
        let fields = said
            .entry(number.to_owned())
            .or_insert_with(|| match rng.u8(..3) {
                0 => Vec::new(),
                n => {
                    let mut fields = vec![("conversation", format!("talk-{n}"))];
                    match rng.u8(..8) {
                        0 => fields.push(("when_busy", "reject".into())),
                        1 => fields.push(("when_busy", "interrupt".into())),
                        _ => {}
                    }
                    fields
                }
            });
        for (field, value) in fields {
            body.insert((*field).to_owned(), value.as_str().into());
        }
        ask.body = Value::Object(body).to_string();
    }
}

fn asks(rng: &mut Rng) -> Vec<Ask> {
    let mut asks: Vec<Ask> = Vec::new();
    for n in 0..rng.usize(10..=20) {
        let at = Duration::from_millis(rng.u64(..ASKED_WITHIN.as_millis() as u64));
        let fields = match rng.u8(..20) {
            0 => vec![r#""colour":"blue""#.to_owned()],
            1..=2 => vec![format!(r#""deadline":"{}s""#, rng.u8(1..=6))],
            3..=5 => vec![r#""mode":"simple""#.to_owned()],
            6..=9 => vec![r#""profile":"large""#.to_owned()],
            10..=12 => vec![r#""profile":"large","mode":"loop""#.to_owned()],
            _ => Vec::new(),
        };
        let words = [
            "what is the limit",
            "what is the limit, exactly",
            "what did nobody write down",
            "what is irrelevant",
            "what is made up",
            "what needs a second look",
        ];
        let word = words[[0, 0, 0, 0, 0, 1, 1, 2, 3, 4, 4, 5, 5][rng.usize(..13)]];
        let question = format!("Q{n}: {word} of item {n}?");
        let id = rng.bool().then(|| format!("turn-{n}"));
        let reply = (rng.u8(..5) > 0).then(|| format!("_INBOX.q{n}"));
        let request = reply.is_some() && rng.u8(..6) == 0;
        let body = |question: &str, fields: &[String], reply: Option<&str>| {
            let id = id.as_ref().map(|id| format!(r#""id":"{id}""#));
            let reply = reply.map(|reply| format!(r#""reply_to":"{reply}""#));
            let all: Vec<String> = [format!(r#""question":"{question}""#)]
                .into_iter()
                .chain(fields.iter().cloned())
                .chain(id)
                .chain(reply)
                .collect();
            format!("{{{}}}", all.join(","))
        };
        let of_request = reply.clone().filter(|_| request);
        let in_body = reply.as_deref().filter(|_| !request);
        asks.push(Ask {
            at,
            body: body(&question, &fields, in_body),
            request: of_request,
            cancel_after: (id.is_some() && rng.u8(..8) == 0)
                .then(|| Duration::from_millis(rng.u64(..6_000))),
        });
        if id.is_none() {
            continue;
        }
        let soon = |rng: &mut Rng| at + Duration::from_millis(rng.u64(..12_000));
        let short = |rng: &mut Rng, mut fields: Vec<String>| {
            if !fields.iter().any(|f| f.contains("deadline")) && rng.u8(..3) == 0 {
                fields.push(format!(r#""deadline":"{}s""#, rng.u8(1..=6)));
            }
            fields
        };
        if rng.u8(..3) == 0 {
            // A second listener, who may be less patient.
            let (at, fields) = (soon(rng), short(rng, fields.clone()));
            let reply = format!("_INBOX.q{n}b");
            let (request, cancel_after) = (None, None);
            let body = body(&question, &fields, Some(&reply));
            asks.push(Ask {
                at,
                body,
                request,
                cancel_after,
            });
        }
        if rng.u8(..5) == 0 {
            // Another question under the same id.
            let (at, fields) = (soon(rng), short(rng, Vec::new()));
            let (request, cancel_after) = (None, None);
            let other = format!("Q{n}: and what else is there?");
            let body = body(&other, &fields, Some(&format!("_INBOX.q{n}c")));
            asks.push(Ask {
                at,
                body,
                request,
                cancel_after,
            });
        }
    }
    if rng.u8(..4) == 0 {
        asks.push(Ask {
            at: Duration::from_secs(3),
            body: "no JSON at all".into(),
            request: Some("_INBOX.qx".into()),
            cancel_after: None,
        });
    }
    asks.sort_by_key(|ask| ask.at);
    asks
}
