//! Checks how full the streams are, and how many questions per second they can carry.
//!
//! Acks free no room: a message stays until its maximum age, so the room that is needed is rate x age x bytes. The
//! size of a question's messages is the mean of the stored ones or, where too few are stored, the measured size
//! (docs/performance.md, sizes).

use super::{Checked, Ground, Said};
use crate::render::bytes;
use bus::{Bus, BusError, Stream, StreamState};
use std::time::Duration;

/// The messages of a question whose passages one step maps, over all streams. What a timer fires as takes its place.
const MESSAGES: f64 = 8.0;
/// The server's memory for each message, in bytes.
const MEMORY: f64 = 256.0;
/// How many questions a stream has to hold before their mean counts.
const ENOUGH: u64 = 20;
/// The share of the gateway's limit on a stream above which the check warns.
const NEAR: f64 = 0.7;
/// The bounds of a stream that refuses messages only when it is full. The corpus never shrinks, so 70 % is a corpus
/// of that size and no fault. At 85 % there is still time to raise its room, at 95 % there is not.
const REFUSING: Bounds = Bounds {
    near: 0.85,
    full: 0.95,
};
/// The bounds of the documents that wait: a publisher of many documents fills their stream, and then waits for the
/// indexers.
const WAITING: Bounds = Bounds {
    near: 0.95,
    full: 1.0,
};

/// The bounds of a stream, as shares of its room.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bounds {
    /// Above this share the check warns.
    near: f64,
    /// Above this share something stands still, or is about to.
    full: f64,
}

/// The bounds of a stream; `None` for a stream that is meant to be full because it drops its oldest messages. `limit`
/// is how full a stream is when the gateway stops taking questions.
fn bounds(stream: Stream, limit: f64) -> Option<Bounds> {
    match stream {
        Stream::Dead | Stream::Conversations | Stream::Feedback => None,
        one if gateway::WATCHED.contains(&one) => Some(Bounds {
            near: NEAR * limit,
            full: limit,
        }),
        Stream::Documents => Some(WAITING),
        _ => Some(REFUSING),
    }
}

/// The share of each stream's room at which something stands still, with the same `limit`.
pub(crate) fn full_at(limit: f64) -> impl Fn(Stream) -> Option<f64> {
    move |stream| bounds(stream, limit).map(|bounds| bounds.full)
}

/// A stream through which every question goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Carrier {
    /// The stream.
    pub stream: Stream,
    /// The messages of one question in it.
    pub messages: f64,
    /// The bytes of these messages, as measured once.
    pub bytes: f64,
}

/// Where the eight messages of a question are stored.
const CARRIERS: [Carrier; 4] = [
    Carrier {
        stream: Stream::Inbox,
        messages: 1.0,
        bytes: 300.0,
    },
    Carrier {
        stream: Stream::Steps(0),
        messages: 5.0,
        bytes: 28_000.0,
    },
    Carrier {
        stream: Stream::Timers,
        messages: 1.0,
        bytes: 700.0,
    },
    Carrier {
        stream: Stream::Answers,
        messages: 1.0,
        bytes: 2_300.0,
    },
];

/// How long messages are kept, and how full streams may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Terms {
    /// Longest time of a question that names no deadline.
    pub deadline: Duration,
    /// How long the steps of a question are kept after its deadline.
    pub keep: Duration,
    /// How long questions and answers are kept.
    pub max_age: Duration,
    /// How full a stream is when the gateway stops taking questions.
    pub limit: f64,
}

/// The load that one stream carries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct StreamLoad {
    /// The stream.
    pub stream: Stream,
    /// The bytes of one question in it.
    pub bytes: f64,
    /// How long its messages stay.
    pub kept: Duration,
    /// The questions per second that fit.
    pub rate: f64,
}

impl StreamLoad {
    /// How long an empty stream takes so many questions per second, if it lets none go before.
    fn lasts(&self, rate: f64) -> Duration {
        self.kept.mul_f64(self.rate / rate)
    }
}

/// The load that a stream of this state carries under these terms.
pub(crate) fn load(carrier: Carrier, state: StreamState, terms: Terms) -> StreamLoad {
    let questions = state.messages as f64 / carrier.messages;
    let bytes = match questions >= ENOUGH as f64 {
        true => state.bytes as f64 / questions,
        false => carrier.bytes,
    };
    let (kept, share) = match carrier.stream {
        // A full inbox refuses by itself; the gateway does not look at it.
        Stream::Inbox => (terms.max_age, 1.0),
        Stream::Answers => (terms.max_age, terms.limit),
        _ => (terms.deadline + terms.keep, terms.limit),
    };
    StreamLoad {
        stream: carrier.stream,
        bytes,
        kept,
        rate: share * state.max_bytes as f64 / (bytes * kept.as_secs_f64()),
    }
}

/// The server's memory for the messages of so many questions per second, in bytes.
pub(crate) fn memory(rate: f64, terms: Terms) -> f64 {
    let short = (MESSAGES - 2.0) * (terms.deadline + terms.keep).as_secs_f64();
    let long = 2.0 * terms.max_age.as_secs_f64();
    rate * (short + long) * MEMORY
}

fn terms(on: &Ground<'_>) -> Terms {
    let config = on.config;
    Terms {
        deadline: config.gateway.deadline.duration(),
        keep: config.streams.keep.duration(),
        max_age: config.streams.max_age.duration(),
        limit: config.gateway.room_limit,
    }
}

pub(super) async fn full(on: &Ground<'_>) -> Checked {
    let bus = on.bus()?;
    let mut states = Vec::new();
    for stream in Stream::ALL {
        match bus.state(stream).await {
            Ok(state) => states.push((stream, state)),
            Err(BusError::Missing(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(fullest(&states, on.config.gateway.room_limit))
}

/// The finding on the fullest stream. The worst result decides, and among equals the stream that is nearest to its
/// bound.
fn fullest(states: &[(Stream, StreamState)], limit: f64) -> Said {
    let judged = states.iter().filter_map(|(stream, state)| {
        let bounds = bounds(*stream, limit)?;
        Some((filled(*stream, state, bounds), state.fill() / bounds.full))
    });
    let worst = judged.max_by(|(a, near), (b, nearer)| {
        let by_verdict = a.verdict.cmp(&b.verdict);
        by_verdict.then(near.total_cmp(nearer))
    });
    match worst {
        Some((said, _)) => said,
        None => Said::skip("no stream is there, see D03"),
    }
}

fn filled(stream: Stream, state: &StreamState, bounds: Bounds) -> Said {
    let text = format!(
        "the stream nearest to its limit, {}, holds {} of {} ({:.0} %, and may {:.0} %)",
        stream.name(),
        bytes(state.bytes),
        bytes(state.max_bytes),
        100.0 * state.fill(),
        100.0 * bounds.full,
    );
    let or_else = match stream {
        Stream::Documents => "start more indexers: who publishes waits for them",
        Stream::Chunks => "drop an edition that nobody searches",
        Stream::Inbox => "see in D08 whether a gateway takes questions",
        _ => "lower the load; D05 says what fits",
    };
    let fix = format!(
        "raise {} and run `argosy setup`, or {or_else}",
        setting(stream)
    );
    match state.fill() {
        fill if fill >= bounds.full => Said::fail(text, fix),
        fill if fill >= bounds.near => Said::warn(text, fix),
        _ => Said::ok(text),
    }
}

pub(super) async fn carries(on: &Ground<'_>) -> Checked {
    let bus = on.bus()?;
    let mut loads = Vec::new();
    for carrier in CARRIERS {
        match bus.state(carrier.stream).await {
            Ok(state) => loads.push(load(carrier, state, terms(on))),
            Err(BusError::Missing(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(sustainable(&loads, terms(on), on.wanted.rate))
}

/// The finding on the rate. The stream that carries least decides. Of a wanted rate that does not fit for ever it says how
/// long it fits: for a peak that may be enough.
fn sustainable(loads: &[StreamLoad], terms: Terms, wanted: Option<f64>) -> Said {
    let least = loads.iter().min_by(|a, b| a.rate.total_cmp(&b.rate));
    let Some(least) = least else {
        return Said::skip("no stream is there, see D03");
    };
    let text = format!(
        "the streams carry {:.1} questions/s for ever: {} has room for that at {} a question, kept {}; \
         the server needs {} of memory for it",
        least.rate,
        least.stream.name(),
        bytes(least.bytes as u64),
        settings::TimeSpan::from_secs(least.kept.as_secs()),
        bytes(memory(least.rate, terms) as u64),
    );
    let wanted = wanted.unwrap_or_default();
    let short: Vec<_> = loads.iter().filter(|load| load.rate < wanted).collect();
    let Some(first) = short.iter().min_by_key(|load| load.lasts(wanted)) else {
        return Said::ok(text);
    };
    let text = format!(
        "{text}; {wanted} are wanted, which fit for {}, until {} is full ({} of memory for ever)",
        crate::render::age(first.lasts(wanted).as_millis() as u64),
        first.stream.name(),
        bytes(memory(wanted, terms) as u64)
    );
    let wants = short.iter().map(|load| {
        let size = bytes(wanted_bytes(load, terms, wanted) as u64);
        format!("{} wants {size}", setting(load.stream))
    });
    let fix = format!(
        "for {wanted} questions/s for ever {}: set it and run `argosy setup`, or keep messages for a \
         shorter time (`streams.max_age`, `streams.keep`)",
        wants.collect::<Vec<_>>().join(", ")
    );
    Said::fail(text, fix)
}

fn wanted_bytes(load: &StreamLoad, terms: Terms, rate: f64) -> f64 {
    let share = match load.stream {
        Stream::Inbox => 1.0,
        _ => terms.limit,
    };
    rate * load.bytes * load.kept.as_secs_f64() / share
}

/// The option that sets the room of a stream.
fn setting(stream: Stream) -> &'static str {
    match stream {
        Stream::Inbox => "`streams.inbox_bytes`",
        Stream::Steps(_) => "`streams.steps_bytes`",
        Stream::Timers => "`streams.timers_bytes`",
        Stream::Answers => "`streams.answers_bytes`",
        Stream::Conversations => "`streams.conversations_bytes`",
        Stream::Feedback => "`streams.feedback_bytes`",
        Stream::Documents => "`streams.documents_bytes`",
        Stream::Chunks => "`streams.chunks_bytes`",
        Stream::Dead => "`streams.dead_bytes`",
    }
}

#[cfg(test)]
mod tests {
    use super::super::CheckStatus;
    use super::*;

    const TERMS: Terms = Terms {
        deadline: Duration::from_secs(120),
        keep: Duration::from_secs(300),
        max_age: Duration::from_secs(86_400),
        limit: 0.7,
    };

    fn state(messages: u64, bytes: u64, max_bytes: u64) -> StreamState {
        StreamState {
            messages,
            bytes,
            max_bytes,
            ..StreamState::default()
        }
    }

    #[test]
    fn the_messages_of_a_question_add_up() {
        let all: f64 = CARRIERS.iter().map(|carrier| carrier.messages).sum();
        assert_eq!(all, MESSAGES);
    }

    #[test]
    fn room_is_rate_times_time_times_bytes() {
        let [_, steps, _, answers] = CARRIERS;
        // 0.7 x 8 GiB over 420 s x 28,000 bytes.
        let empty = load(steps, state(0, 0, 8 << 30), TERMS);
        assert_eq!(empty.rate.round(), 511.0);
        // A thousand questions of 60,000 bytes each count for more than what was measured once.
        let busy = load(steps, state(5_000, 60_000_000, 8 << 30), TERMS);
        assert_eq!((busy.bytes, busy.rate.round()), (60_000.0, 239.0));
        // Answers are small, and kept for a day.
        let kept = load(answers, state(0, 0, 4 << 30), TERMS);
        assert_eq!((kept.rate * 10.0).round(), 151.0);
        let said = sustainable(&[empty, kept], TERMS, None);
        assert_eq!(said.verdict, CheckStatus::Ok);
        assert!(said.text.contains("15.1 questions/s"), "{said:?}");
        assert!(said.text.contains("ARGOSY_ANSWERS"), "{said:?}");
    }

    #[test]
    fn a_rate_that_does_not_fit_names_the_option_and_what_it_wants() {
        let [.., answers] = CARRIERS;
        let kept = load(answers, state(0, 0, 4 << 30), TERMS);
        assert_eq!(
            sustainable(&[kept], TERMS, Some(10.0)).verdict,
            CheckStatus::Ok
        );
        let said = sustainable(&[kept], TERMS, Some(30.0));
        assert_eq!(said.verdict, CheckStatus::Fail);
        assert!(said.text.contains("which fit for 12 h"), "{said:?}");
        let fix = said.fix.unwrap();
        assert!(
            fix.contains("`streams.answers_bytes` wants 7.9 GiB"),
            "{fix}"
        );
    }

    #[test]
    fn a_rate_that_fits_for_a_while_names_each_stream_that_it_fills() {
        let [inbox, steps, _, answers] = CARRIERS;
        let loads = [
            load(inbox, state(0, 0, 64 << 30), TERMS),
            load(steps, state(0, 0, 8 << 30), TERMS),
            load(answers, state(0, 0, 4 << 30), TERMS),
        ];
        // Answers carry least for ever, and steps, which are larger, are full first: 420 s x 511 / 1,000.
        let said = sustainable(&loads, TERMS, Some(1_000.0));
        assert_eq!(said.verdict, CheckStatus::Fail);
        assert!(
            said.text.contains("for 3 min, until ARGOSY_STEPS_0"),
            "{said:?}"
        );
        let fix = said.fix.unwrap();
        assert!(
            fix.contains("`streams.steps_bytes` wants 15.6 GiB, `streams.answers_bytes` wants"),
            "{fix}"
        );
        assert!(!fix.contains("inbox"), "{fix}");
        // Of the default sizes steps take it for ever, so answers alone are short, after more than an hour.
        let loads = [
            load(steps, state(0, 0, 24 << 30), TERMS),
            load(answers, state(0, 0, 13 << 30), TERMS),
        ];
        let said = sustainable(&loads, TERMS, Some(1_000.0));
        assert!(
            said.text.contains("for 70 min, until ARGOSY_ANSWERS"),
            "{said:?}"
        );
        assert!(!said.fix.unwrap().contains("steps"));
    }

    #[test]
    fn memory_counts_what_is_kept_for_a_day_too() {
        // 6 messages for 7 minutes and 2 for a day, at 0.25 KB.
        let one = memory(1.0, TERMS);
        assert_eq!(one.round(), 256.0 * (6.0 * 420.0 + 2.0 * 86_400.0));
    }

    fn said(states: &[(Stream, u64)]) -> Said {
        let states = states.iter();
        let states: Vec<_> = states.map(|(s, fill)| (*s, state(1, *fill, 100))).collect();
        fullest(&states, 0.7)
    }

    #[test]
    fn what_the_gateway_watches_is_held_to_its_limit() {
        for watched in [Stream::Steps(0), Stream::Timers, Stream::Answers] {
            let at = |fill| said(&[(Stream::Dead, 100), (Stream::Inbox, 1), (watched, fill)]);
            assert_eq!(at(48).verdict, CheckStatus::Ok);
            assert_eq!(at(50).verdict, CheckStatus::Warn);
            assert_eq!(at(70).verdict, CheckStatus::Fail);
            assert!(at(70).text.contains(&watched.name()));
            assert!(at(70).fix.unwrap().contains(setting(watched)));
        }
    }

    #[test]
    fn what_only_fills_is_no_fault_before_it_is_full() {
        let verdict = |stream, fill| said(&[(stream, fill)]).verdict;
        for stream in [Stream::Chunks, Stream::Inbox] {
            assert_eq!(verdict(stream, 84), CheckStatus::Ok);
            assert_eq!(verdict(stream, 85), CheckStatus::Warn);
            assert_eq!(verdict(stream, 95), CheckStatus::Fail);
        }
        assert_eq!(verdict(Stream::Documents, 94), CheckStatus::Ok);
        assert_eq!(verdict(Stream::Documents, 99), CheckStatus::Warn);
        for stream in [Stream::Dead, Stream::Conversations, Stream::Feedback] {
            assert_eq!(verdict(stream, 100), CheckStatus::Skip, "its oldest go");
        }
    }

    #[test]
    fn a_corpus_does_not_hide_what_is_short() {
        let both = said(&[(Stream::Chunks, 84), (Stream::Steps(0), 50)]);
        assert_eq!(both.verdict, CheckStatus::Warn);
        assert!(both.text.contains("ARGOSY_STEPS_0"), "{both:?}");
    }
}
